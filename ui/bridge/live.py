"""Live values at the rate of a screen: the newest of each kind, ten times a second."""

import threading
from typing import Final, Union

from PySide6.QtCore import QObject, QTimer, Signal

from advisor.benchmarks.model import LiveReading
from advisor.core.progress import Progress
from advisor.servers.model import ServerResult
from advisor.session.events import Event

INTERVAL_MS: Final = 100
"""10 Hz: faster than anyone reads a number, and cheap beside a measurement on the same cores."""

KEPT_FINALS: Final = 200
"""Finished repetitions kept between two flushes; more than any run has, so only a fault reaches it."""

Live = Union[Event, ServerResult]


class LiveFeed(QObject):
    """Takes events from a worker thread and passes on what a screen can show.

    Progress, unfinished readings and what is known of a server replace their forerunners; finished readings are all
    kept, in order.
    ``flushed`` carries a tuple of events and is emitted on the thread that this object lives in.
    """

    flushed = Signal(object)

    def __init__(self, parent: QObject | None = None, interval_ms: int = INTERVAL_MS) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._reading: LiveReading | None = None
        self._server: ServerResult | None = None
        self._finals: list[LiveReading] = []
        self._timer = QTimer(self)
        self._timer.setInterval(interval_ms)
        self._timer.timeout.connect(self.flush)

    def put(self, event: Live) -> bool:
        """Keep a live event; False when the event is of another kind and must not wait. Any thread."""
        if isinstance(event, Progress):
            with self._lock:
                self._progress = event
            return True
        if isinstance(event, ServerResult):
            with self._lock:
                self._server = event
            return True
        if isinstance(event, LiveReading):
            with self._lock:
                if event.final:
                    self._finals = [*self._finals[-KEPT_FINALS:], event]
                    self._reading = None
                else:
                    self._reading = event
            return True
        return False

    def start(self) -> None:
        """Begin to pass values on."""
        self._timer.start()

    def stop(self) -> None:
        """Pass on what is left, then rest."""
        self._timer.stop()
        self.flush()

    def clear(self) -> None:
        """Forget what waits, because its job is over."""
        with self._lock:
            self._progress, self._reading, self._server, self._finals = None, None, None, []

    def flush(self) -> None:
        """Pass on what has arrived since the last time."""
        with self._lock:
            waiting: tuple[Live, ...] = tuple(self._finals)
            if self._reading is not None:
                waiting += (self._reading,)
            if self._server is not None:
                waiting += (self._server,)
            if self._progress is not None:
                waiting += (self._progress,)
            self._progress, self._reading, self._server, self._finals = None, None, None, []
        if waiting:
            self.flushed.emit(waiting)
