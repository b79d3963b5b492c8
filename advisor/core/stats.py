"""Robust statistics of small samples; pure functions."""

import math
from collections.abc import Sequence


def median(values: Sequence[float]) -> float:
    """The median; raises ValueError on an empty sample."""
    if not values:
        raise ValueError("median of nothing")
    ordered, middle = sorted(values), len(values) // 2
    return float(ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)


def mad(values: Sequence[float]) -> float | None:
    """Median absolute deviation from the median, unscaled; None for fewer than two values.

    The spread of a single sample is unknown, not zero.
    """
    if len(values) < 2:
        return None
    centre = median(values)
    return median([abs(v - centre) for v in values])


def relative_spread(values: Sequence[float]) -> float | None:
    """``mad / median`` as a fraction; None for fewer than two values or a median of 0."""
    spread = mad(values)
    if spread is None:
        return None
    centre = median(values)
    return spread / centre if centre else None


def median_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """Two values of the sample between which the median of the population lies with ``level`` confidence or nearly.

    The narrowest pair of order statistics, by the sign test (no assumption about the distribution). Fewer than six
    values reach no 95 %: then it is their whole range, which covers the median in 94 (five), 88 (four) or 75 % (three)
    of all cases. None for fewer than three values.
    """
    count = len(values)
    if count < 3:
        return None
    ordered = sorted(values)
    left_out = 0
    while left_out + 1 < count / 2 and _covered(count, left_out + 1) >= level:
        left_out += 1
    return ordered[left_out], ordered[count - 1 - left_out]


def _covered(count: int, left_out: int) -> float:
    """Chance that the median lies between the order statistics with ``left_out`` values beyond each of them."""
    beyond: int = sum(math.comb(count, k) for k in range(left_out + 1))
    return 1.0 - 2.0 * beyond / float(2**count)


def relative_trend(values: Sequence[float]) -> float | None:
    """Change from the first to the last value as a fraction of the median, by the Theil-Sen slope.

    None for fewer than three values, or a median of 0.
    """
    if len(values) < 3:
        return None
    slopes = [
        (later - earlier) / (j - i) for i, earlier in enumerate(values) for j, later in enumerate(values) if j > i
    ]
    centre = median(values)
    return median(slopes) * (len(values) - 1) / centre if centre else None


def straight_line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Intercept and slope of the least-squares line through ``(x, y)`` points.

    Raises ValueError for fewer than two different x.
    """
    mean_x = math.fsum(x for x, _ in points) / len(points) if points else 0.0
    mean_y = math.fsum(y for _, y in points) / len(points) if points else 0.0
    across = sum((x - mean_x) ** 2 for x, _ in points)
    if across <= 0:
        raise ValueError("a line needs two different x")
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / across
    return mean_y - slope * mean_x, slope


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` (above 0, up to 1) of the sample do not pass: nearest rank.

    Raises ValueError on an empty sample.
    """
    if not values:
        raise ValueError("percentile of nothing")
    ordered = sorted(values)
    rank = math.ceil(share * len(ordered) - 1e-9)  # 0.07 of 100 are 7, though their product lies a hair above
    return float(ordered[max(rank - 1, 0)])
