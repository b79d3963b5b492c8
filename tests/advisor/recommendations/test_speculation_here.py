"""Speculation and prefix reuse as predicted from measured kernels: what a step of several tokens costs decides."""

from dataclasses import replace

import pytest

from advisor.benchmarks.trials.model import PrefixTrial, SpeculateTrial
from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime
from advisor.ceilings.speculation import StepCosts
from advisor.core.evidence import Basis
from advisor.diagnosis.workload import custom, preset
from advisor.gguf.model import MatmulShape
from advisor.recommendations import reuse_prefix, speculate
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.wont_help import wont_help
from tests.support.evidence import ceilings, evidence, model, pp, tg, traffic

SIDE = 4096
LAYERS = 32
SHAPE = MatmulShape("Q4_K", 12, SIDE, SIDE, 9_437_184 * LAYERS, LAYERS)
FLAT = {1: 1.0, 8: 1.1, 64: 2.0, 512: 14.0}
"""A machine with much spare arithmetic: eight tokens cost hardly more than one."""
STEEP = {1: 1.0, 2: 1.9, 4: 3.7, 8: 7.2, 64: 50.0, 512: 400.0}
"""One where each further token costs a step."""


def table(curve: dict[int, float]) -> KernelTable:
    return KernelTable(
        tuple(KernelTime("Q4_K", SIDE, SIDE, n, "", 4, "CPU", (1e-3 * cost,)) for n, cost in curve.items()),
        (AttentionTime(32, 8, 128, 128, 1, 256, 4, "CPU", (1e-7,)),
         AttentionTime(32, 8, 128, 128, 1, 4096, 4, "CPU", (2e-7,)),
         AttentionTime(32, 8, 128, 128, 512, 512, 4, "CPU", (1e-5,)),
         AttentionTime(32, 8, 128, 128, 512, 1024, 4, "CPU", (2e-5,))),
        (),
        "2026-11-30",
    )


def here(curve: dict[int, float], workload=None, flows=None, **more) -> Evidence:  # type: ignore[no-untyped-def]
    held = flows or traffic()
    facts = replace(model(held, **more), matmuls=(SHAPE,))
    return evidence(
        workload or preset("rag"), (pp(41.3), tg(11.6)), facts=facts,
        bounds=replace(ceilings(held), kernels=table(curve)),
    )  # fmt: skip


def speculation(held: Evidence):  # type: ignore[no-untyped-def]
    return next((one for one in wont_help(held) if one.id == speculate.ID), None)


def test_where_several_tokens_cost_hardly_more_guessing_is_advised_with_its_best_length() -> None:
    held = here(FLAT)
    advice = speculate.predict(held)
    assert advice is not None
    outlook = speculate.outlook(held)
    assert outlook is not None
    assert outlook.low < 1.5 < outlook.middle < outlook.high
    assert advice.trial == SpeculateTrial(outlook.n_draft, depth_tokens=held.writing_depth_tokens)
    command = next(how.command for how in advice.how if how.where == "llama-server")
    assert command.endswith(f"--spec-ngram-simple-size-m {outlook.n_draft}")
    assert "measured here" in advice.evidence
    assert any(how.where == "Ollama" and not how.command for how in advice.how)
    assert speculation(held) is None


def test_where_each_token_costs_a_step_it_is_not_used_and_says_how_right_guesses_would_have_to_be() -> None:
    held = here(STEEP)
    assert speculate.predict(held) is None
    said = speculation(held)
    assert said is not None
    assert "checking 4 tokens costs 3.7× a step of one" in said.sentence
    assert "to gain at all" in said.evidence
    never = speculation(here({1: 1.0, 2: 2.1, 8: 9.0, 64: 80.0}))
    assert never is not None
    assert "always right" in never.evidence


def test_a_draft_model_is_a_file_that_the_user_must_choose() -> None:
    advice = speculate.predict(here(FLAT, preset("long-writing")))
    assert advice is not None
    assert advice.trial is None
    assert any("draft-simple -md DRAFT.gguf --spec-draft-n-max" in how.command for how in advice.how)
    small = here(FLAT, preset("long-writing"), traffic(2.5e8, 2.7e8))
    assert speculate.predict(small) is None
    assert speculation(small) is None


