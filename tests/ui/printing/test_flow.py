"""Pagination, without drawing anything."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ui.printing.flow import Piece, Placed, page_break, paginate, space

PAGE = 100.0


def piece(height: float, keep: bool = False, head: Piece | None = None) -> Piece:
    return Piece(height, lambda canvas, x, y: None, keep, head)


def heights(pages: list[list[Placed]]) -> list[list[float]]:
    return [[placed.piece.height for placed in page] for page in pages]


def test_nothing_is_one_empty_page() -> None:
    assert paginate([], PAGE) == [[]]


def test_what_does_not_fit_opens_a_page() -> None:
    assert heights(paginate([piece(60), piece(30), piece(20)], PAGE)) == [[60, 30], [20]]


def test_a_heading_is_never_the_last_on_a_page() -> None:
    assert heights(paginate([piece(85), piece(10, keep=True), piece(20)], PAGE)) == [[85], [10, 20]]


def test_a_chain_longer_than_a_page_is_broken_where_it_must() -> None:
    chain = [piece(40, keep=True) for _ in range(4)]
    assert heights(paginate([*chain, piece(10)], PAGE)) == [[40, 40], [40, 40, 10]]


def test_a_table_repeats_its_head() -> None:
    head = piece(10, keep=True)
    rows = [piece(40, head=head) for _ in range(4)]
    pages = paginate([head, *rows], PAGE)
    assert heights(pages) == [[10, 40, 40], [10, 40, 40]]
    assert [placed.y for placed in pages[1]] == [0, 10, 50]


def test_white_space_never_opens_a_page() -> None:
    assert heights(paginate([piece(95), space(20), piece(50)], PAGE)) == [[95, 20], [50]]


def test_breaks_open_a_page_once() -> None:
    assert heights(paginate([page_break(), piece(10), page_break(), page_break(), piece(20)], PAGE)) == [[10], [20]]


@given(st.lists(st.tuples(st.floats(0.5, PAGE), st.booleans(), st.booleans())))
def test_every_piece_is_placed_once_in_order_and_inside_its_page(rows: list[tuple[float, bool, bool]]) -> None:
    pieces = [
        replace(piece(height, keep), space=white) if white else piece(height, keep) for height, keep, white in rows
    ]
    pages = paginate(pieces, PAGE)
    solid = [id(placed.piece) for page in pages for placed in page if not placed.piece.space]
    assert solid == [id(item) for item in pieces if not item.space]
    for page in pages:
        bottom = 0.0
        for placed in page:
            assert placed.y >= bottom - 1e-6
            bottom = placed.y + placed.piece.height
            assert placed.piece.space or bottom <= PAGE + 1e-6
