"""How ggml-cpu deals attention out to the processor's threads, and what is lost by it (ggml-cpu/ops.cpp)."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

TILE: Final = 64
"""Queries that are computed together (``GGML_FA_TILE_Q``)."""
RUNS_PER_THREAD: Final = 4
SPLIT_CELLS: Final = 512
"""From so many cells on a single query's cells are dealt out, one run to each thread; below it the heads are."""


Sequence = tuple[int, int]
"""Tokens of a sequence in this step, and tokens of it that were in the cache before."""


def tiled_pairs(sequences: tuple[Sequence, ...], heads: int, threads: int, window: int | None = None) -> float:
    """Pairs of query and cached token that one head computes on average in a step of ``TILE`` queries or more.

    More than are seen: a tile of queries is always whole, and goes through all cells that any of its queries sees. So
    a tile that holds the tokens of running streams and of a prompt pays for all their caches. Seen inside a model
    (2026-11-30): a step of 65 queries paid five times what one of 33 did for each token in the cache.
    """
    spans = _spans(tuple(tokens for tokens, _ in sequences), heads, threads)
    total = 0.0
    for (_, depth), span in zip(sequences, spans, strict=True):
        cells = span.tiles * depth + span.reached
        total += cells if window is None else min(cells, span.tiles * window + span.rows)
    return TILE * total / heads


@dataclass(frozen=True, slots=True)
class _Span:
    """Of one sequence over all heads: tiles that hold queries of it, the sum of how many of its queries each has
    reached when it ends, and the sum of its queries in each.
    """  # noqa: D205

    tiles: int
    reached: int
    rows: int


@lru_cache(maxsize=512)
def _spans(counts: tuple[int, ...], heads: int, threads: int) -> tuple[_Span, ...]:
    """All heads' queries are dealt out in ``RUNS_PER_THREAD`` equal runs per thread; tiles end where a head does."""
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
    return tuple(spans)


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
