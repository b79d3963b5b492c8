"""The mark that a window leaves in its results folder: where it listens, and the key to be believed there."""

import hashlib
import json
import os
import secrets
import socket
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MARK: Final = "open-window"
LONGEST_ADDRESS_BYTES: Final = 100
"""macOS takes 103 bytes for the path of a socket, Linux 107."""
LONGEST_MARK_BYTES: Final = 4_096


@dataclass(frozen=True, slots=True)
class Mark:
    """What a later start must know of the window that is open."""

    address: str
    key: bytes


def name_of(folder: Path) -> str:
    """A name for a results folder, short enough for every platform."""
    return "two-machines-" + hashlib.sha256(os.fsencode(folder.absolute())).hexdigest()[:20]


def new_mark(folder: Path) -> Mark | None:
    """An address never used before, so that nothing stale is in its way; None where no place for it is private."""
    name, key = f"{name_of(folder)}-{secrets.token_hex(4)}", secrets.token_bytes(32)
    if sys.platform == "win32":
        return Mark(rf"\\.\pipe\{name}", key)
    for parent in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):
        place = _private_place(Path(parent)) if parent else None
        if place is not None and len(os.fsencode(place / name)) <= LONGEST_ADDRESS_BYTES:
            return Mark(str(place / name), key)
    return None


def read_mark(folder: Path) -> Mark | None:
    """The mark in a folder; None if there is none, or if someone else could have written or read it."""
    try:
        with open(folder / MARK, "rb", opener=_open_at_once) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or not _only_ours(found):
                return None
            plain = json.loads(file.read(LONGEST_MARK_BYTES))
        address, key = plain["address"], bytes.fromhex(plain["key"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return Mark(address, key) if isinstance(address, str) and key else None


def write_mark(folder: Path, mark: Mark) -> None:
    """Put it in place at once, with nothing half written; the socket that a killed window left goes."""
    folder.mkdir(parents=True, exist_ok=True)
    stale = read_mark(folder)
    descriptor, name = tempfile.mkstemp(prefix=f".{MARK}-", dir=folder)  # for its user alone
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump({"address": mark.address, "key": mark.key.hex()}, file)
        Path(name).replace(folder / MARK)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    if stale is not None and _is_dead(stale.address):
        with suppress(OSError):
            Path(stale.address).unlink()


def remove_mark(folder: Path, mark: Mark) -> None:
    """Take the mark away unless a later window has put its own in place."""
    if read_mark(folder) == mark:
        with suppress(OSError):
            (folder / MARK).unlink()


def leave_place(mark: Mark) -> None:
    """Take the folder of the socket away when the last window is closed; nothing of ours stays behind in /tmp."""
    if sys.platform != "win32":
        with suppress(OSError):  # other windows' sockets are in it
            Path(mark.address).parent.rmdir()


def _is_dead(address: str) -> bool:
    """Whether nobody listens there any more; a window that hangs still does, and removes its socket when it ends."""
    if sys.platform == "win32":
        return False  # pipes go with their program
    with socket.socket(socket.AF_UNIX) as visitor:
        visitor.setblocking(False)
        try:
            visitor.connect(address)
        except ConnectionRefusedError:
            return True
        except (OSError, ValueError):
            return False
    return False


def _open_at_once(path: str, flags: int) -> int:
    """Someone's pipe of that name would keep an ordinary open waiting."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _private_place(parent: Path) -> Path | None:
    """A folder there that only this user may enter: others could put a socket of theirs into the place of ours."""
    if sys.platform == "win32":
        return None
    place = parent / f"two-machines-{os.getuid()}"
    try:
        with suppress(FileExistsError):
            place.mkdir(mode=0o700)
        found = place.lstat()
    except OSError:
        return None
    return place if stat.S_ISDIR(found.st_mode) and _only_ours(found) and os.access(place, os.W_OK) else None


def _only_ours(found: os.stat_result) -> bool:
    """On Windows the user's folders are closed to others by inheritance; there are no such bits."""
    if sys.platform == "win32":
        return True
    return found.st_uid == os.getuid() and found.st_mode & 0o077 == 0
