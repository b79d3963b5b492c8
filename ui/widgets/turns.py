"""Work that may wait a moment, such as drawing a chart: one piece in each turn of the event loop."""

from collections.abc import Callable, Hashable
from typing import Final

from PySide6.QtCore import QObject, QTimer

PAUSE_MS: Final = 15
"""Between two pieces; a timer of 0 would come again before anything else has its turn."""


class Turns(QObject):
    """Does what was asked for, in order; the same thing asked for again before its turn is done once, as asked last."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._due: dict[Hashable, Callable[[], object]] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._next)

    def later(self, what: Hashable, do: Callable[[], object]) -> None:
        """Do it when its turn has come."""
        self._due[what] = do
        if not self._timer.isActive():
            self._timer.start()

    def _next(self) -> None:
        what = next(iter(self._due), None)
        if what is None:
            return
        do = self._due.pop(what)
        if self._due:
            self._timer.start()
        do()
