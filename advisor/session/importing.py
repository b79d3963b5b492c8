"""Other tools' figures into the history, as runs that count as imported and never as measured here."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from advisor import __version__
from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store.model import EngineIdentity, MachineIdentity, ModelIdentity, Setup
from advisor.benchmarks.store.store import Store
from advisor.importing.reading import MAX_CHARACTERS, read_report
from advisor.importing.text import decoded
from advisor.report.loader import file_bytes
from advisor.report.privacy import without_personal_paths

STANDARD_INPUT = "standard input"
HINT = "Give the path of a file that the tool has written, or - for standard input."


@dataclass(frozen=True, slots=True)
class Kept:
    """A run's number in the history, and whether it was there before."""

    number: int
    known: bool


def read_source(word: str) -> tuple[ReportedRun, ...]:
    """The runs in a file, or in standard input for ``-``. Raises BadFile."""
    if word == "-":
        raw, name = sys.stdin.buffer.read(MAX_CHARACTERS + 1), STANDARD_INPUT
    else:
        path = Path(word)
        raw, name = file_bytes(path, HINT), path.name
    return read_report(decoded(raw, name), name)


def keep(runs: Sequence[ReportedRun], store: Store) -> tuple[Kept, ...]:
    """Add the runs to the history, but those that it holds from the same source already. Raises StoreError."""
    clean = [without_personal_paths(run) for run in runs]
    held = {run.imported: run.number for source in {run.source for run in clean} for run in store.imported(source)}
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    kept = []
    for run in clean:
        number = held.get(run)
        known = number is not None
        kept.append(Kept(store.add_import(uuid4().hex, now, _setup(run), run) if number is None else number, known))
    return tuple(kept)


def _setup(run: ReportedRun) -> Setup:
    """The columns that every run has; "" and 0 stand for unknown there, and the report itself says so."""
    return Setup(
        app_version=__version__,
        machine=MachineIdentity(run.cpu, 0, run.gpus),
        model=ModelIdentity("", run.model, run.model_bytes or 0, "", "", run.quantisation),
        engine=EngineIdentity(run.tool, run.build, "", ""),
    )
