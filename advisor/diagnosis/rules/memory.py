"""Limited by memory: the phase runs near the bytes that this machine can read per second."""

from typing import Final

from advisor.benchmarks.phrases import phase_name
from advisor.core.numbers import bandwidth, percent
from advisor.core.translation import tr
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
    name = phase_name(evidence.phase)
    if evidence.at_least:
        because = tr(
            "{phase} reads {bytes} faster than every read probe: the memory is the limit.",
            phase=name, bytes=evidence.bytes_words(),
        )  # fmt: skip
    elif moved is not None and read is not None:
        because = tr(
            "{phase} reads {bytes}, {moved}: {share} of the {read} that this memory delivers.",
            phase=name, bytes=evidence.bytes_words(), moved=bandwidth(moved), share=of, read=bandwidth(read),
        )  # fmt: skip
    else:
        because = tr("{phase} runs at {share} of what this memory allows.", phase=name, share=of)
    return Finding(evidence.phase, Limit.MEMORY, evidence.of_ceiling, because)
