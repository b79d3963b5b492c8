"""A model on a card in part: sums over the devices, the worth of a layer, experts left behind."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.ceilings.other_hardware import decode_on
from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.diagnosis.workload import custom, preset
from advisor.hardware.catalog import find
from advisor.recommendations import add_gpu, offload, use_gpu
from advisor.recommendations.card_speed import recent_cards
from advisor.recommendations.partly import Split, decode_s, prefill_s, split, worth_s
from advisor.recommendations.wont_help import wont_help
from tests.support.evidence import GIB, device, engine, evidence, gpu, machine, model, pp, read, tg, traffic

LAYERS = 32
C02 = ((10, 13.45), (20, 21.36), (30, 40.04))
"""Layers on the card and tokens/s of a 7B Q4_0 (3.56 GiB), the cache in main memory; 60.62 with all layers (C02)."""


@pytest.mark.parametrize(("layers", "speed"), C02)
def test_c02_a_step_is_the_sum_over_the_devices(layers, speed) -> None:
    """The processor's rate is that of the curve's own slope, 2.65 ms per layer."""
    each = 3.82e9 / (LAYERS + 1)
    off = (LAYERS + 1 - layers) * each
    part = Split(layers, LAYERS, 0, layers * each, off, off, off / 3.82e9)
    assert 1 / decode_s(part, 3.82e9 * 60.62, each / 2.65e-3) == pytest.approx(speed, rel=0.15)


def test_what_fits_is_filled_by_layers_and_an_own_layer_each_for_the_cache() -> None:
    held = evidence(custom(4000, 300), (pp(41.3), tg(11.6)))
    assert split(held, 24 * GIB).whole
    part = split(held, 3 * GIB)
    assert 0 < part.layers < part.of_layers == LAYERS
    assert part.card_bytes + part.off_bytes == pytest.approx(traffic().step_bytes(1, 4150))
    assert part.options == f"-ngl {part.layers + 1}"
    assert split(held, 1e6).layers == 0
    deeper = split(evidence(custom(30_000, 300), (pp(41.3), tg(11.6))), 3 * GIB)
    assert deeper.layers < part.layers


MIXTURE = traffic(1.9e9, 3.6e9, experts=32, experts_used=4, expert_bytes=10.2e9)


def test_of_a_mixture_only_experts_stay_behind() -> None:
    held = evidence(preset("rag"), (pp(60), tg(12)), facts=model(MIXTURE), computer=machine(memory_bytes=64 * GIB))
    part = split(held, 8 * GIB)
    assert part.layers == part.of_layers
    assert 0 < part.cpu_expert_layers < LAYERS
    assert part.options == f"-ngl all --n-cpu-moe {part.cpu_expert_layers}"
    (pattern, where), = part.placement(("CUDA0",)).tensor_overrides
    assert where == "CPU"
    assert pattern.startswith("blk\\.(0|1|")
    layers_only = split(replace(held, model=model(traffic(12.1e9, 24e9))), 8 * GIB)
    assert part.off_bytes < layers_only.off_bytes / 4


@given(st.floats(1, 40), st.floats(1, 40), st.floats(1e10, 2e12), st.floats(1e9, 1e11))
def test_more_room_and_fewer_bytes_never_slow_a_step_down(small, more, card, memory) -> None:
    held = evidence(custom(1000, 300), (pp(41.3), tg(11.6)), facts=model(traffic(12e9, 24e9)))
    half = evidence(custom(1000, 300), (pp(41.3), tg(11.6)), facts=model(traffic(6e9, 24e9)))
    fast, slow = max(card, memory), min(card, memory)
    room, larger = small * 1e9, (small + more) * 1e9
    assert decode_s(split(held, larger), fast, slow) <= decode_s(split(held, room), fast, slow) * (1 + 1e-9)
    assert decode_s(split(half, room), fast, slow) <= decode_s(split(held, room), fast, slow) * (1 + 1e-9)


@given(st.floats(2, 80), st.sampled_from(recent_cards(0)))
def test_halving_the_bytes_never_slows_a_card_down_where_memory_limits(step_ms, card) -> None:
    """Halves of at least 2 ms a step; shorter ones are limited by fixed times."""
    weights = 2 * step_ms / 1000 * card.bandwidth_bytes_per_s
    whole, half = decode_on(card, traffic(weights, weights * 2)), decode_on(card, traffic(weights / 2, weights * 2))
    assert isinstance(whole, Known) and isinstance(half, Known)
    assert half.value.middle >= whole.value.middle * (1 - 1e-9)


def test_weights_left_behind_are_multiplied_there_or_sent_over() -> None:
    part = Split(16, 32, 0, 2e9, 2e9, 2e9, 0.5)
    slow_processor = prefill_s(part, 2000, 1, 4e9)
    assert slow_processor == pytest.approx(0.5 / 2000 + 2e9 / 4e9 / 512 + 0.5 / 2000)
    assert prefill_s(part, 2000, 1e6, 4e9) == pytest.approx(0.5 / 2000 + 0.5 / 1e6)


def partial(speed=8.0, total=6, **more):  # type: ignore[no-untyped-def]
    """An RTX 3060 that holds a part of an 8 GB model, beside DDR4-3200 in two channels."""
    flows = traffic(7.98e9, 7.5e9)
    here = machine(gpus=[gpu("NVIDIA GeForce RTX 3060", total * GIB, 360e9)])
    here = replace(here, memory=replace(here.memory, bytes_per_s=read(51.2e9)))
    return evidence(preset("long-writing"), (pp(300, on="CUDA0+CPU"), tg(speed, on="CUDA0+CPU")),
                    facts=model(flows, bits=8.5, label="Q8_0"), computer=here, **more)


def test_the_next_layer_and_the_next_gigabyte_have_a_worth() -> None:
    held = partial()
    advice = offload.predict(held)
    assert "Each further layer on the card saves about" in advice.detail
    assert "each further gigabyte" in advice.detail
    assert advice.saved_s_low < advice.saved_s < advice.saved_s_high <= held.timeline.stream_s
    assert worth_s(1e9, 360e9, 31e9) == pytest.approx(1 / 31 - 1 / 360)


def test_layers_that_fit_are_put_there() -> None:
    advice = offload.predict(partial(speed=4.5, total=8))
    assert advice.title.startswith("Put ")
    assert advice.trial is not None
    full = offload.predict(partial(speed=11.0, total=6))
    assert full.title.startswith("Make room")
    assert full.trial is None


def test_offload_is_silent_without_a_split_or_without_a_known_memory() -> None:
    assert offload.predict(evidence(preset("rag"), (pp(41.3), tg(11.6)))) is None
    whole = partial()
    alone = replace(whole, tests=tuple(replace(row, device="CUDA0") for row in whole.tests))
    assert offload.predict(alone) is None
    unknown = replace(whole.machine.memory, bytes_per_s=Unknown("not listed", Missing.NOT_SUPPORTED))
    assert offload.predict(replace(whole, machine=replace(whole.machine, memory=unknown))) is None


def test_d22_a_small_card_gains_what_fits_it_and_says_so() -> None:
    small = evidence(preset("rag"), (pp(41.3), tg(11.6)), computer=machine(gpus=[gpu(memory_bytes=4 * GIB)]),
                     runtime=engine(gpu_offload=True, devices=[device(memory_bytes=4 * GIB)]))
    large = evidence(preset("rag"), (pp(41.3), tg(11.6)), computer=machine(gpus=[gpu()]),
                     runtime=engine(gpu_offload=True, devices=[device()]))
    part, whole = use_gpu.predict(small), use_gpu.predict(large)
    assert part.saved_s < whole.saved_s
    assert part.other_saved_s < whole.other_saved_s
    assert "of 32\u00a0layers fit" in part.detail
    assert part.trial.after.placement.devices == ("CUDA0",)
    assert 0 < part.trial.after.placement.gpu_layers < 33
    assert part.trial.before.placement.devices == ("CPU",)
    assert whole.trial.after.placement.gpu_layers == -1


def test_d07_cards_rank_by_seconds_and_bandwidth_never_by_memory() -> None:
    held = evidence(preset("long-writing"), (pp(41.3), tg(5)))
    workstation, gaming = find("RTX A6000"), find("RTX 4090")
    assert workstation is not None and gaming is not None
    assert workstation.memory_bytes > gaming.memory_bytes
    assert [gain.card.name for gain in add_gpu.ranked(held, (workstation, gaming))] == [gaming.name, workstation.name]


def test_v2_decode_ranks_3090_then_5060_ti_then_1060() -> None:
    flows = traffic(4.374e9, 7.07e9)
    held = evidence(custom(10, 2000), (pp(20), tg(5)), facts=model(flows))
    names = ("GTX 1060 6GB", "RTX 5060 Ti 16GB", "RTX 3090")
    cards = [card for name in names if (card := find(name)) is not None]
    assert len(cards) == 3
    assert [gain.card.name for gain in add_gpu.ranked(held, cards)] == [card.name for card in reversed(cards)]


def test_the_way_to_another_machine_is_warned_of_where_it_takes_a_part_of_each_token() -> None:
    from advisor.benchmarks.model import Link

    far = replace(device("RPC0"), link=Known(Link(0.02, 100e6), Basis.MEASURED, "test"))
    near = replace(device("RPC0"), link=Known(Link(0.0002, 1e9), Basis.MEASURED, "test"))
    for there, said in ((far, True), (near, False)):
        held = evidence(preset("rag"), (pp(41.3), tg(11.6)), runtime=engine(devices=[there]))
        assert ("other-machine" in {one.id for one in wont_help(held)}) is said
