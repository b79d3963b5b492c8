"""Vendors' figures of graphics cards, unified-memory machines and memory kits, from resources/accelerators.csv.

Every row has its source and the day it was looked up. A name is looked up whole: a laptop part has its own row and
never takes its desktop namesake's figures, two cards of one name and different memory have the size in their names,
and a name that is not in the table stays unknown (cases B13, B14).
"""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from typing import Final

FILE: Final = "accelerators.csv"

_IGNORED: Final = re.compile(r"\((?:r|tm|c)\)", re.IGNORECASE)
_MAKERS: Final = frozenset({"nvidia", "geforce", "amd", "radeon", "intel", "graphics"})
"""Words that one driver writes and another leaves out; "laptop" is none of them."""


class Kind(StrEnum):
    """What a row is."""

    CARD = "dgpu"
    LAPTOP = "laptop gpu"
    UNIFIED = "unified"
    KIT = "memory kit"


DEVICE_KINDS: Final = (Kind.CARD, Kind.LAPTOP, Kind.UNIFIED)
"""Rows that a model can lie on."""
OFFERED: Final = 4
"""Similar names that are offered."""


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One row; figures are the vendor's peaks, None where no vendor's figure is known.

    Attributes:
        name: as the driver writes it, maker and "GeForce" left out.
        kind: card, laptop part, machine with unified memory, or memory kit.
        vendor: "nvidia", "amd", "intel", "apple"; "" for kits.
        memory_bytes: of a unified machine, the largest that is sold.
        bandwidth_bytes_per_s: theoretical.
        bus_bits: width of the memory bus.
        pin_rate_bits_per_s: of one data line; width × rate ÷ 8 is the bandwidth to about 2 % (vendors round).
        fp32_flop_per_s: of the ordinary arithmetic units, at the boost clock; None for laptop parts, whose clock is
            whatever the laptop's maker allows.
        fp16_flop_per_s: dense, never with sparsity; of the matrix units where there are any, accumulated in 32 bits
            where the vendor distinguishes (half of the rate on GeForce cards). None where sources disagree.
        launch_year: of the product.
        aliases: other whole names.
        source: where the figures are from.
        looked_up: ISO date.
    """

    name: str
    kind: Kind
    vendor: str
    memory_bytes: int | None
    bandwidth_bytes_per_s: float | None
    bus_bits: int | None
    pin_rate_bits_per_s: float | None
    fp32_flop_per_s: float | None
    fp16_flop_per_s: float | None
    launch_year: int
    aliases: tuple[str, ...]
    source: str
    looked_up: str


def parse(lines: Iterable[str]) -> tuple[Accelerator, ...]:
    """Rows of the table's text.

    Raises:
        ValueError: for a figure that is no number, an unknown kind or a missing source; the table is ours.
        KeyError: for a missing column.
    """
    return tuple(_row(row) for row in csv.DictReader(lines))


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """The whole table; read at the first call."""
    from importlib.resources import files  # 10 ms that a machine without an unknown card need not cost

    text = files("resources").joinpath(FILE).read_text(encoding="utf-8")
    return parse(text.splitlines())


def find(name: str) -> Accelerator | None:
    """The row of a device's whole name as a driver writes it; None where the table has none.

    Case, punctuation, the maker's name, "(R)" and "GeForce" do not matter; everything else does.
    """
    return _by_name().get(normalise(name))


def normalise(name: str) -> tuple[str, ...]:
    """The words of a name that tell devices apart, in order; empty for "AMD Radeon(TM) Graphics"."""
    text = _IGNORED.sub(" ", name).lower().replace("+", " plus ")
    return tuple(word for word in re.findall(r"[a-z0-9]+", text) if word not in _MAKERS)


@cache
def _by_name() -> dict[tuple[str, ...], Accelerator]:
    found: dict[tuple[str, ...], Accelerator] = {}
    for row in accelerators():
        for name in (row.name, *row.aliases):
            found[normalise(name)] = row
    found.pop((), None)
    return found


def _row(row: dict[str, str]) -> Accelerator:
    if not row["source"] or not row["looked_up"]:
        raise ValueError(f"{row['name']} has no source or no date")
    return Accelerator(
        name=row["name"],
        kind=Kind(row["kind"]),
        vendor=row["vendor"],
        memory_bytes=_whole(row["memory_bytes"]),
        bandwidth_bytes_per_s=_rate(row["bandwidth_bytes_per_s"]),
        bus_bits=_whole(row["bus_bits"]),
        pin_rate_bits_per_s=_rate(row["pin_rate_bits_per_s"]),
        fp32_flop_per_s=_rate(row["fp32_flop_per_s"]),
        fp16_flop_per_s=_rate(row["fp16_flop_per_s"]),
        launch_year=int(row["launch_year"]),
        aliases=tuple(alias for alias in row["aliases"].split(";") if alias),
        source=row["source"],
        looked_up=row["looked_up"],
    )


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _rate(text: str) -> float | None:
    return float(text) if text else None


def did_you_mean(name: str) -> str:
    """A question with similar names of the table, a space behind it; "" where none is similar.

    Names that hold all the given words come first, the newest before older ones, then such as are spelled alike.
    """
    rows = sorted((row for row in accelerators() if row.kind in DEVICE_KINDS), key=lambda row: -row.launch_year)
    names = {row.name.casefold(): row.name for row in rows}
    words = set(name.casefold().split())
    close = [one for one in names if words and words <= set(re.findall(r"[a-z0-9]+", one))]
    close = close[:OFFERED] or get_close_matches(name.casefold(), names, OFFERED, 0.5)
    return f"Did you mean {' or '.join(repr(names[one]) for one in close)}? " if close else ""
