"""Reads once, on a worker thread, what the program is made of."""

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from advisor.core.translation import language
from ui.bridge.jobs import Done, Ended, Failed, Jobs

log = logging.getLogger(__name__)

LANE = "about"


class AboutReader(QObject):
    """Gives what ``read`` returns with ``known``, or the error's words with ``failed``; None reads nothing."""

    known = Signal(object)
    failed = Signal(str)

    def __init__(self, read: Callable[[], object] | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._read = read
        self._state: object = None
        self._said_in = language()
        self._jobs = Jobs(self)
        self._jobs.ended.connect(self._take)

    @Slot()
    def ask(self) -> None:
        """Read it, or give again what is known, where that is said in the user's language."""
        read = self._read
        if self._state is not None and self._said_in == language():
            self.known.emit(self._state)
        elif read is not None and not self._jobs.running(LANE):
            self._said_in = language()
            self._jobs.start(LANE, "about", lambda _send, _cancel: read())

    def end(self, timeout_s: float) -> bool:
        """Give up for good; True when no thread is left."""
        return self._jobs.end(timeout_s)

    @Slot(object)
    def _take(self, ending: Done | Failed | Ended) -> None:
        if isinstance(ending, Done):
            self._state = ending.value
            self.known.emit(ending.value)
        elif isinstance(ending, Failed):
            log.error("the program's parts cannot be read", exc_info=ending.error)
            self.failed.emit(str(ending.error))
