"""The charts of a measured server as SVG; "" where there is nothing to draw."""

from collections.abc import Callable, Sequence
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.translation import tr
from advisor.report import formatting as f
from advisor.report import server_charts
from advisor.report.exporters import svg_shapes as svg
from advisor.servers.model import ServerResult

HEIGHT: Final = 180.0
ROW: Final = 22.0
NAMES_WIDTH: Final = 84.0

Points = Sequence[tuple[float, float]]


def first_token(result: ServerResult) -> str:
    """Seconds to the first token over the prompt's length."""
    points = server_charts.waits(result)
    if not points:
        return ""
    title, across = tr("First token, seconds"), tr("Prompt tokens")
    shapes = _panel(0, svg.WIDTH, title, across, Phase.PREFILL, points, f.number)
    spoken = ", ".join(
        tr("{figure} at {place}", figure=f.seconds(wait), place=f.tokens(round(tokens))) for tokens, wait in points
    )
    return svg.figure(HEIGHT, tr("Time to first token over the prompt's length"), spoken, shapes)


def speeds(result: ServerResult) -> str:
    """Tokens/s of all together and of each over the users, side by side: they differ by the number of users."""
    found = server_charts.speeds(result)
    if not found:
        return ""
    width = (svg.WIDTH - 40) / 2
    together = [(float(point.users), point.together) for point in found]
    each = [(float(point.users), point.each) for point in found]
    shapes = [
        *_panel(0, width, tr("All together, tokens/s"), tr("Users"), Phase.DECODE, together, f.number),
        *_panel(width + 40, width, tr("Each, tokens/s"), tr("Users"), Phase.DECODE, each, f.number),
    ]
    spoken = "; ".join(
        tr(
            "{users}: {together} together, {each} each", users=f.plural(point.users, "user", "users"),
            together=f.tokens_per_s(point.together), each=f.tokens_per_s(point.each),
        )
        for point in found
    )  # fmt: skip
    return svg.figure(HEIGHT, tr("Speed over users"), spoken, shapes)


def token_clock(result: ServerResult) -> str:
    """Every stream's tokens as ticks, with the time in which the long prompt was read."""
    clock = server_charts.token_clock(result)
    if clock is None:
        return ""
    scale = (svg.WIDTH - NAMES_WIDTH) / clock.length_s
    height = ROW * len(clock.rows)
    begin, end = NAMES_WIDTH + clock.begin_s * scale, NAMES_WIDTH + clock.end_s * scale
    shapes = [svg.box(begin, 0, end - begin, height, svg.SOFT[Phase.PREFILL])]
    for index, row in enumerate(clock.rows):
        top, ink = ROW * index, svg.INKS[Phase.PREFILL if index == len(clock.rows) - 1 else Phase.DECODE]
        shapes.append(svg.words(0, top + 15, row.name, svg.TEXT))
        shapes += [svg.box(NAMES_WIDTH + at_s * scale - 0.7, top + 4, 1.4, ROW - 8, ink) for at_s in row.at_s]
    reading = tr("the prompt is read: {time}", time=f.seconds(clock.end_s - clock.begin_s))
    shapes.append(svg.words(min((begin + end) / 2, svg.WIDTH - 100), height + 16, reading, svg.MUTED, "middle"))
    spoken = tr(
        "A prompt is read from {begin} to {end} of this picture",
        begin=f.seconds(clock.begin_s), end=f.seconds(clock.end_s),
    )  # fmt: skip
    return svg.figure(height + 24, tr("Tokens of every stream around a long prompt"), spoken, shapes)


def _panel(
    left: float, width: float, title: str, across: str, phase: Phase, points: Points, written: Callable[[float], str]
) -> list[str]:
    """One line from 0 up over an axis in equal steps, its first and last point written out."""
    axis, right, foot = left + 10, left + width - 50, HEIGHT - 30
    low, high, top = points[0][0], points[-1][0], max(value for _, value in points) * 1.15
    places = [
        (axis + (right - axis) * (x - low) / ((high - low) or 1.0), foot - (foot - 36) * value / top)
        for x, value in points
    ]
    return [
        svg.words(left, 14, title, svg.INKS[phase], "start", True),
        svg.line([(axis, 30), (axis, foot), (right, foot)], svg.MUTED),
        svg.line(places, svg.INKS[phase], 2.0),
        *(svg.mark(phase, x, y, True) for x, y in places),
        svg.words(places[0][0] + 8, places[0][1] - 8, written(points[0][1]), svg.INKS[phase]),
        svg.words(places[-1][0] + 8, places[-1][1] + 4, written(points[-1][1]), svg.INKS[phase]),
        svg.words(axis, foot + 16, f.count(low), svg.MUTED, "middle"),
        svg.words(right, foot + 16, f.count(high), svg.MUTED, "middle"),
        svg.words((axis + right) / 2, foot + 16, across, svg.MUTED, "middle"),
    ]
