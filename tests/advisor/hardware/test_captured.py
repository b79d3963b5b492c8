"""Captured machines through the whole detection, and what stands out about them."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.hardware.detect import read_machine
from advisor.hardware.model import Gpu, Load, Machine
from advisor.hardware.probes import load, nvml

GIB = 2**30
NOTHING = Unknown("not asked", Missing.NOT_YET)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="captured machines are Linux ones")


@pytest.fixture
def captured(machine_root: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Machine]:
    monkeypatch.setattr(load, "read", lambda _: Load(NOTHING, NOTHING, NOTHING))

    def read(name: str, cpus: int, note: Fact[str] | None = None, gpus: tuple[Gpu, ...] = ()) -> Machine:
        monkeypatch.setattr(nvml, "read", lambda: nvml.GpuReading(gpus, note or nvml.no_library()))
        return read_machine(machine_root(name), Known(frozenset(range(cpus)), Basis.READ, "test"))

    return read


def test_strix_halo(captured: Callable[..., Machine]) -> None:
    """Case B10: 96 of 128 GB belong to the GPU, and the system sees 31."""
    machine = captured("strix-halo", 32)
    assert machine.cpu.microarchitecture.or_none() == "Zen 5"
    assert (machine.cpu.usable_threads, machine.cpu.threads_per_core.or_none()) == (16, 2)
    assert machine.cpu.frequency_max_hz.or_none() == 5.187e9
    memory = machine.memory
    assert (memory.channels.or_none(), memory.bytes_per_s.or_none()) == (4, 256e9)
    assert memory.installed_bytes.or_none() == 128 * GIB
    (gpu,) = machine.gpus
    assert gpu.shares_memory.or_none() is True
    assert gpu.memory_total_bytes.or_none() == 96 * GIB + 16626135040
    assert gpu.carve_out_bytes.or_none() == 96 * GIB
    assert gpu.memory_free_bytes.or_none() == 95 * GIB + 16626135040
    assert machine.gpus_note.or_none() == "the system shows 1 GPU"
    assert any("uses the main memory" in note for note in machine.notes)


def test_one_module_and_a_card_without_its_driver(captured: Callable[..., Machine]) -> None:
    machine = captured("desktop-one-module", 20)
    assert machine.cpu.microarchitecture.or_none() == "Raptor Lake"
    memory = machine.memory
    assert (len(memory.modules), memory.slots.or_none(), memory.channels.or_none()) == (1, 4, 1)
    assert memory.bytes_per_s.or_none() == pytest.approx(38.4e9)
    inside, card = machine.gpus
    assert (inside.vendor, inside.shares_memory.or_none()) == ("intel", True)
    assert inside.memory_total_bytes.or_none() == 32594412 * 1024
    assert card.name.or_none() == "AD102 [GeForce RTX 4090]"
    notes = " ".join(machine.notes)
    assert "NVIDIA's driver is not installed" in notes
    assert "There is one memory module" in notes
    assert "runs at 4800 MT/s and is rated for 6000 MT/s" in notes


def test_a_driver_that_was_updated_says_reboot(captured: Callable[..., Machine]) -> None:
    """Case B06: the processor's facts go on."""
    mismatch = Unknown("the NVIDIA driver was updated; reboot", Missing.FAILED)
    machine = captured("desktop-one-module", 20, mismatch)
    assert machine.gpus_note == mismatch
    assert machine.notes[0] == "The graphics processor cannot be used: the NVIDIA driver was updated; reboot."
    assert not any("driver is not installed" in note for note in machine.notes)
    assert machine.cpu.usable_threads >= 1


def test_two_sockets(captured: Callable[..., Machine]) -> None:
    """Case B20: more than 64 threads were seen to hang."""
    machine = captured("two-sockets", 192)
    assert (machine.cpu.numa_nodes.or_none(), machine.cpu.usable_threads) == (2, 64)
    assert "64 of 192 cores" in machine.cpu.usable_because
    assert machine.memory.channels.or_none() == 24
    assert machine.memory.bytes_per_s.or_none() == pytest.approx(921.6e9)
    assert any("rated for 5600" in note for note in machine.notes)


def test_an_apu_and_a_sleeping_card(captured: Callable[..., Machine]) -> None:
    """Cases B09 and B11."""
    machine = captured("amd-laptop", 16)
    card, apu = machine.gpus
    assert (card.shares_memory.or_none(), card.memory_total_bytes.or_none()) == (False, 8573157376)
    assert isinstance(card.utilisation_fraction, Unknown), "reading it would have woken the card"
    assert card.memory_bytes_per_s.or_none() == 288e9
    assert isinstance(card.memory_bytes_per_s, Known) and card.memory_bytes_per_s.basis is Basis.TABLE
    assert apu.memory_total_bytes.or_none() == 16 * GIB
    assert apu.memory_free_bytes.or_none() == GIB // 2 + 9000000 * 1024
    assert apu.utilisation_fraction.or_none() == 0.07
    assert machine.memory.bytes_per_s.or_none() == pytest.approx(89.6e9)


def _gb10() -> Gpu:
    shared = Unknown("shares main memory", Missing.NOT_APPLICABLE)
    name = Known("NVIDIA GB10", Basis.READ, "NVML")
    shares = Known(True, Basis.READ, "NVML")
    return Gpu(name, NOTHING, NOTHING, shared, shared, NOTHING, NOTHING, NOTHING, name, shares, vendor="nvidia")


def test_gb10(captured: Callable[..., Machine]) -> None:
    """Cases B01 to B04."""
    machine = captured("gb10", 20, Known("NVIDIA's driver shows 1 GPU", Basis.READ, "NVML"), (_gb10(),))
    (gpu,) = machine.gpus
    assert gpu.memory_total_bytes.or_none() == 127600748 * 1024
    assert gpu.memory_free_bytes.or_none() == 118566368 * 1024
    assert gpu.memory_bytes_per_s.or_none() == 273e9
    assert "i8mm" in machine.cpu.extensions


def test_jetson_without_its_library(captured: Callable[..., Machine]) -> None:
    """Case B05."""
    machine = captured("jetson", 6)
    (gpu,) = machine.gpus
    assert gpu.name.or_none() == "NVIDIA Jetson Orin Nano Developer Kit"
    assert gpu.memory_total_bytes.or_none() == 7802404 * 1024
    assert not any("not installed" in note for note in machine.notes)


def test_an_ordinary_machine_has_no_notes(captured: Callable[..., Machine]) -> None:
    assert captured("hybrid-laptop", 16).notes == ()
    assert captured("small-vm", 2).notes == ()
