"""Headings, paragraphs, lists, command lines and tables as pieces."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtCore import Qt

from ui.printing import style
from ui.printing.canvas import LEFT, Canvas, TextBox
from ui.printing.flow import Piece, space
from ui.printing.style import Type

CELL_GAP: Final = 8.0
CELL_PADDING: Final = 2.6
CELL_LINES: Final = 14


def paragraph(
    canvas: Canvas,
    text: str,
    kind: Type = style.BODY,
    width: float = style.CONTENT_WIDTH,
    max_lines: int = 30,
    keep_with_next: bool = False,
) -> list[Piece]:
    """A paragraph in one part; nothing for an empty text."""
    if not text:
        return []
    box = canvas.text(text, kind, width, max_lines)
    return [Piece(box.height, lambda c, x, y: c.draw(box, x, y), keep_with_next)]


def section(canvas: Canvas, title: str, width: float = style.CONTENT_WIDTH) -> list[Piece]:
    """A section's heading: small capitals over a rule."""
    box = canvas.text(title.upper(), style.SECTION, width, 1)

    def draw(c: Canvas, x: float, y: float) -> None:
        c.draw(box, x, y)
        c.line([(x, y + box.height + 3), (x + width, y + box.height + 3)], style.RULE)

    return [space(17), Piece(box.height + 10, draw, keep_with_next=True, mark=title, level=1)]


def subheading(canvas: Canvas, title: str) -> list[Piece]:
    """A heading inside a section."""
    box = canvas.text(title, style.STRONG, style.CONTENT_WIDTH, 2)
    return [space(7), Piece(box.height + 3, lambda c, x, y: c.draw(box, x, y), keep_with_next=True)]


def big_title(canvas: Canvas, title: str) -> list[Piece]:
    """The title of a sceptic's page."""
    box = canvas.text(title, replace(style.TITLE, size=15.0), style.CONTENT_WIDTH, 2)
    return [Piece(box.height + 2, lambda c, x, y: c.draw(box, x, y), keep_with_next=True, mark=title)]


def code(canvas: Canvas, command: str, width: float = style.CONTENT_WIDTH, indent: float = 0.0) -> list[Piece]:
    """A command line on a grey ground, to be copied."""
    box = canvas.text(canvas.typeable(command, style.CODE), style.CODE, width - indent - 12, 10)

    def draw(c: Canvas, x: float, y: float) -> None:
        c.box(x + indent, y + 1, width - indent, box.height + 5, style.GROUND, 2.5)
        c.draw(box, x + indent + 6, y + 3.5)

    return [Piece(box.height + 9, draw)]


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column; ``share`` of the width relative to the others."""

    title: str
    share: float
    align: Qt.AlignmentFlag = LEFT
    kind: Type = style.SMALL


def table(
    canvas: Canvas, columns: Sequence[Column], rows: Sequence[Sequence[str]], width: float = style.CONTENT_WIDTH
) -> list[Piece]:
    """Rows under a head that is repeated on every page; titles all empty mean no head."""
    whole = sum(column.share for column in columns)
    room = width - CELL_GAP * (len(columns) - 1)
    widths = [room * column.share / whole for column in columns]
    head = None
    if any(column.title for column in columns):
        titles = [column.title for column in columns]
        head = _row(canvas, columns, widths, titles, width, style.SMALL_STRONG.inked(style.MUTED))
        head = replace(head, keep_with_next=True)
    pieces = [replace(_row(canvas, columns, widths, row, width), head=head) for row in rows]
    if len(pieces) > 1:
        # A single row at the foot of a page, or one carried over alone, reads as an accident.
        pieces[0] = replace(pieces[0], keep_with_next=True)
        if len(pieces) > 2:
            pieces[-2] = replace(pieces[-2], keep_with_next=True)
    return [head, *pieces] if head else pieces


def _row(
    canvas: Canvas,
    columns: Sequence[Column],
    widths: Sequence[float],
    cells: Sequence[str],
    width: float,
    kind: Type | None = None,
) -> Piece:
    boxes: list[TextBox] = [
        canvas.text(cell, kind or column.kind, cell_width, CELL_LINES, column.align)
        for column, cell, cell_width in zip(columns, cells, widths, strict=True)
    ]
    height = max(box.height for box in boxes) + 2 * CELL_PADDING

    def draw(c: Canvas, x: float, y: float) -> None:
        left = x
        for box, cell_width in zip(boxes, widths, strict=True):
            c.draw(box, left, y + CELL_PADDING)
            left += cell_width + CELL_GAP
        c.line([(x, y + height), (x + width, y + height)], style.RULE, 0.4)

    return Piece(height, draw)


def facts(canvas: Canvas, rows: Sequence[tuple[str, str, str]]) -> list[Piece]:
    """Name, value and where the value comes from, one fact a row."""
    columns = (
        Column("", 24, kind=style.SMALL_QUIET),
        Column("", 44, kind=style.SMALL),
        Column("", 40, kind=style.SMALL_QUIET),
    )
    return table(canvas, columns, rows)


def with_note(pieces: Sequence[Piece], note: Sequence[Piece]) -> list[Piece]:
    """The pieces and what is said below them, whose first line never opens a page of its own."""
    if not pieces or not note:
        return [*pieces, *note]
    return [*pieces[:-1], replace(pieces[-1], keep_with_next=True), *note]


def beside_rule(pieces: Sequence[Piece], ink: str, indent: float, lift: float = 0.0) -> list[Piece]:
    """The pieces indented, with a coloured rule on their left, all kept on one page."""

    def ruled(piece: Piece, last: bool) -> Piece:
        def draw(c: Canvas, x: float, y: float) -> None:
            # A hair of overlap, or viewers show a seam between the pieces' rules.
            c.box(x, y - lift, 2.6, piece.height + (0.0 if last else 0.3), ink)
            piece.draw(c, x + indent, y)

        return replace(piece, draw=draw, keep_with_next=not last, space=False)

    return [ruled(piece, index == len(pieces) - 1) for index, piece in enumerate(pieces)]
