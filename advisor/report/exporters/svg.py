"""The report's charts as plain SVG text: title and description for screen readers, colours from the page's style.

Each function gives "" where there is nothing to draw. Coordinates are rounded to a tenth, so that the same document
gives the same text everywhere.
"""

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult
from advisor.ceilings.roofline import decode_point, prefill_point
from advisor.core.evidence import Known
from advisor.core.units import GFLOP
from advisor.diagnosis.parts import PartId
from advisor.diagnosis.waterfall import Waterfall
from advisor.report import formatting as f
from advisor.report import wording
from advisor.report.document import Document
from advisor.report.sweeps import curve_rows, sweep_tables
from advisor.report.wait_words import SHORT_NAMES
from advisor.report.waterfall_words import waterfall_rows, waterfall_title

WIDTH: Final = 720.0
INKS: Final = {Phase.PREFILL: "var(--prefill, #b14d06)", Phase.DECODE: "var(--decode, #1257c4)"}
SOFT: Final = {Phase.PREFILL: "var(--prefill-soft, #fff1e6)", Phase.DECODE: "var(--decode-soft, #e8f0fe)"}
TEXT: Final = "var(--text, #1b1f27)"
MUTED: Final = "var(--muted, #5d6678)"
LINE: Final = "var(--line, #e3e6eb)"
NAMES: Final = {Phase.PREFILL: "Prefill", Phase.DECODE: "Decode"}
GLYPH: Final = 6.6
"""Mean width of a character at 13 px; only decides whether words fit inside a bar."""
MAX_POINTS: Final = 24
_PARTS: Final = {**SHORT_NAMES, PartId.COLD_PREFILL: "nothing on screen", PartId.DECODE: "writing"}
_PHASE_OF: Final = {
    PartId.COLD_PREFILL: Phase.PREFILL, PartId.CACHED_PREFILL: Phase.PREFILL, PartId.DECODE: Phase.DECODE,
}  # fmt: skip


def request_bar(document: Document) -> str:
    """The seconds of the first request, part by part."""
    if not isinstance(document.timeline, Known) or document.timeline.value.total_s <= 0:
        return ""
    line = document.timeline.value
    parts = [
        (_PHASE_OF.get(part.id), _PARTS[part.id], part.took.value.middle_s)
        for part in line.first_time.parts
        if isinstance(part.took, Known) and part.took.value.middle_s > 0
    ] or [(Phase.PREFILL, "nothing on screen", line.wait_s), (Phase.DECODE, "writing", line.stream_s)]
    whole_s, left = sum(took for _, _, took in parts), 0.0
    shapes = []
    for phase, words, took_s in parts:
        width = WIDTH * took_s / whole_s
        ink, soft = (INKS[phase], SOFT[phase]) if phase else (MUTED, LINE)
        shapes += [_box(left, 0, width, 36, soft), _box(left, 0, min(3.0, width), 36, ink)]
        label = f"{words} {f.seconds(took_s)}"
        if len(label) * GLYPH + 16 < width:
            shapes.append(_words(left + 9, 23, label, ink))
        left += width
    spoken = "; ".join(f"{words} {f.seconds(took_s)}" for _, words, took_s in parts)
    return _figure(36, "Where one request's seconds go", spoken, shapes)


def phases(document: Document) -> str:
    """Each phase's speed against its ceiling."""
    shapes: list[str] = []
    spoken = []
    for index, phase in enumerate(Phase):
        test, share, top = wording.phase_test(document, phase), wording.share_of_ceiling(document, phase), 46.0 * index
        speed = f.tokens_per_s(test.tokens_per_s, test.mad_tokens_per_s) if test else "not measured"
        of = "ceiling unknown" if test is None or share is None else f"{f.of_ceiling(share)} of its ceiling"
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
    return _figure(80, "The two phases against their ceilings", "; ".join(spoken), shapes)


