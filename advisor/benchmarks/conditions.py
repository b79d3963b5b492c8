"""Whether a run can be believed: machine state around it and its own spread -> valid, suspect or invalid, because."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from advisor.benchmarks.model import Cause, Conditions, Stamp
from advisor.benchmarks.steadiness import cold_and_sustained
from advisor.core.evidence import Known
from advisor.core.numbers import count, percent, seconds, size, times
from advisor.core.retelling import retold
from advisor.core.stats import relative_spread, relative_trend
from advisor.core.translation import ENGLISH, language, tr, trn
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
SWAP_PAGE_BYTES: Final = 4096
SWAPPED_PER_S_SUSPECT: Final = 10.0
"""Pages from swap per second, for whichever program: fewer are one in the background, as a desktop with swap in use
always has. The run itself is slowed as by any page from disk, so that it is invalid at ``FAULTS_PER_S_INVALID``."""
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
    """Causes and clauses collected on the way; the rest as in Conditions."""

    suspect: list[tuple[Cause, str]] = field(default_factory=list)
    invalid: list[tuple[Cause, str]] = field(default_factory=list)
    fault: bool = False
    others_fraction: float = 0.0
    biggest: str = ""

    def add(self, cause: Cause, clause: str, *, invalid: bool = False, fault: bool = False) -> None:
        (self.invalid if invalid else self.suspect).append((cause, clause))
        self.fault = self.fault or fault

    def stamped(self) -> Conditions:
        """The worst reasons first."""
        reasons = (*self.invalid, *self.suspect)
        return Conditions(
            Stamp.INVALID if self.invalid else Stamp.SUSPECT if self.suspect else Stamp.VALID,
            tuple(clause for _, clause in reasons),
            self.fault,
            tuple(cause for cause, _ in reasons),
            self.others_fraction,
            self.biggest,
        )


NOTHING_SEEN: Final = Seen()


def judge(samples_s: Sequence[float], others: OtherLoad, power: Power, seen: Seen = NOTHING_SEEN) -> Conditions:
    """The stamp of one test: its repetitions, what others did meanwhile, and where the current came from."""
    reasons = _Reasons(suspect=[(Cause.PLANNED, note) for note in seen.notes])
    if seen.misplaced:
        reasons.add(Cause.MISPLACED, seen.misplaced, invalid=True, fault=True)
    _interruptions(samples_s, others, seen, reasons)
    _contention(others, seen, reasons)
    _paging(others, reasons)
    _throttling(others, reasons)
    if seen.gpu is not None and seen.gpu.samples >= GPU_SAMPLES:
        _gpu(seen.gpu, reasons)
    if isinstance(power.on_battery, Known) and power.on_battery.value:
        reasons.add(Cause.BATTERY, tr("on battery"))
    _repetitions(samples_s, reasons)
    return reasons.stamped()


def _interruptions(samples_s: Sequence[float], others: OtherLoad, seen: Seen, reasons: _Reasons) -> None:
    if seen.paused_s > 0:
        heavy = seen.paused_s >= PAUSED_INVALID * sum(samples_s)
        words = tr("the measuring process was paused from outside for {time}", time=seconds(seen.paused_s))
        reasons.add(Cause.PAUSED, words, invalid=heavy)
    asleep_s = others.asleep_s.or_none() or 0.0
    if asleep_s >= ASLEEP_S:
        words = tr("the computer slept for {time} meanwhile", time=seconds(asleep_s))
        reasons.add(Cause.ASLEEP, words, invalid=True)


def _contention(others: OtherLoad, seen: Seen, reasons: _Reasons) -> None:
    busy, steal = others.others_busy_fraction.or_none() or 0.0, others.steal_fraction.or_none() or 0.0
    if busy >= OTHERS_SUSPECT:
        words = _others_used(busy)
        if seen.biggest:
            words = tr(
                "other programs used {share} of the CPU, most of all {name}", share=percent(busy), name=seen.biggest
            )
        reasons.add(Cause.OTHERS, words, invalid=busy >= OTHERS_INVALID)
        reasons.others_fraction, reasons.biggest = busy, seen.biggest
    if steal >= STEAL_SUSPECT:
        reasons.add(Cause.HYPERVISOR, _given_away(steal), invalid=steal >= STEAL_INVALID)


def _others_used(busy: float) -> str:
    return tr("other programs used {share} of the CPU", share=percent(busy))


def _given_away(steal: float) -> str:
    return tr("the hypervisor gave {share} of the CPU to other machines", share=percent(steal))


def _paging(others: OtherLoad, reasons: _Reasons) -> None:
    """Swapping, and the run's own page faults: a model that does not stay in memory slows real work too."""
    faults, duration_s = others.own_major_faults.or_none(), others.duration_s.or_none()
    swapped = others.swap_in_bytes.or_none() or 0
    pages_per_s = swapped / SWAP_PAGE_BYTES / duration_s if duration_s else float("inf")
    if swapped > 0 and pages_per_s >= SWAPPED_PER_S_SUSPECT:
        heavy = pages_per_s >= FAULTS_PER_S_INVALID
        words = tr("the computer was swapping ({size} read back from disk)", size=size(swapped))
        reasons.add(Cause.SWAPPING, words, invalid=heavy, fault=heavy)
    if faults is None or not duration_s or faults / duration_s < FAULTS_PER_S_SUSPECT:
        return
    heavy = faults / duration_s >= FAULTS_PER_S_INVALID
    words = tr("the model was read from disk during the run ({n} page faults)", n=count(faults))
    reasons.add(Cause.PAGING, words, invalid=heavy, fault=heavy)


