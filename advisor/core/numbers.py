"""Numbers as people say them; pure functions from a figure in base units to a few words.

It lies at the bottom so that verdicts and advice, which are sentences with numbers in them, read the same as the
screens and the report. Between a number and its unit stands a no-break space.

Figures are written as the user's language writes them, ``1,049.5`` or ``1.049,5``: for eyes, never for files that
programs read.
"""

import math
from typing import Final

from advisor.core.translation import ENGLISH, language, tr, trn

NBSP: Final = "\u00a0"
"""No-break space: a number and its unit never part at the end of a line."""

FINEST_OF_A_RANGE: Final = 1
"""Places behind the point that a range of estimates may have."""
MINUTE_S: Final = 60
HOUR_S: Final = 3600

_MARKS: Final = str.maketrans(",.", ".,")


def written(figure: str) -> str:
    """A figure as Python writes it, ``1,049.5``, in the user's language: ``1.049,5`` in German."""
    return figure if language() == ENGLISH else figure.translate(_MARKS)


def fixed(value: float, places: int) -> str:
    """A figure with so many places behind the point and thousands separators: ``1,049.5``."""
    return written(f"{value:,.{places}f}")


def count(value: float) -> str:
    """A whole number with thousands separators: ``4,000``."""
    return written(f"{round(value):,}")


def digits(value: float, spread: float | None = None) -> str:
    """A figure with about three digits, two below 1: 1,049 · 436 · 41.3 · 3.94 · 0.32 · 0.0042.

    With a ``spread`` above 0, its deviation in the same unit, none below the spread's first digit: 41 for 41.3 ± 2.
    """
    if spread is not None and math.isfinite(spread) and spread > 0 and value:
        shown = len(_three(value).partition(".")[2])
        decimals = min(shown, max(-exponent(spread), -exponent(value)))
        return fixed(round(value, decimals), max(decimals, 0))
    return written(_three(value))


def _three(value: float) -> str:
    size = abs(value)
    if size >= 99.95:
        return f"{value:,.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    if 0 < size < 0.0995:
        return f"{value:.2g}" if size < 1e-4 else f"{value:.{1 - math.floor(math.log10(float(f'{size:.1e}')))}f}"
    return f"{value:.2f}"


def exponent(value: float) -> int:
    """Power of ten of the first digit once rounded to that digit: 0 for 9.4, 1 for 9.6."""
    return int(f"{abs(value):.0e}".split("e")[1])


def speed(tokens_per_s: float, spread: float | None = None) -> str:
    """A speed with its unit, as fine as its spread allows: ``11.6 tokens/s``, ``12 tokens/s`` for 11.6 ± 1."""
    return f"{digits(tokens_per_s, spread)}{NBSP}{tr('tokens/s')}"


def speed_range(low: float, high: float) -> str:
    """Two speeds as one range, no finer than a quarter of its width: ``21–34 tokens/s``."""
    spread = (high - low) / 4
    first, second = digits(low, spread), digits(high, spread)
    return f"{first if first == second else f'{first}–{second}'}{NBSP}{tr('tokens/s')}"


def chosen(value: float) -> str:
    """A figure as the user chose it, without needless zeros: ``5.3``, ``10``."""
    return written(f"{value:g}") if value < 1000 else digits(value)


def chosen_seconds(value_s: float) -> str:
    """A line in seconds as the user chose it: ``10 s``."""
    return f"{chosen(value_s)}{NBSP}s"


def chosen_speed(tokens_per_s: float) -> str:
    """A line in tokens per second as the user chose it: ``5.3 tokens/s``."""
    return f"{chosen(tokens_per_s)}{NBSP}{tr('tokens/s')}"


def percent(fraction: float) -> str:
    """A share of 1 in whole per cent: ``79 %``; close to either end it says so instead of rounding onto it."""
    if fraction < 0:
        return f"−{percent(-fraction)}"
    if 0 < fraction < 0.005:
        return tr("under\u00a01\u00a0%")
    if 0.995 <= fraction < 1:
        return tr("over\u00a099\u00a0%")
    return f"{fixed(fraction * 100, 0)}{NBSP}%"


def seconds(duration_s: float, line_s: float | None = None) -> str:
    """A duration: ``12 ms``, ``0.35 s``, ``25.9 s``, ``1 min 37 s``, ``2 h 5 min``; a minus sign is kept.

    Beside a line that rounding would put it on (10.04 s, 10 s) it has enough digits to see on which side it is.
    """
    if line_s is not None and duration_s >= 0.995:
        usual = round(duration_s, 1) if duration_s < 59.95 else float(round(duration_s))
        if not _same_side(duration_s, usual, line_s):
            return f"{fixed(duration_s, _telling(duration_s, 1.0, line_s, 1))}{NBSP}s"
    if duration_s < 0:
        return f"−{seconds(-duration_s)}"
    if duration_s == 0:
        return f"0{NBSP}s"
    if duration_s < 0.0995:
        return f"{max(1, round(duration_s * 1000))}{NBSP}ms"
    if duration_s < 0.995:
        return f"{fixed(duration_s, 2)}{NBSP}s"
    if duration_s < 59.95:
        return f"{fixed(duration_s, 1)}{NBSP}s"
    whole = round(duration_s)
    if whole < HOUR_S:
        minutes, rest = divmod(whole, MINUTE_S)
        return f"{minutes}{NBSP}min" + (f"{NBSP}{rest}{NBSP}s" if rest else "")
    hours, rest = divmod(round(duration_s / MINUTE_S), MINUTE_S)
    return f"{count(hours)}{NBSP}h" + (f"{NBSP}{rest}{NBSP}min" if rest else "")


