"""Several streams in one context: what a measured curve tells the people who are to share the machine.

Pure functions over points, measured here or published. Between two measured numbers of streams a step is read from a
straight line in logarithms; beyond the last one nothing is said.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult

GAINS_NOTHING: Final = 0.05
"""A number of streams this close to the most that was written is as good: published curves that have gone flat
(W1030 to W1035) wander by 3 %."""

FLAT_FOR: Final = 1.5
"""Times as many streams as must have been measured to call a curve flat: steps of 11 and 12 tokens that still gain
are 4 % apart as well (W1124, W1125)."""

FREE_WITHIN: Final = 1.10
"""A step that takes a tenth longer is nearly free."""

JUMPS_BY: Final = 1.25
"""A step that takes a quarter longer is more than the caches of a few more streams."""

FLATTER: Final = 0.5
"""Share of its seconds per further stream that a rise must fall back to later to count as a jump. The time of a step
on a roofline only ever becomes steeper; what flattens again has changed its kernels (physics.md 3, curve c)."""


@dataclass(frozen=True, slots=True)
class BatchPoint:
    """Several streams decoded together.

    Attributes:
        tokens_per_s: of all streams together, above 0.
        spread_tokens_per_s: its deviation; None where one repetition, or a published figure, has none.
        believed: False where the run's stamp is invalid.
    """

    streams: int
    tokens_per_s: float
    spread_tokens_per_s: float | None = None
    believed: bool = True

    @property
    def each_tokens_per_s(self) -> float:
        """Speed that each user sees."""
        return self.tokens_per_s / self.streams

    @property
    def each_spread_tokens_per_s(self) -> float | None:
        """Its deviation."""
        return None if self.spread_tokens_per_s is None else self.spread_tokens_per_s / self.streams

    @property
    def step_s(self) -> float:
        """Seconds of one step, which gives every stream a token."""
        return self.streams / self.tokens_per_s

    @property
    def relative_spread(self) -> float:
        """Deviation as a share of the speed; 0 where it is not known."""
        return (self.spread_tokens_per_s or 0.0) / self.tokens_per_s


def batch_rows(tests: Sequence[TestResult]) -> list[TestResult]:
    """The rows of one batch curve: several streams at one depth, and one stream at that depth.

    Of curves at several depths the one with most points, then the deepest. The lone stream is the curve's own, else
    the decode phase itself.
    """
    together = [row for row in tests if row.sweep is Sweep.BATCH and row.phase is Phase.DECODE]
    depths = [row.n_depth for row in together if row.n_streams > 1]
    if not depths:
        return []
    depth = max(set(depths), key=lambda held: (depths.count(held), held))
    rows = [row for row in together if row.n_depth == depth]
    if not any(row.n_streams == 1 for row in rows):
        rows += [
            row for row in tests
            if row.sweep is Sweep.PHASES and row.phase is Phase.DECODE
            and row.n_streams == 1 and row.n_depth == depth
        ][:1]  # fmt: skip
    return rows


def batch_curve(rows: Sequence[TestResult]) -> tuple[BatchPoint, ...]:
    """Decode rows by streams, one per count (that with most repetitions, then the fastest)."""
    by_streams: dict[int, TestResult] = {}
    for row in rows:
        held = by_streams.get(row.n_streams)
        if row.phase is Phase.DECODE and (held is None or _worth(row) > _worth(held)):
            by_streams[row.n_streams] = row
    return tuple(
        BatchPoint(streams, row.tokens_per_s, row.mad_tokens_per_s, row.conditions.stamp is not Stamp.INVALID)
        for streams, row in sorted(by_streams.items())
    )


def _worth(row: TestResult) -> tuple[int, float]:
    return len(row.samples_s), row.tokens_per_s


def step_s(points: Sequence[BatchPoint], streams: int) -> float | None:
    """Seconds of a step of so many streams: measured, or between two measured ones; None beyond either end."""
    exact = next((point for point in points if point.streams == streams), None)
    if exact is not None:
        return exact.step_s
    below = [point for point in points if point.streams < streams]
    above = [point for point in points if point.streams > streams]
    if not below or not above:
        return None
    low, high = below[-1], above[0]
    share = math.log(streams / low.streams) / math.log(high.streams / low.streams)
    return math.exp(math.log(low.step_s) + share * math.log(high.step_s / low.step_s))


@dataclass(frozen=True, slots=True)
class Served:
    """How many people a speed can be given to.

    Attributes:
        slowest_tokens_per_s: what each is to get at least.
        people: the most for whom, and for any fewer, it holds; 0 where not even one stream is as fast.
        each_tokens_per_s: what each of so many gets; of none, what one stream alone gets.
        interpolated: so many were not measured, but fewer and more were.
        at_least: so many is the most that was measured, so that it may be more.
    """

    slowest_tokens_per_s: float
    people: int
    each_tokens_per_s: float
    interpolated: bool
    at_least: bool


def served(points: Sequence[BatchPoint], slowest_tokens_per_s: float) -> Served | None:
    """How many people can each have at least ``slowest_tokens_per_s``; None where fewer streams had to be measured."""
    if not points:
        return None
    if points[0].each_tokens_per_s < slowest_tokens_per_s:
        alone = points[0].streams == 1
        return Served(slowest_tokens_per_s, 0, points[0].each_tokens_per_s, False, False) if alone else None
    measured = {point.streams for point in points}
    people, each, last = points[0].streams, points[0].each_tokens_per_s, points[-1].streams
    for streams in range(people + 1, last + 1):
        seconds = step_s(points, streams)
        if seconds is None or 1 / seconds < slowest_tokens_per_s:
            break
        people, each = streams, 1 / seconds
    return Served(slowest_tokens_per_s, people, each, people not in measured, people == last)


def nearly_free(points: Sequence[BatchPoint], alone_s: float) -> int:
    """The most streams measured whose step takes hardly longer than one stream's, ``alone_s``; 1 where none does."""
    return max((point.streams for point in points if point.step_s <= FREE_WITHIN * alone_s), default=1)


