"""Asks all probes, each failing alone, and puts the machine together."""

import logging
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.hardware.model import Cpu, Gpu, Load, Machine, Memory, Power
from advisor.hardware.probes import (
    cache,
    cgroup,
    cpuinfo,
    load,
    meminfo,
    nvml,
    power,
    registry,
    sysctl,
    system,
    topology,
    virtualization,
)
from advisor.hardware.usable import usable_threads

T = TypeVar("T")

GPU_TIMEOUT_S: Final = 5.0
"""NVIDIA's library takes one to three seconds to wake a sleeping GPU, and can hang on a broken driver."""

_log = logging.getLogger(__name__)


def read_machine(root: Path = Path("/"), affinity: Fact[frozenset[int]] | None = None) -> Machine:
    """Everything about this computer, in about 0.2 s (longer where a GPU must wake). Never raises.

    Args:
        root: where the system's files hang; another folder for captured machines.
        affinity: the mask to assume instead of this process's own, for captured machines.
    """
    window = _ask("load", load.begin, lambda _: None)
    gpus = _GpuJob()
    limits = _ask("control groups", lambda: cgroup.read(root), lambda why: cgroup.Limits(why, why, why))
    cpu = _cpu(root, limits, affinity or _ask("affinity", topology.read_affinity, _unknown))
    memory = _memory(root, limits)
    supply = _ask("power", lambda: power.read(root), lambda why: Power(why, why))
    now = _ask("load", lambda: load.read(window), lambda why: Load(why, why, why))
    found = gpus.result(GPU_TIMEOUT_S)
    return Machine(
        system=_ask("system", lambda: system.read(root), lambda _: sys.platform),
        cpu=cpu,
        memory=memory,
        gpus=found.gpus,
        gpus_note=found.note,
        power=supply,
        load=now,
        read_at=datetime.now().astimezone().isoformat(timespec="seconds"),
    )


@dataclass(frozen=True, slots=True)
class _CpuFacts:
    """What a system's own source says about the processor."""

    logical: int
    name: Fact[str]
    extensions: tuple[str, ...]
    l3_bytes: Fact[int]
    virtual_machine: Fact[str]
    physical: Fact[int]
    performance_cores: Fact[int]
    cores_in_mask: int | None
    fast_in_mask: int | None


def _cpu(root: Path, limits: cgroup.Limits, affinity: Fact[frozenset[int]]) -> Cpu:
    mask = affinity.or_none()
    if sys.platform == "linux":
        facts = _linux_cpu(root, mask)
    elif sys.platform == "darwin":
        facts = _mac_cpu()
    else:
        facts = _windows_cpu()
    usable = usable_threads(
        facts.logical,
        len(mask) if mask is not None else None,
        facts.physical.or_none(),
        facts.cores_in_mask,
        facts.fast_in_mask,
        limits.quota_cpus,
    )
    return Cpu(
        name=facts.name,
        architecture=_ask("architecture", system.read_architecture, lambda _: "unknown"),
        logical=facts.logical,
        physical=facts.physical,
        usable_threads=usable.threads,
        usable_because=usable.because,
        affinity=affinity if isinstance(affinity, Unknown) else Known(len(affinity.value), Basis.READ, affinity.source),
        quota_cpus=limits.quota_cpus,
        extensions=facts.extensions,
        l3_bytes=facts.l3_bytes,
        virtual_machine=facts.virtual_machine,
        performance_cores=facts.performance_cores,
    )


def _linux_cpu(root: Path, mask: frozenset[int] | None) -> _CpuFacts:
    info = _ask("cpuinfo", lambda: cpuinfo.read(root), lambda why: cpuinfo.CpuInfo(why, (), False))
    shape = _ask("topology", lambda: topology.read(root), lambda _: topology.Topology(frozenset(), (), ()))
    virtual = _ask("virtualisation", lambda: virtualization.read(info.hypervisor, root), _unknown)
    everything = frozenset().union(*shape.cores)
    mask = everything if mask is None else mask
    physical: Fact[int] = Unknown("the kernel does not show which CPUs share a core", Missing.NOT_SUPPORTED)
    if shape.cores:
        note = "; a virtual machine may hide hyper-threads" if isinstance(virtual, Known) else ""
        physical = Known(len(shape.cores), Basis.READ, f"{topology.SOURCE}{note}")
    fast: Fact[int] = Unknown("all cores are alike, as far as the kernel shows", Missing.NOT_APPLICABLE)
    if shape.fast_cores:
        fast = Known(len(shape.fast_cores), Basis.READ, "/sys/devices/cpu_core or cpu_capacity")
    return _CpuFacts(
        logical=len(shape.online) or _logical(),
        name=info.name,
        extensions=info.extensions,
        l3_bytes=_ask("caches", lambda: cache.read(root), _unknown),
        virtual_machine=virtual,
        physical=physical,
        performance_cores=fast,
        cores_in_mask=shape.cores_within(mask) or None,
        fast_in_mask=shape.fast_cores_within(mask) or None,
    )


