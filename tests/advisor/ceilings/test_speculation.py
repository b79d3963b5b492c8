"""Guessing ahead: the worked examples of physics.md 4 (E19 to E23), and what must hold for any curve."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime
from advisor.ceilings.speculation import (
    Counts,
    StepCosts,
    acceptance_from,
    best_draft,
    break_even,
    counted_speed_up,
    expected_tokens,
    free,
    lowest_break_even,
    predicted_costs,
    speed_up,
    step_costs,
)
from advisor.core.evidence import Known
from tests.advisor.ceilings.test_predict import UP, small_model

STREAMS = (1, 2, 4, 8, 16, 32)
M2_ULTRA = step_costs([
    (b, b / rate) for b, rate in zip(STREAMS, (78.17, 132.45, 218.67, 254.83, 321.07, 611.12), strict=True)
])
SPARK = step_costs([
    (b, b / rate) for b, rate in zip(STREAMS, (29.10, 54.00, 104.17, 194.15, 331.9, 589.2), strict=True)
])


@pytest.mark.parametrize(("acceptance", "n_draft", "tokens"), [
    (0.6, 4, 2.3056), (0.7, 4, 2.7731), (0.8, 4, 3.3616), (0.8, 5, 3.6893), (0.9, 8, 6.1258), (0.5, 3, 1.875),
    (1, 5, 6), (0, 5, 1),
])
def test_e19_tokens_per_step(acceptance, n_draft, tokens) -> None:
    assert expected_tokens(acceptance, n_draft) == pytest.approx(tokens, rel=1e-4)


@pytest.mark.parametrize(("acceptance", "cost", "n_draft", "gain"), [
    (0.8, 0.05, 8, 3.0921), (0.7, 0.1, 4, 1.9808), (0.6, 0.1, 3, 1.6738), (0.5, 0.2, 1, 1.25), (0.9, 0.05, 13, 4.6741),
    (0.4, 0.3, 1, 1.0769),
])
def test_e20_best_length_where_checking_is_free(acceptance, cost, n_draft, gain) -> None:
    found = best_draft(acceptance, cost)
    assert (found.n_draft, found.speed_up) == (n_draft, pytest.approx(gain, rel=1e-4))


def test_e20_a_longer_draft_can_be_slower_than_none() -> None:
    assert speed_up(0.4, 4, 0.3) == pytest.approx(0.7498, rel=1e-4)


@pytest.mark.parametrize(("curve", "acceptance", "cost", "n_draft", "gain"), [
    (M2_ULTRA, 0.8, 0.06, 3, 1.834), (M2_ULTRA, 0.8, 0, 3, 2.064), (M2_ULTRA, 0.6, 0, 3, 1.522),
    (SPARK, 0.8, 0.06, 7, 2.570), (SPARK, 0.8, 0, 10, 3.583), (SPARK, 0.6, 0, 6, 2.062),
])
def test_e21_e22_best_length_on_measured_curves(curve, acceptance, cost, n_draft, gain) -> None:
    found = best_draft(acceptance, cost, curve)
    assert (found.n_draft, found.speed_up) == (n_draft, pytest.approx(gain, rel=1e-3))


@pytest.mark.parametrize(("acceptance", "cost", "n_draft", "gain"), [
    (0.8, 0.06, 7, 1.448), (0.8, 0, 7, 1.696), (0.8, 0, 15, 1.247), (0.6, 0, 7, 1.002), (0.6, 0, 15, 0.642),
])
def test_e21_longer_drafts_than_the_best(acceptance, cost, n_draft, gain) -> None:
    assert speed_up(acceptance, n_draft, cost, M2_ULTRA) == pytest.approx(gain, abs=1e-3)


def test_where_a_step_of_two_costs_two_nothing_gains() -> None:
    """Eq. 18: (1 + acceptance) must pass v(2)."""
    dear = StepCosts(((1, 1.0), (2, 2.0), (64, 64.0)))
    assert best_draft(0.9, 0.0, dear).n_draft == 0
    assert break_even(1, 0.0, dear) is None
    assert lowest_break_even(0.0, dear) is None
    assert break_even(1, 0.1, StepCosts(((1, 1.0), (2, 1.3)))) == pytest.approx(0.4, abs=1e-6)


def test_steps_without_a_guess_dilute_gain_and_loss() -> None:
    curve = StepCosts(((1, 1.0), (4, 2.0)))
    assert speed_up(0, 3, 0, curve) == pytest.approx(0.5)
    assert speed_up(0, 3, 0, curve, guessed=0.5) == pytest.approx(1 / 1.5)
    assert speed_up(0.3, 3, 0, curve, guessed=0.0) == 1


def test_columns_beyond_whole_tiles_are_paid_one_by_one_on_a_processor() -> None:
    """A product of four at once costs 1.6 here, and each further token what a second one costs."""
    seconds = {1: 1e-3, 2: 1.9e-3, 4: 1.6e-3, 8: 2.4e-3, 512: 0.15}
    rows = [KernelTime("Q4_K", 256, 1024, n, "CPU_REPACK", 2, "CPU", (each,)) for n, each in seconds.items()]
    heads = [KernelTime("Q8_0", 256, 1000, n, "", 2, "CPU", (1e-9,)) for n in (1, 512)]
    attention = (AttentionTime(4, 2, 64, 64, 1, 256, 2, "CPU", (1e-9,)),)
    on_cpu = KernelTable((*rows, *heads), attention)
    costs = predicted_costs(small_model(UP), on_cpu)
    assert isinstance(costs, Known)
    found = {n: round(costs.value(n), 2) for n in (1, 2, 3, 4, 5, 6, 8, 9)}
    assert found == {1: 1.0, 2: 1.9, 3: 2.8, 4: 1.6, 5: 2.5, 6: 3.4, 8: 2.4, 9: 3.3}
    on_gpu = replace(on_cpu, products=tuple(replace(row, device="CUDA0") for row in on_cpu.products))
    safe = replace(on_cpu, products=tuple(replace(row, layout="") for row in on_cpu.products))
    for table in (on_gpu, safe):
        straight = predicted_costs(small_model(UP), table)
        assert isinstance(straight, Known)
        assert straight.value(3) < straight.value(2)
    assert best_draft(0.7, 0.0, costs.value).n_draft % 4 == 3


def test_a_curve_needs_the_step_of_one_token() -> None:
    with pytest.raises(ValueError, match="one token"):
        step_costs([(2, 0.1)])
    with pytest.raises(ValueError, match="begins"):
        StepCosts(((1, 2.0),))
    assert SPARK(64) == pytest.approx(2 * SPARK(32))


@given(
    acceptance=st.floats(0, 1), more=st.floats(0, 1), n_draft=st.integers(1, 64), cost=st.floats(0, 1),
    guessed=st.floats(0, 1),
)
def test_more_right_guesses_never_slow_it_down(acceptance, more, n_draft, cost, guessed) -> None:
    low, high = sorted((acceptance, more))
    assert speed_up(low, n_draft, cost, SPARK, guessed) <= speed_up(high, n_draft, cost, SPARK, guessed) + 1e-9
    assert best_draft(acceptance, cost, SPARK).speed_up >= 1


@given(acceptance=st.floats(0.01, 0.99), n_draft=st.integers(1, 32))
def test_the_acceptance_comes_back_from_its_counter(acceptance, n_draft) -> None:
    counted = expected_tokens(acceptance, n_draft) - 1
    assert acceptance_from(counted, n_draft) == pytest.approx(acceptance, abs=1e-5)


def test_e23_the_accepted_share_is_not_the_acceptance() -> None:
    assert expected_tokens(0.8, 4) - 1 == pytest.approx(2.3616)
    assert acceptance_from(2.3616, 4) == pytest.approx(0.8, abs=1e-6)


def test_shorter_drafts_cost_less_than_the_length_that_was_asked_for() -> None:
    steep = step_costs([(1, 1.0), (2, 2.0), (9, 9.0)])
    half_length = counted_speed_up(Counts(steps=100, drafts=50, guessed=50, accepted=0), steep)
    assert half_length == pytest.approx(1 / 1.5)
    assert speed_up(0.0, 8, 0.0, steep, 0.5) == pytest.approx(1 / 5)
    assert counted_speed_up(Counts(100, 0, 0, 0), steep) == 1.0


def test_whole_drafts_are_worth_what_the_formula_says() -> None:
    counts = Counts(steps=1000, drafts=1000, guessed=4000, accepted=round(1000 * (expected_tokens(0.7, 4) - 1)))
    assert counted_speed_up(counts, free, 0.1) == pytest.approx(speed_up(0.7, 4, 0.1), rel=1e-3)
