"""The users' questions with published figures, and what the advice answers."""

from dataclasses import replace

from advisor.benchmarks.model import Phase
from advisor.diagnosis.model import Limit, Problem
from advisor.diagnosis.workload import custom, preset
from advisor.recommendations import threads
from advisor.recommendations.wont_help import wont_help
from tests.support.evidence import C01_SWEEP, GIB, ceilings, evidence, gpu, machine, model, pp, recommend, tg, traffic


def ids(held):  # type: ignore[no-untyped-def]
    return [one.id for one in recommend(held)]


def ruled_out(held):  # type: ignore[no-untyped-def]
    return {one.id: one for one in wont_help(held)}


def test_d01_passages_before_answers() -> None:
    """Three pieces of 700 tokens: two to three minutes of nothing, then the answer in seconds."""
    held = evidence(replace(custom(2100, 60), id="rag"), (pp(14), tg(14)))
    assert held.verdict.problem is Problem.PREFILL
    assert ids(held)[0] in ("add-gpu", "shorten-prompt")
    assert "shorter-answer" in ruled_out(held)


def test_d05_many_threads_for_the_prompt_few_for_the_answer() -> None:
    advice = threads.predict(evidence(custom(100, 2_000), C01_SWEEP))
    assert "32\u00a0threads to read and 8 to write" in advice.title
    assert "more-cores" in ruled_out(evidence(custom(100, 2_000), C01_SWEEP))


def test_d06_twice_the_threads_change_next_to_nothing() -> None:
    """i7-10700, 7B: 6 threads 5.7, 14 threads 6.2 tokens/s; the memory is the limit, whatever the CPU's load shows."""
    flows = traffic(4.0e9, 7e9)
    held = evidence(custom(100, 400), (pp(20, threads=14), tg(6.2, threads=14)), facts=model(flows),
                    bounds=ceilings(flows, 34e9))
    assert held.limit(Phase.DECODE) is Limit.MEMORY
    found = ruled_out(held)
    assert {"more-cores", "faster-cpu"} <= found.keys()
    assert "8.50\u00a0tokens/s" in found["more-cores"].sentence


def test_d07_more_memory_on_a_card_is_no_help() -> None:
    flows = traffic(4.374e9, 7.07e9)
    held = evidence(preset("rag"), (pp(5554, on="CUDA0"), tg(150.3, on="CUDA0")), facts=model(flows),
                    bounds=ceilings(flows, 856e9, 100e12), computer=machine(gpus=[gpu()]))
    assert "23 s" in ruled_out(held)["bigger-card"].evidence


def test_d09_a_second_card_adds_memory_and_is_only_ruled_out_where_that_is_enough() -> None:
    flows = traffic(42e9, 70e9)
    big = evidence(custom(100, 400), (pp(300, on="CUDA0"), tg(13.48, on="CUDA0")), facts=model(flows),
                   bounds=ceilings(flows, 700e9, 100e12),
                   computer=machine(gpus=[gpu("A100", 80 * GIB, 1555e9)]))
    assert "13.48, 10.14, 9.69 and 9.23" in ruled_out(big)["more-gpus"].evidence
    small = replace(big, machine=machine(gpus=[gpu("A100", 39 * GIB, 1555e9)]))
    assert "more-gpus" not in ruled_out(small)


def test_d12_guessing_is_no_help_for_many() -> None:
    held = evidence(custom(1000, 300, users=24), (pp(2250), tg(29.4)))
    assert "speculate" not in ids(held)
    assert "speculate" in ruled_out(held)


def test_v3_a_mixture_names_its_active_experts() -> None:
    flows = traffic(0.75e9, 3e9, experts=256, experts_used=8, expert_bytes=11.2e9)
    held = evidence(preset("rag"), (pp(1500, on="CUDA0"), tg(77.6, on="CUDA0")), facts=model(flows),
                    bounds=ceilings(flows, 512e9, 50e12), computer=machine(gpus=[gpu(memory_bytes=16 * GIB)]))
    assert "8 of 256\u00a0experts" in held.verdict.decode.because
    assert held.verdict.decode.of_ceiling < 1


def test_v5_a_fault_sells_nothing_and_is_looked_for_first() -> None:
    flows = traffic(4.68 * GIB, 8e9)
    held = evidence(
        preset("rag"), (pp(791, tokens=128, on="Vulkan0"), tg(21.0, tokens=16, on="Vulkan0")), facts=model(flows),
        bounds=ceilings(flows, 640e9, 48e12), computer=machine(gpus=[gpu("RX 9070 XT", 16 * GIB, 640e9)]),
    )
    assert ids(held)[0] == "find-fault"
    assert not any(one.costs_money for one in recommend(held))
    assert next(iter(ruled_out(held))) == "new-hardware"


def unpacking(workload):  # type: ignore[no-untyped-def]
    """The sample on two cores: 33 tokens/s of 113 that the memory allows."""
    flows = traffic(246_587_904, 268e6)
    return evidence(workload, (pp(300, threads=2), tg(33, threads=2)), facts=model(flows, bits=7.36),
                    bounds=ceilings(flows, 28e9, 4e11), computer=machine(threads=2))


def test_unpacking_sells_neither_memory_nor_threads_and_says_why() -> None:
    held = unpacking(preset("long-writing"))
    assert held.limit(Phase.DECODE) is Limit.UNPACKING
    assert not {"faster-memory", "threads"} & set(ids(held))
    found = ruled_out(held)
    assert "29\u00a0% of each token" in found["faster-memory"].sentence
    assert "at most" in found["faster-memory"].evidence
    assert "2\u00a0threads unpack" in found["more-threads"].sentence
    assert "more-cores" not in found


def test_comfortable_work_needs_nothing_new() -> None:
    held = evidence(preset("chat"), (pp(900), tg(33)))
    assert held.verdict.problem is Problem.NONE
    assert "nobody would notice" in ruled_out(held)["comfortable"].sentence
    assert not any(one.costs_money for one in recommend(held))


def test_a_shorter_prompt_is_no_help_against_slow_writing() -> None:
    held = evidence(preset("long-writing"), (pp(400), tg(5)))
    assert "0.25\u00a0s of 6\u00a0min\u00a040\u00a0s" in ruled_out(held)["shorter-prompt"].sentence
