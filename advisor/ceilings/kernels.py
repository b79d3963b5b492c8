"""Seconds of single operations of the engine on this machine, and from them those of operations not measured."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeVar

from advisor.ceilings.attention_split import TILE, Attending, single_query_cells, tiled_pairs
from advisor.core.dates import day
from advisor.core.stats import median
from advisor.core.translation import tr

_Row = TypeVar("_Row")

PAIR_ELEMENTS: Final = 256
"""Elements whose arithmetic takes as long as what a pair of query and key costs besides (the exponential, the calls).
Seen with one query on a processor: heads of 64 and of 128 elements took about the same time per pair (2026-11-29)."""


@lru_cache(maxsize=4096)
def _median(samples_s: tuple[float, ...]) -> float:
    """Kept, since every answer to a moved slider asks for the same medians thousands of times."""
    return median(samples_s)


class _Timed:
    """What was timed several times; the values that follow say what it was."""

    __slots__ = ()
    samples_s: tuple[float, ...]

    @property
    def typical_s(self) -> float:
        """Median seconds."""
        return _median(self.samples_s)


@dataclass(frozen=True, slots=True)
class KernelTime(_Timed):
    """One matrix product: ``(outputs x inputs)`` weights times ``columns`` vectors.

    Attributes:
        type_name: of the weights ("Q4_K").
        columns: tokens that share the weights.
        layout: how the engine holds them ("CPU_REPACK"); empty for as in the file.
        threads: of the processor; 1 on a GPU.
        device: ggml's name.
        samples_s: seconds of one product, warm-up left out, at least one, all above 0.
        experts: matrices of the stack, 0 for an ordinary product.
        used: of them by each column; the seconds are of all that are used.
    """

    type_name: str
    inputs: int
    outputs: int
    columns: int
    layout: str
    threads: int
    device: str
    samples_s: tuple[float, ...]
    experts: int = 0
    used: int = 0

    @property
    def elements(self) -> int:
        """Weights that each column is multiplied with."""
        return self.inputs * self.outputs * max(self.used, 1)

    @property
    def flop(self) -> int:
        """Useful FLOP of one product."""
        return 2 * self.elements * self.columns


@dataclass(frozen=True, slots=True)
class AttentionTime(_Timed):
    """One layer's attention: ``columns`` queries over a cache of F16, the last of them seeing all ``cells``."""

    heads: int
    kv_heads: int
    key_length: int
    value_length: int
    columns: int
    cells: int
    threads: int
    device: str
    samples_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class OperationTime(_Timed):
    """One small operation ("norm", "add", "gate", "rope", "copy") on ``columns`` vectors of ``elements``."""

    operation: str
    elements: int
    columns: int
    threads: int
    device: str
    samples_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class KernelTable:
    """Everything measured of one engine build on one device, with one number of threads and in one mode.

    Attributes:
        measured_on: day of the oldest row, ISO 8601; empty for an empty table.
        fixed_s: seconds that an operation takes however small it is: the shortest one measured; 0 where none was.
    """

    products: tuple[KernelTime, ...] = ()
    attention: tuple[AttentionTime, ...] = ()
    operations: tuple[OperationTime, ...] = ()
    measured_on: str = ""
    fixed_s: float = field(init=False, repr=False, compare=False)
    _kept: dict[tuple[object, ...], float | None] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
    """What was asked before: every answer to a moved slider asks for the same products thousands of times."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "fixed_s", min((row.typical_s for row in self.operations), default=0.0))

    def __bool__(self) -> bool:
        return bool(self.products)

    @property
    def source(self) -> str:
        """What a figure that was reckoned from it rests on."""
        if not self.measured_on:
            return tr("kernel table of this run")
        return tr("kernel table of {date}", date=day(self.measured_on))

    def product_s(self, type_name: str, inputs: int, outputs: int, columns: int, used: int = 0) -> float | None:
        """Seconds of one product, all used experts together; None where the type was never measured.

        A shape that was measured is interpolated between its numbers of columns; another one costs what the nearest
        shape of its type does, per weight, beside the fixed cost of any operation.

        Args:
            type_name: of the weights.
            inputs: length of a row.
            outputs: number of rows.
            columns: at least 1.
            used: experts that each column is sent to, 0 for an ordinary product.
        """
        asked = (type_name, inputs, outputs, columns, used)
        if asked not in self._kept:
            self._kept[asked] = self._product_s(*asked)
        return self._kept[asked]

    def _product_s(self, type_name: str, inputs: int, outputs: int, columns: int, used: int) -> float | None:
        rows = [row for row in self.products if row.type_name == type_name]
        alike = [row for row in rows if bool(row.experts) == bool(used)]
        # Routed products of many columns run another kernel: a dense one stands in for a single column only (a prompt
        # was predicted twice as fast as it ran, 2026-11-30).
        rows = alike or (rows if columns == 1 or not used else [])
        if not rows:
            return None
        wanted = (inputs, outputs, used)
        shapes = {_shape(row) for row in rows if row.columns == 1} or {_shape(row) for row in rows}
        shape = min(shapes, key=lambda found: _distance(found, wanted))
        near_s = self._shape_s(rows, shape, columns)
        ratio = inputs * outputs * max(used, 1) / (shape[0] * shape[1] * max(shape[2], 1))
        fixed_s = min(self.fixed_s, near_s)
        return fixed_s + (near_s - fixed_s) * ratio

    def any_product_s(self, inputs: int, outputs: int, columns: int, used: int = 0) -> float | None:
        """Seconds of a product in the slowest type of the table, for weights whose own type it lacks."""
        found = [
            self.product_s(name, inputs, outputs, columns, used) for name in {row.type_name for row in self.products}
        ]
        return max((each_s for each_s in found if each_s is not None), default=None)

    def _shape_s(self, rows: list[KernelTime], shape: tuple[int, int, int], columns: int) -> float:
        """Seconds of a measured shape; beyond its own columns it gains by sharing weights as other shapes do."""
        times = _by_columns(rows, shape)
        last, last_s = times[-1]
        if columns <= last:
            return _at_columns(times, columns)
        for others in (rows, self.products):
            for other in sorted({_shape(row) for row in others}, key=lambda found: _distance(found, shape)):
                known = _by_columns(others, other)
                if known[0][0] <= last and known[-1][0] >= columns:
                    return last_s * _at_columns(known, columns) / _at_columns(known, last)
        return last_s * columns / last

    def operation_s(self, operation: str, elements: float, columns: int) -> float:
        """Seconds of a small operation: fixed and per element, from the fewest and the most elements measured.

        One that was not measured costs what "add" does; 0 where that was not either.
        """
        asked = (operation, elements, columns)
        if asked not in self._kept:
            self._kept[asked] = self._operation_s(*asked)
        return self._kept[asked] or 0.0

    def _operation_s(self, operation: str, elements: float, columns: int) -> float:
        rows = [row for row in self.operations if row.operation == operation]
        rows = rows or [row for row in self.operations if row.operation == "add"]
        if not rows:
            return 0.0
        rows = sorted(rows, key=lambda row: row.elements * row.columns)
        small, large = rows[0], rows[-1]
        few, many = small.elements * small.columns, large.elements * large.columns
        wanted = elements * columns
        if many <= few:
            return large.typical_s * max(1.0, wanted / many)
        slope = max(0.0, (large.typical_s - small.typical_s) / (many - few))
        return max(small.typical_s + slope * (wanted - few), min(small.typical_s, self.fixed_s))

    def attention_s(
        self,
        heads: int,
        kv_heads: int,
        key_length: int,
        value_length: int,
        step: Attending,
        seen: float,
    ) -> float | None:
        """Seconds of one layer's attention of a step.

        From the fewest and the most pairs of query and cached token measured with the same kernel (for one query, or
        for many); scaled by heads and the elements of a pair for another shape. None where nothing like it was
        measured.

        Args:
            heads: of the queries.
            kv_heads: of the cache.
            key_length: elements of a head's key.
            value_length: elements of a head's value.
            step: what attends to what; a single token of a sequence stands alone.
            seen: pairs of query and cached token under the mask, of one head.
        """
        on_cpu = any(row.device.startswith("CPU") for row in self.attention)
        many = step.queries >= TILE if on_cpu else step.queries > 1
        rows = [row for row in self.attention if (row.columns > 1) == many]
        if not rows:
            return None
        own = (heads, kv_heads, key_length, value_length)
        shapes = {(row.heads, row.kv_heads, row.key_length, row.value_length) for row in rows}
        shape = min(shapes, key=lambda found: sum(abs(math.log(a / b)) for a, b in zip(found, own, strict=True)))
        scale = heads * (PAIR_ELEMENTS + key_length + value_length) / (shape[0] * (PAIR_ELEMENTS + shape[2] + shape[3]))
        wanted = max(seen, 1) * scale
        if many and on_cpu:
            wanted = tiled_pairs(step, heads, rows[0].threads, key_length + value_length) * scale
        points = sorted(
            (_pairs(row, many and on_cpu), row.typical_s)
            for row in rows
            if (row.heads, row.kv_heads, row.key_length, row.value_length) == shape
        )
        (few, few_s), (most, most_s) = points[0], points[-1]
        if most <= few:
            return most_s * wanted / most
        slope = max(0.0, (most_s - few_s) / (most - few))
        return max(few_s + slope * (wanted - few), min(few_s, self.fixed_s))

    def waited_cells(self, seen: int, cells: int, wrapped: bool) -> float:
        """Cells that one query's attention takes as long as, see ``single_query_cells``; ``seen`` on other devices."""
        like = next((row for row in self.attention if row.columns == 1), None)
        if like is None or not like.device.startswith("CPU"):
            return seen
        return single_query_cells(seen, cells, wrapped, like.threads)

    def merged(self, newer: "KernelTable") -> "KernelTable":
        """Both tables; where they measured the same, the newer row counts."""
        return KernelTable(
            _merged(self.products, newer.products, _product_key),
            _merged(self.attention, newer.attention, _attention_key),
            _merged(self.operations, newer.operations, _operation_key),
            min(filter(None, (self.measured_on, newer.measured_on)), default=""),
        )


