"""One window for each results folder: a second start hands its file to the first window and ends.

The first window listens on a local socket (a pipe on Windows) of a name used once, and leaves a mark in the folder: a
file only its user may read, with that name and a key that both sides prove they know. So a start without another window
need not ask, and whatever else is met on the way is not believed. Whatever is stale or does not answer within a second
is passed over: then a window opens as if there were none.

Python's own connections are used, as bytes and JSON, never as pickles; Qt's network library would be far larger.
"""

import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from PySide6.QtCore import QObject, Qt, Signal

from ui.shell.single_mark import MARK, Mark, leave_place, name_of, new_mark, read_mark, remove_mark, write_mark

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.connection import Listener as Socket

__all__ = ["ANSWER_S", "MARK", "Listener", "hand_over", "name_of"]

log = logging.getLogger(__name__)

ANSWER_S: Final = 1.0
"""A window that does not answer for so long hangs."""
PEER_S: Final = 10.0
"""A later start on a busy machine may take its time; it hangs up itself when it gives up."""
LONGEST_BYTES: Final = 65_536
TAKEN: Final = b"taken"
FAMILY: Final = "AF_PIPE" if sys.platform == "win32" else "AF_UNIX"
MOST_PEERS: Final = 8
"""Later starts heard at the same time."""


def hand_over(folder: Path, file: Path | None, limit_s: float = ANSWER_S) -> bool:
    """Whether a window of that folder took the file (None: only come to the front). Needs no event loop."""
    mark = read_mark(folder)
    if mark is None:
        return False
    request = json.dumps({"open": str(file.absolute()) if file else ""}).encode("ascii")
    end = time.monotonic() + 0.9 * limit_s  # hangs up before the limit, so that the window hears of it
    return _within(limit_s, lambda: _ask(mark, request, end))


def _within(limit_s: float, work: Callable[[], bool]) -> bool:
    """Its answer; False if that did not come in time. Connecting has no limit of its own."""
    answers: list[bool] = []
    thread = threading.Thread(target=lambda: answers.append(work()), daemon=True)  # if stuck, ends with the program
    thread.start()
    thread.join(limit_s)
    return answers == [True]


def _ask(mark: Mark, request: bytes, end: float) -> bool:
    from multiprocessing.connection import Client

    try:
        with Client(mark.address, FAMILY) as connection:
            talk = _Talk(connection, end)
            talk.answer(mark.key)
            talk.challenge(mark.key)
            connection.send_bytes(request)
            return talk.recv_bytes(len(TAKEN)) == TAKEN
    except Exception as error:  # Python's own check of the key raises what it likes
        log.debug("no window took the file: %s", error)
        return False


class _Talk:
    """A connection that waits for the other side until ``end`` and no longer."""

    def __init__(self, connection: "Connection[Any, Any]", end: float) -> None:
        self._connection = connection
        self.end = end
        self.send_bytes = connection.send_bytes

    def recv_bytes(self, longest_bytes: int | None = None) -> bytes:
        left_s = self.end - time.monotonic()
        if left_s <= 0 or not self._connection.poll(left_s):
            raise TimeoutError("no answer in time")
        return self._connection.recv_bytes(longest_bytes)

    def challenge(self, key: bytes) -> None:
        """Have the other side prove that it knows the key."""
        from multiprocessing.connection import deliver_challenge

        deliver_challenge(cast("Connection[Any, Any]", self), key)

    def answer(self, key: bytes) -> None:
        """Prove it to the other side."""
        from multiprocessing.connection import answer_challenge

        answer_challenge(cast("Connection[Any, Any]", self), key)


class _Request:
    """A file on its way from a peer's thread to the window; either the window takes it or the thread gives it up."""

    def __init__(self, file: Path | None, connection: "Connection[Any, Any]") -> None:
        self.file = file
        self._connection = connection
        self.taken = threading.Event()
        self._free = threading.Lock()

    def claim(self) -> bool:
        """True for the first who asks."""
        return self._free.acquire(blocking=False)

    def is_given_up(self) -> bool:
        """Whether the peer has hung up."""
        try:
            return self._connection.poll(0.0)  # nothing more is due, so what can be read is the end
        except OSError:
            return True


