"""Before the first use: a file is made, an old one brought up to date after a backup, a damaged one set aside.

All of it happens under a lock between processes, and each process looks again once it holds the lock: otherwise one
could set aside the fresh file that another has just made. The lock is a transaction on an empty SQLite file, which
works on every system and ends with its holder, however that dies.
"""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.benchmarks.store.connection import (
    BUSY_S,
    Damaged,
    cannot,
    connected,
    damaged,
    explained,
    transaction,
    unusable_hint,
    version_of,
)
from advisor.benchmarks.store.model import NewerStore, StoreError
from advisor.benchmarks.store.salvage import Saved, salvage
from advisor.benchmarks.store.schema import APPLICATION_ID, Migration
from advisor.core.numbers import count
from advisor.core.translation import tr, trn

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger(__name__)

Say = Callable[[str, str], None]
"""Hears a sentence and a hint that the user should be told."""

_COMPANIONS = ("-journal", "-wal", "-shm")
"""Files that SQLite keeps beside its file; one that stayed behind would be played into the next file of that name."""


def prepare(path: Path, migrations: Sequence[Migration], say: Say, busy_s: float = BUSY_S) -> None:
    """After this the file exists, is whole as far as a check of its structure tells, and has the newest format.

    Raises:
        StoreError: it can be neither used nor replaced. ``NewerStore``: it is left alone.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _only_one(path, busy_s):
            if not path.exists():
                _make(path, migrations, busy_s)
            elif _is_damaged(path, migrations, busy_s):
                _replace(path, migrations, say, busy_s)
    except OSError as error:
        raise explained(error, path) from error
    except Damaged as error:
        raise StoreError(cannot(str(error)), unusable_hint(path)) from error


@contextmanager
def _only_one(path: Path, busy_s: float) -> Iterator[None]:
    lock = path.with_name(f"{path.name}.lock")
    if lock.is_file() and lock.stat().st_size:
        lock.unlink()  # it is always empty, also while it is held; something else wrote into it
    with connected(lock, busy_s, create=True) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


def _is_damaged(path: Path, migrations: Sequence[Migration], busy_s: float) -> bool:
    """Whether the file is of no use as it is; an older one is brought up to date."""
    try:
        with connected(path, busy_s) as connection:
            version = _examine(path, connection, migrations)
    except Damaged as error:
        log.warning("the store is damaged: %s", error)
        return True
    if version < len(migrations):
        _migrate(path, version, migrations, busy_s)
    return False


def _replace(path: Path, migrations: Sequence[Migration], say: Say, busy_s: float) -> None:
    """A new file with what can be read of the damaged one, which is set aside; the old one stays until that is done."""
    fresh, saved = _made(path, migrations, busy_s, path)
    aside = _set_aside(path)
    _drop_companions(path)
    fresh.replace(path)
    log.warning("the damaged store is now %s; %d runs of it could be read", aside.name, saved.runs)
    words = tr(
        "The file of earlier results is damaged and was set aside; nothing in it could be read, so results go into a "
        "new file."
    )
    if saved.runs:
        words = trn(
            "The file of earlier results is damaged and was set aside; {n}\u00a0run in it could be read and is in a "
            "new file.",
            "The file of earlier results is damaged and was set aside; {n}\u00a0runs in it could be read and are in a "
            "new file.",
            saved.runs, n=count(saved.runs),
        )  # fmt: skip
    say(words, tr("The damaged file is kept: {path}", path=aside))


def _examine(path: Path, connection: "Connection", migrations: Sequence[Migration]) -> int:
    if not path.stat().st_size:
        raise Damaged(tr("it is empty"))
    version = version_of(connection)
    if version > len(migrations):
        raise newer(version, len(migrations))
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise damaged(verdict)
    there = {row["name"] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    missing = [name for name in _tables(migrations[:version]) if name not in there]
    if missing:
        raise damaged(f"no table {missing[0]}")
    return version


def _tables(migrations: Sequence[Migration]) -> list[str]:
    """Names of the tables that a file of this format has."""
    return [name for steps in migrations for step in steps for name in re.findall(r"^\s*CREATE TABLE (\w+)", step)]


def newer(version: int, newest: int) -> NewerStore:
    """The refusal of a file that a newer version has written."""
    return NewerStore(
        tr(
            "The file of earlier results has format {version}, and this Two Machines knows formats up to {newest}, "
            "so it is left alone.",
            version=version, newest=newest,
        ),
        tr("Update Two Machines to see and keep results."),
    )


def _set_aside(path: Path) -> Path:
    stem = f"{path.stem}.damaged-{date.today().isoformat()}"
    aside = _free(path.parent, stem, path.suffix)
    path.rename(aside)
    return aside


def _free(folder: Path, stem: str, suffix: str) -> Path:
    """A name that is not taken: ``stem.sqlite``, ``stem-2.sqlite`` and so on."""
    path, number = folder / f"{stem}{suffix}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{suffix}"
    return path


def _make(path: Path, migrations: Sequence[Migration], busy_s: float) -> None:
    """Made under another name and moved when it is whole, so that an empty file is always a damaged one."""
    fresh, _ = _made(path, migrations, busy_s)
    _drop_companions(path)
    fresh.replace(path)


def _made(path: Path, migrations: Sequence[Migration], busy_s: float, old: Path | None = None) -> tuple[Path, Saved]:
    """A file of the newest format beside ``path``, with what can be read of the ``old`` one."""
    fresh, saved = path.with_name(f"{path.name}.new"), Saved()
    fresh.unlink(missing_ok=True)
    _drop_companions(fresh)
    with connected(fresh, busy_s, create=True) as connection, transaction(connection, "EXCLUSIVE"):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        _apply(connection, 0, migrations)
        if old is not None:
            saved = salvage(old, connection, busy_s)
    return fresh, saved


def _drop_companions(path: Path) -> None:
    for ending in _COMPANIONS:
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _migrate(path: Path, version: int, migrations: Sequence[Migration], busy_s: float) -> None:
    with connected(path, busy_s) as connection, transaction(connection):
        # Held from here on: nobody writes between the copy and the change.
        backup = _back_up(path, len(migrations), busy_s)
        _apply(connection, version, migrations)
    log.info("the store went from format %d to %d; the old file is %s", version, len(migrations), backup.name)


def _back_up(path: Path, to: int, busy_s: float) -> Path:
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        with connected(path, busy_s) as source, connected(part, busy_s, create=True) as target:
            source.backup(target)
        backup = _free(path.parent, f"{path.stem}.before-format-{to}", path.suffix)
        part.rename(backup)
    finally:
        part.unlink(missing_ok=True)
    return backup


def _apply(connection: "Connection", version: int, migrations: Sequence[Migration]) -> None:
    for migration in migrations[version:]:
        for statement in migration:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(migrations)}")
