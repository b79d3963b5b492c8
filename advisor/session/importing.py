"""Other tools' figures into the history, as runs that count as imported and never as measured here."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from advisor import __version__
from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store.model import EngineIdentity, MachineIdentity, ModelIdentity, Setup, StoredRun
from advisor.benchmarks.store.store import Store
from advisor.importing.reading import MAX_CHARACTERS, read_report
from advisor.importing.text import decoded
from advisor.report.loader import file_bytes
from advisor.report.privacy import without_personal_paths

STANDARD_INPUT = "standard input"
HINT = "Give the path of a file that the tool has written, or - for standard input."


@dataclass(frozen=True, slots=True)
class Kept:
    """A run's number in the history, whether it was there before, and whether it was deleted until now."""

    number: int
    known: bool
    restored: bool = False


def read_source(word: str) -> tuple[ReportedRun, ...]:
    """The runs in a file, or in standard input for ``-``. Raises BadFile."""
    if word == "-":
        raw, name = sys.stdin.buffer.read(MAX_CHARACTERS + 1), STANDARD_INPUT
    else:
        path = Path(word)
        raw, name = file_bytes(path, HINT), path.name
    return read_report(decoded(raw, name), name)


def keep(runs: Sequence[ReportedRun], store: Store) -> tuple[Kept, ...]:
    """Add the runs to the history; what it holds from the same source already it holds once.

    One that was deleted is restored. Raises StoreError.
    """
    clean = [without_personal_paths(run) for run in runs]
    held: dict[ReportedRun | None, StoredRun] = {}
    for source in {run.source for run in clean}:
        for stored in store.imported(source):
            held.setdefault(stored.imported, stored)
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    kept = []
    for run in clean:
        known = held.get(run)
        if known is None:
            kept.append(Kept(store.add_import(uuid4().hex, now, _setup(run), run), known=False))
        else:
            gone = known.deleted_at is not None and store.restore_run(known.number)
            kept.append(Kept(known.number, known=True, restored=gone))
    return tuple(kept)


def _setup(run: ReportedRun) -> Setup:
    """The columns that every run has; "" and 0 stand for unknown there, and the report itself says so."""
    return Setup(
        app_version=__version__,
        machine=MachineIdentity(run.cpu, 0, run.gpus),
        model=ModelIdentity("", run.model, run.model_bytes or 0, "", "", run.quantisation),
        engine=EngineIdentity(run.tool, run.build, "", ""),
    )
