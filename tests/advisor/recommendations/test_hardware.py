"""Advice on hardware: a card that is there, one to be bought, faster memory."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Phase
from advisor.ceilings.other_hardware import decode_on
from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.diagnosis.model import Problem
from advisor.diagnosis.workload import preset
from advisor.hardware.catalog import Kind, find
from advisor.hardware.model import Machine, MemoryModule
from advisor.recommendations import (
    add_gpu,
    faster_memory,
    use_gpu,
)
from advisor.recommendations.card_speed import ANY_CARD, Factors, card_factors, card_of, recent_cards
from tests.support.evidence import (
    GIB,
    LAPTOP,
    ceilings,
    commands,
    device,
    engine,
    evidence,
    gpu,
    laptop,
    machine,
    model,
    pp,
    tg,
    traffic,
)


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
    only = with_modules(module("DIMM 1", 4800))
    only = replace(only, memory=replace(only.memory, slots=Known(1, Basis.READ, "test")))
    rated = faster_memory.predict(evidence(**case, computer=only))
    assert rated.title.startswith("Run the memory at its rated speed") and not rated.costs_money
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
