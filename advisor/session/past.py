"""Earlier runs of the same model on the same machine: what changed since, and the whole result of any run again."""

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.benchmarks.store.model import StoredRun, StoreError
from advisor.benchmarks.store.store import Store
from advisor.comparison.trend import Change, Point, RunPast, around, changes, main_points, series
from advisor.core.errors import AdvisorError, BadFile
from advisor.core.evidence import Fact
from advisor.core.translation import tr
from advisor.diagnosis.model import Workload
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.answering import answer
from advisor.report.document import Document
from advisor.report.loader import load_document, machine_from
from advisor.report.privacy import without_personal_paths
from advisor.session.recording import BUSY_S, setup_of

log = logging.getLogger(__name__)

LOOKED_AT: Final = 20
"""Earlier runs that are looked at."""


class Past:
    """The runs of one store as the past of others.

    Args:
        path: the store's file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def changes(
        self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], tests: Sequence[TestResult], key: str
    ) -> tuple[Change, ...]:
        """What fresh tests come to beside the last run; empty where nothing can be read.

        ``key`` is that of the run itself, which is in the store already.
        """
        if not tests:
            return ()
        store = Store(self._path, busy_s=BUSY_S)
        try:
            setup = without_personal_paths(setup_of(model, machine, engine), model_path=model.path)
            own = store.number(key)
            runs = store.alike(setup.machine, setup.model.header_sha256, LOOKED_AT)
            now = [Point(own, "", test, around(test, setup.engine, machine)) for test in tests]
            return changes(now, _earlier(store, [run for run in runs if run.number != own]))
        except StoreError as error:
            log.warning("earlier runs cannot be read: %s", error)
            return ()


def past_of(run: StoredRun, store: Store) -> RunPast:
    """A stored run beside those before it. Raises StoreError."""
    now = _points(run, store)
    header = run.setup.model.header_sha256
    earlier = _earlier(store, store.alike(run.setup.machine, header, LOOKED_AT, run.number))
    lines = tuple((point, *series(point, earlier)) for point in main_points(now))
    return RunPast(run.number, changes(now, earlier), lines)


def document_of(run: StoredRun, store: Store, workload: Workload | None = None) -> Document:
    """The whole result of a stored run, answered anew where another work is given or the run did not end.

    Raises:
        BadFile: nothing was measured in it, or the version that measured it kept no more than its figures.
        StoreError: the history cannot be read.
    """
    hint = tr("Its figures alone can be had as CSV, or for llama-bench's readers: --csv, --llama-bench.")
    text = store.diagnosis(run.number)
    if run.document is not None and not run.tests:
        what = tr("Run {n} is an experiment, of which there is no diagnosis.", n=run.number)
        raise BadFile(what, tr("See it with: two-machines history show {n}", n=run.number))
    if text and not run.tests:
        raise BadFile(tr("Run {n} holds no measurement, so there is no report of it.", n=run.number))
    if not text:
        raise BadFile(
            tr("The version that measured run {n} kept its figures only, no whole result.", n=run.number), hint
        )
    kept = load_document(_json(text, run.number))
    if kept.tests and workload is None:
        return kept
    tests = kept.tests or tuple(test.result for test in run.tests)
    interrupted = kept.interrupted
    if run.end is None:
        interrupted = tr("The run has not ended: it still runs, or the program or the computer stopped in the middle.")
    elif run.end.error_code:
        interrupted = run.end.sentence
    again = answer(
        kept.machine, kept.engine, kept.model, kept.ceilings, tests, workload or kept.workload, run.started_at,
        interrupted, kept.left_out, kept.real_use, kept.load_s, kept.trials, kept.ledger, kept.stutter, kept.changes,
    )  # fmt: skip
    return replace(again, app_version=run.setup.app_version)


def kept_document(run: StoredRun, store: Store) -> Document | None:
    """The document that was kept with a run, for its ceilings; None where there is none that can be read."""
    text = store.diagnosis(run.number)
    try:
        return load_document(_json(text, run.number)) if text else None
    except AdvisorError as error:
        log.warning("the diagnosis of run %s cannot be read: %s", run.number, error)
        return None


def _earlier(store: Store, runs: Sequence[StoredRun]) -> list[Point]:
    return [point for run in runs for point in _points(run, store)]


def _points(run: StoredRun, store: Store) -> list[Point]:
    machine = _machine(run, store)
    return [
        Point(run.number, test.measured_at, test.result, around(test.result, test.setup.engine, machine))
        for test in run.tests
    ]


def _machine(run: StoredRun, store: Store) -> Machine | None:
    """The machine as it was then; None where it was not kept."""
    text = store.diagnosis(run.number)
    try:
        return machine_from(_json(text, run.number).get("machine")) if text else None
    except AdvisorError as error:
        log.warning("the machine of run %s cannot be read: %s", run.number, error)
        return None


def _json(text: str, number: int) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFile(tr("The result of run {n} is damaged.", n=number)) from error
    if not isinstance(data, dict):
        raise BadFile(tr("The result of run {n} is damaged.", n=number))
    return data

