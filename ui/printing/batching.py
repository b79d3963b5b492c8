"""The batch curve as vectors: tokens/s of all streams together and of each, both axes logarithmic."""

import math
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.sharing import BatchReading
from advisor.core.translation import tr
from advisor.report import formatting as f
from ui.printing import style
from ui.printing.canvas import CENTRE, LEFT, RIGHT, Canvas
from ui.printing.flow import Piece

HEIGHT: Final = 168.0
LEFT_ROOM: Final = 46.0
BOTTOM_ROOM: Final = 28.0
TOP_ROOM: Final = 8.0
RIGHT_ROOM: Final = 66.0
"""For the curves' names, which stand right of their last points."""
LABEL_STEP: Final = 9.5
"""Least distance of two names, in points."""
STEPS: Final = (1, 2, 5)

Line = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Plot:
    """Both logarithmic axes inside a rectangle given in points."""

    left: float
    top: float
    width: float
    height: float
    streams: tuple[float, float]
    speeds: tuple[float, float]

    def at(self, streams: float, tokens_per_s: float) -> tuple[float, float]:
        """Where a point lies."""
        across, up = _share(streams, self.streams), _share(tokens_per_s, self.speeds)
        return self.left + self.width * across, self.top + self.height * (1 - up)


def _share(value: float, limits: tuple[float, float]) -> float:
    low, high = limits
    return math.log(value / low) / math.log(high / low)


def batch_chart(
    canvas: Canvas, reading: BatchReading, comfort_tokens_per_s: float, width: float = style.CONTENT_WIDTH
) -> list[Piece]:
    """The chart; its table stands below it. Nothing where a speed is 0, which no logarithm shows."""
    together = [(float(point.streams), point.tokens_per_s) for point in reading.points]
    each = [(float(point.streams), point.each_tokens_per_s) for point in reading.points]
    ceiling = [(float(streams), tokens_per_s) for streams, tokens_per_s in reading.ceiling]
    return speeds_chart(together, each, ceiling, comfort_tokens_per_s, tr("streams decoded together"), width)


def speeds_chart(
    together: Line, each: Line, ceiling: Line, comfort_tokens_per_s: float, across: str,
    width: float = style.CONTENT_WIDTH,
) -> list[Piece]:
    """Tokens/s of all together and of each over their number, which ``across`` names; both lines have the same ones."""
    speeds = [speed for _, speed in (*together, *each, *ceiling)]
    if min(speeds) <= 0:
        return []
    lines = [
        (tr("together"), together, style.INK, True), (tr("each"), each, style.PHASE_INK[Phase.DECODE], False),
    ]  # fmt: skip

    def draw(c: Canvas, x: float, y: float) -> None:
        plot = Plot(
            x + LEFT_ROOM, y + TOP_ROOM, width - LEFT_ROOM - RIGHT_ROOM, HEIGHT - TOP_ROOM - BOTTOM_ROOM,
            (together[0][0] / 1.12, together[-1][0] * 1.12), (min(speeds) / 1.35, max(speeds) * 1.25),
        )  # fmt: skip
        _grid(c, plot, [streams for streams, _ in together], across)
        _comfort(c, plot, comfort_tokens_per_s)
        names = [(plot.at(*curve[-1]), name, ink) for name, curve, ink, _ in lines]
        if ceiling:
            c.line([plot.at(*point) for point in ceiling], style.MUTED, 0.9)
            names.append((plot.at(*ceiling[-1]), tr("at most"), style.MUTED))
        for _, curve, ink, filled in lines:
            c.line([plot.at(*point) for point in curve], ink, 1.2, dashed=not filled)
            for point in curve:
                c.dot(*plot.at(*point), 2.6, ink, filled, "circle" if filled else "square")
        _name(c, names)

    return [Piece(HEIGHT, draw, keep_with_next=True)]


def _grid(c: Canvas, plot: Plot, streams: list[float], across_words: str) -> None:
    bottom, right = plot.top + plot.height, plot.left + plot.width
    for number in streams:
        across, _ = plot.at(number, plot.speeds[0])
        c.line([(across, plot.top), (across, bottom)], style.RULE, 0.4, dashed=True)
        c.write(f.count(round(number)), style.CHART, across, bottom + 10, CENTRE)
    for tick in _ticks(*plot.speeds):
        _, up = plot.at(streams[0], tick)
        c.line([(plot.left, up), (right, up)], style.RULE, 0.4, dashed=True)
        c.write(f.count(round(tick)) if tick >= 1 else f.number(tick), style.CHART, plot.left - 5, up + 2.8, RIGHT)
    c.line([(plot.left, plot.top), (plot.left, bottom), (right, bottom)], style.RULE, 0.6)
    c.write(across_words, style.CHART, plot.left + plot.width / 2, bottom + 22, CENTRE)
    c.write_turned(tr("tokens/s"), style.CHART, plot.left - LEFT_ROOM + 8, plot.top + plot.height / 2 + 16, 90)


def _ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten between the limits."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [tick for power in powers for step in STEPS if low <= (tick := step * 10.0**power) <= high]


def _comfort(c: Canvas, plot: Plot, tokens_per_s: float) -> None:
    """The line that each one's speed should not fall below, where it is in sight."""
    low, high = plot.speeds
    if not low < tokens_per_s < high:
        return
    _, up = plot.at(plot.streams[0], tokens_per_s)
    c.line([(plot.left, up), (plot.left + plot.width, up)], style.GOOD, 0.8, dashed=True)
    words = tr("comfort: {speed} each", speed=f.tokens_per_s(tokens_per_s))
    c.write(words, style.CHART.inked(style.GOOD), plot.left + 4, up + 9)


def _name(c: Canvas, names: list[tuple[tuple[float, float], str, str]]) -> None:
    """Each curve's name right of its end, moved down where it would stand on the one above."""
    lowest = -math.inf
    for (x, y), name, ink in sorted(names, key=lambda found: found[0][1]):
        baseline = max(y + 2.8, lowest + LABEL_STEP)
        c.write(name, style.CHART_STRONG.inked(ink), x + 7, baseline, LEFT)
        lowest = baseline
