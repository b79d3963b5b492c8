"""How well predictions held here, and how much wider their ranges must be for that; pure.

The rule is split conformal prediction (Romano, Patterson and Candès 2019, "Conformalized quantile regression"): of the
distances by which past measurements lay outside the predicted range, the value that four of five do not pass is added
at both ends. The next measurement then lies inside in four of five cases, whatever the errors look like, as long as
they stay alike. A range is never made narrower.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from advisor import __version__
from advisor.benchmarks.trials.model import Trial
from advisor.benchmarks.trials.prediction import Prediction
from advisor.core.stats import median
from advisor.recommendations.model import Advice
from advisor.recommendations.saving import within

COVERED: Final = 0.8
"""Share of measurements that shall lie inside their range."""
OWN_TRIES: Final = 4
"""Tries of one advice from which its own errors decide; below, those of all advice together. Four is the smallest
number whose largest error covers four of five."""
NEWEST: Final = 20
"""Tries of an advice that count: rules are mended, and old errors shall not follow them for ever."""


@dataclass(frozen=True, slots=True)
class Record:
    """How the predictions of one advice held.

    Attributes:
        advice: its id.
        tries: predictions that a measurement has answered.
        held: those whose measurement lay inside the range that was shown.
        median_error: median of |measured − predicted|, in shares of the phase's time.
        margin: what is added at both ends of its range, in shares of the phase's time, at least 0.
    """

    advice: str
    tries: int
    held: int
    median_error: float
    margin: float


@dataclass(frozen=True, slots=True)
class Ledger:
    """The records of all advice that was tried here.

    Attributes:
        records: by id.
        margin: for advice without a record, from all of them together; 0 where nothing was tried.
    """

    records: tuple[Record, ...] = ()
    margin: float = 0.0

    def record(self, advice: str) -> Record | None:
        """The record of an advice; None where it was never tried."""
        return next((held for held in self.records if held.advice == advice), None)

    def margin_of(self, advice: str) -> float:
        """What is added at both ends of an advice's range, in shares of its phase's time."""
        own = self.record(advice)
        return self.margin if own is None else own.margin

    @property
    def tries(self) -> int:
        """All predictions that were answered."""
        return sum(record.tries for record in self.records)

    @property
    def held(self) -> int:
        """Those that held."""
        return sum(record.held for record in self.records)


NO_LEDGER: Final = Ledger()


def ledger_of(predictions: Iterable[Prediction]) -> Ledger:
    """The ledger of answered predictions, given in the order they were made."""
    by_advice: dict[str, list[Prediction]] = {}
    for prediction in predictions:
        by_advice.setdefault(prediction.advice, []).append(prediction)
    newest = {advice: made[-NEWEST:] for advice, made in by_advice.items()}
    everything = [prediction for made in newest.values() for prediction in made]
    common = margin(everything)
    return Ledger(
        tuple(_record(advice, newest[advice], common) for advice in sorted(newest)), common
    )


def margin(predictions: Sequence[Prediction]) -> float:
    """The distance outside the range that ``COVERED`` of the predictions do not pass, at least 0.

    The ⌈0.8 (n + 1)⌉-th smallest of n; the largest where there are fewer.
    """
    if not predictions:
        return 0.0
    outside = sorted(prediction.outside for prediction in predictions)
    rank = min(len(outside), math.ceil(COVERED * (len(outside) + 1)))
    return max(0.0, outside[rank - 1])


def widened(advice: Advice, cost_s: float, ledger: Ledger) -> Advice:
    """The advice with its range as wide as its record here demands; ``cost_s`` is what its phase costs."""
    more_s = cost_s * ledger.margin_of(advice.id)
    if more_s <= 0:
        return advice
    saving = within(cost_s, advice.saved_s_low - more_s, advice.saved_s, advice.saved_s_high + more_s)
    return replace(advice, saved_s_low=saving.low_s, saved_s_high=saving.high_s)


def answered(
    predicted: Advice, shown: Advice, cost_s: float, trial: Trial, *, engine_build: str, machine: str, model: str
) -> Prediction | None:
    """The prediction that a trial has answered; None where the trial says nothing about it.

    Args:
        predicted: the advice as its rule made it.
        shown: the same as the user saw it before it was tried.
        cost_s: seconds that its phase costs.
        trial: what was measured.
        engine_build: what identifies the engine's build.
        machine: the processor, as remembered checks name it.
        model: SHA-256 of the model's header.
    """
    pair = trial.pair(predicted.phase)
    if pair is None or cost_s <= 0 or not trial.believed:
        return None
    low, high = pair.interval
    return Prediction(
        advice=predicted.id,
        phase=predicted.phase,
        low=1 - predicted.saved_s_high / cost_s,
        middle=1 - predicted.saved_s / cost_s,
        high=1 - predicted.saved_s_low / cost_s,
        shown_low=1 - shown.saved_s_high / cost_s,
        shown_high=1 - shown.saved_s_low / cost_s,
        basis=predicted.basis,
        measured=pair.ratio,
        measured_low=low,
        measured_high=high,
        app_version=__version__,
        engine_build=engine_build,
        machine=machine,
        model=model,
        measured_at=trial.created_at,
    )


def _record(advice: str, made: Sequence[Prediction], common: float) -> Record:
    return Record(
        advice,
        len(made),
        sum(prediction.held for prediction in made),
        median([abs(prediction.error) for prediction in made]),
        margin(made) if len(made) >= OWN_TRIES else common,
    )