def waterfall(found: Waterfall) -> str:
    """The parts of one measured step, one bar below the other, each where the one before ends."""
    rows = waterfall_rows(found)
    scale = (WIDTH - 330) / max(found.step_s, sum(max(piece.seconds, 0.0) for piece in found.slices))
    shapes, at, ink = [], 0.0, INKS[found.phase]
    for index, (piece, row) in enumerate(zip(found.slices, rows, strict=True)):
        left, width, top = min(at, at + piece.seconds), abs(piece.seconds), 24.0 * index
        name = row[0] if len(row[0]) * GLYPH < 230 else f"{row[0][:33]}…"
        shapes += [
            _words(0, top + 15, name, TEXT),
            _box(240 + left * scale, top + 4, max(width * scale, 1.0), 14, ink if piece.seconds >= 0 else MUTED),
            _words(240 + (left + width) * scale + 6, top + 15, row[1], MUTED),
        ]
        at += piece.seconds
    spoken = "; ".join(f"{name} {took}, {share}" for name, took, share in rows)
    return _figure(24.0 * len(rows), waterfall_title(found), spoken, shapes)


def sweeps(document: Document) -> list[tuple[str, str]]:
    """Depth, threads and streams as lines over logarithmic axes; by the title of the curve's table."""
    drawn = []
    across: dict[Sweep, tuple[str, Callable[[TestResult], float]]] = {
        Sweep.DEPTH: ("Tokens in the cache", lambda row: float(row.n_depth)),
        Sweep.THREADS: ("Threads", lambda row: float(row.n_threads)),
        Sweep.BATCH: ("Streams", lambda row: float(row.n_streams)),
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
            _words(left - 50, 14, f"{NAMES[phase]}, tokens/s", INKS[phase], "start", True),
            _line([(left, 30), (left, height - 30), (left + width - 60, height - 30)], MUTED),
            _line(places, INKS[phase], 2.0),
            *(_mark(phase, x, y, True) for x, y in places),
            _words(left - 6, places[0][1] + 4, f.number(points[0][1]), MUTED, "end"),
            _words(left + width - 70, places[-1][1] - 9, f.number(points[-1][1]), INKS[phase], "end"),
            _words(left, height - 14, f.count(low), MUTED, "middle"),
            _words(left + width - 70, height - 14, f.count(high), MUTED, "middle"),
            _words(left + (width - 70) / 2, height - 14, name, MUTED, "middle"),
        ]
        spoken.append(f"{NAMES[phase]}: " + ", ".join(f"{f.number(y)} at {f.count(x)}" for x, y in points))
    return _figure(height, f"{title}: speed over {name.lower()}", "; ".join(spoken), shapes)


def roofline(document: Document) -> str:
    """Both roofs, the balance point and the measured phases, on logarithmic axes."""
    ceilings = document.ceilings.or_none()
    bandwidth = ceilings.read_bytes_per_s.or_none() if ceilings else None
    compute = ceilings.compute_flop_per_s.or_none() if ceilings else None
    if not bandwidth or not compute or bandwidth <= 0 or compute <= 0:
        return ""
    marks = _points(document)
    ridge = compute / bandwidth
    x_low = min(0, math.floor(math.log10(min([ridge, *(x for _, x, _ in marks)]) / 1.5)))
    x_high = max(3, math.ceil(math.log10(max([ridge, *(x for _, x, _ in marks)]) * 1.5)))
    y_low = math.floor(math.log10(min([bandwidth * 10.0**x_low, *(y / 1.5 for _, _, y in marks)])))
    y_high = max(math.ceil(math.log10(max([compute * 1.8, *(y for _, _, y in marks)]))), y_low + 1)
    left, top, width, height = 62.0, 10.0, WIDTH - 92, 270.0

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            left + width * (math.log10(x) - x_low) / (x_high - x_low),
            top + height * (1 - (math.log10(y) - y_low) / (y_high - y_low)),
        )

    foot = 10.0**x_low
    shapes = _grid(left, top, width, height, x_low, x_high, y_low, y_high)
    knee, start = place(ridge, compute), place(foot, bandwidth * foot)
    balance = f"balance point: {f.number(ridge)} operations per byte"
    right_of = knee[0] + 4 + len(balance) * GLYPH < left + width
    shapes += [
        _line([start, knee, (left + width, knee[1])], TEXT, 1.6),
        _line([knee, (knee[0], top + height)], MUTED, 1.0, True),
        _words(left + width - 4, knee[1] - 6, f"compute: {f.flop_rate(compute)}", TEXT, "end", True),
        _words(max(knee[0] - 8, left + 140), knee[1] - 8, f"memory: {f.bandwidth(bandwidth)}", TEXT, "end", True),
        _words(knee[0] + (4 if right_of else -4), top + height - 6, balance, MUTED, "start" if right_of else "end"),
    ]
    spoken = [f"memory roof {f.bandwidth(bandwidth)}", f"compute roof {f.flop_rate(compute)}", balance]
    labels: list[float] = []
    for test, x, y in marks:
        at_x, at_y = place(x, y)
        label = f"{test.phase} {test.test}, {f.number(y / GFLOP)} GFLOP/s"
        shapes.append(_mark(test.phase, at_x, at_y, test.conditions.stamp is Stamp.VALID))
        if all(abs(at_y + 16 - taken) > 14 for taken in labels):
            labels.append(at_y + 16)
            anchor = "start" if at_x + len(label) * GLYPH < left + width else "end"
            shapes.append(_words(at_x, at_y + 16, label, INKS[test.phase], anchor))
        spoken.append(f"{label} at {f.number(x)} operations per byte")
    return _figure(top + height + 36, "Roofline", "; ".join(spoken), shapes)


