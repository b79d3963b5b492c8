"""The machine as frozen values."""

from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Fact, Missing, Unknown

_NOT_ASKED: Final = Unknown("kinds of cores were not asked for", Missing.NOT_YET)


@dataclass(frozen=True, slots=True)
class Cpu:
    """The processor and how much of it this process may use.

    Attributes:
        name: marketing name as the system states it.
        architecture: instruction set family, "x86_64" or "arm64" style.
        logical: logical CPUs that the system shows, at least 1.
        physical: cores among them; unknown where the topology is hidden.
        usable_threads: threads worth starting for one job, at least 1: distinct cores inside the affinity
            mask (performance cores only, on a hybrid), capped by the cgroup quota rounded down.
        usable_because: which limit decided, in words ("2 cores", "cgroup quota of 1.5 CPUs").
        affinity: logical CPUs in this process's mask.
        quota_cpus: CPUs that a cgroup quota grants; unknown (not applicable) without one.
        extensions: vector and matrix extensions that matter to llama.cpp, sorted ("amx_int8", "avx2", ...).
        l3_bytes: last-level cache as reported (a VM may report its host's).
        virtual_machine: name of the hypervisor or container; unknown (not applicable) on bare metal.
        performance_cores: cores of the fast kind on a hybrid processor; unknown (not applicable) where all
            cores are alike.
    """

    name: Fact[str]
    architecture: str
    logical: int
    physical: Fact[int]
    usable_threads: int
    usable_because: str
    affinity: Fact[int]
    quota_cpus: Fact[float]
    extensions: tuple[str, ...]
    l3_bytes: Fact[int]
    virtual_machine: Fact[str]
    performance_cores: Fact[int] = _NOT_ASKED


@dataclass(frozen=True, slots=True)
class Memory:
    """Main memory; ``limit_bytes`` is a cgroup's, and total and available already respect it."""

    total_bytes: Fact[int]
    available_bytes: Fact[int]
    limit_bytes: Fact[int]
    swap_used_bytes: Fact[int]


@dataclass(frozen=True, slots=True)
class Gpu:
    """One graphics processor as its driver describes it; every metric stands on its own."""

    name: Fact[str]
    uuid: Fact[str]
    pci_id: Fact[str]
    """Lower case with a four-digit domain ("0000:01:00.0"), as the engine prints it."""
    memory_total_bytes: Fact[int]
    memory_free_bytes: Fact[int]
    memory_bytes_per_s: Fact[float]
    """Theoretical bandwidth from bus width and memory clock."""
    compute_capability: Fact[str]
    power_limit_w: Fact[float]
    driver: Fact[str]
    shares_memory: Fact[bool]
    """True where the GPU uses the main memory (integrated, GB10, Jetson)."""


@dataclass(frozen=True, slots=True)
class Power:
    """Where the current comes from."""

    on_battery: Fact[bool]
    profile: Fact[str]


@dataclass(frozen=True, slots=True)
class Load:
    """What else is going on, over the window that ``source`` states."""

    cpu_busy_fraction: Fact[float]
    """Share of all logical CPUs that other programs kept busy, 0 to 1; this process is counted out."""
    load_1min: Fact[float]
    """Runnable (on Linux also disk-bound) tasks, averaged over a minute; not a fraction."""
    steal_fraction: Fact[float]
    """Share of all logical CPUs that the hypervisor gave to others, 0 to 1."""


@dataclass(frozen=True, slots=True)
class OtherLoad:
    """What the rest of the computer did during a window, beside the processes that belong to us.

    Attributes:
        others_busy_fraction: share of all logical CPUs that other processes kept busy, 0 to 1.
        steal_fraction: share of all logical CPUs that the hypervisor gave to other machines, 0 to 1.
        swap_in_bytes: bytes read back from swap by anybody, ours included.
    """

    others_busy_fraction: Fact[float]
    steal_fraction: Fact[float]
    swap_in_bytes: Fact[int]


@dataclass(frozen=True, slots=True)
class Machine:
    """Everything known about this computer at one moment."""

    system: str
    """Operating system and version in words."""
    cpu: Cpu
    memory: Memory
    gpus: tuple[Gpu, ...]
    gpus_note: Fact[str]
    """How the GPUs were looked for; Unknown with the reason when they could not be."""
    power: Power
    load: Load
    read_at: str
    """ISO 8601 local time of the reading."""
