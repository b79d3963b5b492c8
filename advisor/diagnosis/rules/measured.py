"""What limits a phase by its own waterfall: the largest measured part of the step, where the parts explain it."""

from typing import Final

from advisor.benchmarks.model import Phase, Stamp
from advisor.core.numbers import percent, seconds
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence
from advisor.diagnosis.waterfall import EXPLAINED_FROM, LARGE_SHARE, Part, Waterfall

NEAR_ROOF: Final = 0.60
"""From this share of its roof on a phase is limited by the roof itself, whatever else it spends."""


def apply(evidence: PhaseEvidence) -> Finding | None:
    """Unpacking or overhead, measured on their own; the roofs themselves are left to their rules."""
    found = evidence.waterfall
    if found is None or evidence.conditions.stamp is Stamp.INVALID or found.explained < EXPLAINED_FROM:
        return None
    ideal = found.share(Part.RATED, Part.READING, Part.ARITHMETIC)
    largest = found.largest
    if ideal >= NEAR_ROOF or found.share(largest) < LARGE_SHARE:
        return None
    if largest is Part.UNPACKING and evidence.quantised and not evidence.on_gpu:
        return Finding(evidence.phase, Limit.UNPACKING, evidence.of_ceiling, _unpacking(evidence, found))
    if largest is Part.OVERHEAD:
        return Finding(evidence.phase, Limit.OVERHEAD, evidence.of_ceiling, _overhead(evidence, found))
    return None


def _unpacking(evidence: PhaseEvidence, found: Waterfall) -> str:
    matrices_s = found.step_s * found.share(Part.RATED, Part.READING, Part.ARITHMETIC, Part.UNPACKING)
    ideal_s = found.step_s * found.share(Part.RATED, Part.READING, Part.ARITHMETIC)
    safe = " Safe mode, without the engine's fast weight layout, adds to it." if evidence.row.safe_mode else ""
    if evidence.phase is Phase.DECODE:
        ideal = f"of which reading alone would take {seconds(ideal_s)}: the processor spends the rest unpacking"
        return (
            f"Of the {seconds(found.step_s)} of a token the products with the weights, measured alone, take "
            f"{seconds(matrices_s)}, {ideal} the quantised weights.{safe}"
        )
    return (
        f"Of the {seconds(found.step_s)} of the prompt the products in this file's own formats, measured alone, take "
        f"{seconds(matrices_s)}; the fastest product here would need {seconds(ideal_s)}: the weights' format is the "
        f"limit.{safe}"
    )


def _overhead(evidence: PhaseEvidence, found: Waterfall) -> str:
    what = "a token" if evidence.phase is Phase.DECODE else "the prompt"
    return (
        f"Small operations, measured alone, take {percent(found.share(Part.OVERHEAD))} of the "
        f"{seconds(found.step_s)} of {what}: their fixed costs are the limit."
    )
