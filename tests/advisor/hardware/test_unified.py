from dataclasses import replace

import pytest

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.hardware.model import Gpu, Memory, MemoryModule
from advisor.hardware.unified import installed, share_main_memory

GIB = 2**30
NOTHING = Unknown("not stated", Missing.NOT_SUPPORTED)


def known(value: int) -> Fact[int]:
    return Known(value, Basis.READ, "test")


def gpu(shares: bool | None, total: int | None = None, free: int | None = None) -> Gpu:
    return Gpu(
        name=Known("NVIDIA GB10", Basis.READ, "test"),
        uuid=NOTHING,
        pci_id=NOTHING,
        memory_total_bytes=NOTHING if total is None else known(total),
        memory_free_bytes=NOTHING if free is None else known(free),
        memory_bytes_per_s=NOTHING,
        compute_capability=NOTHING,
        power_limit_w=NOTHING,
        driver=NOTHING,
        shares_memory=NOTHING if shares is None else Known(shares, Basis.READ, "test"),
    )


def memory(total: int, available: int) -> Memory:
    return Memory(known(total), known(available), NOTHING, known(0))


def test_gb10_takes_the_systems_memory() -> None:
    """Cases B01 and B04: total is the system's, free is what is available, not the total."""
    spark = memory(127600748 * 1024, 64 * GIB)
    shared = share_main_memory(gpu(True), spark)
    assert shared.memory_total_bytes == Known(127600748 * 1024, Basis.READ, "test; shared with the CPU")
    assert shared.memory_free_bytes.or_none() == 64 * GIB


@pytest.mark.parametrize("shares", [False, None])
def test_a_card_that_lost_its_memory_does_not(shares: bool | None) -> None:
    """Case B03: only a recognised integrated device falls back."""
    lost = gpu(shares)
    assert share_main_memory(lost, memory(128 * GIB, 64 * GIB)) is lost


def test_an_apu_keeps_its_figures_bounded_by_what_is_available() -> None:
    apu = replace(gpu(True, 109 * GIB, GIB // 2), carve_out_bytes=known(GIB), gtt_bytes=known(108 * GIB))
    shared = share_main_memory(apu, memory(127 * GIB, 60 * GIB))
    assert shared.memory_total_bytes.or_none() == 109 * GIB
    assert shared.memory_free_bytes.or_none() == 60 * GIB + GIB // 2
    silent = share_main_memory(apu, Memory(NOTHING, NOTHING, NOTHING, NOTHING))
    assert silent.memory_free_bytes == NOTHING


def test_installed_memory() -> None:
    split = memory(31 * GIB, 20 * GIB)
    apu = replace(gpu(True), carve_out_bytes=known(96 * GIB))
    assert installed(split, [apu]).or_none() == 127 * GIB
    assert isinstance(installed(split, [gpu(False, 24 * GIB)]), Unknown)
    assert isinstance(installed(replace(split, limit_bytes=known(8 * GIB)), [apu]), Unknown)
    modules = (MemoryModule("A", 64 * GIB), MemoryModule("B", 64 * GIB))
    assert installed(replace(split, modules=modules), [apu]).or_none() == 128 * GIB
