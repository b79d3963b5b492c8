"""The honest last resort: the phase is measured, but what limits it is not told by the evidence at hand."""

from advisor.core.evidence import Unknown
from advisor.core.numbers import percent
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence


def apply(evidence: PhaseEvidence) -> Finding:
    """Always a finding, with what is known."""
    name = evidence.phase.capitalize()
    if isinstance(evidence.ceiling, Unknown):
        because = (
            f"{name} runs at {evidence.row.speed_words}; what limits it is unknown, because "
            f"{evidence.ceiling.reason}."
        )
    else:
        share = percent(evidence.of_ceiling or 0.0)
        because = (
            f"{name} reaches {share} of its ceiling ({evidence.row.speed_words}); what takes the rest is not "
            "separated by these measurements."
        )
    return Finding(evidence.phase, Limit.UNKNOWN, evidence.of_ceiling, because)
