"""One window for each results folder: a second start hands its file to the first window and ends.

The first window listens on a local socket that only its user may open, and leaves a mark in the folder, so that a start
without another window need not ask. Whatever is stale or does not answer within a second is passed over: then a
window opens as if there were none.
"""

import hashlib
import json
import logging
import time
import uuid
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, Signal

log = logging.getLogger(__name__)

MARK: Final = "open-window"
ANSWER_S: Final = 1.0
"""A window that does not answer for so long hangs."""
LONGEST_BYTES: Final = 65_536
TAKEN: Final = b"taken\n"


def name_of(folder: Path) -> str:
    """The socket's name for a results folder, short enough for every platform."""
    return "two-machines-" + hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:20]


def hand_over(folder: Path, file: Path | None, limit_s: float = ANSWER_S) -> bool:
    """Whether a window of that folder took the file (None: only come to the front). Needs no event loop."""
    if not (folder / MARK).exists():
        return False
    try:
        from PySide6.QtNetwork import QLocalSocket
    except ImportError:
        return False
    end = time.monotonic() + limit_s

    def left_ms() -> int:
        return max(1, round(1000 * (end - time.monotonic())))

    socket = QLocalSocket()
    socket.connectToServer(name_of(folder))
    if not socket.waitForConnected(left_ms()):
        return False
    socket.write(json.dumps({"open": str(file.absolute()) if file else ""}).encode() + b"\n")
    if not socket.waitForBytesWritten(left_ms()):
        return False
    while not socket.canReadLine() and time.monotonic() < end:
        if not socket.waitForReadyRead(left_ms()):
            break
    taken = bytes(socket.readLine().data()) == TAKEN
    socket.abort()
    return taken


class Listener(QObject):
    """Hears later starts; ``asked`` carries the file to open, or None. Lives on the main thread."""

    asked = Signal(object)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._server: Any = None
        self._mark = uuid.uuid4().hex

    def start(self) -> bool:
        """Listen; False where that is not possible, which harms nobody."""
        try:
            from PySide6.QtNetwork import QLocalServer
        except ImportError:
            return False
        server, name = QLocalServer(self), name_of(self._folder)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        if not server.listen(name):
            # Nobody took our file, so whoever holds the name is gone or hangs.
            QLocalServer.removeServer(name)
            if not server.listen(name):
                log.warning("later starts cannot be heard: %s", server.errorString())
                return False
        server.newConnection.connect(self._take)
        self._server = server
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / MARK).write_text(self._mark, encoding="utf-8")
        except OSError as error:
            log.warning("later starts will open windows of their own: %s", error)
        return True

    def stop(self) -> None:
        """Hear no more; the mark goes only if it is still ours."""
        server, self._server = self._server, None
        if server is None:
            return
        mark = self._folder / MARK
        try:
            if mark.read_text(encoding="utf-8") == self._mark:
                mark.unlink()
        except OSError:
            log.debug("the mark of this window was gone")
        server.close()

    def _take(self) -> None:
        while self._server is not None and self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(socket.deleteLater)
            self._hear(socket)

    def _read(self) -> None:
        self._hear(self.sender())

    def _hear(self, socket: Any) -> None:
        if socket.bytesAvailable() > LONGEST_BYTES:
            socket.abort()
            return
        if not socket.canReadLine():
            return
        try:
            asked = json.loads(socket.readLine().data())
            name = asked["open"]
            file = Path(name) if name else None
        except (ValueError, TypeError, KeyError):
            socket.abort()
            return
        socket.write(TAKEN)  # the other side hangs up when it has read this
        self.asked.emit(file)
