"""The roofline as vectors: both roofs, the balance point and the measured phases on logarithmic axes."""

import math
from typing import Final

from advisor.core.translation import tr
from advisor.core.units import GFLOP
from advisor.report import chart_parts
from advisor.report import formatting as f
from advisor.report.chart_parts import Axes, Point, Roofs, decade
from advisor.report.document import Document
from ui.printing import style
from ui.printing.canvas import CENTRE, LEFT, RIGHT, Canvas
from ui.printing.flow import Piece

HEIGHT: Final = 232.0
LEFT_ROOM: Final = 46.0
BOTTOM_ROOM: Final = 30.0
TOP_ROOM: Final = 10.0
RIGHT_ROOM: Final = 10.0


def roofline(canvas: Canvas, document: Document, width: float = style.CONTENT_WIDTH) -> list[Piece]:
    """The chart; nothing where a roof is not known."""
    bounds, marks = chart_parts.roofs(document), chart_parts.points(document)
    if bounds is None:
        return []
    ridge, compute = bounds.balance_flop_per_byte, bounds.compute_flop_per_s

    def draw(c: Canvas, x: float, y: float) -> None:
        wide, high = width - LEFT_ROOM - RIGHT_ROOM, HEIGHT - TOP_ROOM - BOTTOM_ROOM
        axes = chart_parts.axes(bounds, marks, x + LEFT_ROOM, y + TOP_ROOM, wide, high)
        _grid(c, axes)
        _draw_roofs(c, axes, bounds)
        c.line([(axes.x(ridge), axes.y(compute)), (axes.x(ridge), axes.bottom)], style.MUTED, 0.7, True)
        words = tr("balance point: {n} operations per byte", n=f.number(ridge))
        c.write(words, style.CHART, axes.x(ridge) + 4, axes.bottom - 5)
        _draw_points(c, axes, marks)

    return [Piece(HEIGHT, draw)]


def _grid(c: Canvas, axes: Axes) -> None:
    bottom, right = axes.bottom, axes.right
    for power in range(axes.x_low, axes.x_high + 1):
        at = axes.x(10.0**power)
        c.line([(at, axes.top), (at, bottom)], style.RULE, 0.4, dashed=axes.x_low < power)
        c.write(decade(power), style.CHART, at, bottom + 11, CENTRE)
    for power in range(axes.y_low, axes.y_high + 1):
        at = axes.y(10.0**power)
        c.line([(axes.left, at), (right, at)], style.RULE, 0.4, dashed=axes.y_low < power)
        c.write(decade(power - 9), style.CHART, axes.left - 5, at + 2.8, RIGHT)
    c.write(tr("operations per byte read"), style.CHART, axes.left + axes.width / 2, bottom + 24, CENTRE)
    c.write_turned("GFLOP/s", style.CHART, axes.left - LEFT_ROOM + 8, axes.top + axes.height / 2 + 16, 90)


def _draw_roofs(c: Canvas, axes: Axes, bounds: Roofs) -> None:
    ridge, bandwidth, compute = bounds.balance_flop_per_byte, bounds.read_bytes_per_s, bounds.compute_flop_per_s
    foot = 10.0**axes.x_low
    start, knee = (axes.x(foot), axes.y(bandwidth * foot)), (axes.x(ridge), axes.y(compute))
    c.line([start, knee, (axes.right, axes.y(compute))], style.INK, 1.3)
    compute_words = tr("compute: {rate}", rate=f.flop_rate(compute))
    c.write(compute_words, style.CHART_STRONG, axes.right - 4, knee[1] - 5, RIGHT)
    # On log-log axes the memory roof rises by one decade per decade.
    degrees = math.degrees(math.atan2(start[1] - knee[1], max(knee[0] - start[0], 1.0)))
    memory_words = tr("memory: {rate}", rate=f.bandwidth(bandwidth))
    length = math.hypot(knee[0] - start[0], knee[1] - start[1])
    if c.text_width(memory_words, style.CHART_STRONG) + 12 < length:
        turn = math.radians(degrees)
        c.write_turned(
            memory_words, style.CHART_STRONG,
            start[0] + 8 * math.cos(turn) - 7 * math.sin(turn), start[1] - 8 * math.sin(turn) - 7 * math.cos(turn),
            degrees,
        )  # fmt: skip
    else:
        c.write(memory_words, style.CHART_STRONG, start[0] + 4, min(start[1] + 14, axes.bottom - 16))


def _draw_points(c: Canvas, axes: Axes, marks: tuple[Point, ...]) -> None:
    """Markers differ in shape as well as in colour; a label that would cover another is left out."""
    taken: list[tuple[float, float, float]] = []
    for mark in marks:
        x, y, ink = axes.x(mark.flop_per_byte), axes.y(mark.flop_per_s), style.PHASE_INK[mark.phase]
        c.dot(x, y, 3.4, ink, mark.solid, style.PHASE_MARK[mark.phase])
        label = f"{mark.label}, {f.number(mark.flop_per_s / GFLOP)} GFLOP/s"
        width = c.text_width(label, style.CHART_STRONG)
        right_of = x + 8 + width < axes.right
        start, baseline = (x + 8 if right_of else x - 8 - width), y + 11
        if any(start < end and start + width > begin and abs(baseline - at) < 10 for begin, end, at in taken):
            continue
        taken.append((start, start + width, baseline))
        c.box(start - 1.5, baseline - 7.5, width + 3, 10, style.PAPER)  # or the balance point's line runs through it
        c.write(label, style.CHART_STRONG.inked(ink), start, baseline, LEFT)
