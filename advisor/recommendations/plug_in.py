"""Plug in: on battery, and in a saving profile, both phases run below what the machine can do."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis
from advisor.core.numbers import times_range
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import from_factors

ID: Final = "plug-in"

LOW: Final = 1.0
MIDDLE: Final = 1.4
HIGH: Final = 2.2
"""One laptop by power profile (case C25): against the fastest, "balanced" was 1.05 times slower, "power saver" 1.4 and
"low power saver" 2.2 at prefill and 2.0 at decode."""

SAVING_WORDS: Final = ("saver", "saving", "battery", "low")
"""What profiles that hold a machine back are called ("power-saver", "low_power_saver", "Battery saver")."""


def predict(evidence: Evidence) -> Advice | None:
    """For a machine on battery or in a saving profile; nothing where neither is known."""
    power = evidence.machine.power
    profile = power.profile.or_none() or ""
    saving_profile = any(word in profile.lower() for word in SAVING_WORDS)
    if power.on_battery.or_none() is not True and not saving_profile:
        return None
    prefill = evidence.timeline.wait_s >= evidence.timeline.stream_s
    phase, other = (Phase.PREFILL, Phase.DECODE) if prefill else (Phase.DECODE, Phase.PREFILL)
    saving = from_factors(evidence.cost_s(phase), LOW, MIDDLE, HIGH)
    rest = from_factors(evidence.cost_s(other), LOW, MIDDLE, HIGH)
    seen = "on battery" if power.on_battery.or_none() else "on mains power"
    named = f", profile “{profile}”" if profile else ""
    return Advice(
        id=ID,
        phase=phase,
        title="Plug in" if not saving_profile else "Plug in and leave the saving profile",
        detail=f"Both phases {times_range(LOW, HIGH)} as fast. Measure again afterwards: all other figures change.",
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=(HowTo("the computer", "Connect the power supply and choose the “performance” or “balanced” profile."),),
        cost="heat and fan noise",
        undo="choose the former profile",
        evidence=f"The run was made {seen}{named}; one laptop elsewhere ran 1.05 to 2.2 times slower in such profiles.",
        other_saved_s=rest.middle_s,
    )
