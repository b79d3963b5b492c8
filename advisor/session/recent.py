"""A diagnosis from what was measured a short while ago, so that trying an advice need not measure both phases again."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from advisor.benchmarks.job import OWN_CHOICE
from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult
from advisor.benchmarks.planning import BenchSettings
from advisor.benchmarks.planning.plan import LEAST_SIZES, SIZES
from advisor.benchmarks.planning.settings import threads
from advisor.benchmarks.probing import weights_device
from advisor.benchmarks.store.model import Setup, StoredRun, StoreError
from advisor.benchmarks.store.store import Store
from advisor.core.evidence import Unknown
from advisor.core.progress import CancelToken
from advisor.diagnosis.model import Workload
from advisor.hardware.model import Machine
from advisor.report.answering import answer
from advisor.report.document import Document
from advisor.report.privacy import without_personal_paths
from advisor.session.events import Listener, Remark
from advisor.session.pipeline import Given, Pipeline
from advisor.session.recording import setup_of

FRESH: Final = timedelta(hours=1)
"""How old a run may be: the same machine is rarely in another state (heat, power, other programs) within an hour."""
LEAST_TOKENS: Final = dict(zip((Phase.PREFILL, Phase.DECODE), SIZES[LEAST_SIZES], strict=True))
"""Shorter tests mean something else."""
LOOKED_AT: Final = 10
"""Newest runs that are looked through for a fresh one."""
LOOKED_FAR: Final = 200
"""The same where any age will do."""


class RecentRuns:
    """Documents from the runs of a pipeline's store.

    Args:
        pipeline: whose store, engine and ceilings are used.
        fresh: how old a run may be; None for any age.

    Attributes:
        known: what was found out on the way, for a diagnosis that is needed all the same.
    """

    def __init__(self, pipeline: Pipeline, fresh: timedelta | None = FRESH) -> None:
        self._pipeline = pipeline
        self._fresh = fresh
        self.known = Given()

    def document(
        self, path: Path, workload: Workload, settings: BenchSettings, listener: Listener, cancel: CancelToken
    ) -> Document | None:
        """A diagnosis of the newest run that fits; None where none does, or the model goes where the user says.

        Raises BadFile, Cancelled.
        """
        if settings.placement != OWN_CHOICE:
            return None
        model = self._pipeline.read_model(path)
        machine = self._pipeline.read_machine()
        engine = self._pipeline.read_engine(cancel)
        cancel.raise_if_cancelled()
        self.known = Given(machine, engine)
        if isinstance(engine, Unknown):
            return None
        setup = without_personal_paths(setup_of(model, machine, engine), model_path=model.path)
        device = weights_device(engine, OWN_CHOICE, model.layers.or_none())
        run = self._newest(setup, machine, settings, device)
        if run is None:
            return None
        ceilings = self._pipeline.ceilings_or_reason(model, machine, engine, listener, cancel)
        self.known = Given(machine, engine, ceilings.or_none())
        age = datetime.now().astimezone() - datetime.fromisoformat(run.started_at)
        used = f"Run {run.number}, {_age(age)} old, is used as the diagnosis."
        listener(Remark(used, "To measure anew: --fresh"))
        tests = tuple(test.result for test in run.tests)
        ledger = self._pipeline.ledger(machine)
        trials = self._pipeline.earlier_trials(model, machine, engine, tests)
        return answer(
            machine, engine, model, ceilings, tests, workload, run.started_at, trials=trials, ledger=ledger,
            stutter=self._pipeline.earlier_stutter(model, machine, engine, tests),
        )  # fmt: skip

    def _newest(
        self, setup: Setup, machine: Machine, settings: BenchSettings, device: str
    ) -> StoredRun | None:
        try:
            runs = Store(self._pipeline.results).runs(LOOKED_AT if self._fresh else LOOKED_FAR)
        except StoreError:
            return None
        now = datetime.now().astimezone()  # a run from the future was made before the clock was set back
        ages = ((run, now - datetime.fromisoformat(run.started_at)) for run in runs)
        recent = (run for run, age in ages if timedelta() <= age <= (self._fresh or age))
        fitting = (run for run in recent if run.setup == setup)
        return next((run for run in fitting if _is_whole(run, machine, settings, device)), None)


def _is_whole(run: StoredRun, machine: Machine, settings: BenchSettings, device: str) -> bool:
    """Whether it ended well, with both phases measured under these settings and to be believed."""
    rows = [
        row for row in (test.result for test in run.tests)
        if row.sweep is Sweep.PHASES and row.n_streams == 1 and not row.n_depth
        and row.tokens >= LEAST_TOKENS[row.phase]
    ]
    good = run.end is not None and not run.end.error_code and not run.unreadable
    return good and {row.phase for row in rows} == set(Phase) and all(
        _fits(row, machine, settings) and row.device == device for row in rows
    )


def _fits(row: TestResult, machine: Machine, settings: BenchSettings) -> bool:
    # Safe mode has changed the settings on purpose, and would again.
    same = row.safe_mode or (
        row.n_threads == threads(machine, settings, row.phase) and row.flash_attention is settings.flash_attention
    )
    sizes = (row.n_batch, row.n_ubatch, row.kv_type) == (settings.n_batch, settings.n_ubatch, settings.kv_type)
    return same and sizes and row.complete and row.conditions.stamp is not Stamp.INVALID


def _age(age: timedelta) -> str:
    minutes = round(age.total_seconds() / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if age.days < 2 else f"{age.days} days"
