"""Results to disk: whole or not at all."""

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from advisor.core.errors import AdvisorError
from advisor.core.translation import tr

ROOM_BYTES: Final = 1 << 20
"""As long as any report is; a disk without so much room is as good as full."""


class CannotWrite(AdvisorError):
    """A result could not be written; nothing half-written is left."""

    code = "cannot_write"


def check_writable(path: Path) -> None:
    """Find out before hours of measuring whether a file could be written there, by writing one beside it.

    A pipe or device is only asked whether it may be written to.

    Raises:
        CannotWrite: a folder of that name, no folder to hold it, no permission, or no room for ``ROOM_BYTES``.
    """
    if path.is_dir():
        raise _is_folder(path)
    if path.exists() and not os.access(path, os.W_OK):
        raise _cannot_write(path, PermissionError(errno.EACCES, tr("no permission")))
    if path.exists() and not path.is_file():
        return
    try:
        _try_beside(path.resolve())
    except OSError as error:
        raise _cannot_write(path, error) from error


def _try_beside(path: Path) -> None:
    """Raises OSError. The bytes are really written: a quota or a full disk shows nowhere else."""
    temporary = _temporary(path)
    try:
        with temporary.open("xb") as stream:
            stream.write(bytes(ROOM_BYTES))
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file through a temporary one in the same folder, so that a reader never sees half of it.

    A link is followed, and a pipe or device is written to directly.

    Raises:
        CannotWrite: folder missing, no permission, disk full.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    if path.is_dir():
        raise _is_folder(path)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace(path.resolve(), data)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _replace(path: Path, data: bytes) -> None:
    temporary = _temporary(path)
    try:
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")


def _cannot_write(path: Path, error: OSError) -> CannotWrite:
    hint = tr("Choose another folder or make room on the disk.")
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        hint = tr("The folder does not exist: create it, or choose another one.")
    elif isinstance(error, PermissionError):
        hint = tr("Choose a folder that you may write to.")
    elif error.errno == errno.EROFS:
        hint = tr("That disk is read-only: choose another folder.")
    elif error.errno == errno.ENAMETOOLONG:
        hint = tr("Choose a shorter name.")
    why = error.strerror or error
    return CannotWrite(tr("The file {file} cannot be written ({why}).", file=path.name, why=why), hint)


def _is_folder(path: Path) -> CannotWrite:
    return CannotWrite(tr("{name} is a folder.", name=path.name or path), tr("Give the name of a file in it."))
