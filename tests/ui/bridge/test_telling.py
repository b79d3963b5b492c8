"""Values in the language of the moment, and unchanged when it is the first one again."""

from advisor.core.evidence import Missing, Unknown
from ui.bridge.telling import Telling

REASON = Unknown("Test, on battery", Missing.FAILED)


def test_to_and_fro_gives_the_very_same_value() -> None:
    telling = Telling()
    german = telling.tell((REASON, None), "en", "de")
    assert "Akku" in german[0].reason
    assert telling.tell(german, "de", "en") == (REASON, None)


def test_what_came_meanwhile_is_told_from_its_own_language() -> None:
    telling = Telling()
    german = telling.tell((REASON,), "en", "de")
    new = Unknown("noch nicht gemessen", Missing.NOT_YET)
    assert telling.tell((new,), "de", "en") == (Unknown("not measured yet", Missing.NOT_YET),)
    assert german[0].reason != REASON.reason
