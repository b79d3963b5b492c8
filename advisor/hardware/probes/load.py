"""How busy the computer is, and with whose work.

By hand: ``vmstat 1`` (columns us, sy, st, si), ``ps -o maj_flt PID``. Limits of the method: the kernel counts CPU
time in ticks, usually of 10 ms, so a window of 0.15 s on two CPUs is exact to about 3 %; a process of ours that began
and ended inside the window is recognised only where its parent is ours too, waited for it, and the system adds
children's times up (Linux); inside a container the figures are still the whole computer's.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware import counters
from advisor.hardware.births import Opening, is_newborn, is_same
from advisor.hardware.files import text_or_empty
from advisor.hardware.model import Load, OtherLoad
from advisor.hardware.sleeping import asleep_s

__all__ = [
    "SAMPLE_S",
    "CpuTimes",
    "LoadWindow",
    "OtherLoad",
    "begin",
    "busy_fraction",
    "faults_between",
    "own_processes",
    "parse_swapped_in_pages",
    "read",
    "steal_fraction",
    "throttling_between",
]

SAMPLE_S: Final = 0.15
"""Length of the window of ``read``: 15 ticks per CPU, and short enough for a command that answers at once."""


@dataclass(frozen=True, slots=True)
class CpuTimes:
    """Seconds since start, summed over all logical CPUs.

    Attributes:
        busy_s: user, nice, system and interrupt time; a guest's time counts once.
        steal_s: time that the hypervisor gave to others; None where the system does not count it.
        total_s: busy, steal, idle and waiting for disks.
    """

    busy_s: float
    steal_s: float | None
    total_s: float


def busy_fraction(start: CpuTimes, end: CpuTimes, own_s: float) -> Fact[float]:
    """Share of all logical CPUs that others kept busy between two readings, 0 to 1.

    Args:
        start: the earlier reading.
        end: the later one.
        own_s: CPU seconds that our own processes used in between.
    """
    total_s = end.total_s - start.total_s
    if total_s <= 0:
        return Unknown(tr("the window was shorter than the kernel's clock tick"), Missing.FAILED)
    share = (end.busy_s - start.busy_s - own_s) / total_s
    return Known(min(1.0, max(0.0, share)), Basis.MEASURED, tr("CPU times of the system minus those of our processes"))


def steal_fraction(start: CpuTimes, end: CpuTimes) -> Fact[float]:
    """Share of all logical CPUs that the hypervisor gave to others between two readings, 0 to 1."""
    if start.steal_s is None or end.steal_s is None:
        return Unknown(tr("this system does not count stolen time"), Missing.NOT_SUPPORTED)
    total_s = end.total_s - start.total_s
    if total_s <= 0:
        return Unknown(tr("the window was shorter than the kernel's clock tick"), Missing.FAILED)
    share = (end.steal_s - start.steal_s) / total_s
    return Known(min(1.0, max(0.0, share)), Basis.MEASURED, "/proc/stat, steal")


def parse_swapped_in_pages(vmstat: str) -> int | None:
    """Pages read from swap since the start of the system, from the text of /proc/vmstat; None where not stated."""
    for line in vmstat.splitlines():
        key, _, value = line.partition(" ")
        if key == "pswpin" and value.strip().isdecimal():
            return int(value.strip())
    return None


def faults_between(before: dict[int, int], after: dict[int, int], newborn: frozenset[int]) -> Fact[int]:
    """Major faults of our processes between two readings, each keyed by process id.

    A process that was there at both ends counts by its difference, a newborn one whole, and one that was named only
    at the end not at all.
    """
    if not after:
        return Unknown(tr("this system does not count page faults from disk"), Missing.NOT_SUPPORTED)
    total = 0
    for pid, count in after.items():
        if pid in before and pid not in newborn:
            total += max(0, count - before[pid])
        elif pid in newborn:
            total += count
    return Known(total, Basis.MEASURED, "/proc/PID/stat, majflt")


def throttling_between(
    before: counters.Throttling | None, after: counters.Throttling | None
) -> tuple[Fact[int], Fact[float]]:
    """Events and the worst core's or package's seconds between two readings."""
    unknown = Unknown(tr("this system does not count throttling"), Missing.NOT_SUPPORTED)
    if before is None or after is None:
        return unknown, unknown
    source = "/sys/devices/system/cpu/cpu*/thermal_throttle"
    events = Known(max(0, after.events - before.events), Basis.MEASURED, source)
    if before.longest_s is None or after.longest_s is None:
        return events, unknown
    return events, Known(max(0.0, after.longest_s - before.longest_s), Basis.MEASURED, source)


class LoadWindow:
    """Watches the rest of the computer from construction to ``close``.

    Costs two readings of system and process counters (a few milliseconds each at most) and nothing in between, so
    it may surround a benchmark.

    Args:
        own_processes: called at both ends; the processes that belong to us, children named one by one. A process
            that was already running when the window opened and is named only at its end counts as another's.
    """

    def __init__(self, own_processes: Callable[[], Iterable[int]]) -> None:
        self._own_processes = own_processes
        self._opened = Opening.now()
        own = tuple(own_processes())
        self._asleep_before_s = asleep_s()
        self._own_before = _own_seconds(own)
        self._swap_before = _swapped_in_bytes()
        self._faults_before = counters.read_major_faults(own)
        self._throttling_before = counters.read_throttling()
        self._before = _cpu_times()

    @property
    def age_s(self) -> float:
        """Seconds since the window opened."""
        return time.monotonic() - self._opened.steady_s

    def close(self) -> OtherLoad:
        """What others did since the window opened; may be called again for a longer window. Never raises."""
        after = _cpu_times()
        own_after = _own_seconds(self._own_processes())
        own_s, newborn = 0.0, frozenset(self._born_within(own_after))
        for pid, (_, used_s) in own_after.items():
            if pid in newborn:
                own_s += used_s
            elif pid in self._own_before:
                own_s += used_s - self._own_before[pid][1]
        swap_after = _swapped_in_bytes()
        swap: Fact[int] = Unknown(tr("this system does not count pages read from swap"), Missing.NOT_SUPPORTED)
        if swap_after is not None and self._swap_before is not None:
            swap = Known(max(0, swap_after - self._swap_before), Basis.MEASURED, tr("pages read from swap"))
        busy: Fact[float] = Unknown(tr("the system's CPU times could not be read"), Missing.FAILED)
        steal = busy
        if after is not None and self._before is not None:
            busy, steal = busy_fraction(self._before, after, own_s), steal_fraction(self._before, after)
        events, throttled_s = throttling_between(self._throttling_before, counters.read_throttling())
        return OtherLoad(
            others_busy_fraction=busy,
            steal_fraction=steal,
            swap_in_bytes=swap,
            duration_s=Known(self.age_s, Basis.MEASURED, tr("monotonic clock")),
            own_major_faults=faults_between(
                self._faults_before, counters.read_major_faults(own_after), newborn
            ),
            throttle_events=events,
            throttled_s=throttled_s,
            temperature_c=counters.read_temperature(),
            clock_hz=counters.read_clock(),
            asleep_s=_slept(self._asleep_before_s, asleep_s()),
        )

    def _born_within(self, own: dict[int, tuple[float, float]]) -> Iterable[int]:
        """Our processes that started after the window opened: their counters began at 0."""
        step_s = self._opened.step_s()
        for pid, (born_at, _) in own.items():
            before = self._own_before.get(pid)
            known = before is not None and is_same(before[0], born_at, step_s)
            if not known and is_newborn(born_at, self._opened.wall_s, step_s):
                yield pid


def _slept(before_s: float | None, after_s: float | None) -> Fact[float]:
    if before_s is None or after_s is None:
        return Unknown(tr("this system does not tell how long it slept"), Missing.NOT_SUPPORTED)
    return Known(max(0.0, after_s - before_s), Basis.MEASURED, tr("two clocks, of which one stops while it sleeps"))


def own_processes() -> list[int]:
    """This process and its descendants: a measuring child, or one that asks the engine what it is."""
    me = psutil.Process()
    try:
        return [me.pid, *(child.pid for child in me.children(recursive=True))]
    except psutil.Error:
        return [me.pid]


def begin() -> LoadWindow:
    """Opens a window that counts this process and its children out; give it to ``read`` later."""
    return LoadWindow(own_processes)


def read(window: LoadWindow | None = None, sample_s: float = SAMPLE_S) -> Load:
    """Present load, this process and its children counted out.

    Args:
        window: opened earlier, so that other work may be done meanwhile; a new one without it.
        sample_s: sleeps until the window is that long.
    """
    window = window or begin()
    time.sleep(max(0.0, sample_s - window.age_s))
    seen = window.close()
    return Load(
        seen.others_busy_fraction, _load_average(), seen.steal_fraction, seen.temperature_c, seen.clock_hz
    )


def _load_average() -> Fact[float]:
    if sys.platform == "win32":
        return Unknown(tr("Windows has no load average"), Missing.NOT_APPLICABLE)
    return Known(os.getloadavg()[0], Basis.READ, tr("getloadavg, 1 minute"))


def _cpu_times() -> CpuTimes | None:
    try:
        times = psutil.cpu_times()
    except (psutil.Error, OSError, ValueError):
        return None
    fields: dict[str, float] = times._asdict()
    # Linux adds guests' time to user and nice already.
    counted = {name: value for name, value in fields.items() if name not in ("guest", "guest_nice")}
    # Windows states interrupt and dpc beside system, which holds both already.
    if sys.platform == "win32":
        counted = {name: counted.get(name, 0.0) for name in ("user", "system", "idle")}
    steal_s = counted.get("steal")
    total_s = sum(counted.values())
    busy_s = total_s - counted["idle"] - counted.get("iowait", 0.0) - (steal_s or 0.0)
    return CpuTimes(busy_s, steal_s, total_s)


def _own_seconds(pids: Iterable[int]) -> dict[int, tuple[float, float]]:
    """Process id -> (birth time, CPU seconds with those of children that were waited for)."""
    seconds: dict[int, tuple[float, float]] = {}
    for pid in set(pids):
        try:
            process = psutil.Process(pid)
            times = process.cpu_times()
            # A child's time moves here when it is reaped, so parent and child together never lose any.
            children_s = getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
            seconds[pid] = (process.create_time(), times.user + times.system + children_s)
        except (psutil.Error, OSError, ValueError):
            continue
    return seconds


def _swapped_in_bytes() -> int | None:
    if sys.platform == "win32":
        return None  # psutil always says 0 there
    if sys.platform == "darwin":
        return int(psutil.swap_memory().sin)
    pages = parse_swapped_in_pages(text_or_empty(Path("/proc/vmstat")))
    return None if pages is None else pages * os.sysconf("SC_PAGESIZE")