NO_KERNELS: Final = KernelTable()


def attention_pairs(columns: int, cells: int) -> int:
    """Pairs of query and cached token under causal masking: ``columns`` queries, of which the last sees all cells."""
    return columns * cells - columns * (columns - 1) // 2


def _pairs(row: AttentionTime, tiled: bool) -> float:
    before = row.cells - row.columns
    if tiled:
        step = Attending(((row.columns, before),))
        return tiled_pairs(step, row.heads, row.threads, row.key_length + row.value_length)
    return attention_pairs(row.columns, row.cells)


def _shape(row: KernelTime) -> tuple[int, int, int]:
    return row.inputs, row.outputs, row.used


def _distance(found: tuple[int, int, int], wanted: tuple[int, int, int]) -> tuple[float, int]:
    """How unlike two shapes are: rows of another length count double, since kernels run along them."""
    lengths = 2 * abs(math.log(found[0] / wanted[0])) + abs(math.log(found[1] / wanted[1]))
    return lengths + abs(math.log(max(found[2], 1) / max(wanted[2], 1))), found[0] * found[1]


def _by_columns(rows: Iterable[KernelTime], shape: tuple[int, int, int]) -> list[tuple[int, float]]:
    """(columns, seconds) of one shape; a product that was cut to fewer outputs is scaled back."""
    like = [row for row in rows if row.inputs == shape[0] and row.used == shape[2] and row.outputs <= shape[1]]
    found = {row.columns: row.typical_s * shape[1] / row.outputs for row in sorted(like, key=lambda row: row.outputs)}
    return sorted(found.items())


