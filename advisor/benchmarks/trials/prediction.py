"""A prediction that an experiment has answered: what the ledger is made of."""

from dataclasses import dataclass

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis


@dataclass(frozen=True, slots=True)
class Prediction:
    """Ratios are seconds of the phase as advised ÷ as it is; below 1 saves time.

    Attributes:
        advice: id of the advice.
        phase: the one that was compared.
        low, middle, high: what the rule itself predicted; ``low <= middle <= high``.
        shown_low, shown_high: the range that the user was shown: the rule's, widened by the ledger of that moment.
        basis: what the prediction rested on.
        measured: median over the rounds.
        measured_low, measured_high: its interval.
        app_version: of Two Machines, since rules change.
        engine_build: what identifies the engine's build.
        machine: the processor, as ``safe_mode.cpu_key`` names it.
        model: SHA-256 of the model's header, "" where it could not be read.
        measured_at: ISO 8601 with zone.
    """

    advice: str
    phase: Phase
    low: float
    middle: float
    high: float
    shown_low: float
    shown_high: float
    basis: Basis
    measured: float
    measured_low: float
    measured_high: float
    app_version: str
    engine_build: str
    machine: str
    model: str
    measured_at: str

    @property
    def error(self) -> float:
        """Measured less predicted, in shares of the phase's time; above 0 where less was saved than predicted."""
        return self.measured - self.middle

    @property
    def held(self) -> bool:
        """Whether the measured ratio lies inside the range that was shown."""
        return self.shown_low <= self.measured <= self.shown_high

    @property
    def outside(self) -> float:
        """How far the measured ratio lies beyond the rule's own range; below 0 inside, by the way to its nearer end."""
        return max(self.low - self.measured, self.measured - self.high)
