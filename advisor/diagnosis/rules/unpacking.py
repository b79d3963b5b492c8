"""Limited by unpacking: the weights' format costs more than its bytes."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.numbers import bandwidth, percent
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence

UNPACKING_BELOW: Final = 0.60
"""From here on memory itself explains the speed."""

UNPACKING_FROM: Final = 0.10
"""Measured on quiet processors: 32 to 58 % of the read ceiling with the engine's fast layout, about 20 % without it
(physics.md 0.1, 0.4). Below a tenth something else is going on."""

QUANTISED_FROM: Final = 0.5
"""At least half of the bytes must be in a format that has to be unpacked at all."""


def apply(evidence: PhaseEvidence) -> Finding | None:
    """Unpacking, for decode of quantised weights on a processor that stays well below its read ceiling.

    The competing explanation, too few or too many threads, is named; a thread sweep tells them apart.
    """
    share = evidence.of_ceiling
    if evidence.phase is not Phase.DECODE or evidence.on_gpu or share is None:
        return None
    if evidence.bound_by is not Limit.MEMORY or not UNPACKING_FROM <= share < UNPACKING_BELOW:
        return None
    if evidence.quantised_share < QUANTISED_FROM:
        return None
    moved, read = evidence.moved_bytes_per_s, evidence.read_bytes_per_s
    numbers = percent(share)
    if moved is not None and read is not None:
        numbers = f"{bandwidth(moved)} of {bandwidth(read)}, {percent(share)}"
    safe = " Safe mode, without the engine's fast weight layout, adds to it." if evidence.row.safe_mode else ""
    other = "" if len(evidence.sweep) > 1 else " A poor thread count would look alike."
    because = (
        f"Decode moves {numbers} of what the memory delivers: the processor spends the rest unpacking the quantised "
        f"weights.{safe}{other}"
    )
    return Finding(evidence.phase, Limit.UNPACKING, share, because)