def _mac_cpu() -> _CpuFacts:
    mac = _ask("sysctl", sysctl.read, lambda why: sysctl.MacCpu(why, why, why, (), why, False))
    virtual: Fact[str] = Unknown("no sign of a virtual machine", Missing.NOT_APPLICABLE)
    if mac.virtual:
        virtual = Known("virtual machine", Basis.READ, "sysctl kern.hv_vmm_present")
    return _CpuFacts(
        _logical(),
        mac.name,
        mac.extensions,
        mac.l3_bytes,
        virtual,
        mac.physical,
        mac.performance_cores,
        cores_in_mask=mac.physical.or_none(),
        fast_in_mask=mac.performance_cores.or_none(),
    )


def _windows_cpu() -> _CpuFacts:
    physical = _ask("cores", _physical_by_psutil, _unknown)
    unread = Unknown("not read on Windows", Missing.NOT_SUPPORTED)
    return _CpuFacts(
        logical=_logical(),
        name=_ask("registry", registry.read_name, _unknown),
        extensions=_ask("extensions", registry.read_extensions, lambda _: ()),
        l3_bytes=unread,
        virtual_machine=unread,
        physical=physical,
        performance_cores=unread,
        cores_in_mask=physical.or_none(),
        fast_in_mask=None,
    )


def _logical() -> int:
    return max(1, os.cpu_count() or 1)


def _physical_by_psutil() -> Fact[int]:
    import psutil

    count = psutil.cpu_count(logical=False)
    if not count:
        return Unknown("the system does not state its cores", Missing.NOT_SUPPORTED)
    return Known(int(count), Basis.READ, "psutil.cpu_count")


def _memory(root: Path, limits: cgroup.Limits) -> Memory:
    info = _ask("memory", lambda: meminfo.read(root), lambda why: meminfo.MemInfo(why, why, why))
    limit = limits.memory_bytes
    if isinstance(limit, Known) and isinstance(info.total_bytes, Known) and limit.value >= info.total_bytes.value:
        limit = Unknown("the control group allows more than there is", Missing.NOT_APPLICABLE)
        return Memory(info.total_bytes, info.available_bytes, limit, info.swap_used_bytes)
    return Memory(
        total_bytes=_tighter(info.total_bytes, limit),
        available_bytes=_tighter(info.available_bytes, limits.memory_left_bytes),
        limit_bytes=limit,
        swap_used_bytes=info.swap_used_bytes,
    )


def _tighter(whole: Fact[int], limit: Fact[int]) -> Fact[int]:
    """The limit where there is one below the whole; a whole that is unknown stays bounded by the limit."""
    if isinstance(limit, Unknown):
        return whole
    return limit if isinstance(whole, Unknown) or limit.value < whole.value else whole


class _GpuJob:
    """The GPU probe on a thread of its own: other probes go on meanwhile, and a hanging driver is left behind."""

    def __init__(self) -> None:
        self._reading: nvml.GpuReading | None = None
        self._thread = threading.Thread(target=self._work, name="nvml", daemon=True)
        self._thread.start()

    def result(self, timeout_s: float) -> nvml.GpuReading:
        self._thread.join(timeout_s)
        return self._reading or _no_gpus(
            Unknown(f"the NVIDIA driver did not answer within {timeout_s:.0f} s", Missing.FAILED)
        )

    def _work(self) -> None:
        if sys.platform == "darwin":
            self._reading = _no_gpus(Unknown("macOS has no NVIDIA driver", Missing.NOT_APPLICABLE))
        else:
            self._reading = _ask("NVML", nvml.read, _no_gpus)


def _no_gpus(why: Unknown) -> nvml.GpuReading:
    none: tuple[Gpu, ...] = ()
    return nvml.GpuReading(none, why)


def _unknown(why: Unknown) -> Unknown:
    return why


def _ask(what: str, read: Callable[[], T], on_failure: Callable[[Unknown], T]) -> T:
    """A probe's answer, or what stands for its failure: one broken source never hides the others."""
    try:
        return read()
    except Exception as error:
        _log.warning("The probe for %s failed", what, exc_info=True)
        return on_failure(Unknown(f"the probe for {what} failed ({type(error).__name__}: {error})", Missing.FAILED))
