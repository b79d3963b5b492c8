"""Limited by the memory that the other layers lie in: a step is the sum over the devices, and the slow one sets it."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Known
from advisor.core.numbers import size
from advisor.core.translation import tr
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence

SET_BY_THE_SLOW_ONE: Final = 0.60
"""From here on the ceiling explains the speed."""


def apply(evidence: PhaseEvidence) -> Finding | None:
    """Memory, for a decode whose layers lie on a card and in main memory; another machine is not told apart from it."""
    share = evidence.of_ceiling
    if evidence.phase is not Phase.DECODE or not evidence.off_the_card or "RPC" in evidence.row.device:
        return None
    if share is not None and share >= SET_BY_THE_SLOW_ONE:
        return None
    rooms = [gpu.memory_total_bytes for gpu in evidence.machine.gpus if not gpu.shares_memory.or_none()]
    known = [room.value for room in rooms if isinstance(room, Known)]
    weights = evidence.model.weights_bytes
    if known and len(known) == len(rooms) and weights > sum(known):
        because = tr(
            "The weights take {weights} and the graphics memory holds {room}: the processor works on the rest from "
            "main memory, which sets the pace.",
            weights=size(weights), room=size(sum(known)),
        )  # fmt: skip
    else:
        because = tr(
            "Of {bytes} a part lies on the processor ({device}): the main memory sets the pace.",
            bytes=evidence.bytes_words(), device=evidence.row.device,
        )  # fmt: skip
    return Finding(evidence.phase, Limit.MEMORY, share, because)
