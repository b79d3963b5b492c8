"""The roofline as vectors: both roofs, the balance point and the measured phases on logarithmic axes."""

import math
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult
from advisor.ceilings.roofline import decode_point, prefill_point
from advisor.core.evidence import Known
from advisor.core.units import GFLOP
from advisor.gguf.traffic import Traffic
from advisor.report import formatting as f
from advisor.report.document import Document
from ui.printing import style
from ui.printing.canvas import CENTRE, LEFT, RIGHT, Canvas
from ui.printing.flow import Piece

HEIGHT: Final = 232.0
LEFT_ROOM: Final = 46.0
BOTTOM_ROOM: Final = 30.0
TOP_ROOM: Final = 10.0
RIGHT_ROOM: Final = 10.0
MAX_POINTS: Final = 24


@dataclass(frozen=True, slots=True)
class Point:
    """One test on the chart; ``solid`` only when its run is valid."""

    label: str
    phase: Phase
    flop_per_byte: float
    flop_per_s: float
    solid: bool


@dataclass(frozen=True, slots=True)
class Axes:
    """Logarithmic axes, each from one power of ten to another, inside a rectangle given in points."""

    left: float
    top: float
    width: float
    height: float
    x_low: int
    x_high: int
    y_low: int
    y_high: int

    def x(self, value: float) -> float:
        """Where ``value`` operations per byte lie, at most at the edges."""
        share = (math.log10(value) - self.x_low) / (self.x_high - self.x_low)
        return self.left + self.width * min(max(share, 0.0), 1.0)

    def y(self, value: float) -> float:
        """Where ``value`` FLOP/s lie."""
        share = (math.log10(value) - self.y_low) / (self.y_high - self.y_low)
        return self.top + self.height * (1 - min(max(share, 0.0), 1.0))


def points(document: Document) -> tuple[Point, ...]:
    """The tests as operations per byte and operations per second; none without the model's traffic."""
    if not isinstance(document.model.traffic, Known):
        return ()
    traffic = document.model.traffic.value
    phases = [test for test in document.tests if test.sweep is Sweep.PHASES]
    made = (_point(test, traffic) for test in phases[:MAX_POINTS])
    return tuple(point for point in made if point.flop_per_byte > 0 and point.flop_per_s > 0)


def _point(test: TestResult, traffic: Traffic) -> Point:
    try:
        if test.phase is Phase.PREFILL:
            at = prefill_point(traffic, test.tokens_per_s, test.n_prompt)
        else:
            at = decode_point(traffic, test.tokens_per_s, 1, test.n_depth)
    except ZeroDivisionError:  # a model without weights, which only a crafted file has
        at = (0.0, 0.0)
    return Point(f"{test.phase} {test.test}", test.phase, *at, solid=test.conditions.stamp is Stamp.VALID)


def roofline(canvas: Canvas, document: Document, width: float = style.CONTENT_WIDTH) -> list[Piece]:
    """The chart; nothing where neither a roof nor a point is known."""
    roofs = _roofs(document)
    marks = points(document)
    if roofs is None:
        return []
    bandwidth, compute = roofs
    ridge = compute / bandwidth

    def draw(c: Canvas, x: float, y: float) -> None:
        axes = _axes(x, y, width, bandwidth, compute, marks)
        _grid(c, axes)
        _draw_roofs(c, axes, bandwidth, compute)
        c.line([(axes.x(ridge), axes.y(compute)), (axes.x(ridge), axes.top + axes.height)], style.MUTED, 0.7, True)
        words = f"balance point: {f.number(ridge)} operations per byte"
        c.write(words, style.CHART, axes.x(ridge) + 4, axes.top + axes.height - 5)
        _draw_points(c, axes, marks)

    return [Piece(HEIGHT, draw)]


def _roofs(document: Document) -> tuple[float, float] | None:
    if not isinstance(document.ceilings, Known):
        return None
    bandwidth, compute = document.ceilings.value.read_bytes_per_s, document.ceilings.value.compute_flop_per_s
    if not isinstance(bandwidth, Known) or not isinstance(compute, Known):
        return None
    return (bandwidth.value, compute.value) if bandwidth.value > 0 and compute.value > 0 else None


