"""Signs that no font of this computer has, as words: an emoji in a model's name would be an empty box on paper."""

import unicodedata
from functools import cache
from typing import Final

from PySide6.QtGui import QFont, QTextLayout

PLAIN: Final = "\u2bff"
"""Up to here lie the scripts and signs that the reports themselves use; what is above is looked up."""
_JOINERS: Final = frozenset("\ufe0e\ufe0f\u200d")


def with_words(text: str, font: QFont) -> str:
    """The text, with ``[rocket]`` for a rocket that cannot be drawn."""
    if max(text, default="") <= PLAIN:
        return text
    return "".join(sign if sign <= PLAIN else _shown(sign, font.toString()) for sign in text)


@cache
def _shown(sign: str, font_words: str) -> str:
    if sign in _JOINERS:
        return sign
    font = QFont()
    font.fromString(font_words)
    layout = QTextLayout(sign, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    missing = any(0 in run.glyphIndexes() for run in layout.glyphRuns())
    return f"[{unicodedata.name(sign, 'unknown sign').lower()}]" if missing else sign
