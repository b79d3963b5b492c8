"""Page one, for anyone: the problem, what to do, what not to buy, how sure."""

from dataclasses import dataclass, replace
from typing import Final

from advisor.core.evidence import Known
from advisor.core.numbers import sentence
from advisor.core.translation import marked, tr
from advisor.recommendations.model import Advice
from advisor.report import wording
from advisor.report.document import Document
from advisor.report.trial_words import tried_words
from ui.printing import style
from ui.printing.bars import request_bar, two_machines
from ui.printing.blocks import beside_rule, paragraph, section
from ui.printing.canvas import Canvas
from ui.printing.flow import Piece, paginate, space


@dataclass(frozen=True, slots=True)
class Caps:
    """How much of each kind page one holds; everything follows in full on later pages.

    Attributes:
        advice, not_to_buy: how many of each.
        sentence, subject, note, advice_title, advice_detail, wont_help, sure: lines of a text before it ends in an
            ellipsis.
    """

    advice: int
    not_to_buy: int
    sentence: int
    subject: int
    note: int
    advice_title: int
    advice_detail: int
    wont_help: int
    sure: int


MARK: Final = marked("The answer")
"""What page one is called in the outline."""

ROOMY: Final = Caps(3, 3, sentence=7, subject=4, note=3, advice_title=2, advice_detail=4, wont_help=3, sure=5)
STEPS: Final = (
    ROOMY, replace(ROOMY, not_to_buy=2), replace(ROOMY, not_to_buy=1), replace(ROOMY, advice=2, not_to_buy=2),
    replace(ROOMY, advice=2, not_to_buy=1), replace(ROOMY, advice=1, not_to_buy=1),
    Caps(2, 1, sentence=4, subject=2, note=1, advice_title=1, advice_detail=3, wont_help=2, sure=3),
    Caps(2, 1, sentence=2, subject=2, note=1, advice_title=1, advice_detail=1, wont_help=1, sure=3),
)  # fmt: skip
"""Fewer whole sentences first; sentences are cut only where even the first advice would not fit."""


def page_one(canvas: Canvas, document: Document) -> list[Piece]:
    """Page one with as much as fits; its last step where nothing does."""
    for caps in STEPS[:-1]:
        pieces = _pieces(canvas, document, caps)
        if len(paginate(pieces, canvas.paper.content_height)) == 1:
            return pieces
    return _pieces(canvas, document, STEPS[-1])


def _pieces(canvas: Canvas, document: Document, caps: Caps) -> list[Piece]:
    return [
        *_top(canvas, document, caps),
        *_request(canvas, document),
        *_do_first(canvas, document, caps),
        *_do_not_buy(canvas, document, caps),
        *section(canvas, tr("The two machines")),
        *two_machines(canvas, document),
        *_how_sure(canvas, document, caps),
    ]


def _top(canvas: Canvas, document: Document, caps: Caps) -> list[Piece]:
    headline = wording.headline(document)
    pieces = [replace(piece, mark=tr(MARK)) for piece in paragraph(canvas, headline, style.TITLE, max_lines=2)]
    pieces.append(space(4))
    if isinstance(document.verdict, Known):
        pieces += paragraph(canvas, document.verdict.value.sentence, style.LEAD, max_lines=caps.sentence)
        pieces.append(space(3))
    pieces += paragraph(canvas, wording.subject(document), style.SUBJECT, max_lines=caps.subject)
    if document.interrupted:
        pieces.append(space(6))
        kind = style.STRONG.inked(style.WARNING)
        text = "⚠ " + tr("Not complete: {reason}", reason=document.interrupted)
        note = paragraph(canvas, text, kind, style.CONTENT_WIDTH - 10, caps.note)
        pieces += beside_rule(note, style.WARNING, 10)
    return pieces


def _request(canvas: Canvas, document: Document) -> list[Piece]:
    return [
        *section(canvas, tr("One request")),
        *request_bar(canvas, document),
        *paragraph(canvas, wording.request_sentence(document), style.QUIET, max_lines=3),
    ]


def _do_first(canvas: Canvas, document: Document, caps: Caps) -> list[Piece]:
    heading = wording.advice_heading(document.verdict)
    usual = heading in (wording.WHAT_TO_DO, tr(wording.WHAT_TO_DO))
    pieces = section(canvas, tr("Do this first") if usual else tr(heading))
    if not document.advice:
        known = isinstance(document.verdict, Known)
        reason = tr("Nothing here saves time on this work.") if known else tr("Advice needs both phases measured.")
        return pieces + paragraph(canvas, reason, style.QUIET)
    for index, item in enumerate(document.advice[: caps.advice]):
        if index:
            pieces.append(space(7))
        head = advice_head(canvas, item, style.CONTENT_WIDTH - 13, caps.advice_title, caps.advice_detail)
        pieces += beside_rule(head, style.GOOD, 13)
    return pieces


def advice_head(canvas: Canvas, item: Advice, width: float, title_lines: int, detail_lines: int) -> list[Piece]:
    """Title with what it saves, and the sentences under it."""
    gain = canvas.text(wording.saves(item), style.CARD_TITLE.inked(style.GOOD), width * 0.45, 2)
    title = canvas.text(item.title, style.CARD_TITLE, width - gain.width - 14, title_lines)
    how_sure = sentence(tried_words(item)) or tr(wording.BASIS_WORDS[item.basis])
    sentences = (item.detail, wording.saves_elsewhere(item), how_sure)
    words = canvas.text(" ".join(filter(None, sentences)), style.BODY, width, detail_lines)

    def draw(c: Canvas, x: float, y: float) -> None:
        c.draw(title, x, y)
        c.draw(gain, x + width - gain.width, y)
        c.draw(words, x, y + top + 1)

    top = max(title.height, gain.height)
    return [Piece(top + words.height + 4, draw)]


def _do_not_buy(canvas: Canvas, document: Document, caps: Caps) -> list[Piece]:
    if not document.wont_help:
        return []
    pieces = section(canvas, tr("Do not buy this"))
    for item in document.wont_help[: caps.not_to_buy]:
        pieces += paragraph(canvas, f"✕ {item.sentence}", max_lines=caps.wont_help)
    return pieces


def _how_sure(canvas: Canvas, document: Document, caps: Caps) -> list[Piece]:
    return [
        *section(canvas, tr("How sure")),
        *paragraph(canvas, wording.how_sure(document), max_lines=caps.sure),
        *paragraph(canvas, tr("Method, every figure and how to repeat it: next pages."), style.QUIET),
    ]