def _axes(x: float, y: float, width: float, bandwidth: float, compute: float, marks: tuple[Point, ...]) -> Axes:
    ridge = compute / bandwidth
    across = [ridge, *(mark.flop_per_byte for mark in marks)]
    x_low, x_high = min(0, _floor(min(across) / 1.5)), max(3, _ceil(max(across) * 1.5))
    up = [compute * 1.8, *(mark.flop_per_s for mark in marks)]
    y_low = _floor(min([bandwidth * 10.0**x_low, *(mark.flop_per_s / 1.5 for mark in marks)]))
    y_high = max(_ceil(max(up)), y_low + 1)
    return Axes(
        x + LEFT_ROOM, y + TOP_ROOM, width - LEFT_ROOM - RIGHT_ROOM, HEIGHT - TOP_ROOM - BOTTOM_ROOM,
        x_low, x_high, y_low, y_high,
    )  # fmt: skip


def _floor(value: float) -> int:
    return math.floor(math.log10(value))


def _ceil(value: float) -> int:
    return math.ceil(math.log10(value))


def _grid(c: Canvas, axes: Axes) -> None:
    bottom, right = axes.top + axes.height, axes.left + axes.width
    for power in range(axes.x_low, axes.x_high + 1):
        at = axes.x(10.0**power)
        c.line([(at, axes.top), (at, bottom)], style.RULE, 0.4, dashed=axes.x_low < power)
        c.write(_power(power), style.CHART, at, bottom + 11, CENTRE)
    for power in range(axes.y_low, axes.y_high + 1):
        at = axes.y(10.0**power)
        c.line([(axes.left, at), (right, at)], style.RULE, 0.4, dashed=axes.y_low < power)
        c.write(_power(power - 9), style.CHART, axes.left - 5, at + 2.8, RIGHT)
    c.write("operations per byte read", style.CHART, axes.left + axes.width / 2, bottom + 24, CENTRE)
    c.write_turned("GFLOP/s", style.CHART, axes.left - LEFT_ROOM + 8, axes.top + axes.height / 2 + 16, 90)


def _power(exponent: int) -> str:
    return f.count(10**exponent) if exponent >= 0 else f"{10.0**exponent:g}"


def _draw_roofs(c: Canvas, axes: Axes, bandwidth: float, compute: float) -> None:
    ridge = compute / bandwidth
    foot = 10.0**axes.x_low
    start, knee = (axes.x(foot), axes.y(bandwidth * foot)), (axes.x(ridge), axes.y(compute))
    c.line([start, knee, (axes.left + axes.width, axes.y(compute))], style.INK, 1.3)
    compute_words = f"compute: {f.flop_rate(compute)}"
    c.write(compute_words, style.CHART_STRONG, axes.left + axes.width - 4, knee[1] - 5, RIGHT)
    # On log-log axes the memory roof rises by one decade per decade.
    degrees = math.degrees(math.atan2(start[1] - knee[1], max(knee[0] - start[0], 1.0)))
    memory_words = f"memory: {f.bandwidth(bandwidth)}"
    length = math.hypot(knee[0] - start[0], knee[1] - start[1])
    if c.text_width(memory_words, style.CHART_STRONG) + 12 < length:
        turn = math.radians(degrees)
        c.write_turned(
            memory_words, style.CHART_STRONG,
            start[0] + 8 * math.cos(turn) - 7 * math.sin(turn), start[1] - 8 * math.sin(turn) - 7 * math.cos(turn),
            degrees,
        )  # fmt: skip
    else:
        c.write(memory_words, style.CHART_STRONG, start[0] + 4, min(start[1] + 14, axes.top + axes.height - 16))


def _draw_points(c: Canvas, axes: Axes, marks: tuple[Point, ...]) -> None:
    """Markers differ in shape as well as in colour; a label that would cover another is left out."""
    taken: list[tuple[float, float, float]] = []
    for mark in marks:
        x, y, ink = axes.x(mark.flop_per_byte), axes.y(mark.flop_per_s), style.PHASE_INK[mark.phase]
        c.dot(x, y, 3.4, ink, mark.solid, square=mark.phase is Phase.DECODE)
        label = f"{mark.label}, {f.number(mark.flop_per_s / GFLOP)} GFLOP/s"
        width = c.text_width(label, style.CHART_STRONG)
        right_of = x + 8 + width < axes.left + axes.width
        start, baseline = (x + 8 if right_of else x - 8 - width), y + 11
        if any(start < end and start + width > begin and abs(baseline - at) < 10 for begin, end, at in taken):
            continue
        taken.append((start, start + width, baseline))
        c.write(label, style.CHART_STRONG.inked(ink), start, baseline, LEFT)
