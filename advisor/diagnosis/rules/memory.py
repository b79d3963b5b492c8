"""Limited by memory: the phase runs near the bytes that this machine can read per second."""

from typing import Final

from advisor.core.numbers import bandwidth, percent
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence

MEMORY_FROM: Final = 0.60
"""Published memory-limited decodes reach 64 to 92 % of the bandwidth (cases C09, C15; physics.md 7), decodes held up
by unpacking 32 to 58 % (physics.md 0.4)."""


def apply(evidence: PhaseEvidence) -> Finding | None:
    """Memory, when the memory roof is the lower one and the phase is near it."""
    if evidence.bound_by is not Limit.MEMORY or evidence.of_ceiling is None or evidence.of_ceiling < MEMORY_FROM:
        return None
    of = percent(evidence.of_ceiling)
    read = evidence.read_bytes_per_s
    moved = evidence.moved_bytes_per_s
    name = evidence.phase.capitalize()
    if evidence.at_least:
        because = f"{name} reads {evidence.bytes_words()} faster than every read probe: the memory is the limit."
    elif moved is not None and read is not None:
        because = (
            f"{name} reads {evidence.bytes_words()}, {bandwidth(moved)}: {of} of the {bandwidth(read)} that this "
            "memory delivers."
        )
    else:
        because = f"{name} runs at {of} of what this memory allows."
    return Finding(evidence.phase, Limit.MEMORY, evidence.of_ceiling, because)
