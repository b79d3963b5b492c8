"""What argparse makes of single arguments: each reads a word, or says why it cannot."""

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path


def numbers(smallest: int, largest: int) -> Callable[[str], tuple[int, ...]]:
    """An argparse type: whole numbers with commas between."""

    def numbers(text: str) -> tuple[int, ...]:
        return tuple(sorted({within(smallest, largest)(part) for part in text.split(",")}))

    return numbers


def seconds(text: str) -> float:
    """An argparse type: a time from one second to a day."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 1.0 <= value <= 86_400.0:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 86,400 seconds")
    return value


def above_zero(text: str) -> float:
    """An argparse type: a comfort line, up to a day or a hundred thousand tokens a second."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0.0 < value <= 100_000.0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and up to 100,000")
    return value


def file(text: str) -> Path:
    """An argparse type: the name of a file to write."""
    if not text.strip():
        raise argparse.ArgumentTypeError("a file name is needed")
    return Path(text)


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
