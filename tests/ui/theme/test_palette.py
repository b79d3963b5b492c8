import pytest

from ui.theme import Palette
from ui.theme.metrics import LEFT_WIDTH, column_width
from ui.theme.palette import CONTRAST_DARK, CONTRAST_LIGHT, PALETTES, contrast, text_pairs
from ui.theme.stylesheet import stylesheet

SMALLEST_TEXT = 4.5
HIGH_TEXT = 7.0
SMALLEST_EDGE = 3.0


def test_black_on_white_is_21_to_1() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # the well-known borderline grey


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_every_text_can_be_read(palette: Palette) -> None:
    low = [(name, round(contrast(ink, ground), 2)) for name, ink, ground in text_pairs(palette)
           if contrast(ink, ground) < SMALLEST_TEXT]
    assert not low


@pytest.mark.parametrize("palette", [CONTRAST_LIGHT, CONTRAST_DARK], ids=lambda palette: palette.name)
def test_high_contrast_is_high(palette: Palette) -> None:
    assert min(contrast(ink, ground) for _, ink, ground in text_pairs(palette)) >= HIGH_TEXT


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_focus_and_edges_can_be_seen(palette: Palette) -> None:
    assert contrast(palette.decode, palette.surface) >= SMALLEST_EDGE
    assert contrast(palette.strong_line, palette.surface) >= SMALLEST_EDGE


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_the_style_sheet_is_filled_in(palette: Palette) -> None:
    text = stylesheet(palette)
    assert text.count("{") == text.count("}")
    assert "None" not in text
    assert palette.prefill in text


def test_columns_grow_with_the_window() -> None:
    widths = [column_width(LEFT_WIDTH, width) for width in (800, 1024, 1200, 1360, 1600, 1920, 3840)]
    assert widths == sorted(widths)
    assert widths[0] == widths[1] == LEFT_WIDTH[0]
    assert widths[-1] == LEFT_WIDTH[2]
