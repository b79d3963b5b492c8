"""Each advice: when it speaks, when it is silent, and what it promises."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.model import Conditions, Phase, Stamp, Sweep
from advisor.ceilings.other_hardware import decode_on
from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.diagnosis.model import Problem
from advisor.diagnosis.workload import custom, preset
from advisor.gguf.traffic import RecurrentLayer
from advisor.hardware.catalog import Kind, find
from advisor.hardware.model import Machine, MemoryModule
from advisor.recommendations import (
    add_gpu,
    batch,
    faster_memory,
    find_fault,
    plug_in,
    quantise,
    reuse_prefix,
    shorten_prompt,
    speculate,
    threads,
    use_gpu,
)
from advisor.recommendations.card_speed import ANY_CARD, Factors, card_factors, card_of, recent_cards
from tests.support.evidence import (
    C01_SWEEP,
    GIB,
    ceilings,
    device,
    engine,
    evidence,
    gpu,
    machine,
    model,
    pp,
    read,
    recommend,
    tg,
    traffic,
)

LAPTOP = (pp(41.3), tg(11.6))


def laptop(name="rag", **more):  # type: ignore[no-untyped-def]
    return evidence(preset(name), LAPTOP, bounds=ceilings(), **more)


def commands(advice) -> str:  # type: ignore[no-untyped-def]
    return " | ".join(how.command for how in advice.how)


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


def test_an_idle_card_is_used_and_the_build_mended_first() -> None:
    held = laptop(computer=machine(gpus=[gpu()]), runtime=engine())
    advice = use_gpu.predict(held)
    assert advice.title == "Install an engine build that uses the RTX 3090"
    assert "-ngl all" in commands(advice)
    assert not advice.costs_money
    assert advice.other_saved_s > 0
    assert add_gpu.predict(held) is None


def test_a_card_that_the_engine_knows_needs_only_a_setting() -> None:
    held = laptop(computer=machine(gpus=[gpu()]), runtime=engine(gpu_offload=True, devices=[device()]))
    assert use_gpu.predict(held).title == "Use the Test CUDA0 that is there"


def test_a_card_that_is_too_small_promises_little() -> None:
    small = laptop(computer=machine(gpus=[gpu(memory_bytes=2 * GIB)]), runtime=engine())
    advice = use_gpu.predict(small)
    large = use_gpu.predict(laptop(computer=machine(gpus=[gpu()]), runtime=engine()))
    assert advice.saved_s < large.saved_s
    assert advice.other_saved_s < large.other_saved_s / 2
    assert "of 32" in advice.detail
    assert "-ngl all" not in commands(advice)
    assert "a part stays on the processor" in advice.detail


def test_integrated_graphics_are_measured_never_assumed_d21() -> None:
    held = laptop(computer=machine(gpus=[gpu("Iris Xe", shares=True)]), runtime=engine())
    advice = use_gpu.predict(held)
    assert advice.title.startswith("Measure")
    assert advice.phase is Phase.PREFILL
    assert advice.saved_s_low < 0 < advice.saved_s
    igpu = laptop(runtime=engine(gpu_offload=True, devices=[device("Vulkan0", "igpu")]))
    assert use_gpu.predict(igpu).phase is Phase.PREFILL


def test_no_gpu_advice_where_it_runs_already_or_none_is_there() -> None:
    running = evidence(preset("rag"), (pp(41.3, on="CUDA0"), tg(11.6, on="CUDA0")), computer=machine(gpus=[gpu()]))
    assert use_gpu.predict(running) is None
    assert add_gpu.predict(running) is None
    assert use_gpu.predict(laptop()) is None


def test_adding_a_card_is_wide_and_counts_both_phases() -> None:
    advice = add_gpu.predict(laptop())
    assert advice.costs_money
    assert advice.saved_s_high > advice.saved_s > advice.saved_s_low > 0
    assert advice.other_saved_s > 0
    assert "6\u00a0GB" in advice.title
    assert "not by TFLOPS" in advice.detail
    deep = evidence(preset("long-writing"), (pp(41.3), tg(5)), bounds=ceilings())
    assert add_gpu.predict(deep).phase is Phase.DECODE


def test_nothing_is_bought_where_nothing_is_a_problem_or_something_is_wrong() -> None:
    assert add_gpu.predict(evidence(preset("chat"), (pp(900), tg(33)))) is None
    broken = evidence(preset("rag"), (pp(5), tg(11.6)), bounds=ceilings())
    assert broken.verdict.problem is Problem.FAULT
    assert add_gpu.predict(broken) is None
    assert faster_memory.predict(broken) is None


def test_a_card_s_gain_is_its_published_range_over_the_speed_here() -> None:
    held = laptop()
    card = find("RTX 3090")
    assert card is not None
    prefill, decode = card_factors(held, (card,), True)
    expected = decode_on(card, traffic())
    assert isinstance(expected, Known)
    assert decode.middle == pytest.approx(expected.value.middle / 11.6)
    assert 1 < decode.low < decode.middle < decode.high < 1.5 * decode.middle
    assert prefill.low > 20
    assert "RTX 5090" in add_gpu.predict(held).evidence
    assert "published measurements" in add_gpu.predict(held).evidence


def test_a_card_is_looked_up_or_made_of_what_its_driver_tells() -> None:
    assert card_of(gpu("NVIDIA GeForce RTX 3090")).fp16_flop_per_s == pytest.approx(71.2e12)
    made = card_of(gpu("RTX 9999 Laptop GPU", bytes_per_s=500e9))
    assert (made.bandwidth_bytes_per_s, made.kind) == (500e9, Kind.LAPTOP)
    assert card_of(gpu("RTX 9999", bytes_per_s=None)) is None


def test_nothing_slower_is_promised_as_a_loss_and_no_card_gives_any_card() -> None:
    fast = evidence(preset("rag"), (pp(90_000), tg(900)))
    card = find("RTX 3060 12GB")
    assert card is not None
    assert card_factors(fast, (card,), True) == (Factors(1, 1, 1), Factors(1, 1, 1))
    assert card_factors(fast, (), True) == ANY_CARD
    assert all(" Ada" not in one.name and (one.memory_bytes or 0) >= 10 * GIB for one in recent_cards(10 * GIB))


def test_a_model_beyond_any_card_lies_there_in_part() -> None:
    flows = traffic(39e9, 70e9)
    held = evidence(preset("rag"), (pp(4), tg(1.4)), facts=model(flows), computer=machine(memory_bytes=64 * GIB))
    advice = add_gpu.predict(held)
    assert "which holds a part of the model" in advice.title
    decode = card_factors(held, recent_cards(16e9), False)[1]
    assert 1 < decode.low < decode.middle < 39 / (39 - 24)


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


def test_faster_memory_only_for_a_memory_limited_decode_problem() -> None:
    slow = (pp(41.3), tg(4.5))
    bounds = ceilings(bytes_per_s=25e9)
    assert faster_memory.predict(evidence(preset("long-writing"), slow, bounds=bounds)).costs_money
    guest = machine(virtual=True)
    assert faster_memory.predict(evidence(preset("long-writing"), slow, bounds=bounds, computer=guest)) is None
    assert faster_memory.predict(evidence(preset("long-writing"), slow, bounds=ceilings())) is None
    assert faster_memory.predict(laptop()) is None


def with_modules(*modules: MemoryModule) -> Machine:
    here = machine()
    return replace(here, memory=replace(here.memory, modules=modules))


def module(slot: str, running_mts: int) -> MemoryModule:
    def read(value: object) -> Known:
        return Known(value, Basis.READ, "test")

    return MemoryModule(slot, 16 * GIB, read("DDR5"), read(6e9), read(running_mts * 1e6), read(64))


def test_faster_memory_says_what_the_slots_show() -> None:
    case = {"workload": preset("long-writing"), "tests": (pp(41.3), tg(4.5)), "bounds": ceilings(bytes_per_s=25e9)}
    one = faster_memory.predict(evidence(**case, computer=with_modules(module("DIMM 1", 4800))))
    assert "There is one memory module" in one.detail
    assert "runs at 4800 MT/s and is rated for 6000 MT/s" in one.detail
    full = with_modules(module("CHANNEL A", 6000), module("CHANNEL B", 6000))
    assert faster_memory.predict(evidence(**case, computer=full)) is None


def test_a_card_is_named_by_the_bandwidth_of_those_that_hold_the_model() -> None:
    advice = add_gpu.predict(laptop())
    assert "those that hold this model have from " in advice.detail
    assert "1,792\u00a0GB/s (RTX 5090)" in advice.detail or "1.79\u00a0TB/s (RTX 5090)" in advice.detail


def test_no_card_is_advised_where_one_may_be_there() -> None:
    unsure = replace(gpu("AMD Radeon"), shares_memory=Unknown("not told", Missing.NOT_SUPPORTED), vendor="amd")
    held = evidence(preset("rag"), LAPTOP, computer=machine(gpus=(unsure,)))
    assert add_gpu.predict(held) is None
    assert "integrated" in use_gpu.predict(held).title


def test_many_users_are_batched_up_to_the_spare_arithmetic() -> None:
    advice = batch.predict(evidence(preset("many-users"), (pp(2250), tg(29.4))))
    assert "-np 8" in commands(advice)
    assert "OLLAMA_NUM_PARALLEL=8" in commands(advice)
    tight = batch.predict(evidence(preset("many-users"), (pp(30), tg(29.4))))
    assert tight.saved_s < advice.saved_s
    assert batch.predict(laptop()) is None


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


def test_more_streams_than_the_memory_holds_are_never_advised() -> None:
    crowd = evidence(custom(4000, 300, users=1000), (pp(2250), tg(29.4)))
    assert crowd.fits_in_memory() is False
    advice = batch.predict(crowd)
    streams = int(commands(advice).split("-np ")[1].split()[0])
    room = crowd.room_bytes()
    assert room is not None
    assert 2 <= streams < 1000
    assert crowd.needed_bytes(streams) <= room < crowd.needed_bytes()
    assert f"{streams} of the 1,000 streams" in advice.title
    assert f"-c {streams * 4300} " in commands(advice)
    assert f"No more than {streams} at a time" in advice.detail
    assert "1000" not in commands(advice)


@pytest.mark.parametrize("memory_bytes", [4 * GIB, 6 * GIB])
def test_batching_is_dropped_where_not_even_two_streams_fit(memory_bytes) -> None:
    held = evidence(custom(9000, 300, users=8), (pp(2250), tg(29.4)), computer=machine(memory_bytes=memory_bytes))
    assert batch.predict(held) is None


def test_streams_on_a_card_are_counted_against_its_memory() -> None:
    held = evidence(custom(4000, 300, users=100), (pp(2250, on="CUDA0"), tg(80, on="CUDA0")),
                    computer=machine(memory_bytes=256 * GIB, gpus=[gpu(memory_bytes=8 * GIB)]))
    assert held.room_bytes() == 8 * GIB
    assert "-np 5 " in commands(batch.predict(held))


def test_a_card_for_a_crowd_is_one_that_can_be_bought() -> None:
    held = evidence(custom(4000, 300, users=1000), LAPTOP)
    assert add_gpu.predict(held).title.replace("\u00a0", " ") == "Add a graphics card with 24 GB or more"


@given(memory=st.integers(1, 512), users=st.integers(1, 100_000), prompt=st.integers(1, 200_000))
def test_no_advice_needs_more_memory_than_there_is(memory, users, prompt) -> None:
    held = evidence(custom(prompt, 300, users=users), (pp(2250), tg(29.4)), computer=machine(memory_bytes=memory * GIB))
    for advice in recommend(held):
        for how in advice.how:
            if "-np " in how.command:
                assert held.needed_bytes(int(how.command.split("-np ")[1].split()[0])) <= memory * GIB


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


def test_streams_that_were_measured_together_are_no_estimate() -> None:
    """Eight people on a DGX Spark: 194.15 tokens/s together, 29.10 alone (physics.md 3, curve b)."""
    work = custom(1000, 300, users=8)
    together = replace(tg(29.1), n_streams=8, sweep=Sweep.BATCH, samples_s=(8 * 128 / 194.15,))
    estimated = batch.predict(evidence(work, (pp(2250), tg(29.1))))
    measured = batch.predict(evidence(work, (pp(2250), tg(29.1), together)))
    assert estimated is not None
    assert measured is not None
    assert (estimated.basis, measured.basis) == (Basis.ESTIMATED, Basis.MEASURED)
    assert "6.5–6.9×" in measured.detail
    assert estimated.saved_s_low < measured.saved_s < estimated.saved_s_high


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
