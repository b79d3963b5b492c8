"""How long one step of several streams takes: from the measured curve, else from the kernels, else from elsewhere."""

import math
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks import batching
from advisor.benchmarks.batching import BatchPoint, batch_curve, batch_rows
from advisor.benchmarks.model import Phase, Sweep
from advisor.ceilings.predict import decode_step
from advisor.core.evidence import Basis, Known
from advisor.core.translation import tr
from advisor.recommendations.evidence import Evidence

LOW_POWER: Final = 0.50
MIDDLE_POWER: Final = 0.65
HIGH_POWER: Final = 0.92
"""Throughput of B streams over one, as B to a power, in published curves: at B = 8 the factors 3.3, 3.3 and 6.7 are
the powers 0.57, 0.57 and 0.91 (physics.md 3, curves a to c)."""

KERNELS_WITHIN: Final = 0.25
"""Steps of several tokens change kernels between one and a few columns, which the table's ramp shows only coarsely."""

BETWEEN_WITHIN: Final = 0.15
"""A number of streams between two measured ones: published curves jump from one kernel to the next (D16: 124 tokens/s
with 4 streams, 130 with 8, 228 with 16)."""


@dataclass(frozen=True, slots=True)
class Together:
    """Decoding several streams in one step.

    Attributes:
        streams: how many.
        low, middle, high: throughput over one stream's, ``low <= middle <= high``, at the request's depth.
        basis: measured for exactly so many streams, else estimated.
        source: a clause.
    """

    streams: int
    low: float
    middle: float
    high: float
    basis: Basis
    source: str


def together(evidence: Evidence, streams: int) -> Together | None:
    """What decoding so many streams together does; None where one of the two phases is not measured."""
    spare, alone_s = evidence.spare_compute, _alone_s(evidence)
    if spare is None or alone_s is None:
        return None
    points = curve(evidence)
    exact = next((point for point in points if point.streams == streams), None)
    if exact is not None:
        spread = evidence.runs_differ + exact.relative_spread
        return _from_step(evidence, streams, exact.step_s, spread, Basis.MEASURED,
                          tr("{n} streams together were measured here", n=streams))
    between_s = batching.step_s(points, streams)
    if between_s is not None:
        return _from_step(evidence, streams, between_s, _and_runs(evidence, BETWEEN_WITHIN), Basis.ESTIMATED,
                          tr("fewer and more streams together were measured here"))
    ratio = _kernels_ratio(evidence, streams)
    if ratio is not None:
        return _from_step(evidence, streams, ratio * alone_s, _and_runs(evidence, KERNELS_WITHIN), Basis.ESTIMATED,
                          tr("reckoned from the products measured here"))
    most = max(1.0, spare)
    low, middle, high = (min(streams**power, most) for power in (LOW_POWER, MIDDLE_POWER, HIGH_POWER))
    disturbed = any(row.sweep is Sweep.BATCH and row.n_streams > 1 for row in evidence.tests)
    source = (
        tr("from published curves; what was measured here was disturbed")
        if disturbed and not points
        else tr("from published curves; not measured here")
    )
    return Together(streams, low, middle, high, Basis.ESTIMATED, source)


def curve(evidence: Evidence) -> tuple[BatchPoint, ...]:
    """The measured points of at least two streams, by streams, all at one depth."""
    return tuple(point for point in _points(evidence) if point.streams > 1)


def _points(evidence: Evidence) -> tuple[BatchPoint, ...]:
    return tuple(point for point in batch_curve(batch_rows(evidence.tests)) if point.believed)


def _and_runs(evidence: Evidence, within: float) -> float:
    """The error of a reckoned step, and on top of it that two runs of one setting differ."""
    return math.hypot(within, evidence.runs_differ)


def nearly_free(evidence: Evidence) -> int | None:
    """The most streams measured whose step takes hardly longer than one stream's; None without a curve."""
    alone_s = _alone_s(evidence)
    points = curve(evidence)
    if alone_s is None or not points:
        return None
    return batching.nearly_free(points, alone_s)


def _alone_s(evidence: Evidence) -> float | None:
    """A step of one stream, at the depth of the curve where there is one: its steps hold as much of the caches."""
    lone = next((point for point in _points(evidence) if point.streams == 1), None)
    if lone is not None:
        return lone.step_s
    row = evidence.decode_row
    return None if row is None else 1 / row.tokens_per_s


def _from_step(
    evidence: Evidence, streams: int, step_s: float, spread: float, basis: Basis, source: str
) -> Together:
    """Throughput at the request's depth: each stream reads a cache of its own, which no batch shares (eq. 13)."""
    alone_s = _alone_s(evidence) or step_s
    deep_s = 1 / (evidence.timeline.decode_tokens_per_s * evidence.workload.users)
    cache_s = max(0.0, deep_s - alone_s)

    def gain(own_s: float) -> float:
        return max(1.0, streams * (alone_s + cache_s) / (own_s + streams * cache_s))

    return Together(
        streams, gain(step_s * (1 + spread)), gain(step_s), gain(step_s * (1 - spread)), basis, source
    )


def _kernels_ratio(evidence: Evidence, streams: int) -> float | None:
    """Seconds of a step of so many streams over one's, as the kernel table has it."""
    table = evidence.kernels(Phase.DECODE)
    if table is None:
        return None
    steps = [decode_step(evidence.model, table, batch) for batch in (streams, 1)]
    many, one = (step.value.total_s if isinstance(step, Known) else 0.0 for step in steps)
    return many / one if many > 0 and one > 0 else None
