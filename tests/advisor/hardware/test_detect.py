import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.hardware import detect_gpu
from advisor.hardware.asking import Background
from advisor.hardware.detect import read_machine
from advisor.hardware.model import Load, Machine
from advisor.hardware.probes import (
    cache,
    cgroup,
    cpuinfo,
    frequency,
    load,
    meminfo,
    memory_modules,
    microarchitecture,
    numa,
    nvml,
    pci_gpus,
    power,
    sysctl,
    system,
    topology,
    virtualization,
)

GIB = 2**30

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="captured machines are Linux ones")


def mask(*cpus: int) -> Fact[frozenset[int]]:
    return Known(frozenset(cpus), Basis.READ, "test")


@pytest.fixture
def captured(machine_root: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Machine]:
    nothing = Unknown("not asked", Missing.NOT_YET)
    monkeypatch.setattr(load, "read", lambda _: Load(nothing, nothing, nothing))
    monkeypatch.setattr(nvml, "read", lambda: nvml.GpuReading((), nvml.no_library()))

    def read(name: str, affinity: Fact[frozenset[int]]) -> Machine:
        return read_machine(machine_root(name), affinity)

    return read


def test_this_machine_agrees_with_the_system() -> None:
    machine = read_machine()
    cpu = machine.cpu
    assert cpu.logical == os.cpu_count()
    assert 1 <= cpu.usable_threads <= cpu.logical
    assert cpu.usable_because
    if sys.platform == "linux":
        assert cpu.affinity.or_none() == len(os.sched_getaffinity(0))
        assert cpu.usable_threads <= len(os.sched_getaffinity(0))
    total, available = machine.memory.total_bytes.or_none(), machine.memory.available_bytes.or_none()
    assert total is not None and available is not None
    assert 0 < available <= total
    busy = machine.load.cpu_busy_fraction.or_none()
    assert busy is None or 0 <= busy <= 1
    assert machine.system and machine.read_at
    assert machine.gpus or machine.gpus_note


@linux_only
def test_hybrid_laptop(captured: Callable[..., Machine]) -> None:
    machine = captured("hybrid-laptop", mask(*range(16)))
    cpu = machine.cpu
    assert cpu.name.or_none() == "12th Gen Intel(R) Core(TM) i7-1260P"
    assert (cpu.logical, cpu.physical.or_none(), cpu.performance_cores.or_none()) == (16, 12, 4)
    assert (cpu.usable_threads, cpu.usable_because) == (4, "4 performance cores of 12 cores")
    assert cpu.extensions == ("avx", "avx2", "avx_vnni", "bmi2", "f16c", "fma", "sse4_2")
    assert cpu.l3_bytes.or_none() == 18 * 2**20
    assert cpu.virtual_machine == Unknown("no sign of a virtual machine or container", Missing.NOT_APPLICABLE)
    assert machine.memory.swap_used_bytes.or_none() == 262144 * 1024
    assert machine.power.on_battery.or_none() is True
    assert machine.power.profile.or_none() == "balanced"
    assert machine.system.startswith("Fedora Linux 42 (Workstation Edition), kernel ")


@linux_only
def test_hybrid_laptop_held_to_its_slow_cores(captured: Callable[..., Machine]) -> None:
    cpu = captured("hybrid-laptop", mask(8, 9, 10)).cpu
    assert (cpu.usable_threads, cpu.usable_because) == (3, "affinity mask of 3 cores, of 12")


@linux_only
def test_container_v2_is_limited_by_its_outermost_group(captured: Callable[..., Machine]) -> None:
    machine = captured("container-v2", mask(*range(16)))
    assert machine.cpu.quota_cpus == Known(2.0, Basis.READ, "/sys/fs/cgroup/cpu.max")
    assert (machine.cpu.usable_threads, machine.cpu.physical.or_none()) == (2, 8)
    memory = machine.memory
    assert memory.total_bytes.or_none() == memory.limit_bytes.or_none() == 8 * GIB
    # 8 GiB − (5 GiB in use − 3 GiB that the kernel would drop)
    assert memory.available_bytes.or_none() == 6 * GIB
    assert machine.cpu.virtual_machine.or_none() == "Docker container"


@linux_only
def test_container_v1_rounds_its_quota_down(captured: Callable[..., Machine]) -> None:
    machine = captured("container-v1", mask(*range(96)))
    cpu = machine.cpu
    assert cpu.quota_cpus.or_none() == 7.65
    assert (cpu.logical, cpu.usable_threads) == (96, 7)
    assert isinstance(cpu.physical, Unknown)
    assert {"amx_bf16", "amx_int8", "amx_tile"} <= set(cpu.extensions)
    assert cpu.virtual_machine.or_none() == "Kubernetes container in Amazon EC2"
    assert machine.memory.total_bytes.or_none() == 32 * GIB
    assert machine.memory.available_bytes.or_none() == 28 * GIB


