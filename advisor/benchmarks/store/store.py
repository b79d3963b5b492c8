"""Writing and reading runs; every write is one transaction, so that a killed program loses at most that row."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from advisor.benchmarks.model import TestResult
from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store import upkeep
from advisor.benchmarks.store.codec import encode
from advisor.benchmarks.store.connection import BUSY_S, CANNOT, Damaged, connected, transaction, version_of
from advisor.benchmarks.store.model import (
    MachineIdentity,
    NewerStore,
    NoSuchRun,
    RunEnd,
    Setup,
    StoredRun,
    StoredTest,
    StoredTrial,
    StoreError,
)
from advisor.benchmarks.store.overview import RunLine, alike, overview
from advisor.benchmarks.store.rows import cell, end_row, read_run, read_test, setup_row, test_row
from advisor.benchmarks.store.schema import MIGRATIONS, Migration
from advisor.benchmarks.store.trial_rows import prediction_row, read_prediction, read_trial, trial_row
from advisor.benchmarks.store.upkeep import Say
from advisor.benchmarks.trials.model import Trial
from advisor.benchmarks.trials.prediction import Prediction

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger(__name__)

T = TypeVar("T")

_RUNS = (
    "SELECT runs.*, ended_at, error_code, sentence, hint, label, note, deleted_at, report FROM runs "
    "LEFT JOIN run_ends ON run_ends.run_id = runs.id LEFT JOIN run_marks ON run_marks.run_id = runs.id "
    "LEFT JOIN imports ON imports.run_id = runs.id "
)


class Store:
    """The results of this user, shared by every instance of the program. Any thread may call any method.

    Every method raises StoreError when the file can be neither used nor replaced.

    Args:
        path: the file; it and its folder are made at the first write.
        say: hears when a damaged file was set aside.
        migrations: how formats follow each other; for tests.
        busy_s: how long to wait for another process.
    """

    def __init__(
        self, path: Path, say: Say | None = None, migrations: Sequence[Migration] = MIGRATIONS, busy_s: float = BUSY_S
    ) -> None:
        self._path = path
        self._say = say or (lambda _sentence, _hint: None)
        self._migrations = migrations
        self._busy_s = busy_s
        self._prepared = False

    def prepare(self) -> None:
        """Make, check, update or replace the file now instead of at the first write."""
        upkeep.prepare(self._path, self._migrations, self._say, self._busy_s)
        self._prepared = True

    # ---- writing

    def begin_run(self, key: str, started_at: str, setup: Setup, workload: str = "") -> int:
        """Add a run; its number. ``key`` is unlike any other run's, in whichever file (a UUID)."""
        row = {"key": key, "started_at": started_at, "workload": workload, **setup_row(setup)}
        return self._write(lambda connection: _insert(connection, "runs", row))

    def add_test(self, key: str, measured_at: str, setup: Setup, result: TestResult) -> None:
        """Add a measurement to a run. Raises NoSuchRun where another process replaced a damaged file meanwhile."""
        row = test_row(measured_at, setup, result)
        self._write(lambda connection: _insert(connection, "tests", {"run_id": _number(connection, key), **row}))

    def end_run(self, key: str, end: RunEnd) -> None:
        """Say how a run ended; once for each run. Raises NoSuchRun, as ``add_test``."""
        row = end_row(end)
        self._write(lambda connection: _insert(connection, "run_ends", {"run_id": _number(connection, key), **row}))

    def add_import(self, key: str, imported_at: str, setup: Setup, report: ReportedRun) -> int:
        """Add a run of another tool, ended as it is begun; its number."""
        run = {"key": key, "started_at": imported_at, **setup_row(setup)}

        def add(connection: "Connection") -> int:
            number = _insert(connection, "runs", run)
            _insert(connection, "imports", {"run_id": number, "report": cell(encode(report))})
            _insert(connection, "run_ends", {"run_id": number, **end_row(RunEnd(imported_at))})
            return number

        return self._write(add)

    def add_trial(
        self, setup: Setup, trial: Trial, settings: Mapping[str, Any], prediction: Prediction | None
    ) -> None:
        """Add an experiment with everything needed to repeat it, and the prediction that it has answered, if any."""
        row = trial_row(setup, trial, settings)

        def add(connection: "Connection") -> None:
            number = _insert(connection, "trials", row)
            if prediction is not None:
                _insert(connection, "predictions", {"trial_id": number, **prediction_row(prediction)})

        self._write(add)

    def set_label(self, run: int, label: str) -> None:
        """Give a run a name; "" takes it away. Raises NoSuchRun."""
        self._mark(run, "label", label)

    def set_note(self, run: int, note: str) -> None:
        """Write a note to a run; "" takes it away. Raises NoSuchRun."""
        self._mark(run, "note", note)

    def delete_run(self, run: int) -> None:
        """Hide a run; nothing is removed. Raises NoSuchRun."""
        self._mark(run, "deleted_at", datetime.now().astimezone().isoformat(timespec="seconds"))

    def restore_run(self, run: int) -> None:
        """Show a deleted run again. Raises NoSuchRun."""
        self._mark(run, "deleted_at", None)

    # ---- reading

    def runs(self, limit: int | None = None, deleted: bool = False) -> tuple[StoredRun, ...]:
        """Runs, newest first.

        Args:
            limit: at most so many; None for all.
            deleted: those that the user deleted instead of the others.
        """
        where = f"WHERE deleted_at IS {'NOT ' if deleted else ''}NULL ORDER BY runs.id DESC LIMIT ?"
        return self._read(where, -1 if limit is None else limit)

    def run(self, number: int) -> StoredRun:
        """One run, deleted or not. Raises NoSuchRun."""
        found = self._read("WHERE runs.id = ?", number)
        if not found:
            raise _no_run(number)
        return found[0]

    def overview(self, deleted: bool = False) -> tuple[RunLine, ...]:
        """Every run in a line, newest first; those that the user deleted instead of the others where ``deleted``."""
        return self._look(lambda connection: overview(connection, deleted))

    def alike(self, machine: MachineIdentity, header_sha256: str, limit: int) -> tuple[StoredRun, ...]:
        """The newest runs on that machine of the model with that header; none where the header is unknown ("")."""
        if not header_sha256:
            return ()
        numbers = self._look(lambda connection: alike(connection, machine, header_sha256, limit))
        return tuple(self.run(number) for number in numbers)

    def trials(self, setup: Setup) -> tuple[StoredTrial, ...]:
        """Experiments on that machine, model and engine build, oldest first, without those that cannot be understood.

        The program's own version and the Python that ran the engine may be others.
        """
        wanted = setup_row(setup)
        names = [name for name in wanted if name not in ("app_version", "engine_python", "model_file", "model_name")]
        query = f"SELECT * FROM trials WHERE {' AND '.join(f'{name} IS ?' for name in names)} ORDER BY id"
        values = tuple(wanted[name] for name in names)
        return self._look(lambda connection: _understood(connection, query, values, read_trial))

    def predictions(self, machine: str) -> tuple[Prediction, ...]:
        """Every answered prediction on that machine (``safe_mode.cpu_key``), oldest first."""
        query = "SELECT * FROM predictions WHERE machine = ? ORDER BY id"
        return self._look(lambda connection: _understood(connection, query, (machine,), read_prediction))

    # ---- how

    def _mark(self, run: int, column: str, value: str | None) -> None:
        def mark(connection: "Connection") -> None:
            if connection.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone() is None:
                raise _no_run(run)
            connection.execute(
                f"INSERT INTO run_marks (run_id, {column}) VALUES (?, ?) "
                f"ON CONFLICT (run_id) DO UPDATE SET {column} = excluded.{column}",
                (run, value),
            )

        self._write(mark)

    def _write(self, work: Callable[["Connection"], T]) -> T:
        return self._twice(lambda: self._once(work, "IMMEDIATE"))

    def _read(self, where: str, value: int) -> tuple[StoredRun, ...]:
        """The runs that a condition with one parameter picks."""
        return self._look(lambda connection: _runs(connection, where, value))

    def _look(self, work: Callable[["Connection"], tuple[T, ...]]) -> tuple[T, ...]:
        """What is there; where no file is, none is made."""
        if not self._path.exists():
            return ()
        return self._twice(lambda: self._once(work, "DEFERRED"), reading=True)

    def _once(self, work: Callable[["Connection"], T], kind: str) -> T:
        if not self._path.exists():
            raise Damaged("it is gone")
        with connected(self._path, self._busy_s) as connection, transaction(connection, kind):
            version, newest = version_of(connection), len(self._migrations)
            if version > newest:
                raise upkeep.newer(version, newest)
            if version < newest:
                raise Damaged("it has an older format")
            return work(connection)

    def _twice(self, attempt: Callable[[], T], reading: bool = False) -> T:
        """Once more after upkeep: a file can be damaged, replaced or updated by others between two uses."""
        self._get_ready(reading)
        try:
            return attempt()
        except Damaged as error:
            log.info("the store needs upkeep: %s", error)
        self.prepare()
        try:
            return attempt()
        except Damaged as error:
            raise StoreError(f"{CANNOT}: {error}.") from error

    def _get_ready(self, reading: bool) -> None:
        if self._prepared:
            return
        try:
            self.prepare()
        except NewerStore:
            raise
        except StoreError as error:
            if not reading:
                raise
            log.info("reading without upkeep: %s", error)  # the folder may be read-only


