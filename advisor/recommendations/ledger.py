"""How well predictions held here, and how much wider their ranges must be for that; pure.

The rule is split conformal prediction (Romano, Patterson and Candès 2019, "Conformalized quantile regression"): of the
distances by which past measurements lay outside the predicted range, the value that four of five do not pass is added
at both ends. The next measurement then lies inside in four of five cases, whatever the errors look like, as long as
they stay alike. A range is never made narrower.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.trials.prediction import Prediction
from advisor.core.stats import median

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


def _record(advice: str, made: Sequence[Prediction], common: float) -> Record:
    return Record(
        advice,
        len(made),
        sum(prediction.held for prediction in made),
        median([abs(prediction.error) for prediction in made]),
        margin(made) if len(made) >= OWN_TRIES else common,
    )
