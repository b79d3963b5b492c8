"""How many rounds an experiment makes, how often a test is repeated in each, and what a round's value is; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from advisor.benchmarks.conditions import causes_of
from advisor.benchmarks.job import PlannedTest
from advisor.benchmarks.model import Cause, Conditions, Stamp, TestResult, merged_reasons
from advisor.benchmarks.steadiness import Repeat
from advisor.benchmarks.trials.model import LEAST_ROUNDS, Pair
from advisor.core.stats import median

ROUNDS: Final = 5
"""Rounds of an experiment unless told otherwise; their whole range covers the true ratio in 94 of 100 cases."""
BUDGET_S: Final = 60.0
"""Seconds after which no further round is begun, once there are ``LEAST_ROUNDS``."""
NARROW: Final = 0.01
"""Half an interval, as a share of the ratio, that no further round can make matter: machines differ by as much."""
REPETITIONS: Final = 3
"""Repetitions of a test in one round where there is time for them; their median is the round's value."""


def before_first(number: int) -> bool:
    """Whether the way as it is runs first in that round (from 0); it alternates, so that a drift favours neither."""
    return number % 2 == 0


def is_enough(pairs: Sequence[Pair], made: int, spent_s: float, rounds: int, budget_s: float) -> bool:
    """Whether no further round is needed: all were made, every interval is narrow, or the next would not fit.

    Args:
        pairs: what counts so far, every pair with as many rounds.
        made: rounds that were run, those that do not count included.
        spent_s: seconds that these took.
        rounds: as many at most.
        budget_s: seconds that all may take.
    """
    done = min((len(pair.before_s) for pair in pairs), default=0)
    if done >= rounds:
        return True
    if done < min(LEAST_ROUNDS, rounds):
        return False
    return spent_s * (made + 1) / made > budget_s or all(_half(pair) <= NARROW for pair in pairs)


def _half(pair: Pair) -> float:
    low, high = pair.interval
    return (high - low) / 2 / pair.ratio


def repetitions(load_s: float, tests: Iterable[PlannedTest], rounds: int, budget_s: float) -> int:
    """Repetitions of every test in every round, 1 to ``REPETITIONS``, as many as let all rounds fit the budget.

    ``load_s`` and ``tests`` are those of one round, both ways together.
    """
    held = list(tests)
    for wanted in range(REPETITIONS, 1, -1):
        if rounds * round_s(load_s, [repeated(test, wanted) for test in held]) <= budget_s:
            return wanted
    return 1


def repeated(test: PlannedTest, times: int) -> PlannedTest:
    """The test repeated exactly so often."""
    return replace(test, repeat=Repeat(times, times))


def round_s(load_s: float, tests: Iterable[PlannedTest]) -> float:
    """Predicted seconds of one round, both ways together."""
    costs = [test.cost for test in tests]
    return load_s + sum(cost.fill_s + cost.prefill_s + cost.decode_s + cost.fixed_s for cost in costs)


def value_s(test: TestResult) -> float:
    """What a round is worth: the median seconds of its repetitions."""
    return median(test.samples_s)


def counted(stamps: Sequence[Conditions]) -> tuple[int, ...]:
    """Numbers of the rounds that count: those that are not invalid, where ``LEAST_ROUNDS`` of them are; else all.

    What disturbed one round says nothing about the others, and the choice does not look at the figures.
    """
    good = tuple(number for number, held in enumerate(stamps) if held.stamp is not Stamp.INVALID)
    return good if len(good) >= LEAST_ROUNDS else tuple(range(len(stamps)))


def worst(conditions: Iterable[Conditions]) -> Conditions:
    """One stamp for all: the worst, with every reason once.

    That a round holds a single repetition is no reason here: the rounds are what is repeated.
    """
    held = [_as_round(each) for each in conditions]
    order = (Stamp.VALID, Stamp.SUSPECT, Stamp.INVALID)
    stamp = max((each.stamp for each in held), key=order.index, default=Stamp.VALID)
    reasons = merged_reasons(held)
    told = {why for each in held for why in each.because}
    causes = {why: cause for each in held for why, cause in zip(each.because, each.causes, strict=False)}
    others = max(held, key=lambda each: each.others_fraction, default=Conditions(stamp, ()))
    return Conditions(
        stamp, tuple(reasons), any(each.fault for each in held),
        tuple(causes[why] for why in reasons) if len(causes) == len(told) else (),
        others.others_fraction, others.biggest,
    )  # fmt: skip


def _as_round(conditions: Conditions) -> Conditions:
    held = zip(conditions.because, causes_of(conditions), strict=True)
    kept = [(why, cause) for why, cause in held if cause is not Cause.ONE_REPETITION]
    stamp = Stamp.VALID if not kept and conditions.stamp is Stamp.SUSPECT else conditions.stamp
    because, causes = tuple(why for why, _ in kept), tuple(cause for _, cause in kept if conditions.causes)
    return replace(conditions, stamp=stamp, because=because, causes=causes)
