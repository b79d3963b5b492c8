"""The two papers that reports are printed on, and which of them a country uses."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QLocale
from PySide6.QtGui import QPageSize

from ui.printing.style import CONTENT_WIDTH

HEADER_Y: Final = 40.0
CONTENT_TOP: Final = 64.0
_FOOT: Final = 58.0
"""White from the end of the content to the lower edge, with the footer in it, in points."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A page upright; lengths in points, from the top left.

    Attributes:
        name: as the command line spells it.
    """

    name: str
    size: QPageSize.PageSizeId
    width: float
    height: float

    @property
    def margin_x(self) -> float:
        """White left and right of the content."""
        return (self.width - CONTENT_WIDTH) / 2

    @property
    def content_height(self) -> float:
        """What pieces have of a page."""
        return self.height - CONTENT_TOP - _FOOT

    @property
    def footer_y(self) -> float:
        """The footer's baseline."""
        return self.height - _FOOT + 14


A4: Final = Paper("a4", QPageSize.PageSizeId.A4, 595.0, 842.0)
LETTER: Final = Paper("letter", QPageSize.PageSizeId.Letter, 612.0, 792.0)
PAPERS: Final = {paper.name: paper for paper in (A4, LETTER)}

_COUNTRY: Final = QLocale.Country
_LETTER_COUNTRIES: Final = frozenset(
    {
        _COUNTRY.UnitedStates, _COUNTRY.Canada, _COUNTRY.Mexico, _COUNTRY.Philippines, _COUNTRY.Chile,
        _COUNTRY.Colombia, _COUNTRY.Venezuela, _COUNTRY.CostaRica, _COUNTRY.Guatemala, _COUNTRY.Nicaragua,
        _COUNTRY.Panama, _COUNTRY.ElSalvador, _COUNTRY.PuertoRico, _COUNTRY.Belize,
    }
)  # fmt: skip
"""Where letters are printed on US Letter (Unicode CLDR 46, supplemental/territoryInfo, paperSize)."""


def paper_of(locale: QLocale) -> Paper:
    """The paper in a printer there."""
    return LETTER if locale.territory() in _LETTER_COUNTRIES else A4
