"""Each advice: when it speaks, when it is silent, and what it promises."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Conditions, Stamp, Sweep
from advisor.core.evidence import Basis
from advisor.diagnosis.workload import custom, preset
from advisor.gguf.traffic import RecurrentLayer
from advisor.recommendations import (
    batch,
    find_fault,
    plug_in,
    quantise,
    reuse_prefix,
    shorten_prompt,
    speculate,
    threads,
)
from tests.support.evidence import (
    C01_SWEEP,
    GIB,
    LAPTOP,
    ceilings,
    commands,
    evidence,
    gpu,
    laptop,
    machine,
    model,
    pp,
    read,
    recommend,
    tg,
    traffic,
)


def test_shorten_prices_a_passage_and_meets_the_comfort_line() -> None:
    held = evidence(preset("rag"), (pp(250), tg(11.6)))
    advice = shorten_prompt.predict(held)
    assert advice.title.replace("\u00a0", " ") == "Retrieve 5 passages, not 10"
    assert "Each passage of about 340\u00a0tokens costs 1.4\u00a0s" in advice.detail
    assert (held.timeline.wait_s - advice.saved_s) <= held.workload.comfort.longest_wait_s
    assert advice.basis is Basis.COMPUTED


def test_shorten_keeps_three_passages_however_slow_the_machine() -> None:
    assert "3\u00a0passages, not 10" in shorten_prompt.predict(evidence(preset("rag"), (pp(5), tg(4)))).title


def test_shorten_halves_only_what_changes() -> None:
    advice = shorten_prompt.predict(laptop("coding"))
    assert "16,000 → 14,000" in advice.detail
    assert shorten_prompt.predict(evidence(custom(100, 10, shared=100), LAPTOP)) is None


def test_shorten_has_the_spread_of_the_measured_speed() -> None:
    advice = shorten_prompt.predict(evidence(preset("rag"), (pp([40, 42, 44]), tg(11.6))))
    assert advice.saved_s_low < advice.saved_s < advice.saved_s_high


@pytest.mark.parametrize(("shared", "speed", "seconds"), [(3000, 340, 8.82), (8000, 2180, 3.67), (1500, 55.21, 27.17)])
def test_reuse_of_e28(shared, speed, seconds) -> None:
    held = evidence(custom(shared + 100, 100, shared=shared), (pp(speed), tg(9)))
    advice = reuse_prefix.predict(held)
    assert advice.saved_s == pytest.approx(seconds, abs=0.01)
    assert advice.saved_s_high >= advice.saved_s > advice.saved_s_low
    assert "--cache-reuse 256" in commands(advice)
    assert "last" in advice.detail


def test_reuse_never_counts_the_last_token_and_needs_a_shared_part() -> None:
    whole = evidence(custom(1, 10, shared=1), LAPTOP)
    assert reuse_prefix.predict(whole) is None
    assert reuse_prefix.predict(evidence(custom(100, 10), LAPTOP)) is None


def test_reuse_warns_of_sliding_windows_d20() -> None:
    advice = reuse_prefix.predict(evidence(preset("rag"), LAPTOP, facts=model(traffic(window=512))))
    assert advice.saved_s_low == 0
    assert "sliding-window" in advice.detail
    assert "--swa-full" in commands(advice)


def test_quantise_from_q8_0_brackets_the_published_gain_e34() -> None:
    flows = traffic(7.978e9, 7.505e9)
    facts = model(flows, bits=8.5008, label="Q8_0", types={"Q8_0": 7_978_000_000})
    held = evidence(custom(1, 100), (pp(865), tg(50.93)), facts=facts)
    advice = quantise.predict(held)
    published_s = held.timeline.stream_s * (1 - 50.93 / 71.93)
    assert advice.saved_s_low < published_s < advice.saved_s_high
    assert advice.saved_s == pytest.approx(published_s, rel=0.06)
    assert "llama-quantize" in commands(advice)
    assert "perplexity" in advice.detail


@pytest.mark.parametrize(("bits", "label"), [(4.9, "Q4_K_M"), (7.36, "Q4_K_M"), (5.2, "Q5_K_S"), (3.2, "Q2_K")])
def test_quantise_is_silent_for_files_that_are_small_already(bits, label) -> None:
    assert quantise.predict(evidence(preset("long-writing"), LAPTOP, facts=model(bits=bits, label=label))) is None


def test_speculation_needs_spare_arithmetic_and_one_user() -> None:
    card = (pp(2250, on="CUDA0"), tg(29.4, on="CUDA0"))
    advice = speculate.predict(evidence(preset("rag"), card))
    assert advice.saved_s_low < 0 < advice.saved_s < advice.saved_s_high
    assert "--spec-type ngram-simple --spec-ngram-simple-size-n 3 --spec-ngram-simple-size-m 3" in commands(advice)
    assert "measure" in advice.detail
    assert speculate.predict(laptop()) is None
    assert speculate.predict(evidence(preset("many-users"), card)) is None


def test_free_text_gets_a_draft_model_where_one_can_be_smaller() -> None:
    card = (pp(2250), tg(29.4))
    assert "draft-simple" in commands(speculate.predict(evidence(preset("long-writing"), card)))
    small = model(traffic(2.5e8, 2.7e8))
    assert speculate.predict(evidence(preset("long-writing"), card, facts=small)) is None


def test_speculation_is_not_promised_for_mixtures() -> None:
    flows = traffic(0.75e9, 3e9, experts=256, experts_used=8, expert_bytes=11.2e9)
    assert speculate.predict(evidence(preset("rag"), (pp(2250), tg(77)), facts=model(flows))) is None


def test_v1_two_thread_settings() -> None:
    advice = threads.predict(evidence(custom(100, 2_000), C01_SWEEP))
    assert "32\u00a0threads to read and 8 to write" in advice.title
    assert "--threads 8 --threads-batch 32" in commands(advice)
    assert advice.basis is Basis.MEASURED


def test_threads_are_never_advised_without_a_sweep_or_where_one_setting_is_best() -> None:
    assert threads.predict(laptop()) is None
    same = (pp(10, threads=2), pp(20, threads=4), tg(5, threads=2), tg(9, threads=4))
    assert threads.predict(evidence(preset("rag"), same)) is None
    assert threads.predict(evidence(preset("rag"), (pp(10, threads=2), pp(20, threads=4), tg(9, threads=4)))) is None


def test_a_fault_is_looked_for_first_and_costs_nothing() -> None:
    flows = traffic(4.68 * GIB, 8e9)
    held = evidence(
        preset("rag"), (pp(791, tokens=128, on="Vulkan0"), tg(21.0, tokens=16, on="Vulkan0")), facts=model(flows),
        bounds=ceilings(flows, 640e9, 48e12), computer=machine(gpus=[gpu("RX 9070 XT", 16 * GIB, 640e9)]),
    )
    advice = recommend(held)
    assert advice[0].id == find_fault.ID
    assert not any(one.costs_money for one in advice)
    assert find_fault.predict(laptop()) is None


def test_figures_that_are_not_to_be_believed_sell_nothing() -> None:
    busy = Conditions(Stamp.INVALID, ("other programs used 64 % of the CPU",))
    valid = evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings())
    disturbed = evidence(preset("rag"), (pp(41.3, conditions=busy), tg(11.6, conditions=busy)), bounds=ceilings())
    assert any(one.costs_money for one in recommend(valid))
    assert not any(one.costs_money for one in recommend(disturbed))


def test_a_machine_that_swaps_is_measured_again_first() -> None:
    swapping = Conditions(Stamp.INVALID, ("the machine was swapping",), fault=True)
    held = evidence(preset("rag"), (pp(41.3, conditions=swapping), tg(11.6, conditions=swapping)))
    first = recommend(held)[0]
    assert first.id == find_fault.ID
    assert "diagnose" in commands(first)


@pytest.mark.parametrize(("battery", "profile", "speaks"), [
    (True, "", True), (False, "low_power_saver", True), (False, "balanced", False), (True, "balanced", True),
])
def test_v12_power_profile_comes_first(battery, profile, speaks) -> None:
    held = evidence(preset("rag"), (pp(232.5), tg(4.63)), computer=machine(on_battery=battery, profile=profile))
    advice = recommend(held)
    assert (advice[0].id == plug_in.ID) is speaks
    if profile and speaks:
        assert profile in advice[0].evidence


def long_model(length=32_768):  # type: ignore[no-untyped-def]
    return replace(model(), context_length=read(length))


@pytest.mark.parametrize(
    ("prompt", "answer", "said"),
    [
        (100_000, 300, "This model cannot take this prompt: its context holds 32,768 tokens, the prompt has 100,000."),
        (32_600, 300, "This model cannot finish this answer: its context holds 32,768 tokens, prompt and answer have "
                      "32,900."),
        (32_468, 300, ""),
    ],
)
def test_what_the_context_cannot_hold_is_said_first(prompt, answer, said) -> None:
    held = evidence(custom(prompt, answer), LAPTOP, facts=long_model())
    sentence = held.verdict.sentence.replace("\u00a0", " ")
    assert sentence.startswith(said)
    assert ("This model cannot" in sentence) is bool(said)
    advice = shorten_prompt.predict(held)
    assert ("context holds 32,768" in advice.detail.replace("\u00a0", " ")) is bool(said)


@pytest.mark.parametrize("workload", [custom(100_000, 300), custom(100_000, 300, 90_000),
                                      replace(preset("rag"), prompt_tokens=100_000)])
def test_a_prompt_beyond_the_context_is_cut_to_fit(workload) -> None:
    advice = shorten_prompt.predict(evidence(workload, LAPTOP, facts=long_model()))
    left = int(advice.detail.split("→ ")[1].split(" ")[0].replace(",", ""))
    assert left + workload.answer_tokens <= 32_768


def test_nothing_is_batched_or_shortened_that_can_never_fit() -> None:
    assert batch.predict(evidence(custom(100_000, 300, users=4), (pp(2250), tg(29.4)), facts=long_model())) is None
    assert shorten_prompt.predict(evidence(custom(10, 40_000), LAPTOP, facts=long_model())) is None


def test_recurrent_models_resume_at_checkpoints_only() -> None:
    flows = replace(traffic(window=512), recurrent=(RecurrentLayer("Mamba state", 10, 1000),))
    advice = reuse_prefix.predict(evidence(preset("rag"), LAPTOP, facts=model(flows)))
    assert advice.saved_s_low == 0
    assert "recurrent layers" in advice.detail
    assert "--ctx-checkpoints" in commands(advice)
    assert "--swa-full" not in commands(advice)
    assert "--cache-reuse" not in commands(advice)


def test_documents_without_a_changing_part_have_no_passages_to_drop() -> None:
    assert shorten_prompt.predict(evidence(replace(preset("rag"), shared_tokens=4000), LAPTOP)) is None


def test_points_of_a_thread_curve_are_advised_and_never_mixed_into_the_phases() -> None:
    """C01 again, as a plan measures it: the phases with 32 threads, the rest as points of the curve."""
    phases = tuple(row for row in C01_SWEEP if row.n_threads == 32)
    points = tuple(replace(row, sweep=Sweep.THREADS) for row in C01_SWEEP if row.n_threads != 32)
    held = evidence(preset("chat"), (*points, *phases))
    assert held.decode_row is not None
    assert held.decode_row.n_threads == 32
    other = evidence(preset("chat"), (*(replace(row, sweep=Sweep.THREADS) for row in C01_SWEEP if row.n_threads < 16),
                                      *(row for row in C01_SWEEP if row.n_threads == 16)))
    advice = threads.predict(other)
    assert advice is not None
    assert "llama-server --threads 8 --threads-batch 16" in commands(advice)
    assert "bench MODEL -t 8 -tb 16" in commands(advice)
