from dataclasses import replace

import pytest

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.hardware.findings import notes
from advisor.hardware.model import Gpu, MemoryModule
from tests.support.evidence import gpu, machine


def known(value: object) -> Known:
    return Known(value, Basis.READ, "test")


CARD: Gpu = gpu("RTX 4090")


def test_an_ordinary_machine() -> None:
    assert notes(machine(gpus=(CARD,))) == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pcie_lanes": known(4), "pcie_lanes_max": known(16)}, "connected by 4 of its 16 PCI Express lanes"),
        ({"throttle_reasons": known(("power limit", "heat"))}, "holds its clocks down now: heat."),
        ({"mig_enabled": known(True)}, "cut into instances (MIG)"),
        ({"shares_memory": known(True)}, "uses the main memory"),
    ],
)
def test_what_stands_out(changes: dict[str, Fact[object]], words: str) -> None:
    (note,) = notes(machine(gpus=(replace(CARD, **changes),)))
    assert words in note


@pytest.mark.parametrize(
    "changes",
    [
        {"pcie_lanes": known(16), "pcie_lanes_max": known(16), "pcie_generation": known(1)},
        {"throttle_reasons": known(("power limit",))},
        {"mig_enabled": known(False)},
    ],
)
def test_what_is_ordinary(changes: dict[str, Fact[object]]) -> None:
    """An idle card's slow link and a card at its power limit are no news."""
    assert notes(machine(gpus=(replace(CARD, **changes),))) == ()


def test_a_virtual_machines_modules_are_not_advised_about() -> None:
    one = (MemoryModule("DIMM 0", 2**33, known("DDR4")),)
    here, virtual = machine(), machine(virtual=True)
    assert notes(replace(here, memory=replace(here.memory, modules=one)))
    assert notes(replace(virtual, memory=replace(virtual.memory, modules=one))) == ()


def test_processor_groups() -> None:
    here = machine()
    (note,) = notes(replace(here, cpu=replace(here.cpu, processor_groups=known(2))))
    assert "one processor group only" in note


def test_a_missing_library_is_no_fault() -> None:
    here = replace(machine(), gpus_note=Unknown("no NVIDIA driver library on this machine", Missing.TOOL_MISSING))
    assert notes(here) == ()
    (note,) = notes(replace(here, gpus_note=Unknown("the NVIDIA driver was updated; reboot", Missing.FAILED)))
    assert "reboot" in note
