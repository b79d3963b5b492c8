"""What a thread sweep says where no roof does: flat decode means memory, rising prefill means compute."""

from typing import Final

from advisor.benchmarks.curves import flat_part
from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import threads
from advisor.core.numbers import count
from advisor.core.translation import tr
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence

FLAT_WITHIN: Final = 0.05
"""Gains below 5 % drown in run-to-run spread and heat (case C23)."""

FLAT_OVER: Final = 2.0
"""The flat part must span at least a doubling of the threads; less could be chance."""

STILL_GAINS: Final = 1.15
"""A rise of 15 % over the last doubling is beyond any spread that a valid run shows."""


def apply(evidence: PhaseEvidence) -> Finding | None:
    """Memory for a decode that more threads do not speed up, compute for a prefill that they do."""
    sweep = evidence.sweep
    if len(sweep) < 3:
        return None
    if evidence.phase is Phase.DECODE:
        knee, end = flat_part(sweep, FLAT_WITHIN)
        if end.n_threads < FLAT_OVER * knee.n_threads:
            return None
        because = tr(
            "Decode is flat past {knee} ({knee_speed} there, {end_speed} with {end}): the memory is the limit, not the "
            "cores.",
            knee=threads(knee.n_threads), knee_speed=knee.speed_words, end=count(end.n_threads),
            end_speed=end.speed_words,
        )  # fmt: skip
        return Finding(evidence.phase, Limit.MEMORY, evidence.of_ceiling, because)
    last = max(sweep, key=lambda row: row.tokens_per_s)  # beyond it threads only wait for each other
    half = [row for row in sweep if row.n_threads * 2 <= last.n_threads]
    if not half or last.tokens_per_s < STILL_GAINS * half[-1].tokens_per_s:
        return None
    because = tr(
        "Prefill still gains from {few} to {many} threads ({slow} to {fast}): arithmetic is the limit.",
        few=count(half[-1].n_threads), many=count(last.n_threads), slow=half[-1].speed_words, fast=last.speed_words,
    )  # fmt: skip
    return Finding(evidence.phase, Limit.COMPUTE, evidence.of_ceiling, because)
