"""What can still be read of a damaged file, row by row, into a new one.

A page that is lost takes its rows with it and no others: a table is read from its beginning up to the damage, from its
end back to the damage, and between the two number by number, since each number is looked up on its own way through
the pages. Rows keep their numbers, by which the user calls the runs.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from advisor.benchmarks.store.connection import Damaged, connected, version_of
from advisor.benchmarks.store.model import StoreError

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger(__name__)

TABLES: Final = (
    "runs", "run_ends", "tests", "run_marks", "trials", "predictions", "imports", "documents", "diagnoses",
)  # fmt: skip
"""In the order in which their rows refer to each other."""
MOST_IN_VAIN: Final = 2000
"""Numbers that are looked up in vain one after the other before the rest of a table is given up; a page holds fewer."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Saved:
    """How many runs and measurements could be read."""

    runs: int = 0
    tests: int = 0


def salvage(damaged: Path, target: "Connection", busy_s: float) -> Saved:
    """Copy every row that can be read into a new file's tables, which are empty; never raises for what is damaged."""
    try:
        with connected(damaged, busy_s) as source:
            version_of(source)
            for table in TABLES:
                _copy(source, target, table)
            _keep_numbers(source, target)
    except (Damaged, StoreError) as error:
        log.warning("nothing more of the damaged store can be read: %s", error)
    counts = [target.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("runs", "tests")]
    return Saved(*counts)


def _copy(source: "Connection", target: "Connection", table: str) -> None:
    known = [row["name"] for row in target.execute(f"PRAGMA table_info({table})")]
    for row in _rows(source, table):
        _insert(target, table, {name: row[name] for name in known if name in row})


def _insert(target: "Connection", table: str, row: Row) -> None:
    """A row that contradicts the others is passed over; the run of a measurement whose own row is lost is made anew."""
    import sqlite3

    statement = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
    try:
        target.execute(statement, tuple(row.values()))
    except sqlite3.Error as error:
        number = row.get("run_id")
        if table == "tests" and isinstance(number, int) and _lacks(target, number):
            run = {name: row[name] for name in row if name.startswith(("app_", "machine_", "model_", "engine_"))}
            _insert(
                target, "runs",
                {"id": number, "key": f"salvaged-{number}", "started_at": row.get("measured_at"), **run},
            )  # fmt: skip
            if not _lacks(target, number):
                _insert(target, table, row)
                return
        log.warning("a row of %s cannot be kept: %s", table, error)


def _lacks(target: "Connection", run: int) -> bool:
    return target.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone() is None


def _rows(source: "Connection", table: str) -> Iterator[Row]:
    """Every row that can be read, by number."""
    front = list(_walk(source, table, "ASC"))
    yield from (row for _, row in front)
    back = sorted(_walk(source, table, "DESC"), key=lambda each: each[0])
    first = front[-1][0] + 1 if front else 0
    if back and back[-1][0] < first:
        return  # the walk from the front came to the end
    last, vain = back[0][0] if back else None, 0
    number = first
    while number != last and vain < MOST_IN_VAIN:
        row = _row(source, table, number)
        vain = vain + 1 if row is None else 0
        if row is not None:
            yield row
        number += 1
    yield from (row for number, row in back if number >= first)


def _walk(source: "Connection", table: str, order: str) -> Iterator[tuple[int, Row]]:
    """Rows with their numbers up to the first that cannot be read."""
    import sqlite3

    try:
        for row in source.execute(f"SELECT rowid AS salvaged_rowid, * FROM {table} ORDER BY salvaged_rowid {order}"):
            yield row["salvaged_rowid"], dict(row)
    except (sqlite3.Error, UnicodeError) as error:
        log.info("%s is damaged: %s", table, error)


def _row(source: "Connection", table: str, number: int) -> Row | None:
    import sqlite3

    try:
        row = source.execute(f"SELECT * FROM {table} WHERE rowid = ?", (number,)).fetchone()
    except (sqlite3.Error, UnicodeError):
        return None
    return dict(row) if row is not None else None


def _keep_numbers(source: "Connection", target: "Connection") -> None:
    """The number of a run that is lost is not given to another one."""
    import sqlite3

    try:
        rows = source.execute("SELECT name, seq FROM sqlite_sequence").fetchall()
    except (sqlite3.Error, UnicodeError):
        return
    for name, seq in map(tuple, rows):
        if name not in TABLES or not isinstance(seq, int):
            continue
        changed = target.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (seq, name))
        if not changed.rowcount:
            target.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, seq))
