"""The report's charts as plain SVG text: title and description for screen readers, colours from the page's style.

Each function gives "" where there is nothing to draw. Coordinates are rounded to a tenth, so that the same document
gives the same text everywhere.
"""

from collections.abc import Callable
from typing import Final

from advisor.benchmarks.model import Phase, Sweep, TestResult
from advisor.core.numbers import clause
from advisor.core.translation import tr
from advisor.core.units import GFLOP
from advisor.diagnosis.waterfall import Waterfall
from advisor.report import chart_parts, wording
from advisor.report import formatting as f
from advisor.report.chart_parts import Axes, decade, request_parts
from advisor.report.document import Document
from advisor.report.exporters.svg_shapes import INKS, LINE, MUTED, SOFT, SURFACE, TEXT, WIDTH
from advisor.report.exporters.svg_shapes import box as _box
from advisor.report.exporters.svg_shapes import figure as _figure
from advisor.report.exporters.svg_shapes import line as _line
from advisor.report.exporters.svg_shapes import mark as _mark
from advisor.report.exporters.svg_shapes import n as _n
from advisor.report.exporters.svg_shapes import words as _words
from advisor.report.sweeps import curve_rows, sweep_tables
from advisor.report.waterfall_words import waterfall_rows, waterfall_title

NAMES: Final = {Phase.PREFILL: "Prefill", Phase.DECODE: "Decode"}
GLYPH: Final = 6.6
"""Mean width of a character at 13 px; only decides whether words fit inside a bar."""


def request_bar(document: Document) -> str:
    """The seconds of the first request, part by part."""
    parts = request_parts(document)
    if not parts:
        return ""
    whole_s, left = sum(part.took_s for part in parts), 0.0
    shapes = []
    for part in parts:
        width = WIDTH * part.took_s / whole_s
        ink, soft = (INKS[part.phase], SOFT[part.phase]) if part.phase else (MUTED, LINE)
        shapes += [_box(left, 0, width, 36, soft), _box(left, 0, min(3.0, width), 36, ink)]
        if len(part.text) * GLYPH + 16 < width:
            shapes.append(_words(left + 9, 23, part.text, ink))
        left += width
    return _figure(36, tr("Where one request's seconds go"), "; ".join(part.text for part in parts), shapes)


def phases(document: Document) -> str:
    """Each phase's speed against its ceiling."""
    shapes: list[str] = []
    spoken = []
    for index, phase in enumerate(Phase):
        test, share, top = wording.phase_test(document, phase), wording.share_of_ceiling(document, phase), 46.0 * index
        speed = f.tokens_per_s(test.tokens_per_s, test.mad_tokens_per_s) if test else tr("not measured")
        of = tr("ceiling unknown")
        if test is not None and share is not None:
            of = tr("{share} of its ceiling", share=f.of_ceiling(share))
        shapes += [
            _words(0, top + 14, f"{NAMES[phase]}: {speed}", INKS[phase], "start", True),
            _words(WIDTH, top + 14, of, MUTED, "end"),
        ]
        if test is None or share is None:
            shapes.append(
                f'<rect x="0.5" y="{_n(top + 22.5)}" width="{_n(WIDTH - 1)}" height="9" fill="none" stroke="{MUTED}" '
                'stroke-dasharray="3 3"/>'
            )
        else:
            shapes += [_box(0, top + 22, WIDTH, 10, LINE), _box(0, top + 22, WIDTH * share, 10, INKS[phase])]
        spoken.append(f"{NAMES[phase]} {speed}, {of}")
    return _figure(80, tr("The two phases against their ceilings"), "; ".join(spoken), shapes)


def waterfall(found: Waterfall) -> str:
    """The parts of one measured step, one bar below the other, each where the one before ends."""
    rows = waterfall_rows(found)
    column = max(len(name) for name, _, _ in rows) * GLYPH + 10
    scale = (WIDTH - 90 - column) / max(found.step_s, sum(max(piece.seconds, 0.0) for piece in found.slices))
    shapes, at, ink = [], 0.0, INKS[found.phase]
    for index, (piece, row) in enumerate(zip(found.slices, rows, strict=True)):
        left, width, top = min(at, at + piece.seconds), abs(piece.seconds), 24.0 * index
        shapes += [
            _words(0, top + 15, row[0], TEXT),
            _box(column + left * scale, top + 4, max(width * scale, 1.0), 14, ink if piece.seconds >= 0 else MUTED),
            _words(column + (left + width) * scale + 6, top + 15, row[1], MUTED),
        ]
        at += piece.seconds
    spoken = "; ".join(f"{name} {took}, {share}" for name, took, share in rows)
    return _figure(24.0 * len(rows), waterfall_title(found), spoken, shapes)


def sweeps(document: Document) -> list[tuple[str, str]]:
    """Depth, threads and streams as lines, each axis in equal steps; by the title of the curve's table."""
    drawn = []
    across: dict[Sweep, tuple[str, Callable[[TestResult], float]]] = {
        Sweep.DEPTH: (tr("Tokens in the cache"), lambda row: float(row.n_depth)),
        Sweep.THREADS: (tr("Threads"), lambda row: float(row.n_threads)),
        Sweep.BATCH: (tr("Streams"), lambda row: float(row.n_streams)),
    }
    for table in sweep_tables(document.tests, document.model.traffic.or_none()):
        if table.sweep not in across:
            continue
        name, read = across[table.sweep]
        lines = {
            phase: sorted((read(row), row.tokens_per_s) for row in curve_rows(document.tests, table.sweep, phase))
            for phase in Phase
        }
        text = _panels(table.title, name, {phase: points for phase, points in lines.items() if len(points) > 1})
        drawn += [(table.title, text)] if text else []
    return drawn


