"""What the window holds of the newest run of its model, as one frozen value."""

from dataclasses import dataclass, replace
from datetime import datetime

from advisor.benchmarks.model import NO_REAL_USE, NOT_LOADED, Phase, RealUse, Sweep, TestResult
from advisor.benchmarks.stutter.model import NOT_MEASURED, Stutter
from advisor.benchmarks.trials.model import Trial
from advisor.comparison.trend import Change
from advisor.core.evidence import Fact, Known
from advisor.recommendations.ledger import NO_LEDGER, Ledger
from advisor.report.document import Document


@dataclass(frozen=True, slots=True)
class Held:
    """Everything of a run that does not change with the workload.

    Attributes:
        created_at: when it was made; empty before the first.
        stutter: measured with this model and engine, here or in an earlier start; a new run keeps it likewise.
        changes: each phase beside the last run, as the document says.
        trials: made with this model and engine; a new run of the same keeps them, since ratios stay.
    """

    tests: tuple[TestResult, ...] = ()
    created_at: str = ""
    interrupted: str = ""
    left_out: tuple[str, ...] = ()
    real_use: Fact[RealUse] = NO_REAL_USE
    load_s: Fact[float] = NOT_LOADED
    trials: tuple[Trial, ...] = ()
    ledger: Ledger = NO_LEDGER
    stutter: Fact[Stutter] = NOT_MEASURED
    changes: tuple[Change, ...] = ()

    def after(self, document: Document) -> "Held":
        """What is held once a document has come.

        A run that was stopped before its first phase does not wipe out the one before.
        """
        if not document.tests and self.tests:
            return self
        made = {(trial.advice, trial.created_at) for trial in self.trials}  # from the store paths come back shortened
        new = tuple(trial for trial in document.trials if (trial.advice, trial.created_at) not in made)
        return Held(
            document.tests, document.created_at, document.interrupted, document.left_out, document.real_use,
            document.load_s, (*self.trials, *new), document.ledger,
            self.stutter if isinstance(self.stutter, Known) else document.stutter, document.changes,
        )  # fmt: skip

    def with_streams(self, tests: tuple[TestResult, ...]) -> "Held":
        """The same run with a newly measured batch curve in the place of its old one.

        The phases that were measured with the curve stand in only where there were none; else the lone stream joins
        the curve, since only figures of one run are compared.
        """
        kept = tuple(test for test in self.tests if test.sweep is not Sweep.BATCH)
        phases = {test.phase for test in kept if test.sweep is Sweep.PHASES and test.n_streams == 1}
        new = tuple(
            replace(test, sweep=Sweep.BATCH) if test.phase in phases else test
            for test in tests if test.phase is Phase.DECODE or test.phase not in phases
        )  # fmt: skip
        return replace(self, tests=(*kept, *new), created_at=self.made_at)

    @property
    def made_at(self) -> str:
        """``created_at``, or now."""
        return self.created_at or datetime.now().astimezone().isoformat(timespec="seconds")
