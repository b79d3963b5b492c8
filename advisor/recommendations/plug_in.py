"""Plug in: on battery, and in a saving profile, both phases run below what the machine can do."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis
from advisor.core.numbers import times_range
from advisor.core.translation import tr
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
    return Advice(
        id=ID,
        phase=phase,
        title=tr("Plug in") if not saving_profile else tr("Plug in and leave the saving profile"),
        detail=tr(
            "Both phases {gain} as fast. Measure again afterwards: all other figures change.",
            gain=times_range(LOW, HIGH),
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=(HowTo(
            tr("the computer"), tr("Connect the power supply and choose the “performance” or “balanced” profile.")
        ),),
        cost=tr("heat and fan noise"),
        undo=tr("choose the former profile"),
        evidence=_seen(profile, on_battery=bool(power.on_battery.or_none())),
        other_saved_s=rest.middle_s,
    )


def _seen(profile: str, *, on_battery: bool) -> str:
    named = tr(", profile “{profile}”", profile=profile) if profile else ""
    if on_battery:
        return tr(
            "The run was made on battery{profile}; one laptop elsewhere ran 1.05 to 2.2 times slower in such profiles.",
            profile=named,
        )  # fmt: skip
    return tr(
        "The run was made on mains power{profile}; one laptop elsewhere ran 1.05 to 2.2 times slower in such profiles.",
        profile=named,
    )  # fmt: skip
