"""Seconds saved as a range, kept inside what the phase costs."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import TestResult
from advisor.ceilings.other_hardware import SpeedRange

WIDEST: Final = 0.5
"""A spread beyond half of the figure says nothing any more; ranges grow no further."""


@dataclass(frozen=True, slots=True)
class Factors:
    """Speed-ups, ``low <= middle <= high``; 1 is no change."""

    low: float
    middle: float
    high: float


def gains(there: SpeedRange, row: TestResult) -> Factors:
    """Speed-ups over a measured row where such speeds are to be had; never below 1, since nobody has to go there."""
    low, middle, high = (max(1.0, rate / row.tokens_per_s) for rate in (there.low, there.middle, there.high))
    return Factors(low, middle, high)


@dataclass(frozen=True, slots=True)
class Saving:
    """Seconds saved per request: ``low <= middle <= high``; a negative low means that it may also lose."""

    low_s: float
    middle_s: float
    high_s: float


def from_factors(cost_s: float, low: float, middle: float, high: float) -> Saving:
    """What speed-ups (all above 0, 1 is no change) save of ``cost_s`` seconds.

    The three are put in order, so that a caller's estimates may cross.
    """
    saved = sorted(cost_s * (1 - 1 / factor) for factor in (low, middle, high))
    return within(cost_s, *saved)


def within(cost_s: float, low_s: float, middle_s: float, high_s: float) -> Saving:
    """A saving in order and not above ``cost_s``."""
    low, middle, high = sorted(min(value, cost_s) for value in (low_s, middle_s, high_s))
    return Saving(low, middle, high)


def measured_factors(before: TestResult, after: TestResult, runs_differ: float) -> tuple[float, float, float]:
    """Speed of one measured row over another's, lowest, middle and highest.

    Args:
        before: the row as things are.
        after: the row as advised; its speed means the same work.
        runs_differ: by which share two runs of one setting differ, on top of both rows' own spread.
    """
    ratio = after.tokens_per_s / before.tokens_per_s
    spread = min(WIDEST, runs_differ + (before.relative_spread or 0.0) + (after.relative_spread or 0.0))
    return ratio * (1 - spread), ratio, ratio * (1 + spread)
