import pytest

from advisor.servers.facts import ServerKind
from advisor.servers.flags import SETTINGS, Aim, setting
from tests.advisor.recommendations.known_flags import unknown_words


@pytest.mark.parametrize("key", SETTINGS, ids=lambda key: f"{key[0]}-{key[1].name}")
def test_commands_hold_known_options_only(key: tuple[ServerKind, Aim]) -> None:
    row = SETTINGS[key]
    assert row.default
    assert row.trades
    assert row.source
    assert row.command or row.words, "either a command or words say how"
    if row.command:
        assert unknown_words(row.with_value(8).replace("'", "").split(" {")[0]) == []


def test_every_engine_that_shares_has_a_setting_for_pauses_but_one() -> None:
    without = [kind for kind in ServerKind if setting(kind, Aim.STALL) is None]
    assert without == [ServerKind.LLAMA_CPP_PYTHON, ServerKind.UNKNOWN]
