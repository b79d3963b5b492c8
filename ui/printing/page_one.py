"""Page one, for anyone: the problem, what to do, what not to buy, how sure."""

from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Known
from advisor.core.numbers import sentence
from advisor.recommendations.model import Advice
from advisor.report import wording
from advisor.report.document import Document
from advisor.report.trial_words import tried_words
from ui.printing import style
from ui.printing.bars import request_bar, two_machines
from ui.printing.blocks import beside_rule, paragraph, section
from ui.printing.canvas import Canvas
from ui.printing.flow import Piece, paginate, space

FIRST_ADVICE: Final = 3
FIRST_WONT_HELP: Final = 3


@dataclass(frozen=True, slots=True)
class Caps:
    """How many lines each text may have before it ends in an ellipsis; the full text follows on later pages."""

    sentence: int
    subject: int
    note: int
    advice_title: int
    advice_detail: int
    wont_help: int
    sure: int


ROOMY: Final = Caps(sentence=5, subject=4, note=3, advice_title=2, advice_detail=3, wont_help=2, sure=5)
TIGHT: Final = Caps(sentence=2, subject=2, note=1, advice_title=1, advice_detail=1, wont_help=1, sure=3)


def page_one(canvas: Canvas, document: Document) -> list[Piece]:
    """Everything on page one, with fewer lines for each text where it would become two pages."""
    pieces = _pieces(canvas, document, ROOMY)
    if len(paginate(pieces, style.CONTENT_HEIGHT)) > 1:
        pieces = _pieces(canvas, document, TIGHT)
    return pieces


def _pieces(canvas: Canvas, document: Document, caps: Caps) -> list[Piece]:
    return [
        *_top(canvas, document, caps),
        *_request(canvas, document),
        *_do_first(canvas, document, caps),
        *_do_not_buy(canvas, document, caps),
        *section(canvas, "The two machines"),
        *two_machines(canvas, document),
        *_how_sure(canvas, document, caps),
    ]


def _top(canvas: Canvas, document: Document, caps: Caps) -> list[Piece]:
    pieces = paragraph(canvas, wording.headline(document), style.TITLE, max_lines=2)
    pieces.append(space(4))
    if isinstance(document.verdict, Known):
        pieces += paragraph(canvas, document.verdict.value.sentence, style.LEAD, max_lines=caps.sentence)
        pieces.append(space(3))
    pieces += paragraph(canvas, wording.subject(document), style.SUBJECT, max_lines=caps.subject)
    if document.interrupted:
        pieces.append(space(6))
        kind = style.STRONG.inked(style.WARNING)
        text = f"⚠ Not complete: {document.interrupted}"
        note = paragraph(canvas, text, kind, style.CONTENT_WIDTH - 10, caps.note)
        pieces += beside_rule(note, style.WARNING, 10)
    return pieces


def _request(canvas: Canvas, document: Document) -> list[Piece]:
    return [
        *section(canvas, "One request"),
        *request_bar(canvas, document),
        *paragraph(canvas, wording.request_sentence(document), style.QUIET, max_lines=3),
    ]


def _do_first(canvas: Canvas, document: Document, caps: Caps) -> list[Piece]:
    pieces = section(canvas, "Do this first")
    if not document.advice:
        known = isinstance(document.verdict, Known)
        reason = "Nothing here saves time on this work." if known else "Advice needs both phases measured."
        return pieces + paragraph(canvas, reason, style.QUIET)
    for index, item in enumerate(document.advice[:FIRST_ADVICE]):
        if index:
            pieces.append(space(7))
        head = advice_head(canvas, item, style.CONTENT_WIDTH - 13, caps.advice_title, caps.advice_detail)
        pieces += beside_rule(head, style.GOOD, 13)
    return pieces


def advice_head(canvas: Canvas, item: Advice, width: float, title_lines: int, detail_lines: int) -> list[Piece]:
    """Title with what it saves, and the sentences under it."""
    gain = canvas.text(wording.saves(item), style.CARD_TITLE.inked(style.GOOD), width * 0.45, 1)
    title = canvas.text(item.title, style.CARD_TITLE, width - gain.width - 14, title_lines)
    how_sure = sentence(tried_words(item)) or wording.BASIS_WORDS[item.basis]
    sentences = (item.detail, wording.saves_elsewhere(item), how_sure)
    words = canvas.text(" ".join(filter(None, sentences)), style.BODY, width, detail_lines)

    def draw(c: Canvas, x: float, y: float) -> None:
        c.draw(title, x, y)
        c.draw(gain, x + width - gain.width, y)
        c.draw(words, x, y + title.height + 1)

    return [Piece(title.height + words.height + 4, draw)]


def _do_not_buy(canvas: Canvas, document: Document, caps: Caps) -> list[Piece]:
    if not document.wont_help:
        return []
    pieces = section(canvas, "Do not buy this")
    for item in document.wont_help[:FIRST_WONT_HELP]:
        pieces += paragraph(canvas, f"✕ {item.sentence}", max_lines=caps.wont_help)
    return pieces


def _how_sure(canvas: Canvas, document: Document, caps: Caps) -> list[Piece]:
    return [
        *section(canvas, "How sure"),
        *paragraph(canvas, wording.how_sure(document), max_lines=caps.sure),
        *paragraph(canvas, "Method, every figure and how to repeat it: next pages.", style.QUIET),
    ]
