"""The figures in a sentence, to see that another language says the same ones."""

import re

from advisor.core.translation import ENGLISH, language

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_MARKS = str.maketrans(",.", ".,")


def figures(text: str) -> list[str]:
    """All of them in ascending order, as English writes them."""
    found = _FIGURE.findall(text)
    return sorted(found if language() == ENGLISH else [each.translate(_MARKS) for each in found])
