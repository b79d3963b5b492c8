"""One measurement at a time: every program of ours that measures on this computer waits for its turn.

The lock is on an open file, which the system lets go when its holder ends, however that dies; what is written in the
file only says who holds it. Where a file system has no locks, everybody measures at once, as without this.
"""

import json
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from advisor.core.dates import date_time
from advisor.core.progress import CancelToken, Progress
from advisor.core.translation import marked, tr
from advisor.session.events import Listener, Remark

log = logging.getLogger(__name__)

LOOK_S: Final = 0.2
"""How often the lock is looked at while it is another's, and the token of Stop with it."""

WAITING: Final = marked("Waiting for another measurement")
TWO_AT_ONCE: Final = marked("another measurement of this program ran at the same time")
"""The clause in the stamp of what was measured all the same."""

_LOCKED_BYTE: Final = 1 << 30
"""Windows locks bytes, and nobody else may read those: one far behind what is written in the file."""


@dataclass(frozen=True, slots=True)
class Held:
    """The turn while it lasts.

    Attributes:
        notes: why what is measured is only suspect, clauses.
        waited: another one measured until now, so that what was known of this computer's load is old.
    """

    notes: tuple[str, ...] = ()
    waited: bool = False


class Turn:
    """The turn to measure; a thread that has it may take it again within.

    Args:
        path: the file, which is made.
        wait: False measures at once, with a note, where another one measures.
    """

    def __init__(self, path: Path, wait: bool = True) -> None:
        self._path = path
        self._wait = wait
        self._mine = threading.local()

    @contextmanager
    def taken(self, listener: Listener, cancel: CancelToken) -> Iterator[Held]:
        """Hold it; while another one measures that is said once, and waited for. Raises Cancelled."""
        held: Held | None = getattr(self._mine, "held", None)
        if held is not None:
            yield held
            return
        stream = self._open()
        try:
            held = Held() if stream is None else self._acquired(stream, listener, cancel)
            self._mine.held = held
            try:
                yield held
            finally:
                self._mine.held = None
        finally:
            if stream is not None:
                _let_go(stream)

    def _open(self) -> "IO[bytes] | None":
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return self._path.open("r+b" if self._path.exists() else "w+b", buffering=0)
        except OSError as error:
            log.info("no lock between measurements: %s", error)
            return None

    def _acquired(self, stream: IO[bytes], listener: Listener, cancel: CancelToken) -> Held:
        held = Held()
        while True:
            try:
                if _locked(stream):
                    _write(stream)
                    return held
            except OSError as error:  # a file system without locks
                log.info("no lock between measurements: %s", error)
                return held
            if not self._wait:
                listener(
                    Remark(
                        tr("{who}; both will be slower for it.", who=_who(stream)),
                        tr("The figures carry that mark."),
                    ),
                )
                return replace(held, notes=(tr(TWO_AT_ONCE),))
            if not held.waited:
                held = replace(held, waited=True)
                hint = tr("Stop gives up; on the command line --no-wait measures at once and marks the figures.")
                listener(Remark(tr("{who}; waiting until it is done.", who=_who(stream)), hint))
                listener(Progress(0.0, tr(WAITING)))
            cancel.raise_if_cancelled()
            time.sleep(LOOK_S)


def _who(stream: IO[bytes]) -> str:
    """The holder in words, without a full stop."""
    words = tr("Another measurement of this program runs")
    try:
        stream.seek(0)
        said = json.loads(stream.read(200))
        since, pid = datetime.fromisoformat(said["since"]).astimezone(), int(said["pid"])
    except (OSError, ValueError, TypeError, KeyError):  # it has just begun, and has not said it yet
        return words
    today = since.date() == datetime.now().astimezone().date()
    time_of_day = f"{since:%H:%M}" if today else date_time(since.isoformat())
    return tr("Another measurement of this program runs since {time} (process {pid})", time=time_of_day, pid=pid)


def _write(stream: IO[bytes]) -> None:
    said = {"pid": os.getpid(), "since": datetime.now().astimezone().isoformat(timespec="seconds")}
    with suppress(OSError):  # a full disk: the lock holds all the same
        stream.seek(0)
        stream.truncate()
        stream.write(json.dumps(said).encode())


def _locked(stream: IO[bytes]) -> bool:
    """Whether the lock is ours now; raises OSError where there can be none."""
    if sys.platform == "win32":
        import msvcrt

        stream.seek(_LOCKED_BYTE)
        try:
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _let_go(stream: IO[bytes]) -> None:
    """Closing the file ends a lock; on Windows it is ended first, since that may otherwise take a while."""
    with suppress(OSError):
        if sys.platform == "win32":
            import msvcrt

            stream.seek(_LOCKED_BYTE)
            msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)
    with suppress(OSError):
        stream.close()
