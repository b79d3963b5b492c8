"""What trials make of advice: measured seconds, won't-help lines, and when a trial still answers."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.model import Conditions, Phase, Stamp, Sweep
from advisor.benchmarks.trials.model import (
    Outcome,
    Pair,
    PrefixTrial,
    QuantiseTrial,
    SettingTrial,
    SpeculateTrial,
    TrialPlan,
)
from advisor.core.evidence import Basis
from advisor.diagnosis.workload import custom, preset
from advisor.recommendations import quantise, shorten_prompt, threads, tried
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.ledger import NO_LEDGER
from advisor.recommendations.model import Advice
from advisor.recommendations.ranking import advise, weighed
from tests.support.evidence import C01_SWEEP, evidence, model, pp, tg, traffic
from tests.support.trials import pair, threads_trial, trial

RAG = evidence(preset("rag"), (pp(40), tg(10)))


def shorten(held: Evidence = RAG) -> Advice:
    advice = shorten_prompt.predict(held)
    assert advice is not None
    return advice


def test_the_measured_ratio_is_applied_to_what_the_phase_costs() -> None:
    advice = shorten()
    done = tried.apply(advice, trial(pair(0.4, spread=0.05), advice=advice.id, plan=advice.trial), RAG)
    assert done.basis is Basis.MEASURED
    assert done.saved_s == pytest.approx(60.0)  # of 4,000 tokens at 40 tokens/s
    assert (done.saved_s_low, done.saved_s_high) == pytest.approx((58.0, 62.0))
    assert "5\u00a0rounds by turns" in done.evidence
    assert done.tried is not None
    assert tried.outcome(done) is Outcome.HELPS


def test_the_other_phase_counts_where_it_differs() -> None:
    advice = shorten()
    both = trial(pair(0.4), pair(0.9, Phase.DECODE), advice=advice.id, plan=advice.trial)
    assert tried.apply(advice, both, RAG).other_saved_s == pytest.approx(3.0)
    same = trial(pair(0.4), pair(0.99, Phase.DECODE), advice=advice.id, plan=advice.trial)
    assert tried.apply(advice, same, RAG).other_saved_s == 0.0


def test_what_made_no_difference_stays_in_the_list() -> None:
    advice = shorten()
    done = advise(RAG, (trial(pair(1.01), advice=advice.id, plan=advice.trial),))
    held = next(one for one in done.advice if one.id == advice.id)
    assert tried.outcome(held) is Outcome.SAME
    assert done.in_vain == ()


def test_what_hurt_will_not_help_with_its_number() -> None:
    advice = shorten()
    done = advise(RAG, (trial(pair(1.2, spread=0.02), advice=advice.id, plan=advice.trial),))
    assert advice.id not in [one.id for one in done.advice]
    (line,) = done.in_vain
    assert line.id == advice.id
    assert "tried here, it costs 18–22\u00a0s per request" in line.sentence
    assert "1.0\u00a0s → 1.2\u00a0s" in line.evidence


def test_a_gain_that_costs_more_elsewhere_hurts() -> None:
    advice = shorten()
    net = trial(pair(0.98, spread=0.001), pair(2.0, Phase.DECODE), advice=advice.id, plan=advice.trial)
    assert tried.outcome(tried.apply(advice, net, RAG)) is Outcome.HURTS
    worth = trial(pair(0.5), pair(1.1, Phase.DECODE), advice=advice.id, plan=advice.trial)
    assert tried.outcome(tried.apply(advice, worth, RAG)) is Outcome.HELPS


def test_an_invalid_trial_changes_no_figure_and_says_so() -> None:
    advice = shorten()
    bad = Conditions(Stamp.INVALID, ("the computer was swapping",))
    done = weighed(advice, RAG, (trial(pair(0.1), advice=advice.id, plan=advice.trial, conditions=bad),), NO_LEDGER)
    assert (done.saved_s, done.basis) == (advice.saved_s, advice.basis)
    assert "not to be believed: the computer was swapping" in done.evidence
    assert tried.outcome(done) is None


def test_the_newest_trial_counts() -> None:
    advice = shorten()
    older, newer = (trial(pair(ratio), advice=advice.id, plan=advice.trial) for ratio in (0.9, 0.5))
    assert tried.newest(advice, (older, newer)) == newer


@pytest.mark.parametrize(("work", "answers"), [
    (custom(6_000, 100, title="the same half"), True),
    (custom(4_000, 300, shared=3_000, title="an eighth less"), False),
])  # fmt: skip
def test_a_trial_answers_another_workload_while_the_share_is_the_same(work: object, answers: bool) -> None:
    then = shorten(evidence(custom(4_000, 300), (pp(40), tg(10))))
    now = shorten(evidence(work, (pp(40), tg(10))))  # type: ignore[arg-type]
    assert tried.same(now.trial, then.trial) is answers


def test_other_settings_and_files_are_other_experiments() -> None:
    plan = threads_trial()
    assert tried.same(plan, threads_trial())
    assert not tried.same(threads_trial(after=5), plan)
    assert not tried.same(replace(plan, after=replace(plan.after, model=Path("a/b.gguf"))), plan)
    arms = (plan.before, plan.after)
    deeper = [replace(arm, tests=tuple(replace(spec, n_depth=8192) for spec in arm.tests)) for arm in arms]
    assert not tried.same(SettingTrial(*deeper), plan)
    assert not tried.same(replace(plan, after=replace(plan.after, tests=plan.after.tests[:1])), plan)


@pytest.mark.parametrize(("now", "then", "answers"), [
    (QuantiseTrial("Q4_K_M"), QuantiseTrial("Q4_K_M"), True),
    (QuantiseTrial("Q4_K_M"), QuantiseTrial("Q6_K"), False),
    (PrefixTrial(4000, 600), PrefixTrial(2000, 310), True),
    (PrefixTrial(4000, 600), PrefixTrial(4000, 1200), False),
    (SpeculateTrial(4), SpeculateTrial(4), True),
    (SpeculateTrial(4), SpeculateTrial(4, Path("x/draft.gguf")), False),
    (SpeculateTrial(4, Path("y/draft.gguf")), SpeculateTrial(4, Path("draft.gguf")), True),
    (SpeculateTrial(4, depth_tokens=4_000), SpeculateTrial(4, depth_tokens=3_000), True),
    (SpeculateTrial(4, depth_tokens=4_000), SpeculateTrial(4), False),
    (QuantiseTrial("Q4_K_M"), SpeculateTrial(4), False),
    (None, None, False),
])  # fmt: skip
def test_the_same_question_of_every_kind(now: TrialPlan | None, then: TrialPlan | None, answers: bool) -> None:
    assert tried.same(now, then) is answers


@given(st.floats(0.05, 5.0), st.floats(0.0, 0.5))
def test_no_trial_saves_more_than_the_phase_costs(ratio: float, spread: float) -> None:
    advice = shorten()
    done = tried.apply(advice, trial(pair(ratio, spread=spread), advice=advice.id, plan=advice.trial), RAG)
    assert done.saved_s_low <= done.saved_s <= done.saved_s_high <= RAG.timeline.wait_s


def test_threads_are_tried_in_the_phases_whose_setting_changes() -> None:
    advice = threads.predict(evidence(custom(100, 2_000), C01_SWEEP))
    assert advice is not None
    assert isinstance(advice.trial, SettingTrial)
    (before,), (after,) = advice.trial.before.tests, advice.trial.after.tests
    assert (before.phase, before.n_threads, after.n_threads) == (Phase.PREFILL, 8, 32)
    assert advice.trial.before.words == "8\u00a0threads"
    assert advice.trial.after.words == "32\u00a0threads to read and 8 to write"


def test_one_thread_that_was_asked_for_is_advised_against() -> None:
    rows = (pp(10, threads=1), tg(5, threads=1))
    more = tuple(replace(row, sweep=Sweep.THREADS) for row in (pp(19, threads=2), tg(9, threads=2)))
    advice = threads.predict(evidence(preset("rag"), rows + more))
    assert advice is not None
    assert advice.title == "Use 2\u00a0threads"
    assert isinstance(advice.trial, SettingTrial)
    assert [spec.n_threads for spec in advice.trial.before.tests] == [1, 1]


def test_a_long_prompt_is_tried_with_a_shorter_one_of_the_same_share_and_says_so() -> None:
    plan = shorten().trial
    assert isinstance(plan, SettingTrial)
    (before,), (after,) = plan.before.tests, plan.after.tests
    assert before.n_prompt == 512  # 40 tokens/s: 100 s for the whole prompt
    assert plan.before.words == "512\u00a0prompt tokens, standing for 4,000"
    assert after.n_prompt / before.n_prompt == pytest.approx(1 - shorten().saved_s / RAG.timeline.wait_s, abs=0.002)
    fast = shorten(evidence(preset("rag"), (pp(4_000), tg(10)))).trial
    assert isinstance(fast, SettingTrial)
    assert fast.before.words == "4,000\u00a0prompt tokens"
    between = shorten(evidence(preset("rag"), (pp(600), tg(10)))).trial
    assert isinstance(between, SettingTrial)
    assert between.before.tests[0].n_prompt == 3_600


def test_a_trial_that_decided_nothing_leaves_the_prediction() -> None:
    advice = shorten()
    wide = trial(Pair(Phase.PREFILL, "pp512", (1.0, 1.0, 1.0), (0.3, 0.3, 2.0)), advice=advice.id, plan=advice.trial)
    done = tried.apply(advice, wide, RAG)
    assert tried.outcome(done) is Outcome.UNSURE
    assert (done.saved_s, done.saved_s_low, done.saved_s_high) == (
        advice.saved_s, advice.saved_s_low, advice.saved_s_high
    )
    assert done.basis is advice.basis
    assert "differed too much to decide" in done.evidence


def test_fewer_than_three_rounds_are_not_believed() -> None:
    advice = shorten()
    few = trial(Pair(Phase.PREFILL, "pp512", (1.0, 1.0), (0.3, 0.3)), advice=advice.id, plan=advice.trial)
    assert few.doubt == "fewer than three rounds tell nothing"
    assert tried.apply(advice, few, RAG).saved_s == advice.saved_s


def test_a_file_saves_as_many_seconds_at_depth_as_without_and_not_the_same_share() -> None:
    """Attention takes half of each step at the request's depth, and no file makes it faster."""
    facts = model(traffic(15e9, 7.5e9), bits=16.0, label="F16", types={"F16": 15_000_000_000})
    deep = replace(tg(10, depth=4_150), sweep=Sweep.DEPTH)
    held = evidence(preset("rag"), (pp(400), tg(20), deep), facts=facts)
    advice = quantise.predict(held)
    assert advice is not None
    assert held.timeline.stream_s == pytest.approx(30, rel=0.02)
    half = trial(
        Pair(Phase.DECODE, "tg128", (2.0, 2.0, 2.0), (1.0, 1.0, 1.0)), advice=advice.id, plan=advice.trial
    )
    assert tried.apply(advice, half, held).saved_s == pytest.approx(7.5)  # of the 15 s without depth
    assert advice.saved_s_high < 15
    assert tried.cost_s(advice, held) == pytest.approx(15)
    other = replace(advice, trial=shorten(held).trial)
    assert tried.cost_s(other, held) == held.timeline.stream_s
