"""What the window holds of the newest run of its model, as one frozen value."""

from dataclasses import dataclass
from datetime import datetime

from advisor.benchmarks.model import NO_REAL_USE, NOT_LOADED, RealUse, TestResult
from advisor.benchmarks.stutter.model import NOT_MEASURED, Stutter
from advisor.benchmarks.trials.model import Trial
from advisor.core.evidence import Fact
from advisor.recommendations.ledger import NO_LEDGER, Ledger
from advisor.report.document import Document


@dataclass(frozen=True, slots=True)
class Held:
    """Everything of a run that does not change with the workload.

    Attributes:
        created_at: when it was made; empty before the first.
        stutter: measured with this model and engine, which a new run keeps likewise.
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
            self.stutter,
        )  # fmt: skip

    @property
    def made_at(self) -> str:
        """``created_at``, or now."""
        return self.created_at or datetime.now().astimezone().isoformat(timespec="seconds")