class Listener(QObject):
    """Hears later starts; ``asked`` carries the file to open, or None. Lives on the main thread."""

    asked = Signal(object)
    _came = Signal(object)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._mark: Mark | None = None
        self._socket: Socket | None = None
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self._peers = threading.BoundedSemaphore(MOST_PEERS)
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def start(self) -> bool:
        """Listen, once; False where that is not possible, which harms nobody."""
        from multiprocessing.connection import Listener as Socket

        mark = new_mark(self._folder)
        if mark is None:
            log.warning("later starts cannot be heard: no folder for a socket that is this user's alone")
            return False
        try:
            socket = Socket(mark.address, FAMILY, backlog=MOST_PEERS)
        except OSError as error:
            log.warning("later starts cannot be heard: %s", error)
            return False
        try:
            write_mark(self._folder, mark)
        except OSError as error:
            log.warning("later starts will open windows of their own: %s", error)
            socket.close()
            return False
        self._mark, self._socket = mark, socket
        self._thread = threading.Thread(target=self._accept, args=(socket, mark.key), name="later starts", daemon=True)
        self._thread.start()
        return True

    def stop(self) -> None:
        """Hear no more; the mark goes only if it is still ours."""
        mark, socket, thread = self._mark, self._socket, self._thread
        self._mark = self._socket = self._thread = None
        if mark is None or socket is None or thread is None:
            return
        remove_mark(self._folder, mark)
        self._ended.set()
        # Closing a socket does not wake the thread that accepts on it; a visitor does.
        if _within(ANSWER_S, lambda: _knock(mark.address)):
            thread.join(ANSWER_S)
        with suppress(OSError):  # someone may have tidied the socket away
            socket.close()
        leave_place(mark)

    def _accept(self, socket: "Socket", key: bytes) -> None:
        while not self._ended.is_set():
            try:
                connection = socket.accept()
            except OSError:
                self._ended.wait(0.1)
                continue
            if self._ended.is_set() or not self._peers.acquire(blocking=False):
                connection.close()
                continue
            # In a thread of its own, so that a peer who says nothing keeps nobody waiting.
            threading.Thread(target=self._hear, args=(connection, key), name="later start", daemon=True).start()

    def _hear(self, connection: "Connection[Any, Any]", key: bytes) -> None:
        try:
            with connection:
                talk = _Talk(connection, time.monotonic() + PEER_S)
                talk.challenge(key)
                talk.answer(key)
                request = _Request(_file_in(talk.recv_bytes(LONGEST_BYTES)), connection)
                self._came.emit(request)
                if self._was_taken(request, talk.end):
                    connection.send_bytes(TAKEN)
        except Exception as error:  # whatever a peer sends
            log.debug("a later start was not understood: %s", error)
        finally:
            self._peers.release()

    def _was_taken(self, request: _Request, end: float) -> bool:
        """Wait for the window, while the peer does: what a hung window did not take then it must not open later."""
        while not request.taken.wait(0.01):
            if self._ended.is_set() or time.monotonic() > end or request.is_given_up():
                return not request.claim()
        return True

    def _take(self, request: _Request) -> None:
        if self._mark is not None and not request.is_given_up() and request.claim():
            request.taken.set()
            self.asked.emit(request.file)


def _file_in(message: bytes) -> Path | None:
    name = json.loads(message)["open"]
    if not isinstance(name, str):
        raise TypeError("the file's name is no text")
    return Path(name) if name else None


def _knock(address: str) -> bool:
    from multiprocessing.connection import Client

    try:
        Client(address, FAMILY).close()
    except OSError:
        return False
    return True
