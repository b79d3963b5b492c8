"""How ggml-cpu deals attention out to the processor's threads, and what is lost by it (ggml-cpu/ops.cpp)."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

TILE: Final = 64
"""Queries that are computed together (``GGML_FA_TILE_Q``)."""
RUNS_PER_THREAD: Final = 4
UBATCH: Final = 512
"""Tokens that the engine computes at once, its default; a windowed layer's cache keeps room for them."""
HIDDEN_ELEMENTS: Final = 16
"""Looking at a cell that no query sees takes as long as so many elements of one that is seen: 0.23 ns of 7.3, 4.2 and
2.1 ns for keys and values of 512, 256 and 128 elements (Zen 5, 2026-11-30)."""
SPLIT_CELLS: Final = 512
"""From so many cells on a single query's cells are dealt out, one run to each thread; below it the heads are."""


Sequence = tuple[int, int]
"""Tokens of a sequence in this step, and tokens of it that were in the cache before."""


@dataclass(frozen=True, slots=True)
class Attending:
    """What a step's queries attend to in one layer.

    Attributes:
        sequences: that are in the step, one after the other.
        window: of the layer; None for full attention.
        turns: earlier steps that read the last sequence's tokens and in which the others wrote theirs. In a cache
            that all share, the others' newer cells lie scattered among the prompt's.
    """

    sequences: tuple[Sequence, ...]
    window: int | None = None
    turns: int = 0

    @property
    def queries(self) -> int:
        """Tokens of the step."""
        return sum(tokens for tokens, _ in self.sequences)


def tiled_pairs(step: Attending, heads: int, threads: int, elements: int) -> float:
    """Pairs of query and cached token that one head computes on average in a step of ``TILE`` queries or more.

    More than are seen. A tile of queries is always whole, and goes through all tiles of cells in which any of its
    queries sees one: those with running streams' queries pay for all their caches and, in a layer with a window, for
    what lies between their scattered cells. What no query sees still has to be looked at.

    Args:
        step: what attends to what.
        heads: of the queries.
        threads: of the processor.
        elements: of a key and a value together.
    """
    spans, tiles = _spans(tuple(tokens for tokens, _ in step.sequences), heads, threads)
    cells = sum(tokens + depth for tokens, depth in step.sequences)
    gone_through = 0.0
    for (_, depth), span in zip(step.sequences, spans, strict=True):
        mine = span.tiles * depth + span.reached
        gone_through += mine if step.window is None else min(mine, span.tiles * step.window + span.rows)
    if step.window is not None:
        cells = min(cells, step.window * len(step.sequences) + UBATCH)
        read = step.sequences[-1][1]
        if step.turns and read > step.window:
            between = min(TILE * step.turns, read) * (1 - step.window / read)
            gone_through += spans[0].tiles * between
    looked_at = max(0.0, tiles * cells - gone_through)
    return TILE * (gone_through + looked_at * HIDDEN_ELEMENTS / elements) / heads


@dataclass(frozen=True, slots=True)
class _Span:
    """Of one sequence over all heads: tiles that hold queries of it, the sum of how many of its queries each has
    reached when it ends, and the sum of its queries in each.
    """  # noqa: D205

    tiles: int
    reached: int
    rows: int


@lru_cache(maxsize=512)
def _spans(counts: tuple[int, ...], heads: int, threads: int) -> tuple[tuple[_Span, ...], int]:
    """Of each sequence, and the number of all tiles.

    All heads' queries are dealt out in ``RUNS_PER_THREAD`` equal runs per thread; tiles end where a head does.
    """
    queries = sum(counts)
    rows = queries * heads
    run = rows if threads == 1 else -(-rows // (RUNS_PER_THREAD * threads))
    ends = sorted({*range(0, rows, run), *range(0, rows, queries), rows})
    tiles: list[tuple[int, int]] = []
    for begin, end in pairwise(ends):
        first = begin % queries
        tiles += [(first + at, first + min(at + TILE, end - begin)) for at in range(0, end - begin, TILE)]
    spans, start = [], 0
    for count in counts:
        inside = [
            (max(first - start, 0), min(last - start, count))
            for first, last in tiles
            if first < start + count and last > start
        ]
        spans.append(_Span(len(inside), sum(last for _, last in inside), sum(last - first for first, last in inside)))
        start += count
    return tuple(spans), len(tiles)


def single_query_cells(seen: int, cells: int, wrapped: bool, threads: int) -> float:
    """Cells that would take as long as the busiest thread's if they were dealt out evenly, at least ``seen``.

    Every thread gets an equal run of the cache's cells, and those that the query may not see cost nearly nothing, so
    that the others wait for the thread that has most of the seen ones.

    Args:
        seen: cells that the query attends to.
        cells: that the engine goes through, the padding and what a window has left behind included.
        wrapped: whether the seen ones may lie anywhere (a ring) and not at the front: then the mean over all places.
        threads: of the processor.
    """
    if cells < SPLIT_CELLS:
        return seen
    run = -(-cells // threads)
    if not wrapped:
        return threads * min(seen, run)
    share = seen / run
    if share >= 2:
        longest = 1.0
    elif share >= 1:
        longest = 1 - (2 - share) ** 2 / 4
    else:
        longest = share * (1 - share / 4)
    return max(seen, threads * run * longest) if threads > 1 else seen