def flattens_at(points: Sequence[BatchPoint]) -> int | None:
    """The fewest streams that write as much as any number measured; None where the curve still rises at its end."""
    if len(points) < 2:
        return None
    best = max(points, key=lambda point: point.tokens_per_s)
    enough = best.tokens_per_s * (1 - max(GAINS_NOTHING, best.relative_spread))
    first = next(point for point in points if point.tokens_per_s >= enough)
    return first.streams if points[-1].streams >= FLAT_FOR * first.streams else None


@dataclass(frozen=True, slots=True)
class Stair:
    """From one measured number of streams to the next."""

    low: BatchPoint
    high: BatchPoint

    @property
    def s_per_stream(self) -> float:
        """Seconds that each further stream adds to the step."""
        return (self.high.step_s - self.low.step_s) / (self.high.streams - self.low.streams)


def stairs(points: Sequence[BatchPoint]) -> tuple[Stair, ...]:
    """Each measured number of streams with the next."""
    return tuple(Stair(low, high) for low, high in pairwise(points))


def jumps(points: Sequence[BatchPoint]) -> tuple[Stair, ...]:
    """Where the step becomes longer by more than ``JUMPS_BY`` and flatter afterwards: other kernels, not the roofline.

    Of experts that are routed to it says less: the first streams bring most of the experts, the later ones few.
    """
    found, all_stairs = [], stairs(points)
    for index, stair in enumerate(all_stairs):
        grows = stair.high.step_s >= JUMPS_BY * stair.low.step_s
        if grows and any(later.s_per_stream < FLATTER * stair.s_per_stream for later in all_stairs[index + 1 :]):
            found.append(stair)
    return tuple(found)


def landings(points: Sequence[BatchPoint]) -> tuple[Stair, ...]:
    """Where more streams write hardly more together, though still more of them do again (case D16: 4 to 8)."""
    found, all_stairs = [], stairs(points)
    for index, stair in enumerate(all_stairs):
        flat = stair.high.tokens_per_s < (1 + GAINS_NOTHING) * stair.low.tokens_per_s
        most = max((later.high.tokens_per_s for later in all_stairs[index + 1 :]), default=0.0)
        if flat and most > (1 + 2 * GAINS_NOTHING) * max(stair.low.tokens_per_s, stair.high.tokens_per_s):
            found.append(stair)
    return tuple(found)
