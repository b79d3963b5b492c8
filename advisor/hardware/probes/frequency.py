"""Processor clocks, only where they can be believed.

Clocks are text for people: no ceiling rests on them. Virtual machines answer a constant, 0, or nothing; Apple's
current clock equals its limits; some systems state a maximum below the present clock (case B21).
By hand: ``grep . /sys/devices/system/cpu/cpu0/cpufreq/*freq``.
"""

from pathlib import Path
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import written
from advisor.core.translation import tr
from advisor.hardware.files import text_or_empty

LOWEST_HZ: Final = 0.3e9
HIGHEST_HZ: Final = 7.5e9
"""Outside these a clock is nonsense: slowest idle clocks are 0.4 GHz, the highest boost of 2025 is 6.2 GHz."""


def believable_max(max_hz: float | None, min_hz: float | None, current_hz: float | None, source: str) -> Fact[float]:
    """The highest clock, if the three figures make sense together.

    Args:
        max_hz: as the system states it; None or 0 where it does not.
        min_hz: likewise.
        current_hz: the present clock.
        source: where they were read.
    """
    if not max_hz:
        return Unknown(tr("the system states no highest clock"), Missing.NOT_SUPPORTED)
    if not LOWEST_HZ <= max_hz <= HIGHEST_HZ:
        return Unknown(
            tr("a highest clock of {clock} GHz is impossible", clock=written(format(max_hz / 1e9, ".3g"))),
            Missing.FAILED,
        )
    if min_hz is not None and min_hz >= max_hz:
        return Unknown(tr("lowest and highest clock are the same, so the figure is a constant"), Missing.FAILED)
    if current_hz is not None and current_hz > 1.1 * max_hz:
        return Unknown(tr("the clock is above its own maximum"), Missing.FAILED)
    return Known(max_hz, Basis.READ, source)


def parse_khz(text: str) -> float | None:
    """Hertz from a cpufreq file's kilohertz; None for anything else and for 0."""
    text = text.strip()
    return int(text) * 1e3 if text.isdecimal() and int(text) else None


def read(root: Path = Path("/")) -> Fact[float]:
    """The highest clock of any processor of this Linux system.

    All are read since a hybrid's slow cores state a lower one; the believable highest wins.
    """
    found: list[Fact[float]] = []
    seen: set[tuple[str, str]] = set()
    for folder in sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq")):
        top, bottom = text_or_empty(folder / "cpuinfo_max_freq"), text_or_empty(folder / "cpuinfo_min_freq")
        if (top, bottom) in seen:
            continue
        seen.add((top, bottom))
        source = "/sys/devices/system/cpu/cpu*/cpufreq/cpuinfo_max_freq"
        current = parse_khz(text_or_empty(folder / "scaling_cur_freq"))
        found.append(believable_max(parse_khz(top), parse_khz(bottom), current, source))
    known = [fact for fact in found if isinstance(fact, Known)]
    if known:
        return max(known, key=lambda fact: fact.value)
    return found[0] if found else Unknown(tr("the kernel shows no processor clocks"), Missing.NOT_SUPPORTED)
