"""Writing and reading runs; every write is one transaction, so that a killed program loses at most that row."""

import errno
import json
import logging
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from advisor.benchmarks.model import TestResult
from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store import upkeep
from advisor.benchmarks.store.codec import encode
from advisor.benchmarks.store.connection import (
    BUSY_S,
    CANNOT,
    CANNOT_READ,
    Damaged,
    cannot,
    connected,
    explained,
    transaction,
    unusable_hint,
    version_of,
)
from advisor.benchmarks.store.model import (
    DeletedRun,
    MachineIdentity,
    NewerStore,
    NoSuchRun,
    RunEnd,
    Setup,
    StoreBusy,
    StoredDocument,
    StoredRun,
    StoredTest,
    StoredTrial,
    StoreError,
    UnreadableStore,
)
from advisor.benchmarks.store.overview import RunLine, alike, overview
from advisor.benchmarks.store.rows import (
    cell,
    document_row,
    end_row,
    in_english,
    read_run,
    read_test,
    setup_row,
    test_row,
)
from advisor.benchmarks.store.schema import MIGRATIONS, Migration
from advisor.benchmarks.store.trial_rows import prediction_row, read_prediction, read_trial, trial_row
from advisor.benchmarks.store.upkeep import Say
from advisor.benchmarks.trials.model import Trial
from advisor.benchmarks.trials.prediction import Prediction
from advisor.core.translation import tr

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger(__name__)

T = TypeVar("T")

AT_ONCE = 500
"""Numbers in one question; SQLite takes some thousands."""
LARGEST_NUMBER = 2**63 - 1
"""SQLite counts no further."""