def test_the_same_curve_helps_one_and_hurts_twenty_d12() -> None:
    knee = {1: 1.0, 8: 1.2, 16: 1.4, 32: 2.6, 64: 5.0, 512: 38.0}
    work = replace(preset("rag"), users=1)
    one, twenty = here(knee, work), here(knee, replace(work, users=20))
    assert speculate.predict(one) is not None
    assert speculate.predict(twenty) is None
    said = speculation(twenty)
    assert said is not None
    assert "with 20 people at once" in said.sentence
    assert "for one alone" in said.sentence


def test_a_mixture_is_predicted_from_its_own_kernels_and_else_not_at_all() -> None:
    flows = traffic(0.75e9, 3e9, experts=256, experts_used=8, expert_bytes=11.2e9)
    assert speculate.predict(evidence(preset("rag"), (pp(2250), tg(77)), facts=model(flows))) is None
    assert speculate.predict(here(FLAT, flows=flows)) is not None
    said = speculation(here(STEEP, flows=flows))
    assert said is not None
    assert "wakes other experts" in said.sentence


def test_a_dearer_step_never_makes_guessing_look_better() -> None:
    gains = [speculate.outlook(here({1: 1.0, 8: cost, 64: 8 * cost, 512: 64 * cost})) for cost in (1.1, 2.0, 4.0, 8.0)]
    middles = [held.middle for held in gains if held is not None]
    assert len(middles) == 4
    assert middles == sorted(middles, reverse=True)


def test_a_step_of_two_that_is_cheaper_than_one_is_believed() -> None:
    """Another kernel runs two columns: with F16 weights here, two tokens took three quarters of one's time."""
    costs = StepCosts(((1, 1.0), (2, 0.75), (8, 1.4)))
    assert costs.off_by(-0.25)(2) <= costs(2) < costs.off_by(0.25)(2)
    assert StepCosts(((1, 1.0), (2, 1.1))).off_by(-0.25)(2) == 1.0


def test_step_costs_follow_the_table() -> None:
    costs = speculate.step_costs_here(here(STEEP))
    assert isinstance(costs, StepCosts)
    assert costs(4) == pytest.approx(3.7, rel=0.01)


def test_what_is_left_of_a_prompt_is_read_as_a_small_batch() -> None:
    """Eight of 4,008 tokens stay: 0.2 % of the tokens and more of the wait, since few share each reading of weights."""
    held = here(FLAT, custom(4_008, 100, shared=4_000))
    advice = reuse_prefix.predict(held)
    assert advice is not None
    assert advice.trial == PrefixTrial(4_008, 4_000)
    whole = 7 * 14.0 + 14.0 * 424 / 512
    assert 1 - advice.saved_s / held.timeline.wait_s == pytest.approx(1.1 / whole, rel=0.05)
    assert advice.saved_s_low < advice.saved_s < advice.saved_s_high <= held.timeline.wait_s
    assert advice.basis is Basis.COMPUTED


def test_a_short_rest_fits_the_window_s_cache() -> None:
    flows = traffic(window=512)
    fits = reuse_prefix.predict(evidence(custom(4_000, 100, shared=3_700), (pp(41.3), tg(11.6)), facts=model(flows)))
    assert fits is not None
    assert fits.saved_s_low > 0
    assert "what changes and the answer" in fits.detail
    long = reuse_prefix.predict(evidence(custom(4_000, 300, shared=3_700), (pp(41.3), tg(11.6)), facts=model(flows)))
    assert long is not None
    assert long.saved_s_low == 0


def test_only_whole_blocks_are_reused_e29() -> None:
    advice = reuse_prefix.predict(evidence(custom(1_000, 100, shared=1_000), (pp(41.3), tg(11.6))))
    assert advice is not None
    assert "992 of these" in next(how.words for how in advice.how if how.where == "vLLM")
