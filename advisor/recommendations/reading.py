"""Which part of the wait some of a prompt's tokens cost, by the kernel table: the last ones attend to all others."""

from advisor.benchmarks.model import Phase
from advisor.ceilings.predict import prefill
from advisor.core.evidence import Known
from advisor.recommendations.evidence import Evidence


def share_of_wait(evidence: Evidence, tokens: int, behind: int = 0) -> float | None:
    """Seconds of reading ``tokens`` (at least 1) with ``behind`` before them ÷ those of the workload's whole prompt.

    None where the kernels are not measured.
    """
    table = evidence.kernels(Phase.PREFILL)
    if table is None:
        return None
    whole = prefill(evidence.model, table, evidence.workload.prompt_tokens)
    part = prefill(evidence.model, table, tokens, behind)
    if not isinstance(whole, Known) or not isinstance(part, Known):
        return None
    return part.value.total_s / whole.value.total_s
