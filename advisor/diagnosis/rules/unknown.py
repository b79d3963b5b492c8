"""The honest last resort: the phase is measured, but what limits it is not told by the evidence at hand."""

from advisor.benchmarks.phrases import phase_name
from advisor.core.evidence import Unknown
from advisor.core.numbers import percent
from advisor.core.translation import tr
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence


def apply(evidence: PhaseEvidence) -> Finding:
    """Always a finding, with what is known."""
    name, speed = phase_name(evidence.phase), evidence.row.speed_words
    if isinstance(evidence.ceiling, Unknown):
        because = tr(
            "{phase} runs at {speed}; what limits it is unknown, because {why}.",
            phase=name, speed=speed, why=evidence.ceiling.reason,
        )  # fmt: skip
    else:
        because = tr(
            "{phase} reaches {share} of its ceiling ({speed}); what takes the rest is not separated by these "
            "measurements.",
            phase=name, share=percent(evidence.of_ceiling or 0.0), speed=speed,
        )  # fmt: skip
    return Finding(evidence.phase, Limit.UNKNOWN, evidence.of_ceiling, because)
