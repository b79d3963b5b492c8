"""How attention is dealt out to threads: whole numbers worked out by hand, and the mean over all places of a window."""

import pytest

from advisor.ceilings.attention_split import TILE, Attending, single_query_cells, tiled_pairs


@pytest.mark.parametrize(
    ("sequences", "heads", "threads"),
    [
        (((512, 0),), 16, 2), (((65, 1000),), 1, 2), (((1, 256), (1, 300), (66, 2000)), 4, 2),
        (((1, 256),) * 4 + ((508, 700),), 3, 8), (((100, 5),), 7, 1),
    ],
)  # fmt: skip
def test_every_tile_goes_through_all_that_its_queries_see(
    sequences: tuple[tuple[int, int], ...], heads: int, threads: int
) -> None:
    queries = [(number, depth + at + 1) for number, (tokens, depth) in enumerate(sequences) for at in range(tokens)]
    rows = len(queries) * heads
    run = rows if threads == 1 else -(-rows // (4 * threads))
    total = row = 0
    while row < rows:
        end = min(row + TILE, row // run * run + run, row // len(queries) * len(queries) + len(queries), rows)
        seen: dict[int, int] = {}
        for at in range(row, end):
            number, cells = queries[at % len(queries)]
            seen[number] = max(cells, seen.get(number, 0))
        total += TILE * sum(seen.values())
        row = end
    nothing_for_looking = 10**12
    found = tiled_pairs(Attending(sequences), heads, threads, nothing_for_looking)
    assert found == pytest.approx(total / heads)


def test_a_window_ends_what_a_tile_goes_through_and_the_rest_is_looked_at() -> None:
    whole, beginning = Attending(((64, 4000),), window=512), Attending(((64, 100),), window=512)
    assert tiled_pairs(whole, 1, 1, 512) == pytest.approx(64 * (576 + (1024 - 576) * 16 / 512))
    assert tiled_pairs(beginning, 1, 1, 512) == 64 * 164


def test_scattered_cells_of_streams_are_gone_through_with_what_lies_between_them() -> None:
    calm = Attending(((1, 256), (65, 2000)), window=500)
    scattered = Attending(calm.sequences, calm.window, turns=10)
    more = tiled_pairs(scattered, 1, 1, 10**12) - tiled_pairs(calm, 1, 1, 10**12)
    assert more == pytest.approx(TILE * 640 * 0.75)  # one tile holds the stream; a quarter lies in the prompt's window


def test_padded_cells_lie_in_one_thread_and_the_others_wait() -> None:
    assert single_query_cells(4112, 4352, False, 2) == 4352  # the first of two runs of 2,176 is seen whole
    assert single_query_cells(4112, 4352, False, 1) == 4112
    assert single_query_cells(4096, 4096, False, 2) == 4096
    assert single_query_cells(600, 768, False, 64) == 768


def test_few_cells_are_not_dealt_out() -> None:
    assert single_query_cells(200, 256, False, 8) == 200


@pytest.mark.parametrize(("seen", "cells", "threads"), [(512, 1024, 2), (300, 1024, 2), (700, 1024, 2), (512, 1024, 4)])
def test_a_window_costs_the_mean_over_all_places_of_its_ring(seen: int, cells: int, threads: int) -> None:
    run = cells // threads

    def longest(begin: int) -> int:
        places = [(begin + step) % cells for step in range(seen)]
        return max(sum(place // run == thread for place in places) for thread in range(threads))

    mean = sum(longest(begin) for begin in range(cells)) / cells
    assert single_query_cells(seen, cells, True, threads) == pytest.approx(threads * mean, rel=0.01)


def test_a_window_never_costs_less_than_what_is_seen() -> None:
    assert single_query_cells(500, 4096, True, 1) == 500
