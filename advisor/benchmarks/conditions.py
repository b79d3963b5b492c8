"""Whether a run can be believed: machine state around it and its own spread -> valid, suspect or invalid, because."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from advisor.benchmarks.model import Conditions, Stamp
from advisor.benchmarks.steadiness import cold_and_sustained
from advisor.core.evidence import Known
from advisor.core.numbers import count, percent, plural, seconds, size, times
from advisor.core.stats import relative_spread, relative_trend
from advisor.hardware.model import OtherLoad, Power
from advisor.hardware.probes.gpu_activity import GpuActivity

OTHERS_SUSPECT: Final = 0.10
"""Share of all CPUs used by other programs: with more, figures on two cores were seen 10 to 40 % low."""
OTHERS_INVALID: Final = 0.40
STEAL_SUSPECT: Final = 0.05
"""Share of CPU time that the hypervisor gave to others."""
STEAL_INVALID: Final = 0.25
FAULTS_PER_S_SUSPECT: Final = 100.0
"""Pages that the run itself waited for, per second: 0.1 ms each on a fast disk, so 1 % of the time."""
FAULTS_PER_S_INVALID: Final = 1000.0
"""A tenth of the time even on a fast disk: the model does not stay in memory."""
THROTTLED_INVALID: Final = 0.10
"""Share of the run in which a core, package or GPU was held down; below, counted events only make it suspect."""
SPREAD_SUSPECT: Final = 0.05
"""MAD / median of the repetitions' speeds, as every table shows it; llama-bench's own runs on a quiet
machine stay near 0.01."""
SPREAD_INVALID: Final = 0.20
UNEVEN_SUSPECT: Final = 1.5
"""Slowest / fastest repetition; a run that nothing disturbs stays below 1.1, one that heats up below 1.4."""
UNEVEN_INVALID: Final = 3.0
FELL_SUSPECT: Final = 0.05
"""Speed lost from the first to the last repetition, where they fall steadily; a desktop GPU loses that much to heat."""
PAUSED_INVALID: Final = 0.20
"""Share of the repetitions' time in which the measuring process was stopped."""
ASLEEP_S: Final = 1.0
"""The computer slept if its two clocks drifted apart by this; they agree to microseconds otherwise."""
SPILL_BUSY: Final = 0.90
SPILL_MEMORY_BUSY: Final = 0.10
SPILL_FREE: Final = 0.05
"""A spill into main memory: kernels run all the time, wait for the bus, and hardly touch a memory that is full (case
C31 saw 100 % and 2 %; decode that reads from its own memory keeps it busy for half the time and more)."""
IDLE_GPU: Final = 0.02
ONE_REPETITION: Final = "only one repetition"
GPU_SAMPLES: Final = 3
"""Fewer samples of a GPU say nothing about it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of one test beside the load of the machine.

    Attributes:
        paused_s: seconds in which something outside had stopped the measuring process.
        biggest: name of the other program that used the processor most; empty where none was looked for.
        gpu: what the GPU did, for a test that was to run on one.
        misplaced: why the test did not run where it should, a clause; empty when it did.
        notes: reasons that the plan already knows of (a test cut to fit a time budget).
    """

    paused_s: float = 0.0
    biggest: str = ""
    gpu: GpuActivity | None = None
    misplaced: str = ""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reasons:
    """Clauses collected on the way; ``fault`` as in Conditions."""

    suspect: list[str] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)
    fault: bool = False

    def add(self, clause: str, *, invalid: bool = False, fault: bool = False) -> None:
        (self.invalid if invalid else self.suspect).append(clause)
        self.fault = self.fault or fault

    def stamped(self) -> Conditions:
        """The worst reasons first."""
        if self.invalid:
            return Conditions(Stamp.INVALID, (*self.invalid, *self.suspect), self.fault)
        return Conditions(Stamp.SUSPECT if self.suspect else Stamp.VALID, tuple(self.suspect), self.fault)


NOTHING_SEEN: Final = Seen()


