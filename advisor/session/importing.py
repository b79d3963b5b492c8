"""Other tools' figures into the history, as runs that count as imported and never as measured here."""

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from advisor import __version__
from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store.model import EngineIdentity, MachineIdentity, ModelIdentity, Setup
from advisor.benchmarks.store.store import Store
from advisor.core.errors import BadFile
from advisor.importing.reading import MAX_CHARACTERS, read_report
from advisor.report.loader import file_bytes
from advisor.report.privacy import without_personal_paths

STANDARD_INPUT = "standard input"


def read_source(word: str) -> tuple[ReportedRun, ...]:
    """The runs in a file, or in standard input for ``-``. Raises BadFile."""
    if word == "-":
        raw, name = sys.stdin.buffer.read(MAX_CHARACTERS + 1), STANDARD_INPUT
    else:
        path = Path(word)
        raw, name = file_bytes(path), path.name
    if b"\x00" in raw[:4096] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadFile(f"{name} is no text.", "Give the text that the tool has printed or saved.")
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    return read_report(raw.decode(encoding, "replace"), name)


def keep(runs: Sequence[ReportedRun], store: Store) -> tuple[int, ...]:
    """Add the runs to the history; their numbers. Raises StoreError."""
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    return tuple(store.add_import(uuid4().hex, now, _setup(run), without_personal_paths(run)) for run in runs)


def _setup(run: ReportedRun) -> Setup:
    """The columns that every run has; "" and 0 stand for unknown there, and the report itself says so."""
    return Setup(
        app_version=__version__,
        machine=MachineIdentity(run.cpu, 0, run.gpus),
        model=ModelIdentity("", run.model, run.model_bytes or 0, "", "", run.quantisation),
        engine=EngineIdentity(run.tool, run.build, "", ""),
    )