def _panels(title: str, name: str, lines: dict[Phase, list[tuple[float, float]]]) -> str:
    """A panel for each phase beside each other, each from 0 up: their speeds differ by factors of ten and more."""
    if not lines:
        return ""
    shapes: list[str] = []
    spoken = []
    width, height = (WIDTH - 40) / 2, 170.0
    for index, (phase, points) in enumerate(lines.items()):
        left, top_speed = index * (width + 40) + 50, max(speed for _, speed in points) * 1.1
        low, high = points[0][0], points[-1][0]
        places = [
            (left + (width - 70) * (x - low) / ((high - low) or 1.0), 30 + (height - 60) * (1 - speed / top_speed))
            for x, speed in points
        ]
        shapes += [
            _words(left - 50, 14, f"{NAMES[phase]}, {tr('tokens/s')}", INKS[phase], "start", True),
            _line([(left, 30), (left, height - 30), (left + width - 60, height - 30)], MUTED),
            _line(places, INKS[phase], 2.0),
            *(_mark(phase, x, y, True) for x, y in places),
            _words(left - 6, places[0][1] + 4, f.number(points[0][1]), MUTED, "end"),
            _words(left + width - 70, places[-1][1] - 9, f.number(points[-1][1]), INKS[phase], "end"),
            _words(left, height - 14, f.count(low), MUTED, "middle"),
            _words(left + width - 70, height - 14, f.count(high), MUTED, "middle"),
            _words(left + (width - 70) / 2, height - 14, name, MUTED, "middle"),
        ]
        read = ", ".join(tr("{figure} at {place}", figure=f.number(y), place=f.count(x)) for x, y in points)
        spoken.append(f"{NAMES[phase]}: {read}")
    what = tr("{title}: speed over {across}", title=title, across=clause(name))
    return _figure(height, what, "; ".join(spoken), shapes)


def roofline(document: Document) -> str:
    """Both roofs, the balance point and the measured phases, on logarithmic axes."""
    bounds, marks = chart_parts.roofs(document), chart_parts.points(document)
    if bounds is None:
        return ""
    ridge, bandwidth, compute = bounds.balance_flop_per_byte, bounds.read_bytes_per_s, bounds.compute_flop_per_s
    axes = chart_parts.axes(bounds, marks, 62.0, 10.0, WIDTH - 92, 270.0)
    foot, knee = 10.0**axes.x_low, (axes.x(ridge), axes.y(compute))
    balance = tr("balance point: {number} operations per byte", number=f.number(ridge))
    right_of = knee[0] + 4 + len(balance) * GLYPH < axes.right
    memory = tr("memory: {speed}", speed=f.bandwidth(bandwidth))
    arithmetic = tr("compute: {speed}", speed=f.flop_rate(compute))
    shapes = [
        *_grid(axes),
        _line([(axes.x(foot), axes.y(bandwidth * foot)), knee, (axes.right, knee[1])], TEXT, 1.6),
        _line([knee, (knee[0], axes.bottom)], MUTED, 1.0, True),
        _words(axes.right - 4, knee[1] - 6, arithmetic, TEXT, "end", True),
        _words(max(knee[0] - 8, axes.left + 140), knee[1] - 8, memory, TEXT, "end", True),
        _words(knee[0] + (4 if right_of else -4), axes.bottom - 6, balance, MUTED, "start" if right_of else "end"),
    ]
    spoken = [
        tr("memory roof {speed}", speed=f.bandwidth(bandwidth)),
        tr("compute roof {speed}", speed=f.flop_rate(compute)), balance,
    ]  # fmt: skip
    grounds: list[str] = []  # below the labels, since the balance point's line would run through them
    labels: list[str] = []
    heights: list[float] = []
    for mark in marks:
        at_x, at_y = axes.x(mark.flop_per_byte), axes.y(mark.flop_per_s)
        label = f"{mark.label}, {f.number(mark.flop_per_s / GFLOP)} GFLOP/s"
        if all(abs(at_y - taken) > 14 for taken in heights):
            heights.append(at_y)
            width = len(label) * GLYPH
            starts = at_x + width < axes.right
            grounds.append(_box(at_x if starts else at_x - width, at_y + 5, width, 15, SURFACE))
            labels.append(_words(at_x, at_y + 16, label, INKS[mark.phase], "start" if starts else "end"))
        spoken.append(tr("{label} at {number} operations per byte", label=label, number=f.number(mark.flop_per_byte)))
    shapes += grounds
    shapes += [_mark(m.phase, axes.x(m.flop_per_byte), axes.y(m.flop_per_s), m.solid) for m in marks]
    shapes += labels
    return _figure(axes.bottom + 36, tr("Roofline"), "; ".join(spoken), shapes)


def _grid(axes: Axes) -> list[str]:
    shapes = []
    for power in range(axes.x_low, axes.x_high + 1):
        x = axes.x(10.0**power)
        shapes.append(_line([(x, axes.top), (x, axes.bottom)], LINE))
        shapes.append(_words(x, axes.bottom + 15, decade(power), MUTED, "middle"))
    for power in range(axes.y_low, axes.y_high + 1):
        y = axes.y(10.0**power)
        shapes.append(_line([(axes.left, y), (axes.right, y)], LINE))
        shapes.append(_words(axes.left - 6, y + 4, decade(power - 9), MUTED, "end"))
    middle = axes.left + axes.width / 2, axes.top + axes.height / 2
    shapes.append(_words(middle[0], axes.bottom + 31, tr("operations per byte read"), MUTED, "middle"))
    turned = f'transform="rotate(-90 12 {_n(middle[1])})"'
    shapes.append(_words(12, middle[1], "GFLOP/s", MUTED, "middle", more=turned))
    return shapes
