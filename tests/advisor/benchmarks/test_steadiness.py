import pytest

from advisor.benchmarks.steadiness import MAX_WARM_UPS, Repeat, cold_and_sustained, half_interval, is_enough, is_warm


def test_warm_when_the_last_two_agree_and_not_before() -> None:
    assert not is_warm([])
    assert not is_warm([1.0])
    assert not is_warm([2.0, 1.0])
    assert is_warm([2.0, 1.0, 0.99])


def test_a_machine_that_never_settles_is_measured_all_the_same() -> None:
    restless = [1.0, 2.0] * MAX_WARM_UPS
    assert not is_warm(restless[: MAX_WARM_UPS - 1])
    assert is_warm(restless[:MAX_WARM_UPS])


def test_the_smallest_number_is_made_even_when_time_is_over() -> None:
    assert not is_enough([1.0, 1.0], 1e9, Repeat(3, 5, budget_s=1.0))
    assert is_enough([1.0, 1.0, 9.0], 1e9, Repeat(3, 5, budget_s=1.0))


def test_narrow_samples_end_early_and_wide_ones_go_on_to_the_limit() -> None:
    rule = Repeat(3, 6, interval=0.02)
    assert is_enough([1.0, 1.01, 1.0], 3.0, rule)
    assert not is_enough([1.0, 1.2, 1.1], 3.0, rule)
    assert not is_enough([1.0, 1.2, 1.1, 1.3, 1.0], 5.0, rule)
    assert is_enough([1.0, 1.2, 1.1, 1.3, 1.0, 1.2], 6.0, rule)


def test_no_repetition_is_begun_that_would_pass_the_budget() -> None:
    rule = Repeat(2, 9, interval=0.0, budget_s=5.0)
    assert not is_enough([1.0, 1.2, 1.0], 3.5, rule)
    assert is_enough([1.0, 1.2, 1.0], 4.5, rule)


def test_one_hiccup_does_not_ask_for_more_repetitions() -> None:
    assert half_interval([1.0, 1.01, 5.0, 1.0]) == pytest.approx(0.005, rel=0.01)
    assert half_interval([1.0, 1.0]) is None


@pytest.mark.parametrize(
    ("speeds", "sustained"),
    [
        # MacBook Air M4, 7B 4-bit, five trials without pause: prefill and decode (case C22).
        ([204.832, 137.867, 153.996, 162.618, 149.155], 153.996),
        ([21.086, 18.929, 18.775, 17.456, 18.051], 18.051),
    ],
)
def test_heat_makes_two_speeds_of_one(speeds: list[float], sustained: float) -> None:
    assert cold_and_sustained(speeds) == (speeds[0], sustained)


@pytest.mark.parametrize(
    "speeds",
    [
        [100.0, 99.0, 101.0, 100.0, 99.5],  # steady
        [110.0, 95.0, 112.0, 96.0, 94.0],  # noise: a later one is faster
        [90.0, 100.0, 101.0, 100.0, 99.0],  # slow start
        [120.0, 100.0, 100.0],  # too few to tell
    ],
)
def test_noise_is_not_called_heat(speeds: list[float]) -> None:
    assert cold_and_sustained(speeds) is None
