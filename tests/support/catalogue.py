"""What a text says in the words of one catalogue alone: for reports that must speak one language throughout."""

import re
from functools import cache

from advisor.core.translation import ENGLISH, pairs

PLACE = re.compile(r"\{\w+\}")
LEAST_WORDS = 3
"""So many words in a row are no accident; shorter ones ("of the") stand in names as well."""


def _pieces(text: str) -> set[str]:
    """The text between its named places, where it is long enough to be known again."""
    pieces = (" ".join(piece.split()).strip(" .:,;()") for piece in PLACE.split(text))
    return {piece for piece in pieces if len(re.findall(r"[^\W\d_]{2,}", piece)) >= LEAST_WORDS}


@cache
def _known(language: str) -> frozenset[str]:
    """What the catalogue has in that language, but not in the other."""
    english = {piece for text, _ in pairs("de") for piece in _pieces(text)}
    german = {piece for _, text in pairs("de") for piece in _pieces(text)}
    return frozenset(english - german if language == ENGLISH else german - english)


def said_in(language: str, text: str) -> list[str]:
    """Every piece of a sentence of that language that stands in the text."""
    flat = " ".join(text.split())
    return sorted(piece for piece in _known(language) if piece in flat)
