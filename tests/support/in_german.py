"""The same said in both languages, and what must agree: every figure, and nothing of a template left over."""

import re
from collections.abc import Callable
from typing import Final, TypeVar

from advisor.core.translation import ENGLISH, use

T = TypeVar("T")

ENGLISH_WORDS: Final = frozenset({
    "the", "of", "and", "with", "is", "are", "to", "for", "not", "each", "by", "from", "at", "here", "measured", "it",
    "that", "this", "on", "than", "as", "while", "per",
})  # fmt: skip
"""Words that no German sentence has; "in", "an", "was", "so" and "die" are in both languages."""

WORD: Final = re.compile(r"(?<![=\-])\b[^\W\d_]+\b")
"""What stands behind = or - belongs to a command."""

QUOTED: Final = re.compile(r"[“„][^“”]*[“”]")
"""Names of other programs' buttons stay as those programs have them."""


def in_german(make: Callable[[], T]) -> T:
    """What ``make`` says in German; English afterwards, whatever became of it."""
    use("de")
    try:
        return make()
    finally:
        use(ENGLISH)


def figures(text: str) -> list[str]:
    """The digits of every number, without points and commas, which the languages use the other way round."""
    return sorted(re.sub(r"[.,]", "", number) for number in re.findall(r"\d+(?:[.,]\d+)*", text))


def english_left(text: str) -> list[str]:
    """Words of a German text that are English; those in capitals are keywords of a file."""
    words = WORD.findall(QUOTED.sub("", text))
    return [word for word in words if word.lower() in ENGLISH_WORDS and not word.isupper()]


def assert_same(english: list[str], german: list[str], given: tuple[str, ...] = ()) -> None:
    """Every text is in German, with all figures of the English one; ``given`` are texts of the test's own."""
    assert len(english) == len(german)
    for one, other in zip(english, german, strict=True):
        assert figures(one) == figures(other), f"{one!r} | {other!r}"
        assert bool(one) == bool(other)
        assert not re.search(r"[{}]", other), other
        left = other
        for text in given:
            left = left.replace(text, "")
        assert not english_left(left), f"{other!r} still says {english_left(left)}"
