"""Faster memory: for a decode that is limited by it, tokens follow bandwidth one to one."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis, Known
from advisor.core.numbers import bandwidth, size
from advisor.diagnosis.model import Limit, Problem
from advisor.hardware import channels
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import from_factors

ID: Final = "faster-memory"

LOW: Final = 1.05
MIDDLE: Final = 1.3
HIGH: Final = 1.9
"""From setting the modules' rated speed to filling an empty second channel, which about doubles the bandwidth."""


def predict(evidence: Evidence) -> Advice | None:
    """Only where decode is the problem, memory limits it, and this is a machine whose modules can be changed."""
    if evidence.verdict.problem is not Problem.DECODE or evidence.runs_on_gpu:
        return None
    if evidence.limit(Phase.DECODE) is not Limit.MEMORY or isinstance(evidence.machine.cpu.virtual_machine, Known):
        return None
    seen = channels.notes(evidence.machine.memory.modules)
    if evidence.machine.memory.modules and not seen:
        return None  # all channels are filled and run at the modules' rating, or the memory is soldered
    saving = from_factors(evidence.timeline.stream_s, LOW, MIDDLE, HIGH)
    read = None if evidence.ceilings is None else evidence.ceilings.read_bytes_per_s.or_none()
    traffic = evidence.traffic
    numbers = ""
    if read is not None and traffic is not None:
        numbers = f" {bandwidth(read)} ÷ {size(traffic.step_bytes())} per token is the limit of writing here."
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title="Make the memory faster: second module, rated speed",
        detail="Writing follows the memory's bandwidth one to one. "
        + (" ".join(seen) or "Look whether a channel is empty or a profile is off."),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=(
            HowTo("firmware setup", "Switch on the modules' rated speed (XMP or EXPO)."),
            HowTo("the computer", "Fill both memory channels with equal modules."),
        ),
        cost="nothing for the setting; money for modules, which some laptops have soldered",
        undo="switch the profile off",
        evidence=(
            f"{evidence.verdict.decode.because}{numbers} Decode: "
            f"{evidence.timeline.decode_speed}."
        ),
        costs_money=True,
    )