_FROM = (
    "FROM runs "
    "LEFT JOIN run_ends ON run_ends.run_id = runs.id LEFT JOIN run_marks ON run_marks.run_id = runs.id "
    "LEFT JOIN imports ON imports.run_id = runs.id LEFT JOIN documents ON documents.run_id = runs.id "
)
_COLUMNS = "runs.*, ended_at, error_code, sentence, hint, label, note, deleted_at, report, kind, place, stamp, figures"
_LISTED = f"SELECT {_COLUMNS}, NULL AS body {_FROM}"
"""Documents without their bodies, which may be large."""
_WHOLE = f"SELECT {_COLUMNS}, body {_FROM}"


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
        row = {"key": key, "started_at": started_at, "workload": in_english(workload), **setup_row(setup)}
        return self._write(lambda connection: _insert(connection, "runs", row))

    def add_test(self, key: str, measured_at: str, setup: Setup, result: TestResult) -> None:
        """Add a measurement to a run. Raises NoSuchRun where another process replaced a damaged file meanwhile."""
        row = test_row(measured_at, setup, result)
        self._write(lambda connection: _insert(connection, "tests", {"run_id": _number(connection, key), **row}))

    def end_run(self, key: str, end: RunEnd) -> None:
        """Say how a run ended; once for each run. Raises NoSuchRun, as ``add_test``."""
        row = end_row(end)
        self._write(lambda connection: _insert(connection, "run_ends", {"run_id": _number(connection, key), **row}))

    def add_diagnosis(self, key: str, text: str) -> None:
        """Keep a run's diagnosis as JSON; the newest counts. Raises NoSuchRun, as ``add_test``."""
        body = zlib.compress(text.encode("utf-8", "replace"), 9)
        self._write(lambda held: _insert(held, "diagnoses", {"run_id": _number(held, key), "body": body}))

    def add_import(self, key: str, imported_at: str, setup: Setup, report: ReportedRun) -> int:
        """Add a run of another tool, ended as it is begun; its number."""
        run = {"key": key, "started_at": imported_at, **setup_row(setup)}

        def add(connection: "Connection") -> int:
            number = _insert(connection, "runs", run)
            _insert(connection, "imports", {"run_id": number, "report": cell(encode(in_english(report)))})
            _insert(connection, "run_ends", {"run_id": number, **end_row(RunEnd(imported_at))})
            return number

        return self._write(add)

    def add_document(
        self, key: str, started_at: str, setup: Setup, workload: str, document: StoredDocument, end: RunEnd
    ) -> int:
        """Add a run that is one experiment, ended as it is begun; its number."""
        run = {"key": key, "started_at": started_at, "workload": in_english(workload), **setup_row(setup)}

        def add(connection: "Connection") -> int:
            number = _insert(connection, "runs", run)
            _insert(connection, "documents", {"run_id": number, **document_row(document)})
            _insert(connection, "run_ends", {"run_id": number, **end_row(end)})
            return number

        return self._write(add)

    def add_trial(self, setup: Setup, trial: Trial, settings: Mapping[str, Any], prediction: Prediction | None) -> None:
        """Add an experiment with everything needed to repeat it, and the prediction that it has answered, if any."""
        row = trial_row(setup, trial, settings)

        def add(connection: "Connection") -> None:
            number = _insert(connection, "trials", row)
            if prediction is not None:
                _insert(connection, "predictions", {"trial_id": number, **prediction_row(prediction)})

        self._write(add)

    def set_label(self, run: int, label: str) -> None:
        """Give a run a name; "" takes it away. Raises NoSuchRun, DeletedRun."""
        self._mark(run, "label", label)

    def set_note(self, run: int, note: str) -> None:
        """Write a note to a run; "" takes it away. Raises NoSuchRun, DeletedRun."""
        self._mark(run, "note", note)

    def delete_run(self, run: int) -> None:
        """Hide a run; nothing is removed. Raises NoSuchRun, DeletedRun."""
        self._mark(run, "deleted_at", datetime.now().astimezone().isoformat(timespec="seconds"))

    def restore_run(self, run: int) -> bool:
        """Show a deleted run again; whether it was deleted. Raises NoSuchRun."""
        return self._mark(run, "deleted_at", None, deleted=True)

    # ---- reading

    def runs(self, limit: int | None = None, deleted: bool = False) -> tuple[StoredRun, ...]:
        """Runs, newest first.

        Args:
            limit: at most so many; None for all.
            deleted: those that the user deleted instead of the others.
        """
        where = f"WHERE deleted_at IS {'NOT ' if deleted else ''}NULL ORDER BY runs.id DESC LIMIT ?"
        return self._read(_LISTED + where, (-1 if limit is None else limit,))

    def listed(self, numbers: Sequence[int]) -> tuple[StoredRun, ...]:
        """Those runs, newest first, deleted or not, as ``runs`` gives them."""
        found: list[StoredRun] = []
        wanted = sorted(numbers, reverse=True)
        for start in range(0, len(wanted), AT_ONCE):
            some = tuple(wanted[start : start + AT_ONCE])
            marks = ", ".join("?" * len(some))
            found += self._read(f"{_LISTED} WHERE runs.id IN ({marks}) ORDER BY runs.id DESC", some)
        return tuple(found)

    def imported(self, source: str) -> tuple[StoredRun, ...]:
        """Runs that were imported from that source, newest first, those that are deleted behind the others."""
        where = "WHERE instr(report, ?) > 0 ORDER BY deleted_at IS NOT NULL, runs.id DESC"
        found = self._read(_LISTED + where, (json.dumps(source),))
        return tuple(run for run in found if run.imported is not None and run.imported.source == source)

    def run(self, number: int, deleted: bool = False) -> StoredRun:
        """One run. Raises NoSuchRun, and DeletedRun unless deleted ones are wanted as well."""
        found = self._read(_WHOLE + "WHERE runs.id = ?", (number,)) if number <= LARGEST_NUMBER else ()
        if not found:
            raise _no_run(number)
        if found[0].deleted_at is not None and not deleted:
            raise _deleted(number)
        return found[0]

    def diagnosis(self, number: int) -> str:
        """The JSON of a run's diagnosis; "" where none was kept, as by versions up to 0.1.0."""
        query = "SELECT body FROM diagnoses WHERE run_id = ? ORDER BY id DESC LIMIT 1"
        found = self._look(lambda connection: tuple(row["body"] for row in connection.execute(query, (number,))))
        try:
            return zlib.decompress(found[0]).decode() if found else ""
        except (zlib.error, UnicodeDecodeError, TypeError) as error:
            log.warning("the diagnosis of run %s cannot be understood: %s", number, error)
            return ""

    def number(self, key: str) -> int | None:
        """The number of the run with that key; None where it is not kept."""
        query = "SELECT id FROM runs WHERE key = ?"
        found = self._look(lambda connection: tuple(row["id"] for row in connection.execute(query, (key,))))
        return found[0] if found else None

    def labelled(self, label: str) -> StoredRun | None:
        """The newest run with that label in whichever case. Raises DeletedRun where only a deleted one has it."""
        query = "SELECT run_id, label FROM run_marks WHERE label != '' ORDER BY deleted_at IS NOT NULL, run_id DESC"
        marks = self._look(lambda connection: tuple(map(tuple, connection.execute(query))))
        number = next((run for run, name in marks if str(name).casefold() == label.casefold()), None)
        return self.run(number) if number is not None else None

    def overview(self, deleted: bool = False) -> tuple[RunLine, ...]:
        """Every run in a line, newest first; those that the user deleted instead of the others where ``deleted``."""
        return self._look(lambda connection: overview(connection, deleted))

    def alike(
        self, machine: MachineIdentity, header_sha256: str, limit: int, before: int | None = None
    ) -> tuple[StoredRun, ...]:
        """The newest runs on that machine of the model with that header; none where the header is unknown ("").

        ``before`` is a run's number: only runs with a smaller one.
        """
        if not header_sha256:
            return ()
        numbers = self._look(lambda connection: alike(connection, machine, header_sha256, limit, before))
        return tuple(self.run(number) for number in numbers)

    def documents(self, kind: str, setup: Setup, limit: int) -> tuple[StoredRun, ...]:
        """Runs with an experiment of that kind on that machine, model and engine build, newest first, not deleted.

        The program's own version and the Python that ran the engine may be others.
        """
        wanted = _lasting(setup)
        where = " AND ".join(f"runs.{name} IS ?" for name in wanted)
        return self._read(
            f"{_WHOLE} WHERE kind = ? AND deleted_at IS NULL AND {where} ORDER BY runs.id DESC LIMIT ?",
            (kind, *wanted.values(), limit),
        )

    def trials(self, setup: Setup) -> tuple[StoredTrial, ...]:
        """Experiments on that machine, model and engine build, oldest first, without those that cannot be understood.

        The program's own version and the Python that ran the engine may be others.
        """
        wanted = _lasting(setup)
        query = f"SELECT * FROM trials WHERE {' AND '.join(f'{name} IS ?' for name in wanted)} ORDER BY id"
        return self._look(lambda connection: _understood(connection, query, tuple(wanted.values()), read_trial))

    def predictions(self, machine: str) -> tuple[Prediction, ...]:
        """Every answered prediction on that machine (``safe_mode.cpu_key``), oldest first."""
        query = "SELECT * FROM predictions WHERE machine = ? ORDER BY id"
        return self._look(lambda connection: _understood(connection, query, (machine,), read_prediction))

    # ---- how

    def _mark(self, run: int, column: str, value: str | None, deleted: bool = False) -> bool:
        """Whether the run was deleted until now, which is refused unless ``deleted``."""

        def mark(connection: "Connection") -> bool:
            query = "SELECT deleted_at FROM runs LEFT JOIN run_marks ON run_id = id WHERE id = ?"
            found = connection.execute(query, (run,)).fetchone() if run <= LARGEST_NUMBER else None
            if found is None:
                raise _no_run(run)
            gone = found["deleted_at"] is not None
            if gone and not deleted:
                raise _deleted(run)
            connection.execute(
                f"INSERT INTO run_marks (run_id, {column}) VALUES (?, ?) "
                f"ON CONFLICT (run_id) DO UPDATE SET {column} = excluded.{column}",
                (run, value),
            )
            return gone

        return self._write(mark)

    def _write(self, work: Callable[["Connection"], T]) -> T:
        return self._twice(lambda: self._once(work, "IMMEDIATE"))

    def _read(self, query: str, values: tuple[object, ...]) -> tuple[StoredRun, ...]:
        """The runs that a query picks."""
        return self._look(lambda connection: _runs(connection, query, values))

    def _look(self, work: Callable[["Connection"], tuple[T, ...]]) -> tuple[T, ...]:
        """What is there; where no file is, none is made. Raises UnreadableStore."""
        try:
            if not self._is_there():
                return ()
            return self._twice(lambda: self._once(work, "DEFERRED"), reading=True)
        except (NewerStore, StoreBusy):
            raise
        except StoreError as error:
            why = error.sentence.replace(tr(CANNOT), tr(CANNOT_READ))
            hint = tr("It should lie at {path}: see who may read there.", path=self._path)
            raise UnreadableStore(why, hint) from error

    def _is_there(self) -> bool:
        """Whether there is a file; raises StoreError where that cannot be told, or where its folder is a file."""
        try:
            self._path.stat()
        except FileNotFoundError:
            above = next((folder for folder in self._path.parents if folder.exists()), self._path.parent)
            if above.is_dir() or not above.exists():
                return False
            raise explained(NotADirectoryError(errno.ENOTDIR, ""), self._path) from None
        except OSError as error:
            raise explained(error, self._path) from error
        return True

    def _once(self, work: Callable[["Connection"], T], kind: str) -> T:
        if not self._is_there():
            raise Damaged(tr("it is gone"))
        with connected(self._path, self._busy_s) as connection, transaction(connection, kind):
            version, newest = version_of(connection), len(self._migrations)
            if version > newest:
                raise upkeep.newer(version, newest)
            if version < newest:
                raise Damaged(tr("it has an older format"))
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
            raise StoreError(cannot(str(error)), unusable_hint(self._path)) from error

    def _get_ready(self, reading: bool) -> None:
        """Before the first write the whole file is checked; a reader finds out by reading, which is far quicker."""
        if not self._prepared and not reading:
            self.prepare()


def _insert(connection: "Connection", table: str, row: Mapping[str, Any]) -> int:
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    cursor = connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))
    return int(cursor.lastrowid or 0)


def _lasting(setup: Setup) -> Mapping[str, Any]:
    """The columns that stay the same as long as machine, model and engine build do."""
    passing = ("app_version", "engine_python", "model_file", "model_name")
    return {name: value for name, value in setup_row(setup).items() if name not in passing}


def _number(connection: "Connection", key: str) -> int:
    row = connection.execute("SELECT id FROM runs WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise NoSuchRun(tr("The run that this belongs to is not in the file of results."))
    return int(row["id"])


def _runs(connection: "Connection", query: str, values: tuple[object, ...]) -> tuple[StoredRun, ...]:
    found = []
    for row in connection.execute(query, values).fetchall():
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
    return NoSuchRun(tr("There is no run {number}.", number=number), tr("See the runs there are: two-machines history"))


def _deleted(number: int) -> DeletedRun:
    return DeletedRun(
        tr("Run {number} was deleted.", number=number),
        tr("To have it back: two-machines history restore {number}", number=number),
    )
