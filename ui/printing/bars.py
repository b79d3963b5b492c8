"""The bar of one request and the two phases against their ceilings."""

from advisor.benchmarks.model import Phase
from advisor.core.translation import tr
from advisor.report import formatting as f
from advisor.report import wording
from advisor.report.chart_parts import request_parts
from advisor.report.document import Document
from ui.printing import style, words_of
from ui.printing.canvas import RIGHT, Canvas
from ui.printing.flow import Piece

BAR_HEIGHT = 26.0
LABEL_PADDING = 7.0
COLUMN_GAP = 21.0
TRACK_HEIGHT = 8.5


def request_bar(canvas: Canvas, document: Document, width: float = style.CONTENT_WIDTH) -> list[Piece]:
    """Every known part of the first request's seconds; parts too narrow for their words are named below the bar."""
    parts = request_parts(document)
    if not parts:
        return []
    whole_s = sum(part.took_s for part in parts)
    label, small = style.STRONG, style.SMALL_QUIET
    segments = []
    for part in parts:
        ink, soft = (
            (style.PHASE_INK[part.phase], style.PHASE_SOFT[part.phase]) if part.phase else (style.MUTED, style.TRACK)
        )
        part_width = width * part.took_s / whole_s
        fits = canvas.text_width(part.text, label) + 2 * LABEL_PADDING <= part_width
        segments.append((ink, soft, part.text, part_width, fits))
    hidden = [text for _, _, text, _, fits in segments if not fits]
    below = canvas.text(tr("Too short to be named in the bar: {parts}.", parts=", ".join(hidden)), small, width, 2)
    height = BAR_HEIGHT + (below.height + 4 if hidden else 0.0) + 3

    def draw(c: Canvas, x: float, y: float) -> None:
        left = x
        for ink, soft, text, part_width, fits in segments:
            c.box(left, y, part_width, BAR_HEIGHT, soft)
            c.box(left, y, min(2.6, part_width), BAR_HEIGHT, ink)
            if fits:
                c.write(text, label.inked(ink), left + LABEL_PADDING, y + 16.5)
            left += part_width
        if hidden:
            c.draw(below, x, y + BAR_HEIGHT + 4)

    return [Piece(height, draw)]


def two_machines(canvas: Canvas, document: Document, width: float = style.CONTENT_WIDTH) -> list[Piece]:
    """Prefill and decode side by side, each against its own ceiling."""
    column = (width - COLUMN_GAP) / 2
    left = _phase(canvas, document, Phase.PREFILL, column)
    right = _phase(canvas, document, Phase.DECODE, column)

    def draw(c: Canvas, x: float, y: float) -> None:
        left.draw(c, x, y)
        right.draw(c, x + column + COLUMN_GAP, y)

    return [Piece(max(left.height, right.height), draw)]


def _phase(canvas: Canvas, document: Document, phase: Phase, width: float) -> Piece:
    ink = style.PHASE_INK[phase]
    test = wording.phase_test(document, phase)
    share = wording.share_of_ceiling(document, phase) if test else None
    words = canvas.text(wording.ceiling_sentence(document, phase), style.QUIET, width, 6)
    limit = wording.limit_words(document, phase)
    name = tr(words_of.PHASES[phase])

    def draw(c: Canvas, x: float, y: float) -> None:
        c.write(name, style.STRONG.inked(ink), x, y + 10)
        if limit:
            c.write(limit, style.QUIET, x + width, y + 10, RIGHT)
        baseline = y + 36
        if test is None:
            c.write(tr("not measured"), style.UNIT.inked(style.MUTED), x, baseline - 4)
        else:
            figure = f.number(test.tokens_per_s, test.mad_tokens_per_s)
            advance = c.write(figure, style.FIGURE.inked(ink), x, baseline)
            advance += 6 + c.write(tr("tokens/s"), style.UNIT.inked(ink), x + advance + 6, baseline)
            if test.conditions.because or not test.complete:
                stamp = test.conditions.stamp
                sign = words_of.stamp(stamp) if test.conditions.because else tr("not complete")
                ink_of_sign = style.STAMP_INK[stamp] if test.conditions.because else style.WARNING
                c.write(sign, style.STRONG.inked(ink_of_sign), x + width, baseline, RIGHT)
        _track(c, x, y + 44, width, share, ink)
        c.draw(words, x, y + 56)

    return Piece(56 + words.height, draw)


def _track(c: Canvas, x: float, y: float, width: float, share: float | None, ink: str) -> None:
    """The ceiling as a track, filled as far as the measured share; an unknown one is only outlined."""
    if share is None:
        corners = [(x, y), (x + width, y), (x + width, y + TRACK_HEIGHT), (x, y + TRACK_HEIGHT), (x, y)]
        c.line(corners, style.RULE, 0.6, dashed=True)
        return
    c.box(x, y, width, TRACK_HEIGHT, style.TRACK, TRACK_HEIGHT / 2)
    filled = max(width * share, TRACK_HEIGHT)
    c.box(x, y, filled, TRACK_HEIGHT, ink, TRACK_HEIGHT / 2)