def _insert(connection: "Connection", table: str, row: Mapping[str, Any]) -> int:
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    cursor = connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))
    return int(cursor.lastrowid or 0)


def _number(connection: "Connection", key: str) -> int:
    row = connection.execute("SELECT id FROM runs WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise NoSuchRun("The run that this belongs to is not in the file of results.")
    return int(row["id"])


def _runs(connection: "Connection", where: str, value: int) -> tuple[StoredRun, ...]:
    found = []
    for row in connection.execute(_RUNS + where, (value,)).fetchall():
        try:
            found.append(read_run(row, *_tests(connection, row["id"])))
        except ValueError as error:
            log.warning("run %s cannot be understood: %s", row["id"], error)
    return tuple(found)


def _tests(connection: "Connection", run: int) -> tuple[tuple[StoredTest, ...], int]:
    """The measurements of a run in order, and how many more there are that cannot be understood."""
    rows = connection.execute("SELECT * FROM tests WHERE run_id = ? ORDER BY id", (run,)).fetchall()
    tests = []
    for row in rows:
        try:
            tests.append(read_test(row))
        except ValueError as error:
            log.warning("measurement %s of run %s cannot be understood: %s", row["id"], run, error)
    return tuple(tests), len(rows) - len(tests)


def _understood(
    connection: "Connection", query: str, values: tuple[object, ...], read: Callable[[Mapping[str, Any]], T]
) -> tuple[T, ...]:
    """The rows of a query as values, without those that cannot be read."""
    found = []
    for row in connection.execute(query, values).fetchall():
        try:
            found.append(read(row))
        except ValueError as error:
            log.warning("row %s of %s cannot be understood: %s", row["id"], query, error)
    return tuple(found)


def _no_run(number: int) -> NoSuchRun:
    return NoSuchRun(f"There is no run {number}.", "See the runs there are: two-machines history")
