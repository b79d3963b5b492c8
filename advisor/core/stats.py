"""Robust statistics of small samples; pure functions."""

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
