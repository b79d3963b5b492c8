"""Inks and type sizes of the printed report; lengths in points (1/72 inch)."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from advisor.benchmarks.model import Phase, Stamp

CONTENT_WIDTH: Final = 505.0
"""On every paper, so that nothing but the pages' height differs."""
RESOLUTION: Final = 1200
"""Device dots per inch: glyphs are placed on this grid, and at 1200 no rounding is seen at any zoom."""

PAPER: Final = "#ffffff"
INK: Final = "#1b1f27"
MUTED: Final = "#596273"
RULE: Final = "#d5d9e0"
TRACK: Final = "#e9ebef"
GROUND: Final = "#f3f4f6"
PREFILL: Final = "#c2570c"
PREFILL_SOFT: Final = "#fdefe3"
DECODE: Final = "#1557c4"
DECODE_SOFT: Final = "#e6effc"
GOOD: Final = "#0f7a43"
WARNING: Final = "#8a5c00"
BAD: Final = "#b3261e"

PHASE_INK: Final = {Phase.PREFILL: PREFILL, Phase.DECODE: DECODE}
PHASE_SOFT: Final = {Phase.PREFILL: PREFILL_SOFT, Phase.DECODE: DECODE_SOFT}
PHASE_MARK: Final[dict[Phase, Literal["circle", "diamond"]]] = {Phase.PREFILL: "diamond", Phase.DECODE: "circle"}
"""As the window's charts mark them."""
STAMP_INK: Final = {Stamp.VALID: GOOD, Stamp.SUSPECT: WARNING, Stamp.INVALID: BAD}


@dataclass(frozen=True, slots=True)
class Type:
    """How a text is set.

    Attributes:
        size: em height in points.
        leading: line height as a multiple of ``size``.
    """

    size: float
    ink: str = INK
    bold: bool = False
    mono: bool = False
    leading: float = 1.42

    def inked(self, ink: str) -> "Type":
        """The same in another colour."""
        return replace(self, ink=ink)


TITLE: Final = Type(19.5, bold=True, leading=1.22)
LEAD: Final = Type(10.5)
SUBJECT: Final = Type(10.5, MUTED)
SECTION: Final = Type(8.6, MUTED, bold=True)
BODY: Final = Type(9.6)
QUIET: Final = Type(9.6, MUTED)
STRONG: Final = Type(9.6, bold=True)
SMALL: Final = Type(8.2)
SMALL_QUIET: Final = Type(8.2, MUTED)
SMALL_STRONG: Final = Type(8.2, bold=True)
CARD_TITLE: Final = Type(11.2, bold=True)
FIGURE: Final = Type(22.0, bold=True)
UNIT: Final = Type(10.0, bold=True)
CODE: Final = Type(8.2, mono=True)
FURNITURE: Final = Type(8.4, MUTED)
CHART: Final = Type(7.8, MUTED)
CHART_STRONG: Final = Type(7.8, bold=True)
