"""Numbers to text: the one module that screens, Markdown and PDF ask.

The words of ``advisor.core.numbers``, which verdicts and advice use as well, are passed on from here, so that a
figure reads the same in a sentence, on a gauge and in a table. Added are what only a display needs: spreads,
facts, savings, dates. A value and its unit are joined by a no-break space.
"""

import math
from collections.abc import Callable
from typing import Final, TypeVar

from advisor.core.dates import date_time, day
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import (
    NBSP,
    bandwidth,
    capital,
    chosen_seconds,
    chosen_speed,
    clause,
    count,
    digits,
    exponent,
    fixed,
    flop,
    flop_rate,
    form,
    percent,
    plural,
    seconds,
    seconds_ends,
    seconds_range,
    sentence,
    size,
    times,
    times_range,
)
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from advisor.core.units import GIB, MIB

__all__ = [
    "NBSP",
    "about_seconds",
    "bandwidth",
    "basis_word",
    "capital",
    "chosen_seconds",
    "chosen_speed",
    "clause",
    "count",
    "date_time",
    "day",
    "experts",
    "fact",
    "factor",
    "factor_range",
    "fixed",
    "flop",
    "flop_rate",
    "form",
    "gib",
    "listed",
    "milliseconds",
    "number",
    "of_ceiling",
    "origin",
    "origin_words",
    "parameters",
    "percent",
    "plural",
    "ratio",
    "sample",
    "saved",
    "saving",
    "seconds",
    "seconds_range",
    "sentence",
    "size",
    "spread_percent",
    "times",
    "times_range",
    "tokens",
    "tokens_per_s",
    "tokens_per_s_spread",
    "why",
    "with_spread",
    "with_unit",
]

T = TypeVar("T")

MINUS: Final = "\u2212"
NARROW_RANGE: Final = 0.05
"""A saving whose range is narrower than this share of it is said as one figure."""

MOST_DIGITS: Final = 5
"""A median of a handful of repetitions is not worth more digits than this, however small their spread."""

FEW_DIGITS: Final = 3

ratio = times
"""A factor: "2.5×"."""


def factor(value: float) -> str:
    """A ratio of two measured speeds, as fine as a table needs it: "1.03×", "2.46×", "12.1×"."""
    return f"{number(value)}×"


def factor_range(low: float, high: float) -> str:
    """Two such ratios as one range: "1.01–1.05×"."""
    return factor(low) if number(low) == number(high) else f"{number(low)}–{factor(high)}"


def with_unit(figure: str, unit: str) -> str:
    """``figure unit`` that no line break can part."""
    return f"{figure}{NBSP}{unit}"


def number(value: float, spread: float | None = None) -> str:
    """A bare figure: about three digits (two below 1), and none below the first digit of its spread.

    Args:
        value: any figure; one that is not finite reads as "unbounded" or "unknown".
        spread: its deviation in the same unit, None where it is not known.
    """
    if not math.isfinite(value):
        return tr("unbounded") if value > 0 else tr("unknown")
    return "0" if value == 0 else digits(value, spread).replace("-", MINUS)


def milliseconds(duration_s: float) -> str:
    """A short duration with its digits: "24.1 ms", "0.72 ms"."""
    return with_unit(number(duration_s * 1000), "ms")


def about_seconds(duration_s: float) -> str:
    """A predicted duration, rounded as predictions deserve: "20 s", "80 s", "3 min", "1.5 h"."""
    if duration_s < 10:
        return with_unit(count(max(1.0, duration_s)), "s")
    if duration_s < 95:
        return with_unit(count(5 * round(duration_s / 5)), "s")
    if duration_s < 95 * 60:
        return with_unit(count(duration_s / 60), "min")
    return with_unit(number(duration_s / 3600), "h")


def tokens(value: int) -> str:
    """A number of tokens: "4,000 tokens", "1 token"."""
    return plural(value, "token", "tokens")


def tokens_per_s(value: float, spread: float | None = None) -> str:
    """A speed: "41.3 tokens/s"."""
    return with_unit(number(value, spread), tr("tokens/s"))


def tokens_per_s_spread(value: float, spread: float | None) -> str:
    """A speed with its spread: "41.3 ± 0.4 tokens/s"; an unknown spread is left out, never shown as 0."""
    return with_unit(with_spread(value, spread), tr("tokens/s"))


def with_spread(value: float, spread: float | None) -> str:
    """A figure down to the first digit of its spread: "41.3 ± 0.4", "11.60 ± 0.02", at most five digits of it.

    A spread below these five digits says that three are enough: "50.0 ± under 0.1"; one above the figure leaves the
    figure's first digit: "10 ± 500".
    """
    if spread is None or value == 0 or not math.isfinite(value) or not math.isfinite(spread):
        return number(value)
    finest = MOST_DIGITS - 1 - exponent(value)
    if spread < 0.5 * 10.0**-finest:
        places = max(0, FEW_DIGITS - 1 - exponent(value))
        return tr(
            "{figure}\u00a0±\u00a0under\u00a0{finest}", figure=fixed(value, places), finest=fixed(10.0**-places, places)
        )
    decimals = max(min(-exponent(spread), finest), -exponent(value))
    figure = fixed(round(value, decimals), max(decimals, 0))
    return f"{figure}{NBSP}±{NBSP}{fixed(round(spread, decimals), max(decimals, 0))}"


