"""What charts as SVG are made of: colours from the page's style, and shapes in a figure with its words.

Coordinates are rounded to a tenth, so that the same document gives the same text everywhere.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

from advisor.benchmarks.model import Phase

WIDTH: Final = 720.0
INKS: Final = {Phase.PREFILL: "var(--prefill, #b14d06)", Phase.DECODE: "var(--decode, #1257c4)"}
SOFT: Final = {Phase.PREFILL: "var(--prefill-soft, #fff1e6)", Phase.DECODE: "var(--decode-soft, #e8f0fe)"}
TEXT: Final = "var(--text, #1b1f27)"
SURFACE: Final = "var(--surface, #ffffff)"
MUTED: Final = "var(--muted, #5d6678)"
LINE: Final = "var(--line, #e3e6eb)"


def figure(height: float, title: str, spoken: str, shapes: Sequence[str]) -> str:
    """One chart, with what a screen reader says of it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {n(WIDTH)} {n(height)}" '
        'font-family="system-ui, sans-serif" font-size="13">'
        f"<title>{escape(title)}</title><desc>{escape(spoken)}</desc>{''.join(shapes)}</svg>"
    )


def box(x: float, y: float, width: float, height: float, fill: str) -> str:
    """A filled rectangle."""
    return f'<rect x="{n(x)}" y="{n(y)}" width="{n(max(width, 0.0))}" height="{n(height)}" fill="{fill}"/>'


def line(points: Sequence[tuple[float, float]], ink: str, width: float = 1.0, dashed: bool = False) -> str:
    """A line through the points."""
    at = " ".join(f"{n(x)},{n(y)}" for x, y in points)
    dashes = ' stroke-dasharray="4 4"' if dashed else ""
    return f'<polyline points="{at}" fill="none" stroke="{ink}" stroke-width="{n(width)}"{dashes}/>'


def mark(phase: Phase, x: float, y: float, solid: bool) -> str:
    """Diamonds for prefill, circles for decode, as in the window; hollow where the run is not valid."""
    how = f'fill="{INKS[phase] if solid else "none"}" stroke="{INKS[phase]}" stroke-width="1.5"'
    if phase is Phase.DECODE:
        return f'<circle cx="{n(x)}" cy="{n(y)}" r="4" {how}/>'
    r = 5.2
    return f'<path d="M{n(x)} {n(y - r)}L{n(x + r)} {n(y)}L{n(x)} {n(y + r)}L{n(x - r)} {n(y)}Z" {how}/>'


def words(
    x: float, y: float, text: str, ink: str, anchor: str = "start", strong: bool = False, more: str = ""
) -> str:
    """One line of text; ``anchor`` says which end of it stands at ``x``."""
    weight = ' font-weight="600"' if strong else ""
    extra = f" {more}" if more else ""
    at = f'x="{n(x)}" y="{n(y)}"'
    return f'<text {at} fill="{ink}" text-anchor="{anchor}"{weight}{extra}>{escape(text)}</text>'


def n(value: float) -> str:
    """A coordinate to a tenth, without a trailing zero or a minus before zero."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
