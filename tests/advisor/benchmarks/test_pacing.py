"""What fits a plan's time, by prediction and by what was measured."""

from advisor.benchmarks.pacing import DECODE, FILL, PREFILL, Cost, Pace

PP = Cost("", 0.0, 2.0, 0.0, 0.0)
TG = Cost("", 0.0, 0.0, 3.0, 0.0)
DEEP_TG = Cost("4000", 4.0, 0.0, 2.0, 0.0)
DEEP_PP = Cost("4000", 4.0, 1.0, 0.0, 0.0)
SMALL = Cost("", 0.0, 0.0, 0.5, 0.5)
COSTS = (PP, TG, DEEP_TG, DEEP_PP, SMALL)
OPTIONAL = (False, False, True, True, True)


def test_without_a_limit_everything_is_to_come_and_one_fill_serves_neighbours() -> None:
    coming = Pace(COSTS, OPTIONAL, None).to_come(0, 1.0)
    assert coming == [(0, 2.0), (1, 3.0), (2, 6.0), (3, 1.0), (4, 1.0)]


def test_what_does_not_fit_is_left_out_and_a_smaller_one_behind_it_still_runs() -> None:
    assert [index for index, _ in Pace(COSTS, OPTIONAL, 8.0).to_come(0, 1.0)] == [0, 1, 4]


def test_essential_tests_run_whatever_the_time() -> None:
    pace = Pace(COSTS, OPTIONAL, 0.1)
    assert pace.fits(0, 100.0)
    assert not pace.fits(4, 100.0)


def test_the_rest_follows_the_measured_speed_of_its_kind() -> None:
    pace = Pace(COSTS, OPTIONAL, None)
    pace.correct(PREFILL, 0.5, 1.0)
    assert pace.seconds(0) == 4.0
    assert pace.seconds(1) == 6.0  # decode not seen yet: as much slower as prefill
    assert pace.seconds(2) == 4.0 * 2 + 2.0 * 2
    pace.correct(DECODE, 1.0, 0.5)
    assert pace.seconds(1) == 1.5
    pace.correct(FILL, 4.0, 12.0)
    assert pace.seconds(2) == 12.0 + 1.0
    assert pace.seconds(2, filled="4000") == 1.0
    assert pace.seconds(4) == 0.25 + 0.5


def test_a_machine_slower_than_predicted_loses_the_last_points() -> None:
    pace = Pace(COSTS, OPTIONAL, 20.0)
    assert len(pace.to_come(0, 1.0)) == 5
    pace.correct(PREFILL, 1.0, 3.0)
    pace.correct(DECODE, 1.0, 3.0)
    assert [index for index, _ in pace.to_come(2, 16.0)] == [4]


def test_a_piece_predicted_to_take_no_time_corrects_nothing() -> None:
    pace = Pace(COSTS, OPTIONAL, None)
    pace.correct(FILL, 0.0, 5.0)
    assert pace.seconds(2) == 6.0
