"""The machine as frozen values."""

from dataclasses import dataclass, field

from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.translation import tr


def _cores_not_asked() -> Unknown:
    return Unknown(tr("kinds of cores were not asked for"), Missing.NOT_YET)


def _not_read() -> Unknown:
    return Unknown(tr("not asked for"), Missing.NOT_YET)


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
        microarchitecture: the design behind the name ("Zen 4", "Alder Lake").
        threads_per_core: hardware threads of the widest core, 1 where SMT is absent or off.
        numa_nodes: memory nodes that the system shows, at least 1.
        l2_bytes: all level-2 caches together, each counted once.
        processor_groups: groups of up to 64 logical CPUs on Windows, of which a program uses one unless it was
            written for more; unknown (not applicable) elsewhere.
        frequency_max_hz: highest clock, only where the system's figure is believable; text for people, never
            an input of a ceiling.
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
    performance_cores: Fact[int] = field(default_factory=_cores_not_asked)
    microarchitecture: Fact[str] = field(default_factory=_not_read)
    threads_per_core: Fact[int] = field(default_factory=_not_read)
    numa_nodes: Fact[int] = field(default_factory=_not_read)
    l2_bytes: Fact[int] = field(default_factory=_not_read)
    processor_groups: Fact[int] = field(default_factory=_not_read)
    frequency_max_hz: Fact[float] = field(default_factory=_not_read)


@dataclass(frozen=True, slots=True)
class MemoryModule:
    """One populated slot, or one soldered package.

    Attributes:
        slot: the firmware's words for its place ("DIMM_A2", "P0 CHANNEL A DIMM 0").
        size_bytes: above 0.
        kind: "DDR4", "DDR5", "LPDDR5", ...
        rated_transfers_per_s: what the module states it can do ("5600 MT/s" is 5.6e9).
        running_transfers_per_s: what it was set to; this one decides the bandwidth.
        width_bits: data bits without error correction; 64 for a DIMM, 16 or 32 for soldered packages.
    """

    slot: str
    size_bytes: int
    kind: Fact[str] = field(default_factory=_not_read)
    rated_transfers_per_s: Fact[float] = field(default_factory=_not_read)
    running_transfers_per_s: Fact[float] = field(default_factory=_not_read)
    width_bits: Fact[int] = field(default_factory=_not_read)


@dataclass(frozen=True, slots=True)
class Memory:
    """Main memory; ``limit_bytes`` is a cgroup's, and total and available already respect it.

    Attributes:
        modules: populated slots, where the system tells without asking for root; empty where not.
        slots: slots that the board has, empty ones included.
        channels: 64-bit channels in use (a DDR5 module's two halves count as one).
        running_transfers_per_s: slowest running speed of all modules.
        bytes_per_s: theoretical bandwidth, channels × 8 bytes × running speed; real reads reach 60 to 90 % of it.
        installed_bytes: what the modules hold, with the share that the firmware gives to an integrated GPU.
    """

    total_bytes: Fact[int]
    available_bytes: Fact[int]
    limit_bytes: Fact[int]
    swap_used_bytes: Fact[int]
    modules: tuple[MemoryModule, ...] = ()
    slots: Fact[int] = field(default_factory=_not_read)
    channels: Fact[int] = field(default_factory=_not_read)
    running_transfers_per_s: Fact[float] = field(default_factory=_not_read)
    bytes_per_s: Fact[float] = field(default_factory=_not_read)
    installed_bytes: Fact[int] = field(default_factory=_not_read)


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
    vendor: str = ""
    """"nvidia", "amd", "intel", "apple", "qualcomm", or "" where nothing says it."""
    pcie_generation: Fact[int] = field(default_factory=_not_read)
    """Of the link at this moment; drivers lower it while the GPU idles, so only a busy GPU's figure is a finding."""
    pcie_generation_max: Fact[int] = field(default_factory=_not_read)
    """What GPU and slot can do together."""
    pcie_lanes: Fact[int] = field(default_factory=_not_read)
    """At this moment; does not fall while idle, so fewer than the maximum is a finding."""
    pcie_lanes_max: Fact[int] = field(default_factory=_not_read)
    throttle_reasons: Fact[tuple[str, ...]] = field(default_factory=_not_read)
    """What holds the clocks down at this moment, in English words for ``tr``, empty when nothing does; being idle is no
    reason."""
    mig_enabled: Fact[bool] = field(default_factory=_not_read)
    """Whether the card is cut into instances, of which a program sees one."""
    utilisation_fraction: Fact[float] = field(default_factory=_not_read)
    """Share of the last moment in which a kernel ran, 0 to 1."""
    temperature_c: Fact[float] = field(default_factory=_not_read)
    carve_out_bytes: Fact[int] = field(default_factory=_not_read)
    """Part of an integrated GPU's memory that the firmware took away from the system's."""
    gtt_bytes: Fact[int] = field(default_factory=_not_read)
    """Part of the system's memory that an integrated GPU may map (AMD)."""


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
    temperature_c: Fact[float] = field(default_factory=_not_read)
    """Hottest processor sensor at the end of the window."""
    clock_hz: Fact[float] = field(default_factory=_not_read)
    """Mean clock of all cores at the end of the window, only where the figure is believable."""


@dataclass(frozen=True, slots=True)
class OtherLoad:
    """What the rest of the computer did during a window, beside the processes that belong to us.

    Attributes:
        others_busy_fraction: share of all logical CPUs that other processes kept busy, 0 to 1.
        steal_fraction: share of all logical CPUs that the hypervisor gave to other machines, 0 to 1.
        swap_in_bytes: bytes read back from swap by anybody, ours included.
        duration_s: length of the window, wall-clock.
        own_major_faults: times that one of our processes waited for a page from disk.
        throttle_events: times that the processor lowered its clocks against heat or current, all cores added.
        throttled_s: seconds in which the worst-hit core or package was held down.
        temperature_c: hottest processor sensor at the end of the window.
        clock_hz: mean clock of all cores at the end of the window, only where believable.
        asleep_s: seconds in which the whole computer slept.
    """

    others_busy_fraction: Fact[float]
    steal_fraction: Fact[float]
    swap_in_bytes: Fact[int]
    duration_s: Fact[float] = field(default_factory=_not_read)
    own_major_faults: Fact[int] = field(default_factory=_not_read)
    throttle_events: Fact[int] = field(default_factory=_not_read)
    throttled_s: Fact[float] = field(default_factory=_not_read)
    temperature_c: Fact[float] = field(default_factory=_not_read)
    clock_hz: Fact[float] = field(default_factory=_not_read)
    asleep_s: Fact[float] = field(default_factory=_not_read)


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
    notes: tuple[str, ...] = ()
    """What stands out, as sentences for the user ("The memory runs below its rated speed: ...")."""