def _throttling(others: OtherLoad, reasons: _Reasons) -> None:
    """Throttling; where it held the processor down for long, it slows real work too."""
    events, throttled_s, duration_s = (
        fact.or_none() for fact in (others.throttle_events, others.throttled_s, others.duration_s)
    )
    share = min(1.0, throttled_s / duration_s) if throttled_s is not None and duration_s else 0.0
    heat = others.temperature_c.or_none()
    if share >= THROTTLED_INVALID:
        words = tr("the processor was throttled for {share} of the run", share=percent(share))
        if heat is not None:
            words = tr(
                "the processor was throttled for {share} of the run at {heat} °C",
                share=percent(share), heat=count(heat),
            )  # fmt: skip
        reasons.add(Cause.THROTTLED, words, invalid=True, fault=True)
    elif events:
        reasons.add(Cause.THROTTLED, _throttled_times(int(events), heat))


def _throttled_times(events: int, heat: float | None) -> str:
    if heat is None:
        return trn(
            "the processor was throttled {n}\u00a0time", "the processor was throttled {n}\u00a0times",
            events, n=count(events),
        )  # fmt: skip
    return trn(
        "the processor was throttled {n}\u00a0time at {heat} °C",
        "the processor was throttled {n}\u00a0times at {heat} °C",
        events, n=count(events), heat=count(heat),
    )  # fmt: skip


def _gpu(gpu: GpuActivity, reasons: _Reasons) -> None:
    if gpu.busy_fraction <= IDLE_GPU:
        words = tr("no GPU had anything to do, although the model was meant for one")
        reasons.add(Cause.GPU_IDLE, words, invalid=True, fault=True)
        return
    full = gpu.free_fraction <= SPILL_FREE
    if full and gpu.busy_fraction >= SPILL_BUSY and gpu.memory_busy_fraction <= SPILL_MEMORY_BUSY:
        words = tr(
            "the GPU's memory is full, and while the GPU was busy {busy} of the time it used "
            "that memory only {used} of it: part of the model lies in main memory",
            busy=percent(gpu.busy_fraction), used=percent(gpu.memory_busy_fraction),
        )  # fmt: skip
        reasons.add(Cause.SPILLED, words, invalid=True, fault=True)
    if gpu.held_down_by and gpu.held_down_fraction > 0:
        heavy = gpu.held_down_fraction >= THROTTLED_INVALID
        words = tr(
            "the GPU was throttled for {share} of the run ({reasons})",
            share=percent(gpu.held_down_fraction), reasons=", ".join(gpu.held_down_by),
        )  # fmt: skip
        reasons.add(Cause.THROTTLED, words, invalid=heavy, fault=heavy)