def _points(document: Document) -> list[tuple[TestResult, float, float]]:
    traffic = document.model.traffic.or_none()
    if traffic is None:
        return []
    found = []
    for test in [test for test in document.tests if test.sweep is Sweep.PHASES][:MAX_POINTS]:
        try:
            x, y = (
                prefill_point(traffic, test.tokens_per_s, test.n_prompt) if test.phase is Phase.PREFILL
                else decode_point(traffic, test.tokens_per_s, test.n_streams, test.n_depth)
            )  # fmt: skip
        except ZeroDivisionError:  # a model without weights, which only a crafted file has
            continue
        found += [(test, x, y)] if x > 0 and y > 0 else []
    return found


def _grid(
    left: float, top: float, width: float, height: float, x_low: int, x_high: int, y_low: int, y_high: int
) -> list[str]:
    shapes = []
    for power in range(x_low, x_high + 1):
        x = left + width * (power - x_low) / (x_high - x_low)
        shapes.append(_line([(x, top), (x, top + height)], LINE))
        shapes.append(_words(x, top + height + 15, _power(power), MUTED, "middle"))
    for power in range(y_low, y_high + 1):
        y = top + height * (y_high - power) / (y_high - y_low)
        shapes.append(_line([(left, y), (left + width, y)], LINE))
        shapes.append(_words(left - 6, y + 4, _power(power - 9), MUTED, "end"))
    shapes.append(_words(left + width / 2, top + height + 31, "operations per byte read", MUTED, "middle"))
    turned = f'transform="rotate(-90 12 {_n(top + height / 2)})"'
    shapes.append(_words(12, top + height / 2, "GFLOP/s", MUTED, "middle", more=turned))
    return shapes


def _power(exponent: int) -> str:
    return f.count(10**exponent) if exponent >= 0 else f"{10.0**exponent:g}"


def _figure(height: float, title: str, spoken: str, shapes: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_n(WIDTH)} {_n(height)}" '
        'font-family="system-ui, sans-serif" font-size="13">'
        f"<title>{escape(title)}</title><desc>{escape(spoken)}</desc>{''.join(shapes)}</svg>"
    )


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(max(width, 0.0))}" height="{_n(height)}" fill="{fill}"/>'


def _line(points: Sequence[tuple[float, float]], ink: str, width: float = 1.0, dashed: bool = False) -> str:
    at = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
    dashes = ' stroke-dasharray="4 4"' if dashed else ""
    return f'<polyline points="{at}" fill="none" stroke="{ink}" stroke-width="{_n(width)}"{dashes}/>'


def _mark(phase: Phase, x: float, y: float, solid: bool) -> str:
    """Circles for prefill, squares for decode; hollow where the run is not valid."""
    how = f'fill="{INKS[phase] if solid else "none"}" stroke="{INKS[phase]}" stroke-width="1.5"'
    if phase is Phase.PREFILL:
        return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="4" {how}/>'
    return f'<rect x="{_n(x - 4)}" y="{_n(y - 4)}" width="8" height="8" {how}/>'


def _words(
    x: float, y: float, text: str, ink: str, anchor: str = "start", strong: bool = False, more: str = ""
) -> str:
    weight = ' font-weight="600"' if strong else ""
    extra = f" {more}" if more else ""
    at = f'x="{_n(x)}" y="{_n(y)}"'
    return f'<text {at} fill="{ink}" text-anchor="{anchor}"{weight}{extra}>{escape(text)}</text>'


def _n(value: float) -> str:
    """A coordinate to a tenth, without a trailing zero or a minus before zero."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
