"""The bar of one request and the two phases against their ceilings."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Known
from advisor.diagnosis.model import Timeline
from advisor.diagnosis.parts import PartId
from advisor.report import formatting as f
from advisor.report import wording
from advisor.report.document import Document
from advisor.report.wait_words import SHORT_NAMES
from ui.printing import style
from ui.printing.canvas import RIGHT, Canvas
from ui.printing.flow import Piece

BAR_HEIGHT = 26.0
LABEL_PADDING = 7.0
COLUMN_GAP = 21.0

SOFT: Final = {
    style.PHASE_INK[Phase.PREFILL]: style.PHASE_SOFT[Phase.PREFILL],
    style.PHASE_INK[Phase.DECODE]: style.PHASE_SOFT[Phase.DECODE],
    style.MUTED: style.TRACK,
}
WORDS: Final = {
    **SHORT_NAMES, PartId.COLD_PREFILL: "nothing on screen", PartId.DECODE: "writing",
}
TRACK_HEIGHT = 8.5


def request_bar(canvas: Canvas, document: Document, width: float = style.CONTENT_WIDTH) -> list[Piece]:
    """Every known part of the first request's seconds; parts too narrow for their words are named below the bar."""
    if not isinstance(document.timeline, Known) or document.timeline.value.total_s <= 0:
        return []
    parts = _parts(document.timeline.value)
    whole_s = sum(length_s for _, _, length_s in parts)
    label, small = style.STRONG, style.SMALL_QUIET
    segments = []
    for ink, words, length_s in parts:
        part_width = width * length_s / whole_s
        text = f"{words} {f.seconds(length_s)}"
        fits = canvas.text_width(text, label) + 2 * LABEL_PADDING <= part_width
        segments.append((ink, text, part_width, fits))
    hidden = [text for _, text, _, fits in segments if not fits]
    below = canvas.text("Too short to be named in the bar: " + ", ".join(hidden) + ".", small, width, 2)
    height = BAR_HEIGHT + (below.height + 4 if hidden else 0.0) + 3

    def draw(c: Canvas, x: float, y: float) -> None:
        left = x
        for ink, text, part_width, fits in segments:
            c.box(left, y, part_width, BAR_HEIGHT, SOFT[ink])
            c.box(left, y, min(2.6, part_width), BAR_HEIGHT, ink)
            if fits:
                c.write(text, label.inked(ink), left + LABEL_PADDING, y + 16.5)
            left += part_width
        if hidden:
            c.draw(below, x, y + BAR_HEIGHT + 4)

    return [Piece(height, draw)]


def _parts(line: Timeline) -> list[tuple[str, str, float]]:
    """Ink, words and seconds of each known part, in order; of an older result reading and writing only."""
    reading, writing = style.PHASE_INK[Phase.PREFILL], style.PHASE_INK[Phase.DECODE]
    inks = {PartId.COLD_PREFILL: reading, PartId.CACHED_PREFILL: reading, PartId.DECODE: writing}
    found = [
        (inks.get(part.id, style.MUTED), WORDS[part.id], part.took.value.middle_s)
        for part in line.first_time.parts
        if isinstance(part.took, Known) and part.took.value.middle_s > 0
    ]
    return found or [
        (reading, WORDS[PartId.COLD_PREFILL], line.wait_s), (writing, WORDS[PartId.DECODE], line.stream_s),
    ]


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
    name = "Prefill" if phase is Phase.PREFILL else "Decode"

    def draw(c: Canvas, x: float, y: float) -> None:
        c.write(name, style.STRONG.inked(ink), x, y + 10)
        if limit:
            c.write(limit, style.QUIET, x + width, y + 10, RIGHT)
        baseline = y + 36
        if test is None:
            c.write("not measured", style.UNIT.inked(style.MUTED), x, baseline - 4)
        else:
            figure = f.number(test.tokens_per_s, test.mad_tokens_per_s)
            advance = c.write(figure, style.FIGURE.inked(ink), x, baseline)
            advance += 6 + c.write("tokens/s", style.UNIT.inked(ink), x + advance + 6, baseline)
            if test.conditions.because or not test.complete:
                stamp = test.conditions.stamp
                sign = f"{wording.STAMP_SIGN[stamp]} {stamp}" if test.conditions.because else "not complete"
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
