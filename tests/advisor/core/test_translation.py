"""The user's language: English is the key, values find their places, another language is chosen and left again."""

from collections.abc import Iterator

import pytest

from advisor.core import translation
from advisor.core.evidence import Basis
from advisor.core.translation import language, marked, tr, trc, trn, use


class Reversed(translation.gettext.NullTranslations):
    """A language of its own: every letter outside the named places from the back."""

    def gettext(self, message: str) -> str:
        return {"{n} of {all} layers": "von {all} Schichten {n}"}.get(message, message[::-1])

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return "eine" if n == 1 else "{n} viele"

    def pgettext(self, context: str, message: str) -> str:
        return f"{context}: {message[::-1]}"


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(translation, "LANGUAGES", ("en", "xx"))
    monkeypatch.setattr(translation, "_read", lambda code: Reversed())
    use("xx")
    yield
    use("en")


def test_english_is_what_the_source_says() -> None:
    assert language() == "en"
    assert tr("{n} of {all} layers", n="3", all="18") == "3 of 18 layers"
    assert tr("a {brace} stays") == "a {brace} stays"
    assert trn("{n} layer", "{n} layers", 1.2, n="1") == "1 layer"
    assert trn("{n} layer", "{n} layers", 0, n="0") == "0 layers"
    assert trc("verb", "Open") == "Open"
    assert marked("Open") == "Open"


def test_a_kind_is_said_as_a_plain_text() -> None:
    assert type(tr(Basis.MEASURED)) is str


def test_no_text_stays_no_text() -> None:
    use("de")
    try:
        assert tr("") == ""
    finally:
        use("en")


def test_another_language_orders_its_words_itself(other: None) -> None:
    assert language() == "xx"
    assert tr("{n} of {all} layers", n="3", all="18") == "von 18 Schichten 3"
    assert trn("{n} layer", "{n} layers", 1) == "eine"
    assert trn("{n} layer", "{n} layers", 5, n="5") == "5 viele"
    assert trc("verb", "Open") == "verb: nepO"


def test_a_language_nobody_has_means_english(other: None) -> None:
    use("tlh")
    assert language() == "en"
    assert tr("Open") == "Open"
