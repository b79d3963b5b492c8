"""One set of named colours in four schemes; text on its own ground keeps at least 4.5:1, with high contrast 7:1.

Orange is prefill and blue is decode in every gauge, bar and chart, always next to a word that says so.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as ``#rrggbb``.

    Attributes:
        ground: behind the cards; also behind command lines.
        surface: cards, toolbar and status bar.
        line: borders and empty tracks.
        strong_line: borders of things to click and of focus-less fields, 3:1 against ``surface``.
        text, muted: the two inks on ``surface`` and ``ground``.
        on_accent: text on filled ``decode`` (the main button).
        prefill, decode: the two phases; ``…_soft`` is the tint behind text in that colour.
        decode_second: second part of a share bar, never behind text.
        good, warning, bad: said in words beside it, too.
    """

    name: str
    dark: bool
    ground: str
    surface: str
    line: str
    strong_line: str
    text: str
    muted: str
    on_accent: str
    prefill: str
    prefill_soft: str
    decode: str
    decode_soft: str
    decode_second: str
    good: str
    warning: str
    bad: str
    disabled: str
    scroll: str
    high_contrast: bool = False

    @property
    def edge(self) -> str:
        """Borders of cards and of things to click: quiet, but strong where high contrast is asked for."""
        return self.strong_line if self.high_contrast else self.line


LIGHT: Final = Palette(
    name="light",
    dark=False,
    ground="#f4f5f7",
    surface="#ffffff",
    line="#e3e6eb",
    strong_line="#8b93a3",
    text="#1b1f27",
    muted="#5d6678",
    on_accent="#ffffff",
    prefill="#b14d06",
    prefill_soft="#fff1e6",
    decode="#1257c4",
    decode_soft="#e8f0fe",
    decode_second="#7aa7ea",
    good="#0f7a43",
    warning="#8a5c00",
    bad="#b3261e",
    disabled="#8c8e92",
    scroll="#c3c8d1",
)

DARK: Final = Palette(
    name="dark",
    dark=True,
    ground="#14171c",
    surface="#1d2127",
    line="#2d333c",
    strong_line="#6d7685",
    text="#eceff4",
    muted="#98a2b3",
    on_accent="#14171c",
    prefill="#ff9d57",
    prefill_soft="#33241a",
    decode="#7db0ff",
    decode_soft="#1b2740",
    decode_second="#4c6da3",
    good="#57d28d",
    warning="#e7b94f",
    bad="#ff8a80",
    disabled="#85888e",
    scroll="#454d59",
)

CONTRAST_LIGHT: Final = Palette(
    name="high contrast, light",
    dark=False,
    ground="#ffffff",
    surface="#ffffff",
    line="#b5b5b5",
    strong_line="#000000",
    text="#000000",
    muted="#1f1f1f",
    on_accent="#ffffff",
    prefill="#7a3200",
    prefill_soft="#ffeede",
    decode="#0b3d91",
    decode_soft="#e4edff",
    decode_second="#5a6f94",
    good="#00501f",
    warning="#5c3a00",
    bad="#8b0000",
    disabled="#595959",
    scroll="#000000",
    high_contrast=True,
)

CONTRAST_DARK: Final = Palette(
    name="high contrast, dark",
    dark=True,
    ground="#000000",
    surface="#000000",
    line="#5a5a5a",
    strong_line="#ffffff",
    text="#ffffff",
    muted="#e6e6e6",
    on_accent="#000000",
    prefill="#ffb877",
    prefill_soft="#33200f",
    decode="#9cc8ff",
    decode_soft="#12213b",
    decode_second="#7c93b3",
    good="#7df0a8",
    warning="#ffd866",
    bad="#ffaaa3",
    disabled="#b0b0b0",
    scroll="#ffffff",
    high_contrast=True,
)

PALETTES: Final = (LIGHT, DARK, CONTRAST_LIGHT, CONTRAST_DARK)


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb``, 0 to 1 (WCAG 2.2)."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def text_pairs(palette: Palette) -> tuple[tuple[str, str, str], ...]:
    """Every (name, ink, ground) in which the interface sets text; what the contrast test walks over."""
    p = palette
    plain = [(f"{ink} on {ground}", getattr(p, ink), getattr(p, ground))
             for ground in ("surface", "ground")
             for ink in ("text", "muted", "prefill", "decode", "good", "warning", "bad")]
    return (
        *plain,
        ("prefill on its tint", p.prefill, p.prefill_soft),
        ("decode on its tint", p.decode, p.decode_soft),
        ("text on the prefill tint", p.text, p.prefill_soft),
        ("text on the decode tint", p.text, p.decode_soft),
        ("main button", p.on_accent, p.decode),
    )
