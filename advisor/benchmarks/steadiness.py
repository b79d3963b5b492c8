"""When a measurement is warm, and when it has been repeated often enough; pure functions.

The child decides by these (it must not wait for its parent between two repetitions), and any Python that can run
llama_cpp runs them: standard library and plain types only.
"""

import statistics
from typing import NamedTuple, Optional, Sequence, Tuple  # noqa: UP035 (older Pythons run this file)

WARM_CHANGE = 0.03
"""Two warm-ups in a row that differ by less are steady; repetitions of a quiet machine differ by about 1 %."""
MAX_WARM_UPS = 5
COOLED_DOWN = 0.05
"""Difference between first and later speed that is reported; a desktop GPU loses 5 % to heat, a thin laptop 20 %."""


class Repeat(NamedTuple):
    """How often to repeat a test.

    ``interval`` is the half-width of the median's interval, as a share of the median, that is narrow enough;
    ``budget_s`` the seconds that warm-up and repetitions may take together before no further one is begun (0: no
    warm-up at all).
    ``minimum`` repetitions are made in any case, ``maximum`` never passed.
    """

    minimum: int = 5
    maximum: int = 5
    interval: float = 0.02
    budget_s: float = float("inf")


def is_warm(warm_ups_s: Sequence[float]) -> bool:
    """Whether the last two warm-ups agree: a slope that is flat; or so many were made that it never will be."""
    if len(warm_ups_s) >= MAX_WARM_UPS:
        return True
    if len(warm_ups_s) < 2:
        return False
    earlier, later = warm_ups_s[-2:]
    return abs(later - earlier) <= WARM_CHANGE * later


def is_enough(samples_s: Sequence[float], spent_s: float, repeat: Repeat) -> bool:
    """Whether no further repetition is needed: as narrow as asked, at the limit, or out of time.

    ``spent_s`` is what warm-up and repetitions took so far. A repetition is only begun when it will probably end
    within the budget.
    """
    done = len(samples_s)
    if done < repeat.minimum:
        return False
    if done >= repeat.maximum or spent_s + statistics.median(samples_s) > repeat.budget_s:
        return True
    half_width = half_interval(samples_s)
    return half_width is not None and half_width <= repeat.interval


def half_interval(samples_s: Sequence[float]) -> Optional[float]:  # noqa: UP045
    """Half the samples' range without their single slowest, as a share of the median; None below three samples.

    Of five samples, the range without one end still covers the median in 78 of 100 cases (sign test); dropping the
    slowest keeps one hiccup of the machine from causing repetitions that cannot mend it.
    """
    if len(samples_s) < 3:
        return None
    kept = sorted(samples_s)[:-1] if len(samples_s) > 3 else sorted(samples_s)
    return (kept[-1] - kept[0]) / 2 / statistics.median(samples_s)


def cold_and_sustained(speeds: Sequence[float]) -> Optional[Tuple[float, float]]:  # noqa: UP006, UP045
    """The first speed and the median of the later half, where the machine lost speed in between; else None.

    It did when the first repetition is faster than the later half by more than ``COOLED_DOWN`` and than every single
    one of them: noise rarely puts the first in front of all others by so much, heat always does. Needs four values.
    """
    if len(speeds) < 4:
        return None
    later = list(speeds[len(speeds) // 2 :])
    sustained = statistics.median(later)
    if speeds[0] > max(later) and speeds[0] > (1 + COOLED_DOWN) * sustained:
        return speeds[0], sustained
    return None
