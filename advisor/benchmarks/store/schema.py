"""The tables, and how older files become newer ones.

``runs``, ``run_ends``, ``tests``, ``trials``, ``predictions``, ``imports``, ``documents`` and ``diagnoses`` only grow,
which triggers enforce; what a user says about a run lies in ``run_marks``. Rows of ``tests`` and ``trials`` stand
alone: they repeat what they were made with.
"""

from typing import Final

Migration = tuple[str, ...]
"""Statements that lead from one format to the next, run in one transaction."""

APPLICATION_ID: Final = 0x2A41C4E5
"""Marks the file as ours in SQLite's header (an arbitrary number; ``PRAGMA application_id``)."""

_SETUP: Final = """
    app_version TEXT NOT NULL,
    machine_cpu TEXT NOT NULL,
    machine_logical_cpus INTEGER NOT NULL,
    machine_gpus TEXT NOT NULL,
    model_file TEXT NOT NULL,
    model_name TEXT NOT NULL,
    model_size_bytes INTEGER NOT NULL,
    model_header_sha256 TEXT NOT NULL,
    model_architecture TEXT NOT NULL,
    model_label TEXT NOT NULL,
    model_types TEXT NOT NULL,
    engine_kind TEXT,
    engine_version TEXT,
    engine_build TEXT,
    engine_python TEXT"""


def _only_grows(table: str) -> Migration:
    return tuple(
        f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, 'measurements are kept as they are'); END"
        for verb in ("UPDATE", "DELETE")
    )


_FORMAT_1: Final[Migration] = (
    f"""CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    started_at TEXT NOT NULL, {_SETUP})""",
    """CREATE TABLE run_ends (
    run_id INTEGER PRIMARY KEY REFERENCES runs (id),
    ended_at TEXT NOT NULL,
    error_code TEXT NOT NULL,
    sentence TEXT NOT NULL,
    hint TEXT NOT NULL)""",
    f"""CREATE TABLE tests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    measured_at TEXT NOT NULL, {_SETUP},
    phase TEXT NOT NULL,
    n_prompt INTEGER NOT NULL,
    n_gen INTEGER NOT NULL,
    n_depth INTEGER NOT NULL,
    n_streams INTEGER NOT NULL,
    n_threads INTEGER NOT NULL,
    n_batch INTEGER NOT NULL,
    n_ubatch INTEGER NOT NULL,
    flash_attention TEXT NOT NULL,
    kv_type TEXT NOT NULL,
    sweep TEXT NOT NULL,
    engine TEXT NOT NULL,
    device TEXT NOT NULL,
    mode INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    samples_s TEXT NOT NULL,
    stamp TEXT NOT NULL,
    conditions TEXT NOT NULL,
    settings TEXT NOT NULL)""",
    "CREATE INDEX tests_of_run ON tests (run_id)",
    """CREATE TABLE run_marks (
    run_id INTEGER PRIMARY KEY REFERENCES runs (id),
    label TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    deleted_at TEXT)""",
    *(statement for table in ("runs", "run_ends", "tests") for statement in _only_grows(table)),
)
"""``samples_s``, ``conditions``, ``machine_gpus`` and ``model_types`` are JSON; ``settings`` is a JSON object of those
fields of ``TestResult`` that have no column, so that a new setting needs no migration."""

_FORMAT_2: Final[Migration] = (
    f"""CREATE TABLE trials (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tried_at TEXT NOT NULL, {_SETUP},
    advice TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    rounds INTEGER NOT NULL,
    pairs TEXT NOT NULL,
    stamp TEXT NOT NULL,
    conditions TEXT NOT NULL,
    plan TEXT,
    settings TEXT NOT NULL)""",
    """CREATE TABLE predictions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trial_id INTEGER NOT NULL REFERENCES trials (id),
    advice TEXT NOT NULL,
    phase TEXT NOT NULL,
    low REAL NOT NULL,
    middle REAL NOT NULL,
    high REAL NOT NULL,
    shown_low REAL NOT NULL,
    shown_high REAL NOT NULL,
    basis TEXT NOT NULL,
    measured REAL NOT NULL,
    measured_low REAL NOT NULL,
    measured_high REAL NOT NULL,
    error REAL NOT NULL,
    app_version TEXT NOT NULL,
    engine_build TEXT NOT NULL,
    machine TEXT NOT NULL,
    model TEXT NOT NULL,
    measured_at TEXT NOT NULL)""",
    "CREATE INDEX predictions_of_machine ON predictions (machine)",
    *(statement for table in ("trials", "predictions") for statement in _only_grows(table)),
)
"""``pairs``, ``conditions`` and ``plan`` are JSON; ``settings`` is a JSON object of the other fields of ``Trial`` and
of what the experiment was made with (rows as diagnosed, mode, placement, limits)."""

_FORMAT_3: Final[Migration] = ("ALTER TABLE runs ADD COLUMN workload TEXT NOT NULL DEFAULT ''",)
"""The work that a run was made for, in words; empty for a ``bench``, and for runs of earlier formats."""

_FORMAT_4: Final[Migration] = (
    """CREATE TABLE imports (
    run_id INTEGER PRIMARY KEY REFERENCES runs (id),
    report TEXT NOT NULL)""",
    *_only_grows("imports"),
)
"""``report`` is JSON; its run has no rows in ``tests``, so that other tools' figures never count as measured here."""

_DOCUMENTS: Final[Migration] = (
    """CREATE TABLE documents (
    run_id INTEGER PRIMARY KEY REFERENCES runs (id),
    kind TEXT NOT NULL,
    place TEXT NOT NULL,
    stamp TEXT NOT NULL,
    figures TEXT NOT NULL,
    body BLOB NOT NULL)""",
    "CREATE INDEX documents_of_kind ON documents (kind)",
    *_only_grows("documents"),
)
"""Experiments that are no tests, whole: ``figures`` is JSON, for lists; ``body`` is JSON, compressed (zlib)."""

_DIAGNOSES: Final[Migration] = (
    """CREATE TABLE diagnoses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    body BLOB NOT NULL)""",
    "CREATE INDEX diagnoses_of_run ON diagnoses (run_id)",
    *_only_grows("diagnoses"),
)
"""``body`` is the JSON of ``diagnose``, compressed (zlib): machine, engine, model and ceilings as they were when the
run began, and once more with everything when it has ended. The newest row of a run counts."""

_LIST: Final[Migration] = (
    "CREATE INDEX tests_of_list ON tests "
    "(sweep, n_streams, n_depth DESC, id, run_id, phase, n_prompt, n_gen, samples_s, stamp)",
)
"""All that a list of the runs shows of them, in its order, so that whole measurements are not read for it."""

MIGRATIONS: Final[tuple[Migration, ...]] = (
    _FORMAT_1, _FORMAT_2, _FORMAT_3, _FORMAT_4, _DOCUMENTS, _DIAGNOSES, _LIST,
)  # fmt: skip
"""In order; ``PRAGMA user_version`` of a file is how many of them it has seen. Only ever add to the end."""
