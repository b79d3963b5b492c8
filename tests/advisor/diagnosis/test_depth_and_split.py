"""Verdicts on a long context that slows to a crawl, and on models whose layers lie in two places."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Sweep
from advisor.diagnosis.model import Limit, Problem
from advisor.diagnosis.workload import custom, preset
from advisor.recommendations import shorten_prompt
from advisor.recommendations.wont_help import wont_help
from tests.support.evidence import GIB, ceilings, evidence, gpu, machine, model, pp, tg, traffic

LLAMA_70B = traffic(42e9, 70e9, layers=80, heads=64)
LLAMA_13B = traffic(7.4e9, 13e9, layers=40, kv_heads=40, heads=40)


def deep(write, far, prompt=16_000, answer=400, read=3000):  # type: ignore[no-untyped-def]
    """9 tokens/s with an empty cache, and what is left of it at 16,000 tokens."""
    rows = (pp(read), tg(write), replace(tg(far, depth=16_000), sweep=Sweep.DEPTH))
    return evidence(custom(prompt, answer), rows, facts=model(LLAMA_13B), bounds=ceilings(LLAMA_13B, 80e9, 60e12))


def test_a_long_context_is_named_where_it_slows_writing_and_praised_by_no_other_speed() -> None:
    sentence = deep(9, 2.2).verdict.sentence.replace("\u00a0", " ")
    assert "With an empty cache decode writes 9.00 tokens/s; behind 16,000 tokens" in sentence
    assert "of its ceiling" not in sentence
    flat = deep(9, 8.5).verdict.sentence
    assert "empty cache" not in flat
    assert "empty cache" not in deep(9, 2.2, prompt=300).verdict.sentence


def test_a_shorter_prompt_speeds_writing_up_as_well() -> None:
    advice = shorten_prompt.predict(deep(9, 2.2))
    assert advice.other_saved_s > advice.saved_s
    assert shorten_prompt.predict(deep(9, 9)).other_saved_s == pytest.approx(0, abs=0.5)
    long = deep(9, 2.2, prompt=8_000, answer=3_000, read=5000)
    assert long.verdict.problem is Problem.DECODE
    assert "shorter-prompt" not in {one.id for one in wont_help(long)}


@pytest.mark.parametrize("bounds", [None, ceilings(LLAMA_70B, 850e9, 60e12)])
def test_layers_off_the_card_are_slow_memory_and_no_fault(bounds) -> None:
    """"Why is my 70B at 2 tokens/s with half the layers on the GPU?" No driver is to blame."""
    held = evidence(preset("chat"), (pp(120, on="CUDA0+CPU"), tg(2.1, on="CUDA0+CPU")), facts=model(LLAMA_70B),
                    bounds=bounds, computer=machine(memory_bytes=64 * GIB, gpus=[gpu()]))
    assert held.verdict.problem is Problem.DECODE
    assert held.verdict.decode.limit is Limit.MEMORY
    assert "the graphics memory holds 25.8\u00a0GB" in held.verdict.decode.because


def test_layers_left_off_a_card_with_room_are_named_as_well() -> None:
    held = evidence(preset("chat"), (pp(120, on="CUDA0+CPU"), tg(4, on="CUDA0+CPU")),
                    bounds=ceilings(None, 850e9, 6e13), computer=machine(gpus=[gpu()]))
    assert "a part lies on the processor" in held.verdict.decode.because


def test_layers_on_another_machine_are_no_spill() -> None:
    on = "CUDA0+RPC[10.0.0.2:50052]"
    held = evidence(preset("chat"), (pp(100, on=on), tg(3, on=on)), facts=model(LLAMA_70B),
                    bounds=ceilings(LLAMA_70B, 850e9, 60e12), computer=machine(gpus=[gpu()]))
    assert held.verdict.problem is Problem.DECODE


@pytest.mark.parametrize("on", ["CUDA0", "Vulkan0"])
def test_what_spills_although_all_layers_are_on_the_card_stays_a_fault(on) -> None:
    held = evidence(preset("chat"), (pp(40, on=on), tg(1.2, on=on)), facts=model(LLAMA_70B),
                    bounds=ceilings(LLAMA_70B, 850e9, 60e12), computer=machine(gpus=[gpu()]))
    assert held.verdict.problem is Problem.FAULT


def test_a_comfortable_chat_tells_its_average_turn_apart_from_the_first() -> None:
    held = evidence(preset("chat"), (pp(900), tg(33)))
    assert held.verdict.problem is Problem.NONE
    first = next(one for one in wont_help(held) if one.id == "comfortable")
    assert first.evidence.startswith("In an average turn")