def judge(samples_s: Sequence[float], others: OtherLoad, power: Power, seen: Seen = NOTHING_SEEN) -> Conditions:
    """The stamp of one test: its repetitions, what others did meanwhile, and where the current came from."""
    reasons = _Reasons(suspect=list(seen.notes))
    if seen.misplaced:
        reasons.add(seen.misplaced, invalid=True, fault=True)
    _interruptions(samples_s, others, seen, reasons)
    _contention(others, seen, reasons)
    _paging(others, reasons)
    _throttling(others, reasons)
    if seen.gpu is not None and seen.gpu.samples >= GPU_SAMPLES:
        _gpu(seen.gpu, reasons)
    if isinstance(power.on_battery, Known) and power.on_battery.value:
        reasons.add("on battery")
    _repetitions(samples_s, reasons)
    return reasons.stamped()


def _interruptions(samples_s: Sequence[float], others: OtherLoad, seen: Seen, reasons: _Reasons) -> None:
    if seen.paused_s > 0:
        heavy = seen.paused_s >= PAUSED_INVALID * sum(samples_s)
        reasons.add(f"the measuring process was paused from outside for {seconds(seen.paused_s)}", invalid=heavy)
    asleep_s = others.asleep_s.or_none() or 0.0
    if asleep_s >= ASLEEP_S:
        reasons.add(f"the computer slept for {seconds(asleep_s)} meanwhile", invalid=True)


def _contention(others: OtherLoad, seen: Seen, reasons: _Reasons) -> None:
    busy, steal = others.others_busy_fraction.or_none() or 0.0, others.steal_fraction.or_none() or 0.0
    if busy >= OTHERS_SUSPECT:
        most = f", most of all {seen.biggest}" if seen.biggest else ""
        reasons.add(f"other programs used {percent(busy)} of the CPU{most}", invalid=busy >= OTHERS_INVALID)
    if steal >= STEAL_SUSPECT:
        reasons.add(
            f"the hypervisor gave {percent(steal)} of the CPU to other machines", invalid=steal >= STEAL_INVALID
        )


def _paging(others: OtherLoad, reasons: _Reasons) -> None:
    """Swapping, and the run's own page faults: a model that does not stay in memory slows real work too."""
    swapped = others.swap_in_bytes.or_none() or 0
    if swapped > 0:
        reasons.add(f"the computer was swapping ({size(swapped)} read back from disk)", invalid=True, fault=True)
    faults, duration_s = others.own_major_faults.or_none(), others.duration_s.or_none()
    if faults is None or not duration_s or faults / duration_s < FAULTS_PER_S_SUSPECT:
        return
    heavy = faults / duration_s >= FAULTS_PER_S_INVALID
    words = f"the model was read from disk during the run ({count(faults)} page faults)"
    reasons.add(words, invalid=heavy, fault=heavy)


def _throttling(others: OtherLoad, reasons: _Reasons) -> None:
    """Throttling; where it held the processor down for long, it slows real work too."""
    events, throttled_s, duration_s = (
        fact.or_none() for fact in (others.throttle_events, others.throttled_s, others.duration_s)
    )
    share = min(1.0, throttled_s / duration_s) if throttled_s is not None and duration_s else 0.0
    heat = others.temperature_c.or_none()
    at = "" if heat is None else f" at {heat:.0f} °C"
    if share >= THROTTLED_INVALID:
        reasons.add(
            f"the processor was throttled for {percent(share)} of the run{at}", invalid=True, fault=True
        )
    elif events:
        reasons.add(f"the processor was throttled {plural(int(events), 'time')}{at}")


def _gpu(gpu: GpuActivity, reasons: _Reasons) -> None:
    if gpu.busy_fraction <= IDLE_GPU:
        reasons.add("no GPU had anything to do, although the model was meant for one", invalid=True, fault=True)
        return
    full = gpu.free_fraction <= SPILL_FREE
    if full and gpu.busy_fraction >= SPILL_BUSY and gpu.memory_busy_fraction <= SPILL_MEMORY_BUSY:
        reasons.add(
            f"the GPU's memory is full, and while the GPU was busy {percent(gpu.busy_fraction)} of the time it used "
            f"that memory only {percent(gpu.memory_busy_fraction)} of it: part of the model lies in main memory",
            invalid=True,
            fault=True,
        )
    if gpu.held_down_by and gpu.held_down_fraction > 0:
        heavy = gpu.held_down_fraction >= THROTTLED_INVALID
        reasons.add(
            f"the GPU was throttled for {percent(gpu.held_down_fraction)} of the run ({', '.join(gpu.held_down_by)})",
            invalid=heavy,
            fault=heavy,
        )