@linux_only
def test_small_vm(captured: Callable[..., Machine]) -> None:
    machine = captured("small-vm", mask(0, 1))
    cpu = machine.cpu
    assert (cpu.name.or_none(), cpu.usable_threads, cpu.usable_because) == ("AMD EPYC", 2, "2 cores")
    assert isinstance(cpu.physical, Known) and "may hide" in cpu.physical.source
    assert cpu.quota_cpus == Unknown("no control group limits the CPU time", Missing.NOT_APPLICABLE)
    assert cpu.virtual_machine.or_none() == "virtual machine"
    assert isinstance(machine.memory.limit_bytes, Unknown)
    assert machine.memory.total_bytes.or_none() == 24684084 * 1024


@linux_only
def test_arm_board(captured: Callable[..., Machine]) -> None:
    cpu = captured("arm-board", mask(*range(8))).cpu
    assert cpu.name.or_none() == "4 × Cortex-A76, 4 × Cortex-A55"
    assert cpu.extensions == ("dotprod", "fp16", "neon")
    assert (cpu.usable_threads, cpu.usable_because) == (4, "4 performance cores of 8 cores")


@linux_only
def test_broken_machine_is_all_unknowns(captured: Callable[..., Machine]) -> None:
    machine = captured("broken", mask(0, 1))
    cpu, memory = machine.cpu, machine.memory
    for fact in (cpu.name, cpu.physical, cpu.quota_cpus, cpu.l3_bytes, memory.total_bytes, memory.available_bytes):
        assert isinstance(fact, Unknown) and fact.reason
    assert isinstance(memory.limit_bytes, Unknown)
    assert isinstance(machine.power.on_battery, Unknown)
    assert (cpu.logical, cpu.usable_threads) == (2, 2)


@linux_only
def test_a_machine_without_any_file(
    plant: Callable[[dict[str, str]], Path], captured: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = read_machine(plant({}), Unknown("none", Missing.NOT_APPLICABLE))
    assert machine.cpu.logical == os.cpu_count()
    assert machine.cpu.usable_threads >= 1
    assert isinstance(machine.memory.total_bytes, Unknown)


def test_every_probe_may_fail_alone(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: object) -> object:
        raise RuntimeError("no such luck")

    for module in (
        cache, cgroup, cpuinfo, frequency, load, meminfo, memory_modules, nvml, pci_gpus, power, sysctl, system,
        topology, virtualization,
    ):  # fmt: skip
        monkeypatch.setattr(module, "read", broken)
    monkeypatch.setattr(load, "begin", broken)
    monkeypatch.setattr(topology, "read_affinity", broken)
    monkeypatch.setattr(system, "read_architecture", broken)
    monkeypatch.setattr(numa, "read_nodes", broken)
    monkeypatch.setattr(microarchitecture, "name", broken)
    with caplog.at_level(logging.CRITICAL):
        machine = read_machine()
    assert isinstance(machine.gpus_note, Unknown) and "no such luck" in machine.gpus_note.reason
    assert isinstance(machine.load.cpu_busy_fraction, Unknown)
    assert isinstance(machine.power.profile, Unknown)
    assert isinstance(machine.memory.total_bytes, Unknown)
    assert machine.cpu.usable_threads >= 1
    assert machine.system == sys.platform


def test_a_hanging_driver_is_left_behind() -> None:
    release, started = threading.Event(), threading.Event()

    def hang() -> nvml.GpuReading:
        started.set()
        release.wait(30)
        return nvml.GpuReading((), nvml.no_library())

    job = Background("the graphics driver", hang, detect_gpu.none)
    assert started.wait(10)
    try:
        note = job.result(0.01).note
        assert isinstance(note, Unknown) and note.reason == "the graphics driver did not answer within 0 s"
    finally:
        release.set()
        job.thread.join(10)


def test_reading_the_machine_loads_nothing_heavy() -> None:
    code = (
        "import sys; from advisor.hardware.detect import read_machine; early = 'pynvml' in sys.modules; read_machine();"
        "heavy = [m for m in ('PySide6', 'numpy', 'llama_cpp') if m in sys.modules];"
        "raise SystemExit(f'{heavy} {early}' if heavy or early else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
