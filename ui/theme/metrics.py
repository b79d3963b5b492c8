"""Spacing and type sizes in logical pixels; Qt multiplies them by the screen's scale."""

from typing import Final

GAP: Final = 12
"""Between cards, and from a card's edge to its contents."""
SMALL_GAP: Final = 6
RADIUS: Final = 8
SMALL_RADIUS: Final = 4

TEXT_PX: Final = 13
SMALL_PX: Final = 12
TINY_PX: Final = 11
HEADING_PX: Final = 11
TITLE_PX: Final = 17
BRAND_PX: Final = 15

GAUGE_NUMBER_PX: Final = 40

TOOLBAR_HEIGHT: Final = 47
STATUS_HEIGHT: Final = 28

LEFT_WIDTH: Final = (260, 276, 340)
"""Smallest, usual and widest left column; reached at the widths in ``WINDOW_WIDTHS``."""
RIGHT_WIDTH: Final = (296, 352, 470)
WINDOW_WIDTHS: Final = (1024, 1360, 1920)


def column_width(widths: tuple[int, int, int], window_width: int) -> int:
    """Width of an outer column in a window of this width, linear between the three sizes."""
    small, usual, large = widths
    first, second, third = WINDOW_WIDTHS
    if window_width <= second:
        share = max(0.0, (window_width - first) / (second - first))
        return round(small + (usual - small) * share)
    share = min(1.0, (window_width - second) / (third - second))
    return round(usual + (large - usual) * share)
