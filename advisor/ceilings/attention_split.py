"""How ggml-cpu deals attention out to the processor's threads, and what is lost by it (ggml-cpu/ops.cpp)."""

from itertools import pairwise
from typing import Final

TILE: Final = 64
"""Queries that are computed together (``GGML_FA_TILE_Q``)."""
RUNS_PER_THREAD: Final = 4
SPLIT_CELLS: Final = 512
"""From so many cells on a single query's cells are dealt out, one run to each thread; below it the heads are."""


def tile_padding(queries: int, heads: int, threads: int) -> float:
    """Queries that are computed ÷ queries, at least 1: the last tile of each run is filled with nothing.

    From ``TILE`` queries on all heads' queries are dealt out in ``RUNS_PER_THREAD`` equal runs per thread, and each
    run is cut into tiles that end where a head does. Seen inside a model (2026-11-30): a step of 65 queries paid five
    times what one of 33 did for each token in the cache.
    """
    if queries < TILE:
        return 1.0
    rows = queries * heads
    run = rows if threads == 1 else -(-rows // (RUNS_PER_THREAD * threads))
    ends = sorted({*range(0, rows, run), *range(0, rows, queries), rows})
    tiles = sum(-(-(end - begin) // TILE) for begin, end in pairwise(ends))
    return float(tiles * TILE / rows)


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
