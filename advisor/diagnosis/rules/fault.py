"""Something is wrong: the figures cannot be explained by any roof, so nothing should be bought or tuned yet."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.numbers import percent, size, speed
from advisor.core.translation import tr
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence

GPU_DECODE_BELOW: Final = 0.40
"""Dense decode on a GPU normally reaches 60 to 95 % of its bandwidth; published faults (driver, Resizable BAR, spill
into main memory) lie at 10 to 20 % (cases C31, C32). 40 % leaves room for slow kernels on both sides."""

CPU_DECODE_BELOW: Final = 0.05
"""Unpacking leaves a processor 10 to 60 % of the read ceiling (physics.md 0.1, 0.4; the low end without the engine's
fast layout). Below half of that, threads stand in each other's way (2 to 80 times too slow in case C18) or another
program holds the cores."""

SMALL_STEP_S: Final = 0.002
"""Below 2 ms of ideal time per token fixed costs of a step dominate, which is no fault."""

BATCHED_FROM: Final = 64
"""Prompt tokens from which a weight read is shared by so many that prefill must beat decode."""

CLEARLY_SLOWER: Final = 0.8
"""A fifth below decode is beyond the spread of a believable run."""


def apply(evidence: PhaseEvidence) -> Finding | None:
    """A fault with its numbers and what else could explain it, or nothing."""
    because = _bad_state(evidence) or _spill(evidence) or _slow_decode(evidence) or _unbatched(evidence)
    if not because:
        return None
    return Finding(evidence.phase, Limit.FAULT, evidence.of_ceiling, because)


def _bad_state(evidence: PhaseEvidence) -> str:
    """The machine itself was in a state that slows every use (swapping), unlike a busy neighbour during the run."""
    if not evidence.conditions.fault:
        return ""
    return tr("While {test} ran, {why}.", test=evidence.row.test, why="; ".join(evidence.conditions.because))


def _spill(evidence: PhaseEvidence) -> str:
    """The weights are larger than the memory they should lie in, so each token fetches a part from elsewhere."""
    weights = evidence.model.weights_bytes
    if evidence.off_the_card:
        return ""  # it lies elsewhere on purpose
    if evidence.on_gpu:
        held = [gpu.memory_total_bytes.or_none() for gpu in evidence.machine.gpus if not gpu.shares_memory.or_none()]
        room = sum(total for total in held if total is not None) if held and None not in held else None
    else:
        room = evidence.machine.memory.total_bytes.or_none()
    slow = evidence.of_ceiling is None or evidence.of_ceiling < GPU_DECODE_BELOW
    if evidence.phase is not Phase.DECODE or room is None or weights <= room or not slow:
        return ""
    values = {"weights": size(weights), "room": size(room), "speed": evidence.row.speed_words}
    if evidence.on_gpu:
        return tr(
            "The weights take {weights} and the GPU memory holds {room}: each token fetches the rest from a slower "
            "place, which is why decode writes only {speed}.", **values,
        )  # fmt: skip
    return tr(
        "The weights take {weights} and the main memory holds {room}: each token fetches the rest from a slower place, "
        "which is why decode writes only {speed}.", **values,
    )  # fmt: skip


def _slow_decode(evidence: PhaseEvidence) -> str:
    if evidence.phase is not Phase.DECODE or evidence.of_ceiling is None or evidence.ideal_step_s is None:
        return ""
    if evidence.mixture or evidence.off_the_card or evidence.ideal_step_s < SMALL_STEP_S:
        return ""
    if evidence.of_ceiling >= (GPU_DECODE_BELOW if evidence.on_gpu else CPU_DECODE_BELOW):
        return ""
    if evidence.on_gpu:
        causes = tr(
            "a driver or engine fault, layers left off the GPU, or a spill into main memory; an engine without a fast "
            "path for this weight format would look the same"
        )
    else:
        causes = tr("more threads than free cores, another program, or throttling")
    return tr(
        "Decode reads {bytes} and reaches only {share} of the memory's speed ({speed}), too little for the hardware to "
        "be the reason: {causes}.",
        bytes=evidence.bytes_words(), share=percent(evidence.of_ceiling), speed=evidence.row.speed_words, causes=causes,
    )  # fmt: skip


def _unbatched(evidence: PhaseEvidence) -> str:
    other = evidence.other_tokens_per_s
    if evidence.phase is not Phase.PREFILL or other is None or evidence.row.n_prompt < BATCHED_FROM:
        return ""
    if evidence.tokens_per_s >= CLEARLY_SLOWER * other:
        return ""
    return tr(
        "Reading the prompt ({read}) is slower than writing ({written}), although it shares each weight among many "
        "tokens: the engine takes a wrong path, or the machine was busy.",
        read=evidence.row.speed_words, written=speed(other),
    )  # fmt: skip
