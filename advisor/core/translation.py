"""The user's language: every sentence the window and its reports show goes through ``tr`` on its way out.

English stands in the source and is the key; other languages are gettext catalogues, ``resources/translations/de.po``
for German (Qt Linguist and every gettext editor open it; ``packaging/translations.py`` keeps it). Sentences are whole
templates with named places, never glued from pieces, because other languages order their words otherwise.

The language belongs to the process, like a locale: it is chosen once by whoever starts the program and changed by the
window's menu. Commands and children leave it at English.
"""

import gettext
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Final

ENGLISH: Final = "en"
LANGUAGES: Final = (ENGLISH, "de")
"""Languages that can be chosen; each but English has a complete catalogue."""

_ENGLISH: Final = gettext.NullTranslations()
_catalogue: gettext.NullTranslations = _ENGLISH
_language: str = ENGLISH
_aside: ContextVar[str | None] = ContextVar("language spoken aside", default=None)
"""What is spoken in this thread alone, for a moment."""


def use(language: str) -> None:
    """Speak ``language`` from now on; a code that is none of ``LANGUAGES`` means English.

    Words that were made before stay as they are: whoever shows them makes them anew.
    """
    global _catalogue, _language
    _language = language if language in LANGUAGES else ENGLISH
    _catalogue = _ENGLISH if _language == ENGLISH else _read(_language)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak ``language`` inside the block and in this thread only, for what goes elsewhere: a file is English."""
    before = _aside.set(language)
    try:
        yield
    finally:
        _aside.reset(before)


def language() -> str:
    """The code of the language spoken now, one of ``LANGUAGES``."""
    return _aside.get() or _language


def _spoken() -> gettext.NullTranslations:
    aside = _aside.get()
    if aside is None or aside == _language:
        return _catalogue
    return _ENGLISH if aside == ENGLISH else _read(aside)


def tr(text: str, /, **values: Any) -> str:
    """``text`` in the user's language, with ``values`` put into its ``{named}`` places.

    ``text`` is a literal, so that it can be found and translated; without values its braces are left alone.
    """
    # To gettext no text means the catalogue's own head; and a kind, which is a text as well, leaves as a plain one.
    said = str(_spoken().gettext(text)) if text else ""
    return said.format(**values) if values else said


def trn(one: str, many: str, number: float, /, **values: Any) -> str:
    """``one`` or ``many``, whichever goes with ``number`` as it is rounded; ``values`` as for ``tr``."""
    said = _spoken().ngettext(one, many, round(number))
    return said.format(**values) if values else said


def trc(context: str, text: str, /, **values: Any) -> str:
    """Like ``tr`` for a word that means two things; ``context`` tells translators which ("verb", "tab")."""
    said = _spoken().pgettext(context, text)
    return said.format(**values) if values else said


def marked(text: str, /) -> str:
    """``text`` as it is, noted for translation: for constants, which are made before the language is known.

    Where it is shown stands ``tr(CONSTANT)``.
    """
    return text


@cache
def pairs(language: str) -> tuple[tuple[str, str], ...]:
    """Every English text of a catalogue with what that language says for it, each form of a count by itself.

    gettext keeps no plural of the key, so the compiled catalogue is read here: two tables of length and place.
    """
    from importlib.resources import files

    held = (files("resources") / "translations" / f"{language}.mo").read_bytes()
    number, keys_at, texts_at = struct.unpack_from("<3I", held, 8)

    def text(table_at: int, index: int) -> str:
        length, at = struct.unpack_from("<2I", held, table_at + 8 * index)
        return held[at : at + length].decode()

    found: list[tuple[str, str]] = []
    for index in range(number):
        key = text(keys_at, index).rpartition("\x04")[2]
        if key:  # the empty one is the catalogue's own head
            found += zip(key.split("\0"), text(texts_at, index).split("\0"), strict=True)
    return tuple(found)


@cache
def _read(language: str) -> gettext.GNUTranslations:
    from importlib.resources import files  # 10 ms that who reads English need not wait

    with (files("resources") / "translations" / f"{language}.mo").open("rb") as catalogue:
        return gettext.GNUTranslations(catalogue)
