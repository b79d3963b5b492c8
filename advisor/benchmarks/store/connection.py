"""One connection to the file, and what SQLite's errors mean for a user.

The rollback journal is used, not WAL: WAL needs memory shared between processes, which network drives lack, and
fewer than a dozen rows are written in a minute. Every use opens the file and closes it again, so that nothing is held
while a model is being measured. ``sqlite3`` is imported here only, when it is first needed.
"""

import errno
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote_from_bytes

from advisor.benchmarks.store.model import StoreBusy, StoreError
from advisor.benchmarks.store.schema import APPLICATION_ID
from advisor.core.translation import marked, tr

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger(__name__)

BUSY_S: Final = 5.0
"""How long to wait for another process's write, which takes milliseconds on a local disk."""

CANNOT: Final = marked("The file of results cannot be used")
CANNOT_READ: Final = marked("The file of earlier results cannot be read")

_ERROR, _BUSY, _LOCKED, _READONLY, _IO, _CORRUPT, _FULL, _CANTOPEN, _NOTADB = 1, 5, 6, 8, 10, 11, 13, 14, 26
"""Primary result codes, https://www.sqlite.org/rescode.html"""

_REASONS: Final = {
    _READONLY: marked("the file or its folder cannot be written to"),
    _IO: marked("the disk reports an error"),
    _FULL: marked("the disk is full"),
    _CANTOPEN: marked("the file or its folder cannot be opened"),
}


_HINTS: Final = {
    _READONLY: marked("See who may write there: {path}"),
    _IO: marked("Check that disk, or keep results elsewhere: set TWO_MACHINES_HOME to a folder. ({path})"),
    _FULL: marked("Make room on the disk of {path}"),
    _CANTOPEN: marked("See who may write there: {path}"),
}
"""What can be done, by SQLite's code."""


class Damaged(Exception):
    """The file cannot be used as it is: gone, old, no store of ours, or a store that lost a part of itself."""


def damaged(detail: str) -> Damaged:
    """A file that lost a part of itself; what SQLite says of it is for the log."""
    log.info("the store is damaged: %s", detail)
    return Damaged(tr("it is damaged"))


@contextmanager
def connected(path: Path, busy_s: float = BUSY_S, create: bool = False) -> Iterator["Connection"]:
    """A connection that is closed at the end; transactions are begun and ended by hand.

    Raises:
        Damaged: SQLite cannot make sense of the file.
        StoreError: with the reason in words; ``StoreBusy`` where waiting may help.
    """
    try:
        import sqlite3
    except ImportError as error:
        raise StoreError(cannot(tr("this Python was built without SQLite"))) from error
    try:
        uri = f"{_uri(path)}?mode={'rwc' if create else 'rw'}"
        connection = sqlite3.connect(uri, uri=True, timeout=busy_s, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA foreign_keys = ON")
            yield connection
        finally:
            connection.close()  # rolls back what was not committed
    except (sqlite3.Error, OSError) as error:
        raise explained(error, path) from error


@contextmanager
def transaction(connection: "Connection", kind: str = "IMMEDIATE") -> Iterator[None]:
    """All or nothing; ``IMMEDIATE`` takes the write lock at once, so that two writers wait instead of failing."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def version_of(connection: "Connection") -> int:
    """The file's format. Raises Damaged when it is not ours."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID or version < 1:
        raise Damaged(tr("it was not written by this program"))
    return int(version)


def explained(error: Exception, path: Path) -> Exception:
    """What happened to the file, as an error of ours."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in (_CORRUPT, _NOTADB) or (code == _ERROR and "no such " in str(error)):
        return damaged(str(error))
    if code in (_BUSY, _LOCKED):
        return StoreBusy(
            cannot(tr("another program holds it for too long")), tr("Close that program, or try again in a moment.")
        )
    code = code if code in _REASONS else _system_code(error)
    reason = tr(_REASONS[code]) if code in _REASONS else _system_reason(error)
    hint = marked("Move that file away, or set TWO_MACHINES_HOME to another folder. ({path})")
    if not isinstance(error, NotADirectoryError | FileExistsError):
        hint = _HINTS.get(code, _HINTS[_READONLY])
    return StoreError(cannot(reason), tr(hint, path=path))


def cannot(reason: str) -> str:
    """The sentence of an error, with its reason, a clause."""
    return f"{tr(CANNOT)}: {reason}."


def unusable_hint(path: Path) -> str:
    """What to do with a file that cannot be replaced by itself."""
    return tr("Move it away, so that a new one is made: {path}", path=path)


def _system_code(error: Exception) -> int:
    """SQLite's code for what the system says; 0 where it has none."""
    return {errno.EROFS: _READONLY, errno.ENOSPC: _FULL, errno.EDQUOT: _FULL, errno.EIO: _IO}.get(
        getattr(error, "errno", None) or 0, 0
    )


def _system_reason(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return tr("there is no permission for the file or its folder")
    if isinstance(error, NotADirectoryError | FileExistsError):
        return tr("a file stands in the place of its folder")
    return tr("the system says “{why}”", why=str(getattr(error, "strerror", None) or error).rstrip("."))


def _uri(path: Path) -> str:
    """The path as SQLite's URI, which can say that no file is to be made; any bytes and Windows' shares included."""
    name = path.absolute().as_posix()
    slashes = "//" if name.startswith("/") else "///"
    return f"file:{slashes}{quote_from_bytes(os.fsencode(name), safe='/:')}"
