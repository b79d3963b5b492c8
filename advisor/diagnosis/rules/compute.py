"""Limited by compute: the phase runs near the arithmetic that this machine can do per second."""

from typing import Final

from advisor.benchmarks.phrases import phase_name
from advisor.core.numbers import flop_rate, percent
from advisor.core.translation import tr
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence

COMPUTE_FROM: Final = 0.50
"""A whole prefill also normalises, rotates, copies and attends; half of what bare matrix products reach is what a
well-built engine gets on small models, and large ones reach 80 % and more."""


def apply(evidence: PhaseEvidence) -> Finding | None:
    """Compute, when the arithmetic roof is the lower one and the phase is near it."""
    if evidence.bound_by is not Limit.COMPUTE or evidence.of_ceiling is None or evidence.of_ceiling < COMPUTE_FROM:
        return None
    name, share = phase_name(evidence.phase), percent(evidence.of_ceiling)
    done, best = evidence.computed_flop_per_s, evidence.best_flop_per_s
    if evidence.format_is_slower and done is not None and best is not None and done < COMPUTE_FROM * best:
        return None  # other products are much faster here: the format holds it up, and its rule says so
    if evidence.at_least:
        because = tr(
            "{phase} computes faster than every bare matrix product tried: the arithmetic is the limit.", phase=name
        )
    elif done is not None:
        because = tr(
            "{phase} does {done} of useful arithmetic: {share} of the {ceiling} that matrix products reach here.",
            phase=name, done=flop_rate(done), share=share, ceiling=evidence.compute_words(),
        )  # fmt: skip
    else:
        because = tr("{phase} runs at {share} of what this machine's arithmetic allows.", phase=name, share=share)
    return Finding(evidence.phase, Limit.COMPUTE, evidence.of_ceiling, because)
