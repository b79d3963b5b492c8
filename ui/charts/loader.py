"""Brings the plot library in after the window is there, on a thread, so that nothing waits for it."""

import importlib
import logging
import threading

from PySide6.QtCore import QObject, Signal

log = logging.getLogger(__name__)


class ChartLoader(QObject):
    """Imports the plot library once; ``ready`` arrives on this object's thread.

    The import takes about half a second of mostly Python code, which gives way to the window every few
    milliseconds; done on the main thread it would be one long gap.
    """

    ready = Signal()
    failed = Signal(object)
    _imported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self.is_ready = False
        self._imported.connect(self._take)

    def start(self) -> None:
        """Begin, unless it has begun."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="chart import", daemon=True)
            self._thread.start()

    def join(self, timeout_s: float) -> None:
        """Wait for the import to end."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _work(self) -> None:
        error: Exception | None = None
        try:
            importlib.import_module("ui.charts.roofline")
        except Exception as caught:  # a broken plot library must not take the window with it
            error = caught
        try:
            self._imported.emit(error)
        except RuntimeError:
            log.debug("the window was gone before the charts were in")

    def _take(self, error: object) -> None:
        if error is None:
            self.is_ready = True
            self.ready.emit()
        else:
            log.error("charts cannot be drawn: %s", error)
            self.failed.emit(error)
