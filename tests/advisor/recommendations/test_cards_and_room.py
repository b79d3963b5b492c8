"""Questions about a second card, a model that the cards do not hold, and what a smaller file then does."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.diagnosis.model import Problem
from advisor.diagnosis.workload import custom, preset
from advisor.recommendations import find_fault, offload, quantise, second_gpu
from advisor.recommendations.wont_help import wont_help
from tests.support.evidence import (
    GIB,
    ceilings,
    commands,
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

LLAMA_70B = traffic(42e9, 70e9, layers=80, heads=64)
QWEN_32B = traffic(26.9e9, 32e9, layers=64, heads=40)
GPT_OSS = traffic(2.3e9, 5e9, layers=36, heads=64, length=64, experts=128, experts_used=4, expert_bytes=61e9)


def rated(cards, bytes_per_s=51.2e9):  # type: ignore[no-untyped-def]
    here = machine(memory_bytes=64 * GIB, gpus=cards)
    return replace(here, memory=replace(here.memory, bytes_per_s=read(bytes_per_s)))


def halves(flows=LLAMA_70B, write=2.1, cards=(), workload=None, bits=4.9):  # type: ignore[no-untyped-def]
    """A model with a part of its layers on the processor: "my 70B does 2 tokens/s with half of it on a 3090"."""
    return evidence(workload or custom(1000, 400), (pp(120, on="CUDA0+CPU"), tg(write, on="CUDA0+CPU")),
                    facts=model(flows, bits=bits), bounds=ceilings(flows, 45e9, 40e12),
                    computer=rated(cards or [gpu()]))


def ruled_out(held):  # type: ignore[no-untyped-def]
    return {one.id: one for one in wont_help(held)}


def test_a_second_card_is_advised_where_the_model_does_not_fit_one_v8() -> None:
    """Two RTX 3090 write 15 to 20 tokens/s of a 70B in 4 bits, as people publish it."""
    held = halves()
    assert recommend(held)[0].id == second_gpu.ID
    advice = second_gpu.predict(held)
    assert advice.costs_money
    assert advice.saved_s_low > 0
    assert 400 / (held.timeline.stream_s - advice.saved_s) == pytest.approx(17.5, rel=0.2)
    assert "nothing is left to the processor" in advice.detail
    assert "llama-server -ngl all" in commands(advice)
    assert not {"more-gpus", "bigger-card"} & ruled_out(held).keys()


def test_a_second_card_that_does_not_hold_the_rest_promises_less() -> None:
    held = halves(GPT_OSS, 6, [gpu("RTX 4070", 12 * GIB, 504e9)], preset("long-writing"), 4.3)
    advice = second_gpu.predict(held)
    assert "less is left to the processor" in advice.detail
    assert advice.saved_s < held.timeline.stream_s / 2
    assert "-ngl auto" in commands(advice)


def test_no_second_card_without_need() -> None:
    assert second_gpu.predict(halves(write=30)) is None
    wait = halves(GPT_OSS, 20, [gpu("RTX 4070", 12 * GIB, 504e9)], preset("rag"), 4.3)
    assert wait.verdict.problem is Problem.PREFILL
    assert second_gpu.predict(wait) is None
    assert second_gpu.predict(evidence(preset("chat"), (pp(50), tg(3)))) is None


@pytest.mark.parametrize(("on", "cards", "words"), [
    ("CUDA0", 1, "the model fits one"), ("CUDA0+CUDA1", 2, "A further card"), ("CUDA0", 2, None),
    ("CUDA0+CPU", 2, None),
])
def test_further_cards_are_ruled_out_where_the_model_fits_those_that_hold_it(on, cards, words) -> None:
    flows = traffic(19.5e9, 32e9) if cards == 1 else LLAMA_70B
    held = evidence(preset("chat"), (pp(400, on=on), tg(35 if cards == 1 else 17, on=on)), facts=model(flows),
                    bounds=ceilings(flows, 850e9, 60e12), computer=machine(gpus=[gpu()] * cards))
    found = ruled_out(held)
    assert ("more-gpus" in found) is (words is not None)
    if words:
        assert words in found["more-gpus"].sentence


def test_a_mac_has_no_slot_for_a_second_card() -> None:
    """8,000 tokens take 40 s on a Mac mini: more memory in the same chip changes nothing, and there are no cards."""
    mini = machine(memory_bytes=16 * GIB, gpus=[gpu("Apple M4 (10-core GPU)", 16 * GIB, 120e9, shares=True)])
    held = evidence(custom(8000, 300), (pp(200, on="MTL0"), tg(20, on="MTL0")), bounds=ceilings(None, 110e9, 4e12),
                    computer=mini)
    assert held.verdict.problem is Problem.PREFILL
    assert recommend(held)[0].id == "shorten-prompt"
    found = ruled_out(held)
    assert "more-gpus" not in found
    assert "same chip with more memory" in found["bigger-card"].sentence


def test_a_file_that_fits_the_card_whole_gains_more_than_its_bytes() -> None:
    """A 32B in Q6_K on 24 GB: 8 tokens/s with the rest on the processor, over 30 in Q4_K_M."""
    held = halves(QWEN_32B, 8, bits=6.56, workload=preset("long-writing"))
    advice = quantise.predict(held)
    assert "Q5_K_M" in advice.title or "Q4_K_M" in advice.title
    assert "fits the graphics card's memory whole" in advice.detail
    assert held.timeline.stream_s / (held.timeline.stream_s - advice.saved_s) > 2.5


def test_no_file_is_both_advised_and_ruled_out() -> None:
    assert "smaller-quantisation" not in ruled_out(halves())
    flows = traffic(19.5e9, 32e9)
    tight = evidence(preset("chat"), (pp(5), tg(2)), facts=model(flows), computer=machine(memory_bytes=18 * GIB))
    assert quantise.predict(tight) is not None
    assert "smaller-quantisation" not in ruled_out(tight)


def test_people_who_take_turns_need_no_smaller_file() -> None:
    """Four agents whose caches do not fit together: the weights do, so nobody is sent to two bits."""
    flows = traffic(1.3e9, 3.3e9, layers=48, kv_heads=4, experts=128, experts_used=8, expert_bytes=17e9)
    work = replace(preset("coding"), prompt_tokens=30_000, shared_tokens=4_000, users=4)
    held = evidence(work, (pp(1500, on="CUDA0"), tg(45, on="CUDA0")), facts=model(flows),
                    bounds=ceilings(flows, 850e9, 60e12), computer=machine(gpus=[gpu()]))
    assert quantise.predict(held) is None
    assert "smaller-quantisation" in ruled_out(held)


def test_a_spill_is_not_mended_by_forcing_all_layers_onto_the_card() -> None:
    held = evidence(preset("chat"), (pp(40, on="CUDA0"), tg(1.2, on="CUDA0")), facts=model(LLAMA_70B),
                    bounds=ceilings(LLAMA_70B, 850e9, 60e12), computer=machine(memory_bytes=64 * GIB, gpus=[gpu()]))
    assert held.verdict.problem is Problem.FAULT
    advice = find_fault.predict(held)
    assert "-ngl all" not in commands(advice)
    assert "llama-server -ngl 40" in commands(advice)
    assert advice.saved_s < held.timeline.stream_s / 2, "the card's ceiling is out of reach for it"


def test_a_model_larger_than_the_memory_is_sent_to_a_smaller_file() -> None:
    flows = traffic(19.5e9, 32e9)
    held = evidence(preset("chat"), (pp(5), tg(0.4)), facts=model(flows), bounds=ceilings(flows, 40e9, 0.8e12),
                    computer=machine(memory_bytes=16 * GIB))
    assert held.verdict.problem is Problem.FAULT
    assert any("smaller model" in how.words for how in find_fault.predict(held).how)


def test_layers_fill_all_cards_that_are_there() -> None:
    one, two = halves(write=1.0), halves(write=1.0, cards=[gpu(), gpu()])
    assert "Make room" in offload.predict(one).title or "Put" in offload.predict(one).title
    assert "Put 80 of 80" in offload.predict(two).title.replace("\u00a0", " ")


@given(st.floats(0.3, 20), st.sampled_from((GPT_OSS, LLAMA_70B, QWEN_32B)), st.integers(1, 3),
       st.sampled_from(("RTX 3090", "RTX 4070", "RTX 5090", "unknown")))
def test_whatever_lies_where_no_advice_saves_more_than_its_phase(write, flows, cards, name) -> None:
    held = halves(flows, write, [gpu(name, 12 * GIB, 600e9)] * cards)
    for advice in (second_gpu.predict(held), offload.predict(held), quantise.predict(held)):
        if advice is not None:
            assert 0 <= advice.saved_s_low <= advice.saved_s <= advice.saved_s_high <= held.cost_s(advice.phase)
