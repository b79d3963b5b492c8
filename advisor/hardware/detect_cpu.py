"""The processor, put together from the probes of the system at hand."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import marked, tr
from advisor.hardware.asking import ask, unknown
from advisor.hardware.files import text_or_empty
from advisor.hardware.model import Cpu
from advisor.hardware.probes import (
    cache,
    cgroup,
    cpuinfo,
    frequency,
    microarchitecture,
    numa,
    system,
    topology,
    virtualization,
)
from advisor.hardware.usable import usable_threads


def _no_groups() -> Unknown:
    return Unknown(tr("only Windows has processor groups"), Missing.NOT_APPLICABLE)


def _unread() -> Unknown:
    return Unknown(tr("not read on this system"), Missing.NOT_SUPPORTED)


@dataclass(frozen=True, slots=True)
class _Facts:
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
    microarchitecture: Fact[str] = field(default_factory=_unread)
    threads_per_core: Fact[int] = field(default_factory=_unread)
    numa_nodes: Fact[int] = field(default_factory=_unread)
    l2_bytes: Fact[int] = field(default_factory=_unread)
    processor_groups: Fact[int] = field(default_factory=_no_groups)
    frequency_max_hz: Fact[float] = field(default_factory=_unread)


def read_cpu(root: Path, limits: cgroup.Limits, affinity: Fact[frozenset[int]]) -> Cpu:
    """The processor and how much of it this process may use. Never raises.

    Args:
        root: where the system's files hang.
        limits: the control groups'.
        affinity: logical CPUs in the mask.
    """
    mask = affinity.or_none()
    if sys.platform == "linux":
        facts = _linux(root, mask)
    elif sys.platform == "darwin":
        facts = _mac()
    else:
        facts = _windows()
    usable = usable_threads(
        facts.logical,
        len(mask) if mask is not None else None,
        facts.physical.or_none(),
        facts.cores_in_mask,
        facts.fast_in_mask,
        limits.quota_cpus,
        facts.processor_groups.or_none() or 1,
    )
    return Cpu(
        name=facts.name,
        architecture=ask("architecture", system.read_architecture, lambda _: "unknown"),
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
        microarchitecture=facts.microarchitecture,
        threads_per_core=facts.threads_per_core,
        numa_nodes=facts.numa_nodes,
        l2_bytes=facts.l2_bytes,
        processor_groups=facts.processor_groups,
        frequency_max_hz=facts.frequency_max_hz,
    )


def _linux(root: Path, mask: frozenset[int] | None) -> _Facts:
    info = ask("cpuinfo", lambda: cpuinfo.read(root), lambda why: cpuinfo.CpuInfo(why, (), False))
    shape = ask("topology", lambda: topology.read(root), lambda _: topology.Topology(frozenset(), (), ()))
    virtual = ask("virtualisation", lambda: virtualization.read(info.hypervisor, root), unknown)
    everything = frozenset().union(*shape.cores)
    mask = everything if mask is None else mask
    physical: Fact[int] = Unknown(tr("the kernel does not show which CPUs share a core"), Missing.NOT_SUPPORTED)
    per_core: Fact[int] = physical
    if shape.cores:
        source = topology.SOURCE
        if isinstance(virtual, Known):
            source = tr("{source}; a virtual machine may hide hyper-threads", source=source)
        physical = Known(len(shape.cores), Basis.READ, source)
        per_core = Known(max(len(core) for core in shape.cores), Basis.READ, source)
    fast: Fact[int] = Unknown(tr("all cores are alike, as far as the kernel shows"), Missing.NOT_APPLICABLE)
    if shape.fast_cores:
        fast = Known(len(shape.fast_cores), Basis.READ, "/sys/devices/cpu_core or cpu_capacity")
    return _Facts(
        logical=len(shape.online) or _logical(),
        name=info.name,
        extensions=info.extensions,
        l3_bytes=ask("caches", lambda: cache.read(root), unknown),
        virtual_machine=virtual,
        physical=physical,
        performance_cores=fast,
        cores_in_mask=shape.cores_within(mask) or None,
        fast_in_mask=shape.fast_cores_within(mask) or None,
        microarchitecture=ask("microarchitecture", lambda: _design(root), unknown),
        threads_per_core=per_core,
        numa_nodes=ask(marked("memory nodes"), lambda: numa.read_nodes(root), unknown),
        l2_bytes=ask("caches", lambda: cache.read(root, 2), unknown),
        frequency_max_hz=_clock(root, virtual),
    )


def _design(root: Path) -> Fact[str]:
    return microarchitecture.name(microarchitecture.parse_cpuinfo(text_or_empty(root / "proc/cpuinfo")))


def _clock(root: Path, virtual: Fact[str]) -> Fact[float]:
    contained = ask("virtualisation", lambda: virtualization.in_container(root), lambda _: False)
    if isinstance(virtual, Known) and not contained:
        return Unknown(tr("a virtual machine's clock is not the processor's"), Missing.NOT_SUPPORTED)
    return ask("clocks", lambda: frequency.read(root), unknown)


def _mac() -> _Facts:
    from advisor.hardware.probes import sysctl

    mac = ask("sysctl", sysctl.read, lambda why: sysctl.MacCpu(why, why, why, (), why, False))
    virtual: Fact[str] = Unknown(tr("no sign of a virtual machine"), Missing.NOT_APPLICABLE)
    if mac.virtual:
        virtual = Known(tr("virtual machine"), Basis.READ, "sysctl kern.hv_vmm_present")
    logical = _logical()
    per_core: Fact[int] = mac.physical
    if isinstance(mac.physical, Known):
        per_core = Known(max(1, logical // mac.physical.value), Basis.COMPUTED, tr("hw.logicalcpu ÷ hw.physicalcpu"))
    return _Facts(
        logical,
        mac.name,
        mac.extensions,
        mac.l3_bytes,
        virtual,
        mac.physical,
        mac.performance_cores,
        cores_in_mask=mac.physical.or_none(),
        fast_in_mask=mac.performance_cores.or_none(),
        threads_per_core=per_core,
        numa_nodes=Known(1, Basis.READ, tr("no Mac has more")),
        frequency_max_hz=Unknown(tr("macOS does not state a believable clock"), Missing.NOT_SUPPORTED),
    )


def _windows() -> _Facts:
    from advisor.hardware.probes import cpuid, registry

    physical = ask("cores", _physical_by_psutil, unknown)
    unread = Unknown(tr("not read on Windows"), Missing.NOT_SUPPORTED)
    groups = ask(marked("processor groups"), numa.read_groups, unknown)
    confirmed = ask("extensions", registry.read_extensions, lambda _: ())
    return _Facts(
        logical=_logical(),
        name=ask("registry", registry.read_name, unknown),
        extensions=ask("cpuid", lambda: cpuid.parse(cpuid.read(), confirmed), lambda _: confirmed),
        l3_bytes=unread,
        virtual_machine=unread,
        physical=physical,
        performance_cores=unread,
        cores_in_mask=physical.or_none(),
        fast_in_mask=None,
        microarchitecture=ask("microarchitecture", _windows_design, unknown),
        processor_groups=groups,
    )


def _windows_design() -> Fact[str]:
    from advisor.hardware.probes import registry

    return microarchitecture.name(microarchitecture.parse_windows_identifier(*registry.read_identity()))


def _logical() -> int:
    return max(1, os.cpu_count() or 1)


def _physical_by_psutil() -> Fact[int]:
    import psutil

    count = psutil.cpu_count(logical=False)
    if not count:
        return Unknown(tr("the system does not state its cores"), Missing.NOT_SUPPORTED)
    return Known(int(count), Basis.READ, "psutil.cpu_count")
