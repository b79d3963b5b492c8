import pytest

from advisor.benchmarks.model import Phase
from advisor.benchmarks.trials.model import Outcome, Pair


def pair(before: list[float], after: list[float]) -> Pair:
    return Pair(Phase.DECODE, "tg32", tuple(before), tuple(after))


def test_the_ratio_is_taken_by_rounds_so_that_a_slow_round_cancels_out() -> None:
    held = pair([1.0, 2.0, 1.0], [0.5, 1.0, 0.5])
    assert held.ratio == 0.5
    assert held.interval == (0.5, 0.5)
    assert held.outcome is Outcome.HELPS


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        ([1.2, 1.3, 1.25], Outcome.HURTS),
        ([0.94, 1.05, 0.96], Outcome.SAME),  # the interval holds 1 and lies near it
        ([0.98, 0.99, 0.985], Outcome.SAME),  # not worth speaking of
        ([0.7, 0.8, 0.75], Outcome.HELPS),
    ],
)
def test_the_outcome_needs_the_whole_interval(after: list[float], outcome: Outcome) -> None:
    assert pair([1.0, 1.0, 1.0], after).outcome is outcome


@pytest.mark.parametrize(("before", "after"), [([], []), ([1.0], []), ([1.0], [0.0]), ([1.0, 1.0], [1.0])])
def test_values_that_cannot_be_are_refused(before: list[float], after: list[float]) -> None:
    with pytest.raises(ValueError):
        pair(before, after)


@pytest.mark.parametrize(
    ("after", "why"),
    [
        ([1.4], "one round has no interval"),
        ([0.7, 0.7], "nor have two"),
        ([0.3, 0.3, 2.0], "an interval from a third to twice says nothing"),
    ],
)
def test_what_is_not_decided_is_called_so(after: list[float], why: str) -> None:
    assert pair([1.0] * len(after), after).outcome is Outcome.UNSURE, why
