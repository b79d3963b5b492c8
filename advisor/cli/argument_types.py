"""What argparse makes of single arguments: each reads a word, or says why it cannot."""

import argparse
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Final

FASTEST_GB_PER_S: Final = 50_000.0
"""More than twice the fastest memory of any device that is announced (22 TB/s); more is a slip of the unit."""
LARGEST_GB: Final = 20_000.0


def numbers(smallest: int, largest: int) -> Callable[[str], tuple[int, ...]]:
    """An argparse type: whole numbers with commas between."""

    def numbers(text: str) -> tuple[int, ...]:
        return tuple(sorted({within(smallest, largest)(part) for part in text.split(",")}))

    return numbers


def seconds(text: str) -> float:
    """An argparse type: a time from one second to a day."""
    return _real(text, "a number of seconds", 1.0, 86_400.0, "seconds")


def above_zero(text: str) -> float:
    """An argparse type: a comfort line, up to a day or a hundred thousand tokens a second."""
    value = _real(text)
    if not 0.0 < value <= 100_000.0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and up to 100,000")
    return value


def gigabytes(text: str) -> float:
    """An argparse type: a device's memory in GB."""
    return _real(text, low=0.1, high=LARGEST_GB, unit="GB")


def bandwidth(text: str) -> float:
    """An argparse type: a memory's bandwidth in GB/s."""
    return _real(text, low=1.0, high=FASTEST_GB_PER_S, unit="GB/s")


def share(text: str) -> float:
    """An argparse type: a share of 1, both ends included."""
    return _real(text, low=0.0, high=1.0)


def memory(text: str) -> float:
    """An argparse type: GB/s, or the name on the module; channels are 64 bits wide."""
    match = re.fullmatch(r"(?:LP)?DDR\d[A-Z]?-(\d{3,5})(?:X(\d{1,2}))?", text.strip().upper())
    return bandwidth(text if match is None else str(int(match[1]) * 1e6 * 8 * int(match[2] or 2) / 1e9))


def processor(text: str) -> tuple[int, float]:
    """An argparse type: "16x4.5", cores and GHz."""
    match = re.fullmatch(r"(\d{1,4})\s*[x×]\s*(\d+(?:\.\d+)?)", text.strip().lower())
    if match is None or not int(match[1]) > 0 or not 0.1 <= float(match[2]) <= 20:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 16x4.5, cores and GHz")
    return int(match[1]), float(match[2])


def slot(text: str) -> float:
    """An argparse type: "4x16" to bytes per second."""
    from advisor.whatif.slots import slot_bytes_per_s

    rate = slot_bytes_per_s(text)
    if rate is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 4x16, generation and lanes")
    return rate


def price(text: str) -> tuple[str, float]:
    """An argparse type: "1600" or "RTX 4090=1600", the name, "" where there is none, and the price."""
    name, _, figure = text.rpartition("=")
    try:
        value = float(figure.replace(",", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{figure!r} is no price like 1600 or “RTX 4090=1600”") from None
    if not 0 < value < 1e12:
        raise argparse.ArgumentTypeError(f"a price of {figure} cannot be meant")
    return name.strip(), value


def _real(
    text: str, what: str = "a number", low: float = float("-inf"), high: float = float("inf"), unit: str = ""
) -> float:
    """A figure between two, both included."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}") from None
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"{text} is not between {low:g} and {high:,.0f} {unit}".rstrip())
    return value


def file(text: str) -> Path:
    """An argparse type: the name of a file to write."""
    if not text.strip():
        raise argparse.ArgumentTypeError("a file name is needed")
    path = Path(text)
    return path.absolute() if text != "-" and path == Path("-") else path  # "./-" is a file, and "-" standard output


def filled(text: str) -> str:
    """An argparse type: a name, of a file or of something else."""
    if not text.strip():
        raise argparse.ArgumentTypeError("a name is needed")
    return text


def at_least(smallest: int) -> "type[int]":
    """An argparse type: a whole number of at least ``smallest`` and at most ten million."""
    return within(smallest, 10_000_000)


def within(smallest: int, largest: int) -> "type[int]":
    """An argparse type: a whole number between two, both included."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if not smallest <= value <= largest:
            raise argparse.ArgumentTypeError(f"{value} is not between {smallest} and {largest:,}")
        return value

    return number  # type: ignore[return-value]  # argparse takes any callable; its stub wants a type


def day(text: str) -> str:
    """An argparse type: a day as ISO 8601 writes it."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day like 2026-11-30") from None
