"""Signs that no font of this computer has, as words: an emoji in a model's name would be an empty box on paper."""

import re
import shlex
import unicodedata
from functools import cache
from typing import Final

from PySide6.QtGui import QFont, QTextLayout

PLAIN: Final = "\u2bff"
"""Up to here lie the scripts and signs that the reports themselves use; what is above is looked up."""
_SHELL_WORD: Final = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""")
_JOINERS: Final = frozenset("\ufe0e\ufe0f\u200d")


def with_words(text: str, font: QFont) -> str:
    """The text, with ``[rocket]`` for a rocket that cannot be drawn."""
    if max(text, default="") <= PLAIN:
        return text
    return "".join(sign if sign <= PLAIN else _shown(sign, font.toString()) for sign in text)


def typeable(command: str, font: QFont) -> str:
    """The command line with words that hold such a sign as bash and zsh read them, in escapes.

    A word for the sign, as elsewhere, would be another file.
    """
    if max(command, default="") <= PLAIN:
        return command
    return _SHELL_WORD.sub(lambda word: _escaped(word[0], font), command)


def _escaped(word: str, font: QFont) -> str:
    if with_words(word, font) == word:
        return word
    bare = "".join(shlex.split(word))
    signs = (
        f"\\U{ord(sign):08x}" if sign in _JOINERS or with_words(sign, font) != sign
        else f"\\{sign}" if sign in "\\'" else sign
        for sign in bare
    )
    return f"$'{''.join(signs)}'"


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
