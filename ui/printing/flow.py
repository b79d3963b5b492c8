"""Pieces one under another on as many pages as they need; nothing is cut in two."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ui.printing.canvas import Canvas

CHAPTER_SPACE: Final = 26.0
"""White space above a title that does not open a page, in points."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that stays in one part.

    Attributes:
        height: in points.
        draw: called with the canvas and the piece's left and top.
        keep_with_next: never the last on a page (headings, table heads).
        head: drawn again above this piece when it opens a page (the head of its table).
        space: white space, left out at the top of a page.
        new_page_below: opens a page where less than this is left of one, in points.
        mark: title in the document's outline that leads here; "" for none. ``level`` 0 is a chapter, 1 a section.
    """

    height: float
    draw: Callable[[Canvas, float, float], None]
    keep_with_next: bool = False
    head: "Piece | None" = None
    space: bool = False
    new_page_below: float = 0.0
    mark: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece at its distance from the top of the page's content."""

    piece: Piece
    y: float


def space(height: float) -> Piece:
    """White space."""
    return Piece(height, lambda canvas, x, y: None, space=True)


def page_break(unless_left: float = math.inf, height: float = 0.0) -> Piece:
    """What follows opens a page, or stands below white space of ``height`` where ``unless_left`` points are left."""
    return Piece(height, lambda canvas, x, y: None, new_page_below=unless_left, space=True)


def paginate(pieces: Sequence[Piece], height: float) -> list[list[Placed]]:
    """Pages of placed pieces, at least one.

    A piece that is taller than a page stands alone on one; builders keep pieces far below that.
    """
    pages: list[list[Placed]] = [[]]
    y = 0.0
    for index, piece in enumerate(pieces):
        starts_chain = index == 0 or not pieces[index - 1].keep_with_next
        needed = _chain_height(pieces, index) if starts_chain else piece.height
        if needed > height:
            needed = piece.height
        if pages[-1] and (height - y < piece.new_page_below or (y + needed > height and not piece.space)):
            pages.append([])
            y = 0.0
            if piece.head is not None:
                pages[-1].append(Placed(piece.head, 0.0))
                y = piece.head.height
        if piece.space and not pages[-1]:
            continue
        pages[-1].append(Placed(piece, y))
        y += piece.height
    return [page for page in pages if page] or [[]]


def _chain_height(pieces: Sequence[Piece], start: int) -> float:
    """Height of the piece and of all that must stay with it, white space between them included."""
    total = 0.0
    for piece in pieces[start:]:
        total += piece.height
        if not piece.keep_with_next and not piece.space:
            break
    return total
