"""Limited by overhead: each step holds too little work for its fixed costs."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.numbers import noun, percent, plural, seconds
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence

NEAR_ROOF: Final = 0.60
"""From here on the roof explains the speed."""

SMALL_STEP_S: Final = 0.002
"""Starting and joining the work of a step (kernels on a GPU, threads on a processor, one per operation and layer)
costs from a fraction of a millisecond to a few; ideal steps below 2 ms cannot hide it."""

SMALL_MIXTURE_STEP_S: Final = 0.005
"""A mixture of experts starts several times as many, smaller products per layer (case C10: 17 % of a ceiling that
counts only its bytes)."""

FEW_PROMPT_TOKENS: Final = 128
"""A test prompt this short shares each weight among too few tokens to fill the arithmetic units."""


def apply(evidence: PhaseEvidence) -> Finding | None:
    """Overhead, when an ideal step would be very short and the phase stays well below its roof."""
    share, step_s = evidence.of_ceiling, evidence.ideal_step_s
    if share is None or step_s is None or share >= NEAR_ROOF:
        return None
    if evidence.phase is Phase.PREFILL:
        if evidence.row.n_prompt >= FEW_PROMPT_TOKENS or share >= 0.5:
            return None
        because = (
            f"Prefill reaches {percent(share)} of the arithmetic: {plural(evidence.row.n_prompt, 'token')} at once "
            f"{noun(evidence.row.n_prompt, 'is', 'are')} too few to fill it."
        )
        return Finding(evidence.phase, Limit.OVERHEAD, share, because)
    if step_s >= (SMALL_MIXTURE_STEP_S if evidence.mixture else SMALL_STEP_S):
        return None
    parts = "many small expert products" if evidence.mixture else "the fixed cost of its many small operations"
    because = (
        f"Decode reads {evidence.bytes_words()}, ideally {seconds(step_s)} a token; at {percent(share)} of that speed, "
        f"{parts} take the rest."
    )
    return Finding(evidence.phase, Limit.OVERHEAD, share, because)
