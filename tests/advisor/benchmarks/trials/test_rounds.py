"""When an experiment has rounds enough, and what its stamp is."""

import pytest

from advisor.benchmarks.job import PlannedTest
from advisor.benchmarks.model import Cause, Conditions, Stamp
from advisor.benchmarks.steadiness import Repeat
from advisor.benchmarks.trials import rounds
from tests.support import documents
from tests.support.trials import VALID, pair


def test_who_goes_first_changes_from_round_to_round() -> None:
    assert [rounds.before_first(number) for number in range(4)] == [True, False, True, False]


@pytest.mark.parametrize(("done", "spread", "spent_s", "enough"), [
    (0, 0.0, 0.0, False),
    (2, 0.0, 10.0, False),  # two have no interval
    (2, 0.0, 500.0, False),  # three are made in any case
    (3, 0.002, 10.0, True),  # narrow
    (3, 0.05, 10.0, False),
    (3, 0.05, 50.0, True),  # the fourth would end after 66 s
    (5, 0.05, 10.0, True),
])  # fmt: skip
def test_rounds_end_when_they_are_made_narrow_or_out_of_time(
    done: int, spread: float, spent_s: float, enough: bool
) -> None:
    held = [pair(0.8, rounds=done, spread=spread)] if done else []
    assert rounds.is_enough(held, len(held[0].before_s) if held else 0, spent_s, 5, 60.0) is enough


def test_a_wide_pair_keeps_the_others_going() -> None:
    assert not rounds.is_enough([pair(0.8, rounds=3), pair(0.8, rounds=3, spread=0.1)], 3, 1.0, 5, 60.0)


@pytest.mark.parametrize(("seconds", "expected"), [(0.5, 3), (1.2, 2), (30.0, 1)])
def test_repetitions_are_as_many_as_let_all_rounds_fit(seconds: float, expected: int) -> None:
    planned = PlannedTest(documents.prefill_test().spec, Repeat(1, 1), seconds)
    assert rounds.repetitions(1.0, [planned, planned], 5, 60.0) == expected


def test_one_repetition_a_round_is_no_reason_for_doubt() -> None:
    single = Conditions(Stamp.SUSPECT, ("nur eine Wiederholung",), causes=(Cause.ONE_REPETITION,))
    assert rounds.worst([single, VALID]) == VALID
    busy = Conditions(Stamp.SUSPECT, ("on battery", "once"), causes=(Cause.BATTERY, Cause.ONE_REPETITION))
    assert rounds.worst([single, busy]) == Conditions(Stamp.SUSPECT, ("on battery",), causes=(Cause.BATTERY,))


def test_rounds_of_an_older_version_are_known_by_their_english_words() -> None:
    single = Conditions(Stamp.SUSPECT, ("only one repetition",))
    busy = Conditions(Stamp.SUSPECT, ("on battery", "only one repetition"))
    assert rounds.worst([single, VALID]) == VALID
    assert rounds.worst([single, busy]) == Conditions(Stamp.SUSPECT, ("on battery",))


def test_the_worst_of_rounds_keeps_what_each_reason_is_about_and_the_most_that_others_used() -> None:
    little = Conditions(Stamp.SUSPECT, ("busy 12 %",), causes=(Cause.OTHERS,), others_fraction=0.12, biggest="a")
    much = Conditions(
        Stamp.INVALID, ("busy 45 %", "hot"), causes=(Cause.OTHERS, Cause.THROTTLED), others_fraction=0.45, biggest="b"
    )
    said = rounds.worst([little, much])
    assert (said.because, said.causes) == (("busy 12 %", "hot"), (Cause.OTHERS, Cause.THROTTLED))
    assert (said.others_fraction, said.biggest) == (0.45, "b")


def test_the_stamp_is_the_worst_with_every_reason_once() -> None:
    swapping = Conditions(Stamp.INVALID, ("the computer was swapping",), fault=True)
    battery = Conditions(Stamp.SUSPECT, ("on battery",))
    found = rounds.worst([battery, swapping, battery])
    assert found == Conditions(Stamp.INVALID, ("on battery", "the computer was swapping"), fault=True)


def test_disturbed_rounds_are_left_out_where_three_others_are_left() -> None:
    bad = Conditions(Stamp.INVALID, ("the computer was swapping",))
    assert rounds.counted([VALID, bad, VALID, VALID]) == (0, 2, 3)
    assert rounds.counted([VALID, bad, VALID]) == (0, 1, 2)
    assert rounds.counted([]) == ()