def _same_side(value: float, shown: float, line: float) -> bool:
    """Whether what is shown lies as the value does: above, on or below the line."""
    return (value > line) - (value < line) == (shown > line) - (shown < line)


def _telling(value_s: float, unit_s: float, line_s: float, places: int) -> int:
    """The fewest places, ``places`` at least, that do not round a value onto a line or across it; three at most."""
    while places < 3 and not _same_side(value_s, round(value_s / unit_s, places) * unit_s, line_s):
        places += 1
    return places


def seconds_ends(low_s: float, high_s: float, line_s: float | None = None) -> tuple[str, str]:
    """The ends of a range of durations, ``0 <= low <= high``, in one unit, that of the high end, and equally fine.

    ``48 s`` and ``65 s``; ``0.8 h`` and ``2.5 h``. A low end that vanishes beside the high one
    reads "0". Beside a line both are fine enough to see on which side they are, unless that takes more digits than
    a range means: 9.995–14.993 s against 10 s are 10–15 s.
    """
    unit_s, unit = _unit(high_s)
    places = _places(high_s, unit_s)
    if line_s is not None:
        finer = max(_telling(end_s, unit_s, line_s, places) for end_s in (low_s, high_s))
        places = finer if finer <= FINEST_OF_A_RANGE else places
    high = f"{fixed(high_s / unit_s, places)}{NBSP}{unit}"
    low = round(low_s / unit_s, places)
    return (f"{fixed(low, places)}{NBSP}{unit}" if low else "0"), high


def _unit(duration_s: float) -> tuple[float, str]:
    """The unit in which a duration has one to three digits before the point."""
    for unit_s, unit, below in ((0.001, "ms", 0.0995), (1.0, "s", 99.5), (60.0, "min", 99.5 * MINUTE_S)):
        if duration_s < below:
            return unit_s, unit
    return HOUR_S, "h"


def _places(duration_s: float, unit_s: float) -> int:
    if unit_s == 1.0 and duration_s < 0.995:
        return 2
    return 1 if unit_s >= 1.0 and duration_s / unit_s < 9.95 else 0


def seconds_range(low_s: float, high_s: float, line_s: float | None = None) -> str:
    """Two durations as one range: ``48–65 s``, ``0.8–2.5 h``, ``up to 2.7 s``; one where both read the same.

    ``line_s`` is what they are held against, 9.0–10.2 s against 10 s.
    """
    if low_s < 0:
        raise ValueError("a range of durations starts at 0 or above")
    low, high = seconds_ends(low_s, high_s, line_s)
    if low == high or low_s == high_s:
        return seconds((low_s + high_s) / 2, line_s)
    if low == "0":
        return tr("up to {high}", high=high)
    return f"{low.partition(NBSP)[0]}–{high}"


def size(value_bytes: float) -> str:
    """A size in decimal units: ``4.62 GB``, ``247 MB``, ``131 kB``, ``512 B``."""
    for factor, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if abs(value_bytes) >= factor * 0.9995:
            return f"{digits(value_bytes / factor)}{NBSP}{unit}"
    return f"{value_bytes:.0f}{NBSP}B"


def bandwidth(value_bytes_per_s: float) -> str:
    """Bytes per second: ``61.4 GB/s``."""
    return f"{size(value_bytes_per_s)}/s"


def flop(value_flop: float) -> str:
    """Floating-point operations: ``15.0 GFLOP``, ``0.74 TFLOP`` from 0.5 TFLOP on."""
    if abs(value_flop) >= 0.5e12:
        return f"{digits(value_flop / 1e12)}{NBSP}TFLOP"
    if abs(value_flop) >= 0.9995e9:
        return f"{digits(value_flop / 1e9)}{NBSP}GFLOP"
    return f"{digits(value_flop / 1e6)}{NBSP}MFLOP"


def flop_rate(value_flop_per_s: float) -> str:
    """Arithmetic per second: ``0.74 TFLOP/s``."""
    return f"{flop(value_flop_per_s)}/s"


def times(factor: float) -> str:
    """A ratio: ``2.5×``, ``12×``."""
    return f"{factor:.0f}×" if factor >= 9.95 else f"{fixed(factor, 1)}×"


def times_range(low: float, high: float) -> str:
    """Two ratios as one range: ``2.0–3.0×``."""
    first, second = times(low), times(high)
    return first if first == second else f"{first[:-1]}–{second}"


def form(figure: float) -> int:
    """What ``trn`` chooses by where a figure is shown with its decimals: only 1 itself is one ("1.4 requests")."""
    return 1 if figure == 1 else 2


def noun(number: float, one: str, many: str = "") -> str:
    """The noun that goes with a count, as this is rounded: ``passage`` for 1, ``passages`` for any other.

    Where all three are given, the nouns as literals, they are found for translation.
    """
    return trn(one, many or f"{one}s", number)


def plural(number: float, one: str, many: str = "") -> str:
    """A count with its noun: ``1 passage``, ``5 passages``; translated as ``noun`` is."""
    return f"{count(number)}{NBSP}{noun(number, one, many)}"


def capital(text: str) -> str:
    """The text with a capital letter first, the rest as it is."""
    return text[:1].upper() + text[1:]


def clause(text: str) -> str:
    """The text to go on with inside a sentence: a small letter first in English, as it is where nouns have capitals."""
    return text[:1].lower() + text[1:] if language() == ENGLISH else text


def sentence(text: str) -> str:
    """The text with a capital letter first and a full stop last."""
    text = text.strip()
    return text if not text else capital(text) + ("" if text[-1] in ".!?" else ".")