def _repetitions(samples_s: Sequence[float], reasons: _Reasons) -> None:
    """Their spread is that of the speeds, not of the seconds: one run has one spread, wherever it is shown."""
    speeds = [1 / duration_s for duration_s in samples_s]
    spread = relative_spread(speeds)
    if spread is None:
        reasons.add(ONE_REPETITION)
        return
    if spread >= SPREAD_SUSPECT:
        reasons.add(f"the repetitions differ by {percent(spread)}", invalid=spread >= SPREAD_INVALID)
    # The median deviation does not see one repetition in five that stood still; a person sees nothing else.
    uneven = max(samples_s) / min(samples_s)
    if uneven >= UNEVEN_SUSPECT:
        reasons.add(
            f"the slowest repetition took {times(uneven)} as long as the fastest", invalid=uneven >= UNEVEN_INVALID
        )
    fell = fall(speeds)
    if fell is not None:
        reasons.add(f"the speed fell by {percent(fell)} while it ran")


def fall(speeds: Sequence[float]) -> float | None:
    """Share of the speed that was lost while the repetitions ran; None where they did not fall steadily.

    Either the first one stands out (``cold_and_sustained``), or every one of the later half is slower than every one
    of the first half and the slope over all of them reaches ``FELL_SUSPECT``.
    """
    differing = cold_and_sustained(speeds)
    if differing is not None:
        return 1 - differing[1] / differing[0]
    half, trend = len(speeds) // 2, relative_trend(speeds)
    if half < 2 or trend is None or trend > -FELL_SUSPECT:
        return None
    return -trend if max(speeds[-half:]) < min(speeds[:half]) else None


def noted(conditions: Conditions, notes: tuple[str, ...]) -> Conditions:
    """The stamp with reasons that were known beforehand, which make it suspect at best."""
    if not notes:
        return conditions
    stamp = Stamp.SUSPECT if conditions.stamp is Stamp.VALID else conditions.stamp
    return replace(conditions, stamp=stamp, because=(*conditions.because, *notes))


_OTHERS: Final = re.compile(r"other programs used (?:over\s)?(\d+)\s?% of the CPU(?:, most of all (.+))?")


def others_in(conditions: Conditions) -> tuple[float, str] | None:
    """What a stamp says of other programs: the share of all CPUs they used, and which most ("" where unknown).

    Read back from the words of ``judge``, which are all that a stored run keeps of it.
    """
    found = next((match for why in conditions.because if (match := _OTHERS.fullmatch(why))), None)
    return None if found is None else (int(found[1]) / 100, found[2] or "")


def was_throttled(conditions: Conditions) -> bool:
    """Whether a stamp says that the processor or the GPU was held down."""
    return any("was throttled" in why for why in conditions.because)


def disturbance(others: OtherLoad) -> str:
    """What else kept the computer busy meanwhile, as a clause; empty when it was too little to matter."""
    busy, steal = others.others_busy_fraction.or_none() or 0.0, others.steal_fraction.or_none() or 0.0
    if busy >= OTHERS_SUSPECT:
        return f"other programs used {percent(busy)} of the CPU"
    if steal >= STEAL_SUSPECT:
        return f"the hypervisor gave {percent(steal)} of the CPU to other machines"
    return ""


def too_busy(busy_fraction: float, steal_fraction: float, biggest: str) -> str:
    """What to tell before a run that will be disturbed, a sentence; empty when the machine is quiet enough."""
    if busy_fraction >= OTHERS_SUSPECT:
        used = percent(busy_fraction) + " of the CPU" + (f" ({biggest})" if biggest else "")
        return f"Other programs use {used}: close them, or the figures will be too low."
    if steal_fraction >= STEAL_SUSPECT:
        given = percent(steal_fraction)
        return f"The hypervisor gives {given} of the CPU to other machines: the figures will be too low."
    return ""
