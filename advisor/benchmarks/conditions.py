"""Whether a run can be believed: machine state around it and its own spread -> valid, suspect or invalid, because."""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.model import Conditions, Stamp
from advisor.core.evidence import Known
from advisor.core.numbers import count, percent, plural, size, times
from advisor.core.stats import relative_spread
from advisor.hardware.model import OtherLoad, Power

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
"""Share of the run in which a core or package was held down; below, counted events only make it suspect."""
SPREAD_SUSPECT: Final = 0.05
"""MAD / median of the repetitions' speeds, as every table shows it; llama-bench's own runs on a quiet
machine stay near 0.01."""
SPREAD_INVALID: Final = 0.20
UNEVEN_SUSPECT: Final = 1.5
"""Slowest / fastest repetition; a run that nothing disturbs stays below 1.1, one that heats up below 1.4."""
UNEVEN_INVALID: Final = 3.0


def judge(samples_s: Sequence[float], others: OtherLoad, power: Power, notes: Sequence[str] = ()) -> Conditions:
    """The stamp of one test: its repetitions, what others did meanwhile, and where the current came from.

    Their spread is that of the speeds, not of the seconds: one run has one spread, wherever it is shown.
    ``notes`` are reasons that the plan already knows of (a test cut to fit a time budget); they make it suspect.
    """
    suspect: list[str] = list(notes)
    invalid: list[str] = []
    if isinstance(others.others_busy_fraction, Known):
        busy = others.others_busy_fraction.value
        if busy >= OTHERS_SUSPECT:
            target = invalid if busy >= OTHERS_INVALID else suspect
            target.append(f"other programs used {percent(busy)} of the CPU")
    if isinstance(others.steal_fraction, Known):
        steal = others.steal_fraction.value
        if steal >= STEAL_SUSPECT:
            target = invalid if steal >= STEAL_INVALID else suspect
            target.append(f"the hypervisor gave {percent(steal)} of the CPU to other machines")
    swapping = isinstance(others.swap_in_bytes, Known) and others.swap_in_bytes.value > 0
    if isinstance(others.swap_in_bytes, Known) and swapping:
        invalid.append(f"the computer was swapping ({size(others.swap_in_bytes.value)} read back from disk)")
    paging = _paging(others, suspect, invalid)
    throttled = _throttling(others, suspect, invalid)
    if isinstance(power.on_battery, Known) and power.on_battery.value:
        suspect.append("on battery")
    spread = relative_spread([1 / duration_s for duration_s in samples_s])
    if spread is not None and spread >= SPREAD_SUSPECT:
        target = invalid if spread >= SPREAD_INVALID else suspect
        target.append(f"the repetitions differ by {percent(spread)}")
    if len(samples_s) > 1:
        # The median deviation does not see one repetition in five that stood still; a person sees nothing else.
        uneven = max(samples_s) / min(samples_s)
        if uneven >= UNEVEN_SUSPECT:
            target = invalid if uneven >= UNEVEN_INVALID else suspect
            target.append(f"the slowest repetition took {times(uneven)} as long as the fastest")
    if spread is None:
        suspect.append("only one repetition")
    if invalid:
        return Conditions(Stamp.INVALID, tuple(invalid + suspect), fault=swapping or paging or throttled)
    return Conditions(Stamp.SUSPECT if suspect else Stamp.VALID, tuple(suspect))


def _paging(others: OtherLoad, suspect: list[str], invalid: list[str]) -> bool:
    """Adds the run's own page faults; True where the model does not stay in memory, which slows real work too."""
    faults, duration_s = others.own_major_faults.or_none(), others.duration_s.or_none()
    if faults is None or not duration_s or faults / duration_s < FAULTS_PER_S_SUSPECT:
        return False
    heavy = faults / duration_s >= FAULTS_PER_S_INVALID
    (invalid if heavy else suspect).append(f"the model was read from disk during the run ({count(faults)} page faults)")
    return heavy


def _throttling(others: OtherLoad, suspect: list[str], invalid: list[str]) -> bool:
    """Adds throttling; True where it held the processor down for long, which slows real work too."""
    events, throttled_s, duration_s = (
        fact.or_none() for fact in (others.throttle_events, others.throttled_s, others.duration_s)
    )
    share = min(1.0, throttled_s / duration_s) if throttled_s is not None and duration_s else 0.0
    heat = others.temperature_c.or_none()
    at = "" if heat is None else f" at {heat:.0f} °C"
    if share >= THROTTLED_INVALID:
        invalid.append(f"the processor was throttled for {percent(share)} of the run{at}")
        return True
    if events:
        suspect.append(f"the processor was throttled {plural(int(events), 'time')}{at}")
    return False


def disturbance(others: OtherLoad) -> str:
    """What else kept the computer busy meanwhile, as a clause; empty when it was too little to matter."""
    busy, steal = others.others_busy_fraction.or_none() or 0.0, others.steal_fraction.or_none() or 0.0
    if busy >= OTHERS_SUSPECT:
        return f"other programs used {percent(busy)} of the CPU"
    if steal >= STEAL_SUSPECT:
        return f"the hypervisor gave {percent(steal)} of the CPU to other machines"
    return ""
