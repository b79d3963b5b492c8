from dataclasses import replace

import pytest

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.hardware.channels import channel_of, notes, summarise
from advisor.hardware.model import MemoryModule

GIB = 2**30
NOTHING = Unknown("not stated", Missing.NOT_SUPPORTED)


def module(
    slot: str, rated: int = 6000, running: int = 6000, width: int | None = 64, kind: str = "DDR5"
) -> MemoryModule:
    def rate(mts: int) -> Fact[float]:
        return Known(mts * 1e6, Basis.READ, "test") if mts else NOTHING

    bits: Fact[int] = NOTHING if width is None else Known(width, Basis.READ, "test")
    return MemoryModule(slot, 16 * GIB, Known(kind, Basis.READ, "test"), rate(rated), rate(running), bits)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("P0 CHANNEL A DIMM 0", "P0 CHANNEL A DIMM 1", True),
        ("P0 CHANNEL A DIMM 0", "P0 CHANNEL B DIMM 0", False),
        ("P0 CHANNEL A DIMM 0", "P1 CHANNEL A DIMM 0", False),
        ("BANK 0 Controller0-DIMM1", "BANK 0 Controller1-DIMM1", False),
        ("BANK 0 Controller0-DIMM0", "BANK 0 Controller0-DIMM1", True),
        ("Controller0-ChannelA-DIMM0", "Controller0-ChannelB-DIMM0", False),
        ("BANK 1 DIMM_A2", "BANK 3 DIMM_B2", False),
        ("BANK 0 DIMM_A1", "BANK 1 DIMM_A2", True),
        ("ChannelA-DIMM0", "ChannelB-DIMM0", False),
        ("CPU1_DIMM_A1", "CPU2_DIMM_A1", False),
    ],
)
def test_channels_in_the_firmwares_words(first: str, second: str, same: bool) -> None:
    assert channel_of(first) is not None and channel_of(second) is not None
    assert (channel_of(first) == channel_of(second)) is same


@pytest.mark.parametrize("slot", ["", "DIMM 0", "SODIMM1", "Slot 3", "System Board Memory"])
def test_words_that_name_no_channel(slot: str) -> None:
    assert channel_of(slot) is None


def test_two_channels_of_ddr5_6000() -> None:
    summary = summarise((module("P0 CHANNEL A DIMM 1"), module("P0 CHANNEL B DIMM 1")))
    assert summary.channels.or_none() == 2
    assert summary.bytes_per_s == Known(96e9, Basis.COMPUTED, "2 × 8 bytes × 6000 MT/s")
    assert notes((module("P0 CHANNEL A DIMM 1"), module("P0 CHANNEL B DIMM 1"))) == ()


def test_the_slowest_module_sets_the_speed() -> None:
    both = module("P0 CHANNEL A", running=6000), module("P0 CHANNEL B", running=4800)
    assert summarise(both).running_transfers_per_s.or_none() == 4.8e9


def test_soldered_packages_add_up_to_the_bus() -> None:
    """Strix Halo: 8 × 32 bits are four 64-bit channels, 256 GB/s at 8000 MT/s."""
    packages = [module(f"P0 CHANNEL {c} DIMM 0", 8000, 8000, 32, "LPDDR5") for c in "ABCDEFGH"]
    summary = summarise(packages)
    assert (summary.channels.or_none(), summary.bytes_per_s.or_none()) == (4, 256e9)
    assert notes(packages) == ()


def test_sixteen_bit_packages_without_names() -> None:
    packages = [module(f"Motherboard {n}", 7500, 7500, 16, "LPDDR5") for n in range(8)]
    assert summarise(packages).bytes_per_s.or_none() == 120e9
    assert isinstance(summarise(packages[:3]).channels, Unknown)


def test_unknown_stays_unknown() -> None:
    for summary in (summarise(()), summarise((module("DIMM 0"), module("DIMM 1")))):
        assert isinstance(summary.channels, Unknown) and isinstance(summary.bytes_per_s, Unknown)
    silent = summarise((module("CHANNEL A", running=0), module("CHANNEL B")))
    assert silent.channels.or_none() == 2 and isinstance(silent.bytes_per_s, Unknown)
    assert isinstance(summarise((module("CHANNEL A", width=32), module("CHANNEL B"))).channels, Unknown)


def test_one_module() -> None:
    found = notes((module("DIMM 1"),))
    assert len(found) == 1 and found[0].startswith("There is one memory module")
    assert summarise((module("DIMM 1"),)).bytes_per_s.or_none() == 48e9


@pytest.mark.parametrize("modules", [(module("DIMM 1"),), (module("DIMM_A1"), module("DIMM_A2"))])
def test_no_module_is_wished_for_where_every_slot_is_taken(modules: tuple[MemoryModule, ...]) -> None:
    """Small computers and thin laptops have one slot."""
    taken = Known(len(modules), Basis.READ, "test")
    assert notes(modules) and notes(modules, replace(taken, value=len(modules) + 1))
    assert notes(modules, taken) == ()


def test_two_modules_in_one_channel() -> None:
    found = notes((module("BANK 0 DIMM_A1"), module("BANK 1 DIMM_A2")))
    assert len(found) == 1 and found[0].startswith("All memory modules are in one channel")


@pytest.mark.parametrize(("rated", "running", "off"), [(6000, 4800, True), (3600, 2133, True), (5600, 5588, False)])
def test_profile_off(rated: int, running: int, off: bool) -> None:
    both = module("CHANNEL A", rated, running), module("CHANNEL B", rated, running)
    found = notes(both)
    assert bool(found) is off
    if off:
        assert f"runs at {running} MT/s and is rated for {rated} MT/s" in found[0]


def test_soldered_memory_gets_no_advice_about_modules() -> None:
    assert notes((module("Motherboard", 8533, 7467, 64, "LPDDR5X"),)) == ()
