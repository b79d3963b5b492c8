"""Which share of its data sheet a class of devices reaches, from the generated table ``resources/efficiency.csv``.

The table is made by ``python -m tests.benchmarks.published --write`` from published measurements; nothing in it is
written by hand. How a row is used stands in ``other_hardware.py``.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

FILE: Final = "efficiency.csv"


class Share(StrEnum):
    """What a row of the table is a share of."""

    DECODE = "decode"
    """Of the rated bandwidth."""
    PREFILL = "prefill"
    """Of the rated arithmetic on quantised weights."""
    PREFILL_BY_BANDWIDTH = "prefill by bandwidth"
    """No share: FLOP done per byte of rated bandwidth, for devices whose arithmetic is not known."""


@dataclass(frozen=True, slots=True)
class Efficiency:
    """One class's share, or one factor on it.

    Attributes:
        name: the class as a path ("llama.cpp/nvidia card/ada"), or a kind of model ("factor/mixture of experts").
        share: of what.
        middle: at a step that would take ``reference_s`` at the full rate.
        low, high: between which 80 of 100 further devices are expected, ``low <= middle <= high``.
        slope: prefill's share goes as (ideal step ÷ reference) to this power: short steps lose more to fixed times.
        reference_s: seconds.
        layer_s: seconds by which every layer lengthens decode's ideal step, whatever its size (starting kernels).
        rows, devices: published measurements and different devices behind it.
    """

    name: str
    share: Share
    middle: float
    low: float
    high: float
    slope: float
    reference_s: float
    layer_s: float
    rows: int
    devices: int


EfficiencyTable = Mapping[tuple[str, Share], Efficiency]


def table_of(rows: Iterable[Efficiency]) -> EfficiencyTable:
    """The rows, to be looked up by name and share."""
    return {(row.name, row.share): row for row in rows}


@cache
def shipped() -> EfficiencyTable:
    """The table that the program ships with."""
    from importlib.resources import files  # 10 ms that a run without advice about hardware need not cost

    return table_of(parse(files("resources").joinpath(FILE).read_text(encoding="utf-8").splitlines()))


def parse(lines: Iterable[str]) -> tuple[Efficiency, ...]:
    """Rows of the table's text; raises ValueError or KeyError for a table that is not ours."""
    return tuple(
        Efficiency(
            row["name"], Share(row["share"]), float(row["middle"]), float(row["low"]), float(row["high"]),
            float(row["slope"]), float(row["reference_s"]), float(row["layer_s"]),
            int(row["rows"]), int(row["devices"]),
        )
        for row in csv.DictReader(line for line in lines if not line.startswith("#"))
    )  # fmt: skip


def narrowest(table: EfficiencyTable, path: Sequence[str], share: Share) -> Efficiency | None:
    """The row of the narrowest class of a path that has one, or None."""
    rows = (table.get((name, share)) for name in reversed(path))
    return next((row for row in rows if row is not None), None)
