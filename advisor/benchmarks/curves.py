"""What curves of measured rows say: growth with depth, the knee over threads, settings compared.

Pure functions over rows that differ in one thing only; the caller picks them (``diagnosis.selection``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase, TestResult
from advisor.core.stats import straight_line
from advisor.gguf.layers import KV_TYPES
from advisor.gguf.traffic import Traffic

KNEE_WITHIN: Final = 0.03
"""A setting this close to the best is as good: repetitions of a quiet machine differ by 1 %, runs by up to 3 %."""


@dataclass(frozen=True, slots=True)
class DepthFit:
    """Seconds per token as a straight line over depth: ``at_zero_s + per_depth_s * depth``.

    1/speed is straight in depth within 2 % in published tables (measuring cases C06 to C08).

    Attributes:
        per_depth_s: above or equal to 0; noise that would make depth pay off is taken as no growth.
        depths: of the rows it was fitted to, ascending, at least two different ones.
    """

    phase: Phase
    at_zero_s: float
    per_depth_s: float
    depths: tuple[int, ...]

    def s_per_token(self, depth: float) -> float:
        """Seconds of one token at a depth."""
        return self.at_zero_s + self.per_depth_s * depth

    def depth_share(self, depth: float) -> float:
        """Share of a token's seconds that comes with depth, 0 to 1."""
        return self.per_depth_s * depth / self.s_per_token(depth)


def fit_depth(rows: Sequence[TestResult]) -> DepthFit | None:
    """Least squares on the rows' medians, each at the middle of the depths it ran through.

    Args:
        rows: of one phase and one setting.

    Returns:
        None for fewer than two depths, or where the line would pass below 0 at depth 0.
    """
    depths = tuple(sorted({row.n_depth for row in rows}))
    if len(depths) < 2:
        return None
    at_zero, slope = straight_line([(middle_depth(row), 1 / row.tokens_per_s) for row in rows])
    if slope < 0:
        mean_s = sum(1 / row.tokens_per_s for row in rows) / len(rows)
        return DepthFit(rows[0].phase, mean_s, 0.0, depths)
    return DepthFit(rows[0].phase, at_zero, slope, depths) if at_zero > 0 else None


def middle_depth(row: TestResult) -> float:
    """The depth halfway through a row's tokens."""
    return row.n_depth + row.tokens / row.n_streams / 2


def kv_share(traffic: Traffic, depth: int, kv_type: str = "f16") -> float:
    """Share of a decode step's bytes that is cache at a depth, 0 to 1.

    The depth fit's share should be the same where cache and weights are read at the same speed.
    """
    element_bytes = KV_TYPES.get(kv_type, 2.0)
    whole = traffic.step_bytes(1, depth, element_bytes)
    return traffic.kv_read_bytes(depth, element_bytes) / whole if whole > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Knee:
    """Where more threads stop paying off in one phase.

    Attributes:
        rows: one per thread count, by threads, at least two.
        best: the fastest.
        knee: the fewest threads that are as good as the best.
        loses_at: the smallest count above the best that is clearly slower; None where none is.
    """

    rows: tuple[TestResult, ...]
    best: TestResult
    knee: TestResult
    loses_at: TestResult | None


def thread_knee(rows: Sequence[TestResult]) -> Knee | None:
    """The knee of one phase's thread curve; None for fewer than two counts.

    As good as the best is whatever comes within ``KNEE_WITHIN`` or the best row's own spread, the larger.
    """
    by_threads: dict[int, TestResult] = {}
    for row in rows:
        held = by_threads.get(row.n_threads)
        if held is None or row.tokens_per_s > held.tokens_per_s:
            by_threads[row.n_threads] = row
    ordered = tuple(by_threads[threads] for threads in sorted(by_threads))
    if len(ordered) < 2:
        return None
    best = max(ordered, key=lambda row: (row.tokens_per_s, -row.n_threads))
    enough = best.tokens_per_s * (1 - max(KNEE_WITHIN, best.relative_spread or 0.0))
    knee = next(row for row in ordered if row.tokens_per_s >= enough)
    above = (row for row in ordered if row.n_threads > best.n_threads)
    return Knee(ordered, best, knee, next((row for row in above if row.tokens_per_s < enough), None))


def flat_part(rows: Sequence[TestResult], within: float) -> tuple[TestResult, TestResult]:
    """The first and the last of at least one row, by threads, whose speed comes within a share of the fastest."""
    best = max(row.tokens_per_s for row in rows)
    flat = [row for row in rows if row.tokens_per_s >= best * (1 - within)]
    return flat[0], flat[-1]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One setting against another in the same test.

    Attributes:
        ratio: speed of ``other`` over ``base``.
        distinct: their intervals do not overlap, so that the difference is more than chance.
    """

    base: TestResult
    other: TestResult
    ratio: float
    distinct: bool


def compare(base: TestResult, other: TestResult) -> Comparison:
    """Two rows of the same test; a row repeated once has no interval and is not distinguishable from anything."""
    first, second = _interval(base), _interval(other)
    distinct = first is not None and second is not None and (first[1] < second[0] or second[1] < first[0])
    return Comparison(base, other, other.tokens_per_s / base.tokens_per_s, distinct)


def _interval(row: TestResult) -> tuple[float, float] | None:
    """Of two samples their range: it covers the median in half of all cases, which is little but not nothing."""
    speeds = row.samples_tokens_per_s
    return row.interval_tokens_per_s or ((min(speeds), max(speeds)) if len(speeds) > 1 else None)