def _at_columns(times: list[tuple[int, float]], columns: int) -> float:
    """Straight lines between the measured numbers of columns in logarithms of both; in proportion beyond the last."""
    before = [(c, s) for c, s in times if c <= columns]
    after = [(c, s) for c, s in times if c >= columns]
    if not after:
        return before[-1][1] * columns / before[-1][0]
    if not before:
        return after[0][1]
    (c0, s0), (c1, s1) = before[-1], after[0]
    if c0 == c1:
        return s0
    share = math.log(columns / c0) / math.log(c1 / c0)
    return math.exp(math.log(s0) + share * math.log(s1 / s0))


def _product_key(row: KernelTime) -> tuple[object, ...]:
    return row.type_name, row.inputs, row.outputs, row.columns, row.layout, row.threads, row.device, row.used


def _attention_key(row: AttentionTime) -> tuple[object, ...]:
    return row.heads, row.kv_heads, row.key_length, row.value_length, row.columns, row.cells, row.threads, row.device


def _operation_key(row: OperationTime) -> tuple[object, ...]:
    return row.operation, row.elements, row.columns, row.threads, row.device


def _merged(old: Iterable[_Row], new: Iterable[_Row], key: Callable[[_Row], tuple[object, ...]]) -> tuple[_Row, ...]:
    return tuple({key(row): row for row in (*old, *new)}.values())
