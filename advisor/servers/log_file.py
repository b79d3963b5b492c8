"""Reading a server's log of any size, once or for a while."""

import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from advisor.core.errors import BadFile
from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.gguf.readable import readable
from advisor.servers.logs import LONGEST_LINE, LogReader, LogRecord

POLL_S: Final = 0.2
TELL_EVERY_S: Final = 1.0
LINES_BETWEEN: Final = 2_000
"""Lines after which Stop is looked at."""


def read_log(
    path: Path, watch_s: float, cancel: CancelToken, listen: Callable[[LogRecord, float], None] = lambda _r, _s: None
) -> LogRecord:
    """All that stands in the file, then what is added during ``watch_s`` seconds; Stop ends at once with what is there.

    A line that is not ended yet waits for its end; a file that was cut or replaced (a rotated log) is read from its
    beginning. ``listen`` hears the record and the seconds left about once a second while watching.

    Raises:
        BadFile: the file is missing, no plain file, or may not be read.
    """
    reader = LogReader()
    follower = _Follower(path, reader)
    try:
        follower.read(cancel)
        ends = time.monotonic() + watch_s
        told = time.monotonic()
        while not cancel.cancelled and (left := ends - time.monotonic()) > 0:
            cancel.wait(min(POLL_S, left))
            follower.read(cancel)
            if time.monotonic() - told >= TELL_EVERY_S:
                told = time.monotonic()
                listen(reader.record(), max(0.0, ends - told))
        follower.finish()
    finally:
        follower.close()
    return reader.record()


class _Follower:
    """Gives the whole lines of a growing file to a reader; pieces of a line longer than the limit are dropped."""

    def __init__(self, path: Path, reader: LogReader) -> None:
        self._path = path
        self._reader = reader
        self._handle = _open(path)
        self._held = b""
        self._skipping = False

    def read(self, cancel: CancelToken) -> None:
        """All that can be read now."""
        self._again_if_replaced()
        lines = 0
        while piece := self._handle.readline(LONGEST_LINE):
            self._take(piece)
            lines += 1
            if lines % LINES_BETWEEN == 0 and cancel.cancelled:
                return

    def finish(self) -> None:
        """The last line, though nothing ends it."""
        if self._held and not self._skipping:
            self._feed(self._held)
        self._held = b""

    def close(self) -> None:
        self._handle.close()

    def _take(self, piece: bytes) -> None:
        whole = piece.endswith(b"\n")
        if self._skipping:
            self._skipping = not whole
            return
        line = self._held + piece
        if whole:
            self._held = b""
            self._feed(line)
        elif len(line) >= LONGEST_LINE:
            self._held, self._skipping = b"", True
            self._feed(line)
        else:
            self._held = line

    def _feed(self, line: bytes) -> None:
        self._reader.feed(line.decode("utf-8", "replace"))

    def _again_if_replaced(self) -> None:
        try:
            now = self._path.stat()
        except OSError:
            return  # moved away by a rotation: the open file may still grow, a new one may come
        here = os.fstat(self._handle.fileno())
        if (now.st_dev, now.st_ino) != (here.st_dev, here.st_ino) or now.st_size < self._handle.tell():
            fresh = _open(self._path)
            self._handle.close()
            self._handle, self._held, self._skipping = fresh, b"", False


def _open(path: Path) -> BinaryIO:
    name = readable(path.name)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would block, a folder has no lines
            raise BadFile(
                tr("{file} is not a plain file.", file=name), tr("Name the file that the server writes its log to.")
            )
        return path.open("rb")
    except FileNotFoundError as error:
        raise BadFile(tr("There is no file {file}.", file=name), tr("Check its name.")) from error
    except OSError as error:
        raise BadFile(
            tr("{file} cannot be read: {error}.", file=name, error=error.strerror or error),
            tr("Check who may read it."),
        ) from error
