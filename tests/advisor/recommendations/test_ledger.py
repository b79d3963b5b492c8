"""The ledger's arithmetic: hits, errors, and how much wider ranges become."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.model import Conditions, Phase, Stamp
from advisor.benchmarks.trials.prediction import Prediction
from advisor.core.evidence import Basis
from advisor.recommendations.ledger import NEWEST, NO_LEDGER, answered, ledger_of, margin, widened
from advisor.recommendations.model import Advice
from tests.support.trials import CREATED_AT, pair, trial


def prediction(measured: float, middle: float = 0.5, half: float = 0.05, advice: str = "threads") -> Prediction:
    return Prediction(
        advice, Phase.PREFILL, middle - half, middle, middle + half, middle - half, middle + half, Basis.COMPUTED,
        measured, measured, measured, "0.1.0", "build", "cpu", "sha", CREATED_AT,
    )  # fmt: skip


def advice(saved_s: float = 50.0, half_s: float = 5.0) -> Advice:
    return Advice("threads", Phase.PREFILL, "t", "d", saved_s, saved_s - half_s, saved_s + half_s, Basis.COMPUTED, (),
                  "c", "u", "e")


def test_hits_and_errors_are_counted_by_advice() -> None:
    ledger = ledger_of([prediction(0.52), prediction(0.60), prediction(0.47), prediction(0.5, advice="other")])
    record = ledger.record("threads")
    assert record is not None
    assert (record.tries, record.held) == (3, 2)
    assert record.median_error == pytest.approx(0.03)
    assert (ledger.tries, ledger.held) == (4, 3)
    assert ledger.record("never") is None


def test_a_miss_widens_until_four_of_five_would_have_held() -> None:
    made = [prediction(value) for value in (0.5, 0.52, 0.56, 0.58, 0.62)]  # 0.01, 0.03 and 0.07 outside
    assert margin(made) == pytest.approx(0.07)  # of five, the fifth
    many = [prediction(0.5)] * 8 + [prediction(0.60), prediction(0.70)]
    assert margin(many) == pytest.approx(0.05)  # of ten, the ninth


def test_few_tries_of_one_are_judged_by_those_of_all() -> None:
    others = [prediction(0.57, advice="other")] * 4
    ledger = ledger_of([prediction(0.5), *others])
    assert ledger.margin_of("threads") == pytest.approx(0.02)
    own = ledger_of([*[prediction(0.5)] * 4, *others])
    assert own.margin_of("threads") == 0.0
    assert own.margin_of("never") == own.margin


def test_old_errors_are_forgotten() -> None:
    ledger = ledger_of([*[prediction(0.9)] * 5, *[prediction(0.5)] * NEWEST])
    record = ledger.record("threads")
    assert record is not None
    assert (record.tries, record.held, record.margin) == (NEWEST, NEWEST, 0.0)


def test_nothing_tried_changes_nothing() -> None:
    assert ledger_of([]) == NO_LEDGER
    assert widened(advice(), 100.0, NO_LEDGER) == advice()


@given(st.lists(st.floats(0.01, 3.0), max_size=30), st.floats(0, 100), st.floats(0, 20))
def test_a_range_is_never_narrower_and_never_above_the_cost(
    measured: list[float], saved_s: float, half_s: float
) -> None:
    cost_s = 125.0
    before = advice(saved_s, half_s)
    after = widened(before, cost_s, ledger_of([prediction(value) for value in measured]))
    assert after.saved_s_low <= before.saved_s_low
    assert after.saved_s == before.saved_s
    assert before.saved_s_high <= after.saved_s_high <= cost_s


@given(st.lists(st.floats(0.01, 3.0), min_size=4, max_size=19))
def test_four_of_five_past_measurements_lie_inside_the_widened_range(measured: list[float]) -> None:
    made = [prediction(value) for value in measured]
    more = margin(made) + 1e-9
    inside = sum(each.low - more <= each.measured <= each.high + more for each in made)
    assert inside >= 0.8 * len(made)


def test_an_answer_keeps_what_the_rule_said_and_what_was_shown() -> None:
    shown = replace(advice(), saved_s_low=40.0, saved_s_high=60.0)
    found = answered(advice(), shown, 100.0, trial(pair(0.58)), engine_build="b", machine="m", model="s")
    assert found is not None
    assert (found.low, found.middle, found.high) == pytest.approx((0.45, 0.5, 0.55))
    assert (found.shown_low, found.shown_high) == pytest.approx((0.4, 0.6))
    assert found.measured == pytest.approx(0.58)
    assert found.error == pytest.approx(0.08)
    assert found.outside == pytest.approx(0.03)
    assert found.held


def test_what_must_not_be_believed_answers_nothing() -> None:
    bad = trial(pair(0.5), conditions=Conditions(Stamp.INVALID, ("swapping",)))
    other = trial(pair(0.5, Phase.DECODE))
    for tried in (bad, other):
        assert answered(advice(), advice(), 100.0, tried, engine_build="b", machine="m", model="s") is None
