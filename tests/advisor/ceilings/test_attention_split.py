"""How attention is dealt out to threads: whole numbers worked out by hand, and the mean over all places of a window."""

import pytest

from advisor.ceilings.attention_split import single_query_cells, tile_padding


def test_the_last_tile_of_each_run_is_paid_for() -> None:
    assert tile_padding(33, 16, 2) == 1.0
    assert tile_padding(64, 16, 1) == 1.0
    assert tile_padding(65, 1, 1) == pytest.approx(128 / 65)


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
