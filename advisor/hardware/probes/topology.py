"""Which logical CPUs share a core, and which cores are the fast ones, from Linux's sysfs.

By hand: ``lscpu --extended``.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.files import parse_cpu_list, text_or_empty

SOURCE: Final = "/sys/devices/system/cpu/cpu*/topology"

FAST_CAPACITY_SHARE: Final = 0.6
"""A core with at least this share of the largest ``cpu_capacity`` counts as fast.

Little cores of ARM chips state 0.2 to 0.5 of the big ones (RK3588: 0.4), middle ones 0.7 and more.
"""


@dataclass(frozen=True, slots=True)
class CpuFiles:
    """The texts of one logical CPU's sysfs files, "" where missing."""

    siblings: str
    core_id: str = ""
    package_id: str = ""
    capacity: str = ""


@dataclass(frozen=True, slots=True)
class Topology:
    """Cores as sets of logical CPU numbers.

    Attributes:
        online: logical CPUs that the kernel runs; empty where it does not say.
        cores: each core's logical CPUs, ordered by their lowest number; empty where the topology is hidden.
        fast_cores: those of them that are of the fast kind; empty where all are alike.
    """

    online: frozenset[int]
    cores: tuple[frozenset[int], ...]
    fast_cores: tuple[frozenset[int], ...]

    def cores_within(self, mask: frozenset[int]) -> int:
        """Distinct cores of which the mask holds at least one logical CPU."""
        return sum(1 for core in self.cores if core & mask)

    def fast_cores_within(self, mask: frozenset[int]) -> int:
        """As ``cores_within``, fast cores only; 0 where all cores are alike."""
        return sum(1 for core in self.fast_cores if core & mask)


def parse(cpus: Mapping[int, CpuFiles], fast_list: str = "", slow_list: str = "") -> Topology:
    """The cores behind logical CPUs.

    Args:
        cpus: logical CPU number -> its files, online CPUs only.
        fast_list: text of /sys/devices/cpu_core/cpus (Intel hybrids), "" elsewhere.
        slow_list: text of /sys/devices/cpu_atom/cpus, "" elsewhere.
    """
    online = frozenset(cpus)
    cores: set[frozenset[int]] = set()
    by_ids: dict[tuple[str, str], set[int]] = {}
    for number, files in cpus.items():
        siblings = parse_cpu_list(files.siblings)
        if number in siblings:
            cores.add(siblings.intersection(cpus))
        elif files.core_id:
            by_ids.setdefault((files.package_id, files.core_id), set()).add(number)
        else:
            return Topology(online, (), ())  # one CPU that hides its core makes every count wrong
    cores.update(frozenset(numbers) for numbers in by_ids.values())
    ordered = tuple(sorted(cores, key=min))
    fast = _fast_cpus(cpus, parse_cpu_list(fast_list), parse_cpu_list(slow_list))
    return Topology(online, ordered, tuple(core for core in ordered if core & fast))


def read(root: Path = Path("/")) -> Topology:
    """The topology of this system's online CPUs; empty where sysfs does not show it."""
    base = root / "sys/devices/system/cpu"
    cpus: dict[int, CpuFiles] = {}
    for number in sorted(parse_cpu_list(text_or_empty(base / "online"))):
        folder = base / f"cpu{number}"
        siblings = text_or_empty(folder / "topology/thread_siblings_list")
        cpus[number] = CpuFiles(
            siblings,
            "" if siblings else text_or_empty(folder / "topology/core_id"),
            "" if siblings else text_or_empty(folder / "topology/physical_package_id"),
            text_or_empty(folder / "cpu_capacity"),
        )
    devices = root / "sys/devices"
    return parse(cpus, text_or_empty(devices / "cpu_core/cpus"), text_or_empty(devices / "cpu_atom/cpus"))


def read_affinity() -> Fact[frozenset[int]]:
    """Logical CPUs on which this process may run (a cpuset's limits included)."""
    if sys.platform == "darwin":
        return Unknown(tr("macOS has no affinity masks"), Missing.NOT_APPLICABLE)
    if sys.platform == "win32":
        import psutil

        return Known(frozenset(psutil.Process().cpu_affinity()), Basis.READ, "GetProcessAffinityMask")
    return Known(frozenset(os.sched_getaffinity(0)), Basis.READ, "sched_getaffinity")


def _fast_cpus(cpus: Mapping[int, CpuFiles], fast: frozenset[int], slow: frozenset[int]) -> frozenset[int]:
    if fast and slow:
        return fast
    capacities = {number: int(files.capacity) for number, files in cpus.items() if files.capacity.isdecimal()}
    if not capacities or len(capacities) != len(cpus):
        return frozenset()
    threshold = FAST_CAPACITY_SHARE * max(capacities.values())
    chosen = frozenset(number for number, capacity in capacities.items() if capacity >= threshold)
    return chosen if len(chosen) < len(cpus) else frozenset()
