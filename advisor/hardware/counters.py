"""Counters and sensors around a run: page faults, throttling, temperature, clocks. Linux; absent means not counted."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.files import text_or_empty

CPU_SENSORS: Final = ("coretemp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal", "soc_thermal", "cpu")
"""Names of hwmon drivers and thermal zones that sit in the processor; disks, batteries and radios do not count."""

CPU_ZONES: Final = re.compile(r"x86_pkg_temp|cpu|soc|TCPU", re.IGNORECASE)

COLDEST_C: Final = 1.0
HOTTEST_C: Final = 130.0
"""A sensor outside these is broken or not connected (0, −273, 255 are usual)."""

CLOCKS_READ: Final = 16

LOWEST_HZ: Final = 0.3e9
HIGHEST_HZ: Final = 7.5e9


@dataclass(frozen=True, slots=True)
class Throttling:
    """Since the start of the system: events of all cores and packages, and the longest time of any of them.

    Source: drivers/thermal/intel/therm_throt.c of the Linux kernel; AMD's and ARM's processors do not count.
    """

    events: int
    longest_s: float | None


def parse_major_faults(stat: str) -> int | None:
    """Major faults of a process, those of reaped children included, from the text of /proc/PID/stat.

    The second field is the program's name in parentheses and may hold anything (proc_pid_stat(5): fields 12, 13).
    """
    fields = stat.rpartition(")")[2].split()
    if len(fields) < 11 or not fields[9].isdecimal() or not fields[10].isdecimal():
        return None
    return int(fields[9]) + int(fields[10])


def parse_throttling(counts: Iterable[str], times_ms: Iterable[str]) -> Throttling | None:
    """Throttling from the texts of the counters; None where there is no counter."""
    events = [int(text.strip()) for text in counts if text.strip().isdecimal()]
    times = [int(text.strip()) for text in times_ms if text.strip().isdecimal()]
    if not events:
        return None
    return Throttling(sum(events), max(times) / 1000 if times else None)


def parse_temperatures(sensors: Iterable[tuple[str, str]], zones: Iterable[tuple[str, str]]) -> Fact[float]:
    """The hottest processor sensor in degrees Celsius.

    Args:
        sensors: (driver's name, millidegrees) of hwmon inputs.
        zones: (type, millidegrees) of thermal zones, used where no hwmon driver is the processor's.
    """
    hottest = _hottest(text for name, text in sensors if name in CPU_SENSORS)
    if hottest is not None:
        return Known(hottest, Basis.MEASURED, "/sys/class/hwmon")
    hottest = _hottest(text for kind, text in zones if CPU_ZONES.search(kind))
    if hottest is not None:
        return Known(hottest, Basis.MEASURED, "/sys/class/thermal")
    return Unknown(tr("the kernel shows no processor temperature"), Missing.NOT_SUPPORTED)


def parse_clocks(texts: Iterable[str]) -> Fact[float]:
    """Mean clock in hertz of cpufreq's ``scaling_cur_freq`` texts (kilohertz)."""
    clocks = [int(text.strip()) * 1e3 for text in texts if text.strip().isdecimal()]
    good = [clock for clock in clocks if LOWEST_HZ <= clock <= HIGHEST_HZ]
    if not good or len(good) < len(clocks):
        return Unknown(tr("the kernel shows no believable processor clocks"), Missing.NOT_SUPPORTED)
    return Known(sum(good) / len(good), Basis.MEASURED, tr("scaling_cur_freq, mean"))


def read_major_faults(pids: Iterable[int], root: Path = Path("/")) -> dict[int, int]:
    """Process id -> major faults, of those that still run."""
    found = {pid: parse_major_faults(text_or_empty(root / f"proc/{pid}/stat")) for pid in set(pids)}
    return {pid: faults for pid, faults in found.items() if faults is not None}


def read_throttling(root: Path = Path("/")) -> Throttling | None:
    """Counters of this system; a package's counter is shown by each of its processors and counts once."""
    cores: dict[str, Path] = {}
    packages: dict[str, Path] = {}
    for folder in sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*/thermal_throttle")):
        topology = folder.parent / "topology"
        package = text_or_empty(topology / "physical_package_id")
        packages.setdefault(package, folder)
        cores.setdefault(f"{package}/{text_or_empty(topology / 'core_id') or folder.parent.name}", folder)
    kinds = [(folder, "core") for folder in cores.values()] + [(folder, "package") for folder in packages.values()]
    return parse_throttling(
        (text_or_empty(folder / f"{kind}_throttle_count") for folder, kind in kinds),
        (text_or_empty(folder / f"{kind}_throttle_total_time_ms") for folder, kind in kinds),
    )


def read_temperature(root: Path = Path("/")) -> Fact[float]:
    """The hottest processor sensor now."""
    sensors: list[tuple[str, str]] = []
    for folder in sorted((root / "sys/class/hwmon").glob("hwmon*")):
        name = text_or_empty(folder / "name")
        if name in CPU_SENSORS:  # others stay unread: a graphics card's sensor would wake it
            sensors += [(name, text_or_empty(path)) for path in sorted(folder.glob("temp*_input"))]
    zones = [
        (text_or_empty(folder / "type"), text_or_empty(folder / "temp"))
        for folder in sorted((root / "sys/class/thermal").glob("thermal_zone*"))
    ]
    return parse_temperatures(sensors, zones)


def read_clock(root: Path = Path("/")) -> Fact[float]:
    """Mean clock now of the first CLOCKS_READ processors: each reading may interrupt a core for a millisecond."""
    files = sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_cur_freq"))
    return parse_clocks(text_or_empty(path) for path in files[:CLOCKS_READ])


def _hottest(texts: Iterable[str]) -> float | None:
    values = [int(text.strip()) / 1000 for text in texts if text.strip().removeprefix("-").isdecimal()]
    return max((value for value in values if COLDEST_C <= value <= HOTTEST_C), default=None)
