"""Other languages for tests: one in which whatever did not pass the door of translation gives itself away."""

import gettext
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from unittest.mock import patch

from advisor.core import translation

LETTER = "ŧ"
_OUTSIDE_PLACES = re.compile(r"(\{\w+\})|([A-Za-z])")
_WORDS = re.compile(r"(?<![\w])[A-Za-z]{3,}(?![\w])")


class Veiled(gettext.NullTranslations):
    """A language that writes every letter of a sentence as ``LETTER``, and figures as Germans do."""

    def gettext(self, message: str) -> str:
        return _OUTSIDE_PLACES.sub(lambda found: found[1] or LETTER, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message)


@contextmanager
def spoken(language: str) -> Iterator[None]:
    """That language inside the block, and English again behind it; "veiled" is ``Veiled``."""
    read = translation._read
    with (
        patch.object(translation, "LANGUAGES", (*translation.LANGUAGES, "veiled")),
        patch.object(translation, "_read", lambda code: Veiled() if code == "veiled" else read(code)),
    ):
        translation.use(language)
        try:
            yield
        finally:
            translation.use(translation.ENGLISH)


def words_of(text: str) -> set[str]:
    """The words of three letters or more, without figures in them."""
    return set(_WORDS.findall(text))


def own_words(value: object) -> set[str]:
    """The words in the texts that a value holds, however deep."""
    if isinstance(value, str):
        return words_of(value)
    if is_dataclass(value):
        return {word for field in fields(value) for word in own_words(getattr(value, field.name))}
    if isinstance(value, Mapping):
        return own_words(tuple(value)) | own_words(tuple(value.values()))
    if isinstance(value, list | tuple | frozenset | set):
        return {word for each in value for word in own_words(each)}
    return words_of(str(value)) if hasattr(value, "parts") else set()
