"""What limits a phase by its own waterfall: the largest measured part of the step, where the parts explain it."""

from typing import Final

from advisor.benchmarks.model import Phase, Stamp
from advisor.benchmarks.phrases import safe_mode_words
from advisor.core.numbers import percent, seconds
from advisor.core.translation import tr
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
    values = {
        "step": seconds(found.step_s),
        "products": seconds(found.step_s * found.share(Part.RATED, Part.READING, Part.ARITHMETIC, Part.UNPACKING)),
        "ideal": seconds(found.step_s * found.share(Part.RATED, Part.READING, Part.ARITHMETIC)),
        "safe": safe_mode_words() if evidence.row.safe_mode else "",
    }
    if evidence.phase is Phase.DECODE:
        return tr(
            "Of the {step} of a token the products with the weights, measured alone, take {products}, of which reading "
            "alone would take {ideal}: the processor spends the rest unpacking the quantised weights.{safe}", **values,
        )  # fmt: skip
    return tr(
        "Of the {step} of the prompt the products in this file's own formats, measured alone, take {products}; the "
        "fastest product here would need {ideal}: the weights' format is the limit.{safe}", **values,
    )  # fmt: skip


def _overhead(evidence: PhaseEvidence, found: Waterfall) -> str:
    share, step = percent(found.share(Part.OVERHEAD)), seconds(found.step_s)
    if evidence.phase is Phase.DECODE:
        return tr(
            "Small operations, measured alone, take {share} of the {step} of a token: their fixed costs are the limit.",
            share=share, step=step,
        )  # fmt: skip
    return tr(
        "Small operations, measured alone, take {share} of the {step} of the prompt: their fixed costs are the limit.",
        share=share, step=step,
    )  # fmt: skip
