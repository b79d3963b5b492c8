"""What a file is that somebody drops on the window: a model, a result of ours, or another tool's figures."""

from pathlib import Path
from typing import Final, Union

from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store.store import Store
from advisor.core.errors import BadFile
from advisor.core.translation import marked, tr
from advisor.importing.reading import read_report
from advisor.importing.text import decoded
from advisor.report.document import Document
from advisor.report.loader import file_bytes, load_document
from advisor.session.importing import Kept, keep
from advisor.session.own_result import own_result
from advisor.session.past import document_of
from advisor.session.paths import user_paths

HINT: Final = marked("Open a GGUF model, a result of Two Machines (JSON), or what another tool has written.")
MODEL_MARK: Final = b"GGUF"
TEXTS: Final = frozenset({"", ".json", ".jsonl", ".csv", ".tsv", ".md", ".txt", ".sql", ".log", ".out"})
"""Endings of files that may hold figures; what is wrong with any other is best said by the reader of models."""
DIAGNOSIS: Final = "two-machines/diagnosis/"

Opened = Union[Path, Document, tuple[ReportedRun, ...]]
"""A model's path, a whole diagnosis, or figures that were not measured by us."""


def open_any(path: Path) -> Opened:
    """What the file holds. Raises BadFile with what could be opened instead."""
    if path.suffix.lower() not in TEXTS:
        return path
    if file_bytes(path, tr(HINT), len(MODEL_MARK)) == MODEL_MARK:
        return path
    text = decoded(file_bytes(path, tr(HINT)), path.name)
    ours = own_result(text, path.name)
    if ours is None:
        return read_report(text, path.name)
    if str(ours["schema"]).startswith(DIAGNOSIS):
        return load_document(ours)
    raise BadFile(
        tr("{name} holds no whole diagnosis.", name=path.name),
        tr("Open what diagnose --json or Export has written."),
    )


def stored_run(number: int) -> Document | tuple[ReportedRun, ...]:
    """The whole result of a run of the history, or the figures that were imported. Raises BadFile, StoreError."""
    store = Store(user_paths().results)
    run = store.run(number)
    return document_of(run, store) if run.imported is None else (run.imported,)


def keep_imported(runs: tuple[ReportedRun, ...]) -> tuple[Kept, ...]:
    """Add the runs to the history, as imported. Raises StoreError."""
    return keep(runs, Store(user_paths().results))