def _repetitions(samples_s: Sequence[float], reasons: _Reasons) -> None:
    """Their spread is that of the speeds, not of the seconds: one run has one spread, wherever it is shown."""
    speeds = [1 / duration_s for duration_s in samples_s]
    spread = relative_spread(speeds)
    if spread is None:
        reasons.add(Cause.ONE_REPETITION, tr("only one repetition"))
        return
    if spread >= SPREAD_SUSPECT:
        words = tr("the repetitions differ by {share}", share=percent(spread))
        reasons.add(Cause.SPREAD, words, invalid=spread >= SPREAD_INVALID)
    # The median deviation does not see one repetition in five that stood still; a person sees nothing else.
    uneven = max(samples_s) / min(samples_s)
    if uneven >= UNEVEN_SUSPECT:
        words = tr("the slowest repetition took {times} as long as the fastest", times=times(uneven))
        reasons.add(Cause.UNEVEN, words, invalid=uneven >= UNEVEN_INVALID)
    fell = fall(speeds)
    if fell is not None:
        reasons.add(Cause.FELL, tr("the speed fell by {share} while it ran", share=percent(fell)))


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
    causes = (*causes_of(conditions), *(Cause.PLANNED for _ in notes))
    return replace(conditions, stamp=stamp, because=(*conditions.because, *notes), causes=causes)


_OTHERS: Final = re.compile(r"other programs used (?:over\s)?(\d+)\s?% of the CPU(?:, most of all (.+))?")
"""As versions before ``Conditions.causes`` said it; read in English, whatever language it is told in now."""


def causes_of(conditions: Conditions) -> tuple[Cause, ...]:
    """What each clause of a stamp is about; of a result of an older version those that anything depends on."""
    return conditions.causes or tuple(_older(why) for why in retold(conditions.because, ENGLISH, language()))


def _older(why: str) -> Cause:
    if _OTHERS.fullmatch(why):
        return Cause.OTHERS
    if "was throttled" in why:
        return Cause.THROTTLED
    return Cause.ONE_REPETITION if why == "only one repetition" else Cause.PLANNED


def others_in(conditions: Conditions) -> tuple[float, str] | None:
    """What a stamp says of other programs: the share of all CPUs they used, and which most ("" where unknown)."""
    if conditions.others_fraction:
        return conditions.others_fraction, conditions.biggest
    said = retold(conditions.because, ENGLISH, language())
    found = next((match for why in said if (match := _OTHERS.fullmatch(why))), None)
    return None if found is None else (int(found[1]) / 100, found[2] or "")


def was_throttled(conditions: Conditions) -> bool:
    """Whether a stamp says that the processor or the GPU was held down."""
    return Cause.THROTTLED in causes_of(conditions)


def disturbance(others: OtherLoad) -> str:
    """What else kept the computer busy meanwhile, as a clause; empty when it was too little to matter."""
    busy, steal = others.others_busy_fraction.or_none() or 0.0, others.steal_fraction.or_none() or 0.0
    if busy >= OTHERS_SUSPECT:
        return _others_used(busy)
    return _given_away(steal) if steal >= STEAL_SUSPECT else ""


def too_busy(busy_fraction: float, steal_fraction: float, biggest: str) -> str:
    """What to tell before a run that will be disturbed, a sentence; empty when the machine is quiet enough."""
    if busy_fraction >= OTHERS_SUSPECT:
        share = percent(busy_fraction)
        if biggest:
            return tr(
                "Other programs use {share} of the CPU ({name}): close them, or the figures will be too low.",
                share=share, name=biggest,
            )  # fmt: skip
        return tr("Other programs use {share} of the CPU: close them, or the figures will be too low.", share=share)
    if steal_fraction >= STEAL_SUSPECT:
        return tr(
            "The hypervisor gives {share} of the CPU to other machines: the figures will be too low.",
            share=percent(steal_fraction),
        )
    return ""
