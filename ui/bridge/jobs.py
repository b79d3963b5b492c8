"""Numbered jobs on worker threads; each ends exactly once as done, failed or cancelled."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Union

from PySide6.QtCore import QObject, Signal

from advisor.core.errors import Cancelled
from advisor.core.progress import CancelToken

log = logging.getLogger(__name__)

WAIT_FOR_FORERUNNER_S = 0.05

Send = Callable[[object], None]
Work = Callable[[Send, CancelToken], object]
"""A job's work: called on a worker thread with a function that sends events and a token to look at."""


@dataclass(frozen=True, slots=True)
class Done:
    """The job returned ``value``."""

    number: int
    kind: str
    value: object


@dataclass(frozen=True, slots=True)
class Failed:
    """The job raised ``error``."""

    number: int
    kind: str
    error: BaseException


@dataclass(frozen=True, slots=True)
class Ended:
    """The job was cancelled: by the user, or by a newer job in its lane (``replaced``)."""

    number: int
    kind: str
    replaced: bool


Ending = Union[Done, Failed, Ended]


@dataclass(frozen=True, slots=True)
class JobEvent:
    """Something that a job sent on its way."""

    number: int
    kind: str
    event: object


@dataclass(slots=True)
class _Job:
    number: int
    kind: str
    token: CancelToken
    thread: threading.Thread


class Jobs(QObject):
    """Runs one job per lane; a new job cancels its lane's old one and waits for its thread to end.

    ``sent`` carries a ``JobEvent`` and ``ended`` a ``Done``, ``Failed`` or ``Ended``, both on the thread of
    this object. Nothing of a job arrives after its end: late answers are dropped.
    """

    sent = Signal(object)
    ended = Signal(object)
    _from_worker = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._number = 0
        self._current: dict[str, _Job] = {}
        self._threads: list[threading.Thread] = []
        self._from_worker.connect(self._take)

    def start(self, lane: str, kind: str, work: Work) -> int:
        """Begin a job and return its number; the lane's old job, if any, ends as replaced."""
        self.abandon(lane)
        self._number += 1
        number, token = self._number, CancelToken()
        forerunner = self._lane_thread(lane)

        def run() -> None:
            self._run(number, kind, work, token, forerunner)

        thread = threading.Thread(target=run, name=f"{lane}: {kind} {number}", daemon=True)
        self._current[lane] = _Job(number, kind, token, thread)
        self._threads = [t for t in self._threads if t.is_alive()]
        self._threads.append(thread)
        thread.start()
        log.info("job %d %s started", number, kind)
        return number

    def abandon(self, lane: str) -> None:
        """Cancel the lane's job and want nothing of it any more: it ends now, as replaced."""
        old = self._current.pop(lane, None)
        if old is not None:
            old.token.cancel()
            self.ended.emit(Ended(old.number, old.kind, replaced=True))

    def cancel(self, lane: str) -> bool:
        """Ask the lane's job to end; True when there is one. Its end arrives as a signal."""
        job = self._current.get(lane)
        if job is None:
            return False
        job.token.cancel()
        return True

    def cancel_all(self) -> None:
        """Ask every job to end."""
        for lane in tuple(self._current):
            self.cancel(lane)

    def end(self, timeout_s: float, unless: str = "") -> bool:
        """For good: ask every job to end but that of the lane ``unless``, and wait; True when no thread is left.

        Nothing more is heard of any, since those who would hear it may be gone when it arrives.
        """
        for lane in tuple(self._current):
            if lane != unless:
                self.cancel(lane)
        self._current.clear()
        return self.join(timeout_s)

    def running(self, lane: str) -> str:
        """Kind of the lane's job, empty when it rests."""
        job = self._current.get(lane)
        return job.kind if job is not None else ""

    @property
    def busy(self) -> bool:
        """Whether any job has not ended, or any thread of one is still winding up."""
        return bool(self._current) or any(t.is_alive() for t in self._threads)

    def join(self, timeout_s: float) -> bool:
        """Wait for all threads, at most ``timeout_s`` together; True when none is left. Does not process events."""
        deadline = time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(t.is_alive() for t in self._threads)

    def _lane_thread(self, lane: str) -> threading.Thread | None:
        for thread in reversed(self._threads):
            if thread.is_alive() and thread.name.startswith(f"{lane}:"):
                return thread
        return None

    def _run(
        self, number: int, kind: str, work: Work, token: CancelToken, forerunner: threading.Thread | None
    ) -> None:
        """Body of a worker thread."""

        def send(event: object) -> None:
            self._emit(JobEvent(number, kind, event))

        ending: Ending
        try:
            while forerunner is not None and forerunner.is_alive():
                token.raise_if_cancelled()
                forerunner.join(WAIT_FOR_FORERUNNER_S)
            token.raise_if_cancelled()
            ending = Done(number, kind, work(send, token))
        except Cancelled:
            ending = Ended(number, kind, replaced=False)
        except BaseException as error:  # a thread must not lose what happened, whatever it was
            ending = Failed(number, kind, error)
        self._emit(ending)

    def _emit(self, message: object) -> None:
        try:
            self._from_worker.emit(message)
        except RuntimeError:
            # The window was gone before its worker: nobody is left to tell.
            log.debug("dropped %s after the end", message)

    def _take(self, message: object) -> None:
        """Runs on this object's thread; drops what comes from a job that is over."""
        assert isinstance(message, (JobEvent, Done, Failed, Ended))
        lane = next((lane for lane, job in self._current.items() if job.number == message.number), None)
        if lane is None:
            return
        if isinstance(message, JobEvent):
            self.sent.emit(message)
        else:
            del self._current[lane]
            log.info("job %d %s ended: %s", message.number, message.kind, type(message).__name__)
            self.ended.emit(message)
