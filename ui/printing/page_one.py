"""Page one, for anyone: the problem, what to do, what not to buy, how sure."""

from advisor.core.evidence import Known
from advisor.recommendations.model import Advice
from advisor.report import wording
from advisor.report.document import Document
from ui.printing import style
from ui.printing.bars import request_bar, two_machines
from ui.printing.blocks import beside_rule, paragraph, section
from ui.printing.canvas import Canvas
from ui.printing.flow import Piece, space

FIRST_ADVICE = 3
FIRST_WONT_HELP = 3


def page_one(canvas: Canvas, document: Document) -> list[Piece]:
    """Everything on page one; texts are capped so that it stays one page."""
    return [
        *_top(canvas, document),
        *_request(canvas, document),
        *_do_first(canvas, document),
        *_do_not_buy(canvas, document),
        *section(canvas, "The two machines"),
        *two_machines(canvas, document),
        *_how_sure(canvas, document),
    ]


def _top(canvas: Canvas, document: Document) -> list[Piece]:
    pieces = paragraph(canvas, wording.headline(document), style.TITLE, max_lines=2)
    pieces.append(space(4))
    if isinstance(document.verdict, Known):
        pieces += paragraph(canvas, document.verdict.value.sentence, style.Type(10.5), max_lines=4)
        pieces.append(space(3))
    pieces += paragraph(canvas, wording.subject(document), style.SUBJECT, max_lines=4)
    if document.interrupted:
        pieces.append(space(6))
        kind = style.STRONG.inked(style.WARNING)
        note = paragraph(canvas, f"⚠ Not complete: {document.interrupted}", kind, max_lines=3)
        pieces += beside_rule(note, style.WARNING, 10)
    return pieces


def _request(canvas: Canvas, document: Document) -> list[Piece]:
    return [
        *section(canvas, "One request"),
        *request_bar(canvas, document),
        *paragraph(canvas, wording.request_sentence(document), style.QUIET, max_lines=3),
    ]


def _do_first(canvas: Canvas, document: Document) -> list[Piece]:
    pieces = section(canvas, "Do this first")
    if not document.advice:
        reason = "Nothing here saves time on this work." if isinstance(document.verdict, Known) else (
            "Advice needs both phases measured."
        )
        return pieces + paragraph(canvas, reason, style.QUIET)
    for index, item in enumerate(document.advice[:FIRST_ADVICE]):
        if index:
            pieces.append(space(7))
        pieces += beside_rule(advice_head(canvas, item, style.CONTENT_WIDTH - 13, 3), style.GOOD, 13)
    return pieces


def advice_head(canvas: Canvas, item: Advice, width: float, max_lines: int) -> list[Piece]:
    """Title with what it saves, and the sentence under it."""
    gain = canvas.text(wording.saves(item), style.CARD_TITLE.inked(style.GOOD), width * 0.45, 1)
    title = canvas.text(item.title, style.CARD_TITLE, width - gain.width - 14, 2)
    sentences = (item.detail, wording.saves_elsewhere(item), wording.BASIS_WORDS[item.basis])
    words = canvas.text(" ".join(filter(None, sentences)), style.BODY, width, max_lines)

    def draw(c: Canvas, x: float, y: float) -> None:
        c.draw(title, x, y)
        c.draw(gain, x + width - gain.width, y)
        c.draw(words, x, y + title.height + 1)

    return [Piece(title.height + words.height + 4, draw)]


def _do_not_buy(canvas: Canvas, document: Document) -> list[Piece]:
    if not document.wont_help:
        return []
    pieces = section(canvas, "Do not buy this")
    for item in document.wont_help[:FIRST_WONT_HELP]:
        pieces += paragraph(canvas, f"✕ {item.sentence}", max_lines=2)
    return pieces


def _how_sure(canvas: Canvas, document: Document) -> list[Piece]:
    return [
        *section(canvas, "How sure"),
        *paragraph(canvas, wording.how_sure(document), max_lines=4),
        *paragraph(canvas, "Method, every figure and how to repeat it: next pages.", style.QUIET),
    ]
