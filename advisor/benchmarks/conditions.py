"""Whether a run can be believed: machine state around it and its own spread -> valid, suspect or invalid, because."""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.model import Conditions, Stamp
from advisor.core.evidence import Known
from advisor.core.numbers import percent, size
from advisor.core.stats import relative_spread
from advisor.hardware.model import OtherLoad, Power

OTHERS_SUSPECT: Final = 0.10
"""Share of all CPUs used by other programs: with more, figures on two cores were seen 10 to 40 % low."""
OTHERS_INVALID: Final = 0.40
STEAL_SUSPECT: Final = 0.05
"""Share of CPU time that the hypervisor gave to others."""
STEAL_INVALID: Final = 0.25
SPREAD_SUSPECT: Final = 0.05
"""MAD / median of the repetitions' speeds, as every table shows it; llama-bench's own runs on a quiet
machine stay near 0.01."""
SPREAD_INVALID: Final = 0.20


def judge(samples_s: Sequence[float], others: OtherLoad, power: Power) -> Conditions:
    """The stamp of one test: its repetitions, what others did meanwhile, and where the current came from.

    Their spread is that of the speeds, not of the seconds: one run has one spread, wherever it is shown.
    """
    suspect: list[str] = []
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
    if isinstance(power.on_battery, Known) and power.on_battery.value:
        suspect.append("on battery")
    spread = relative_spread([1 / duration_s for duration_s in samples_s])
    if spread is not None and spread >= SPREAD_SUSPECT:
        target = invalid if spread >= SPREAD_INVALID else suspect
        target.append(f"the repetitions differ by {percent(spread)}")
    if spread is None:
        suspect.append("only one repetition")
    if invalid:
        return Conditions(Stamp.INVALID, tuple(invalid + suspect), fault=swapping)
    return Conditions(Stamp.SUSPECT if suspect else Stamp.VALID, tuple(suspect))