def sample(value_s: float) -> str:
    """A raw sample in seconds, bare and with four digits: "12.52", "0.08126"."""
    return fixed(value_s, max(0, 3 - exponent(value_s))) if value_s > 0 else "0"


def spread_percent(value: float, spread: float | None) -> str:
    """A deviation as a share: "1.2 %", "under 0.1 %", or "unknown" where there is only one sample."""
    if spread is None or value == 0:
        return tr("unknown")
    share = spread / abs(value) * 100
    if share < 0.1:
        return tr("under\u00a0{share}\u00a0%", share=fixed(0.1, 1))
    return with_unit(fixed(share, 1) if share < 10 else f"{share:.0f}", "%")


def saving(saved_s: float, low_s: float, high_s: float) -> str:
    """What an advice saves: "14.5 s" where the range is narrow, else the range: "48–65 s", "up to 2.7 s".

    A loss is named: "up to 2.5 s, or loses 1.0 s"; "nothing, loses 1.0–3.1 s".
    """
    if low_s < 0 and high_s <= 0:
        return tr("nothing, loses {loss}", loss=saving(-saved_s, -high_s, -low_s))
    if low_s < 0:
        return tr("up to {gain}, or loses {loss}", gain=seconds(high_s), loss=seconds(-low_s))
    if high_s - low_s <= NARROW_RANGE * saved_s:
        return seconds(saved_s)
    return seconds_range(low_s, high_s)


def saved(saved_s: float, low_s: float, high_s: float) -> str:
    """A saving as a change of the request's time, each end with its own sign.

    "−14.5 s", "−48 to −65 s", "up to −2.7 s", "−0.8 to −2.5 h"; "+1.0 to −2.5 s" where it may lose.
    """
    if low_s < 0 and high_s <= 0:
        return _change("+", -saved_s, -high_s, -low_s)
    if low_s < 0:
        loss, gain = _in_one_unit(-low_s, high_s)
        return tr("{low} to {high}", low=f"+{loss.partition(NBSP)[0]}", high=f"{MINUS}{gain}")
    return seconds(0) if high_s == 0 else _change(MINUS, saved_s, low_s, high_s)


def _change(sign: str, middle_s: float, low_s: float, high_s: float) -> str:
    low, high = seconds_ends(low_s, high_s)
    if low == high or high_s - low_s <= NARROW_RANGE * middle_s:
        return sign + seconds(middle_s)
    if low == "0":
        return tr("up to {high}", high=f"{sign}{high}")
    return tr("{low} to {high}", low=f"{sign}{low.partition(NBSP)[0]}", high=f"{sign}{high}")


def _in_one_unit(one_s: float, other_s: float) -> tuple[str, str]:
    """Two durations in the unit of the longer one, whichever that is."""
    small, large = seconds_ends(min(one_s, other_s), max(one_s, other_s))
    small = f"{small}{NBSP}{large.partition(NBSP)[2]}" if small == "0" else small
    return (small, large) if one_s <= other_s else (large, small)


def gib(value_bytes: float) -> str:
    """A size in powers of two, for what is sold and labelled in them, memory modules and caches: "16.0 GiB"."""
    factor, unit = (GIB, "GiB") if abs(value_bytes) >= GIB * 0.9995 else (MIB, "MiB")
    return with_unit(number(value_bytes / factor), unit)


def of_ceiling(fraction: float) -> str:
    """A share of a ceiling, never above "100 %": what passes its ceiling has measured a better one."""
    return percent(min(fraction, 1.0))


_PARAMETERS: Final = (
    (1e12, marked("{number}\u00a0T")), (1e9, marked("{number}\u00a0B")), (1e6, marked("{number}\u00a0M"))
)  # fmt: skip


def parameters(value: float) -> str:
    """Model size as people write it: "8.03 B", "268 M"."""
    for factor, text in _PARAMETERS:
        if abs(value) >= factor * 0.9995:
            return tr(text, number=number(value / factor))
    return count(value)


def experts(count_of_all: int, used: int) -> str:
    """Experts of a mixture: "8 of 256 per token", "256; how many a token uses is unknown"."""
    if not used:
        return tr("{all}; how many a token uses is unknown", all=count(count_of_all))
    return tr("{used} of {all} per token", used=count(used), all=count(count_of_all))


def fact(value: Fact[T], render: Callable[[T], str] = str) -> str:
    """A fact's text: the rendered value, "unknown: reason", or the reason alone where no value can exist."""
    if isinstance(value, Known):
        return render(value.value)
    return why(value) if value.kind is Missing.NOT_APPLICABLE else tr("unknown: {reason}", reason=why(value))


def why(unknown: Unknown) -> str:
    """The reason, in the user's language, whatever language it was given in."""
    return retold(unknown.reason)


def origin_words(known: Known[T]) -> str:
    """What a figure comes from, in the user's language likewise."""
    return retold(known.source)


def basis_word(basis: Basis) -> str:
    """Where a figure comes from, in a word: "measured", "computed"."""
    return tr(basis)


def origin(value: Fact[T]) -> str:
    """The badge beside a fact: "measured", "computed", …, or "unknown"."""
    return basis_word(value.basis) if isinstance(value, Known) else tr("unknown")


def listed(parts: list[str]) -> str:
    """Words as a list in a sentence: "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return tr("{first} and {last}", first=", ".join(parts[:-1]), last=parts[-1])
