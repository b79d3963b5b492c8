"""The published verdict cases (V1 to V12, as far as today's values reach) and the users' questions behind them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.model import Conditions, Stamp
from advisor.ceilings.roofline import ceilings as make_ceilings
from advisor.diagnosis.engine import diagnose
from advisor.diagnosis.model import Limit, Problem
from advisor.diagnosis.problem import lost_s, problem_of
from advisor.diagnosis.timeline import timeline
from advisor.diagnosis.workload import custom, preset
from advisor.gguf.model import MatmulShape
from tests.support.evidence import (
    C01_SWEEP,
    GIB,
    arithmetic_probe,
    ceilings,
    evidence,
    gpu,
    machine,
    model,
    pp,
    read_probe,
    tg,
    traffic,
)

QWEN_7B = traffic(4.374e9, 7.07e9, head_share=0.077, layers=28, kv_heads=4, heads=28)
"""V2: a 4.68 GB file less the 0.31 GB embedding table that decode does not stream."""


def on(bytes_per_s, flows=None, **more):  # type: ignore[no-untyped-def]
    return ceilings(flows or traffic(), bytes_per_s, **more)


def test_v1_flat_decode_is_memory_and_rising_prefill_compute() -> None:
    held = evidence(preset("rag"), C01_SWEEP)
    assert held.verdict.decode.limit is Limit.MEMORY
    assert "flat past 8\u00a0threads" in held.verdict.decode.because
    assert held.verdict.prefill.limit is Limit.COMPUTE
    assert "16 to 32 threads" in held.verdict.prefill.because


@pytest.mark.parametrize(("read", "write", "rate"), [
    (436, 24.0, 165e9), (5554, 150.3, 856e9), (4028, 87.8, 419e9), (4028, 87.8, 448e9),
])
def test_v2_cards_are_memory_limited_and_never_above_their_ceiling(read, write, rate) -> None:
    bounds = on(rate, QWEN_7B, flop_per_s=100e12)
    held = evidence(custom(100, 5_000), (pp(read, on="CUDA0"), tg(write, on="CUDA0")), facts=model(QWEN_7B),
                    bounds=bounds)
    assert held.verdict.decode.limit is Limit.MEMORY
    assert held.verdict.decode.of_ceiling <= 1
    assert "100\u00a0%" not in held.verdict.sentence


def test_v2_decode_ceilings_rank_by_bandwidth() -> None:
    bounds = [on(rate, QWEN_7B, flop_per_s=100e12).decode_tokens_per_s.value for rate in (856e9, 419e9, 165e9)]
    assert bounds == sorted(bounds, reverse=True)


def test_v3_a_mixture_counts_its_active_experts_only() -> None:
    flows = traffic(0.75e9, 3e9, layers=40, experts=256, experts_used=8, expert_bytes=11.2e9)
    held = evidence(preset("rag"), (pp(900, on="Vulkan0"), tg(77.6, on="Vulkan0")), facts=model(flows, bits=3.0),
                    bounds=on(512e9, flows, flop_per_s=40e12))
    finding = held.verdict.decode
    assert finding.of_ceiling <= 1
    assert "1.10\u00a0GB per token (8 of 256\u00a0experts)" in finding.because
    assert finding.limit is not Limit.FAULT


def test_v4_old_desktop_says_both() -> None:
    flows = traffic(4.0e9, 6.6e9)
    held = evidence(custom(353, 100), (pp(1000 / 72.37), tg(1000 / 253.7)), facts=model(flows),
                    bounds=on(20.0e9, flows, flop_per_s=0.25e12))
    verdict = held.verdict
    assert verdict.problem is Problem.PREFILL
    assert held.timeline.wait_s == pytest.approx(25.5, abs=0.1)
    assert verdict.decode.limit is Limit.MEMORY
    assert verdict.decode.of_ceiling == pytest.approx(0.79, abs=0.005)
    assert "25.5\u00a0s" in verdict.sentence
    assert "slower than most people read" in verdict.sentence


@pytest.mark.parametrize(("gib", "read", "write", "wrong"), [
    (2.32, 3923, 183.0, False), (4.68, 791, 21.0, True), (8.11, 749, 9.5, True), (8.38, 274, 8.1, True),
])
def test_v5_a_fifth_of_the_bandwidth_on_a_card_is_a_fault(gib, read, write, wrong) -> None:
    flows = traffic(gib * GIB, gib * GIB / 0.6)
    tests = (pp(read, tokens=128, on="Vulkan0"), tg(write, tokens=16, on="Vulkan0"))
    held = evidence(preset("rag"), tests, facts=model(flows), bounds=on(640e9, flows, flop_per_s=48e12),
                    computer=machine(gpus=[gpu("RX 9070 XT", 16 * GIB, 640e9)]))
    assert (held.verdict.problem is Problem.FAULT) is wrong
    if wrong:
        assert "driver" in held.verdict.sentence
        assert "Do not buy anything" in held.verdict.sentence
    else:
        assert held.verdict.decode.limit is Limit.MEMORY


def test_the_design_picture() -> None:
    verdict = evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings()).verdict
    assert (verdict.problem, verdict.headline) == (Problem.PREFILL, "Prefill is your problem.")
    assert verdict.sentence.replace("\u00a0", " ") == (
        "79 % of each request passes before the first word: 1 min 37 s to read 4,000 tokens. Decode already runs at "
        "87 % of its ceiling and keeps up with reading."
    )
    assert (verdict.prefill.limit, verdict.decode.limit) == (Limit.COMPUTE, Limit.MEMORY)


def test_two_thousand_tokens_at_six_a_second_are_slow() -> None:
    verdict = evidence(preset("long-writing"), (pp(300), tg(6))).verdict
    assert verdict.problem is Problem.DECODE
    assert "5\u00a0min 33\u00a0s".replace(" ", "\u00a0") in verdict.sentence


def test_neither_names_what_dominates() -> None:
    verdict = evidence(preset("long-writing"), (pp(900), tg(33))).verdict
    assert verdict.problem is Problem.NONE
    assert "over\u00a099\u00a0%: only decode would be worth speeding up" in verdict.sentence
    assert "worth" not in evidence(custom(900, 33), (pp(900), tg(33))).verdict.sentence


@pytest.mark.parametrize("question", ["D01", "D03"])
def test_retrieved_passages_make_a_prefill_problem(question) -> None:
    """D01: three passages of 700 tokens take two to three minutes, the answer seconds. D03: "Hello" is instant."""
    tests = (pp(14), tg(8))
    assert evidence(custom(2_100, 100), tests).verdict.problem is Problem.PREFILL
    assert evidence(custom(20, 100), tests).verdict.problem is Problem.NONE


def test_unpacking_on_a_processor_is_no_fault() -> None:
    """Physics 0.1 and 0.4: 33 tokens/s of 247 MB are 29 % of 28 GB/s."""
    flows = traffic(246_587_904, 268e6)
    held = evidence(preset("chat"), (pp(900), tg(33)), facts=model(flows), bounds=on(28e9, flows, flop_per_s=0.4e12))
    assert held.verdict.decode.limit is Limit.UNPACKING
    safe = evidence(preset("chat"), (pp(900, safe=True), tg(24, safe=True)), facts=model(flows),
                    bounds=on(28e9, flows, flop_per_s=0.4e12))
    assert safe.verdict.decode.limit is Limit.UNPACKING
    assert "Safe mode" in safe.verdict.decode.because


def test_a_slow_format_explains_a_slow_prefill() -> None:
    """Physics 7: on one machine Q8_0 products reach 181 GFLOP/s where Q4_K reaches 417."""
    flows = traffic(8e9, 7.5e9, head_share=0.0)
    shapes = (MatmulShape("Q8_0", 8, 4096, 4096, 1, 400), MatmulShape("F32", 0, 4096, 64, 1, 32))
    facts = replace(model(flows, bits=8.5, label="Q8_0", types={"Q8_0": 8 * 10**9}), matmuls=shapes)
    bounds = make_ceilings(flows, (read_probe(20e9),), (
        arithmetic_probe(181e9, kernel="ggml Q8_0, CPU_REPACK layout"), arithmetic_probe(150e9, kernel="ggml Q8_0"),
        arithmetic_probe(417e9)))
    finding = evidence(preset("rag"), (pp(9), tg(2.2)), facts=facts, bounds=bounds).verdict.prefill
    assert finding.limit is Limit.UNPACKING
    assert "181\u00a0GFLOP/s" in finding.because
    unprobed = make_ceilings(flows, (read_probe(20e9),), (arithmetic_probe(417e9),))
    assert evidence(preset("rag"), (pp(9), tg(2.2)), facts=facts, bounds=unprobed).verdict.prefill.limit is (
        Limit.UNKNOWN)


def test_unquantised_weights_are_not_called_unpacking() -> None:
    flows = traffic(5e8, 2.5e8)
    facts = model(flows, bits=16, label="F16", types={"F16": 500_000_000})
    held = evidence(preset("chat"), (pp(900), tg(20)), facts=facts, bounds=on(28e9, flows, flop_per_s=0.4e12))
    assert held.verdict.decode.limit is Limit.UNKNOWN


def test_a_tiny_model_on_a_fast_card_is_overhead() -> None:
    flows = traffic(3e8, 5e8)
    held = evidence(preset("chat"), (pp(20_000, on="CUDA0"), tg(300, on="CUDA0")), facts=model(flows),
                    bounds=on(900e9, flows, flop_per_s=100e12))
    assert held.verdict.decode.limit is Limit.OVERHEAD


def test_a_short_prompt_test_far_below_the_arithmetic_is_overhead() -> None:
    held = evidence(custom(100, 100), (pp(300, tokens=16, on="CUDA0"), tg(90, on="CUDA0")),
                    bounds=on(500e9, flop_per_s=100e12))
    assert held.verdict.prefill.limit is Limit.OVERHEAD


def test_decode_on_slow_arithmetic_is_compute() -> None:
    held = evidence(preset("chat"), (pp(7), tg(6)), bounds=on(900e9, flop_per_s=1.1e11))
    assert held.verdict.decode.limit is Limit.COMPUTE


@pytest.mark.parametrize(("tests", "words"), [
    ((pp(41.3), tg(0.5)), "more threads than free cores"),
    ((pp(5), tg(11.6)), "slower than writing"),
    ((pp(41.3), tg(11.6, conditions=Conditions(Stamp.INVALID, ("the machine was swapping",), fault=True))), "swapping"),
])
def test_faults_on_a_processor(tests, words) -> None:
    verdict = evidence(preset("rag"), tests, bounds=ceilings()).verdict
    assert verdict.problem is Problem.FAULT
    assert words in verdict.sentence


def test_an_invalid_run_says_so_first_names_no_cause_and_still_names_the_phase() -> None:
    rows = [row(41.3 if row is pp else 11.6, conditions=Conditions(Stamp.INVALID, (f"other programs used {n} %",)))
            for row, n in ((pp, 64), (tg, 55))]
    verdict = evidence(preset("rag"), rows, bounds=ceilings()).verdict
    assert verdict.problem is Problem.PREFILL
    assert verdict.headline == "Measure again: this run was disturbed."
    assert verdict.sentence.startswith("Other programs used 64 %. Buy nothing on these figures.")
    assert "Prefill is your problem." in verdict.sentence
    assert (verdict.prefill.limit, verdict.decode.limit) == (Limit.UNKNOWN, Limit.UNKNOWN)


def test_a_machine_that_swaps_is_at_fault() -> None:
    swapping = Conditions(Stamp.INVALID, ("the computer was swapping",), fault=True)
    verdict = evidence(preset("rag"), (pp(41.3), tg(11.6, conditions=swapping)), bounds=ceilings()).verdict
    assert verdict.problem is Problem.FAULT
    assert "While tg128 ran, the computer was swapping." in verdict.sentence


@pytest.mark.parametrize("where", ["CPU", "CUDA0"])
def test_weights_that_do_not_fit_are_a_spill(where) -> None:
    computer = machine(memory_bytes=2 * GIB, gpus=[gpu(memory_bytes=2 * GIB)])
    verdict = evidence(preset("rag"), (pp(41.3, on=where), tg(1.5, on=where)), computer=computer).verdict
    assert verdict.problem is Problem.FAULT
    assert "fetches the rest" in verdict.sentence


def test_a_suspect_run_says_so_once() -> None:
    busy = Conditions(Stamp.SUSPECT, ("another program used 35\u00a0% of the processor",))
    verdict = evidence(preset("rag"), (pp(41.3, conditions=busy), tg(11.6, conditions=busy)), bounds=ceilings()).verdict
    assert verdict.problem is Problem.PREFILL
    assert verdict.sentence.count("another program") == 1


def test_a_speed_above_its_ceiling_is_the_limit_and_never_more_than_all() -> None:
    verdict = evidence(preset("rag"), (pp(60), tg(15)), bounds=ceilings()).verdict
    assert verdict.decode.of_ceiling == 1
    assert verdict.prefill.of_ceiling == 1
    assert "faster than every read probe" in verdict.decode.because


def test_without_ceilings_the_limit_is_unknown_and_the_phase_is_still_named() -> None:
    verdict = evidence(preset("rag"), (pp(41.3), tg(11.6))).verdict
    assert verdict.problem is Problem.PREFILL
    assert verdict.decode.limit is Limit.UNKNOWN
    assert verdict.decode.of_ceiling is None
    assert "not measured" in verdict.decode.because


def test_a_ceiling_is_taken_at_the_depth_of_the_row() -> None:
    shallow = evidence(preset("rag"), (pp(41.3), tg(10)), bounds=ceilings()).verdict.decode.of_ceiling
    deep = evidence(preset("rag"), (pp(41.3), tg(10, depth=8192)), bounds=ceilings()).verdict.decode.of_ceiling
    assert deep > shallow


@given(st.integers(1, 10**5), st.integers(1, 10**4), st.floats(0.1, 1e5), st.floats(0.1, 1e3), st.floats(1e9, 1e12),
       st.floats(1e10, 1e14))
def test_any_figures_give_a_verdict_within_a_hundred_per_cent(prompt, answer, read, write, rate, flops) -> None:
    workload = custom(prompt, answer)
    tests = (pp(read), tg(write))
    when = timeline(workload, tests).value
    verdict = diagnose(workload, when, tests, ceilings(None, rate, flops), model(), machine())
    for finding in (verdict.prefill, verdict.decode):
        assert 0 <= finding.of_ceiling <= 1
        assert finding.because.endswith(".")
    if verdict.problem is not Problem.FAULT:
        assert verdict.problem is problem_of(*verdict.losses, verdict.prefill.limit, verdict.decode.limit)
    waiting, streaming = lost_s(workload, when)
    assert (verdict.problem is Problem.NONE) <= (waiting == streaming == 0)
