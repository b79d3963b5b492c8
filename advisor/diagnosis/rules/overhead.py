"""Limited by overhead: each step holds too little work for its fixed costs."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import tokens
from advisor.core.numbers import percent, seconds
from advisor.core.translation import tr, trn
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
        because = trn(
            "Prefill reaches {share} of the arithmetic: {prompt} at once is too few to fill it.",
            "Prefill reaches {share} of the arithmetic: {prompt} at once are too few to fill it.",
            evidence.row.n_prompt, share=percent(share), prompt=tokens(evidence.row.n_prompt),
        )  # fmt: skip
        return Finding(evidence.phase, Limit.OVERHEAD, share, because)
    if step_s >= (SMALL_MIXTURE_STEP_S if evidence.mixture else SMALL_STEP_S):
        return None
    values = {"bytes": evidence.bytes_words(), "ideal": seconds(step_s), "share": percent(share)}
    because = (
        tr("Decode reads {bytes}, ideally {ideal} a token; at {share} of that speed, many small expert products take "
           "the rest.", **values)
        if evidence.mixture
        else tr("Decode reads {bytes}, ideally {ideal} a token; at {share} of that speed, the fixed cost of its many "
                "small operations take the rest.", **values)
    )  # fmt: skip
    return Finding(evidence.phase, Limit.OVERHEAD, share, because)
