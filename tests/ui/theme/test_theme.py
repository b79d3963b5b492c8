import pytest
from pytestqt.qtbot import QtBot

from ui.theme import DARK, LIGHT, Mode, Theme
from ui.theme.palette import CONTRAST_LIGHT


def test_each_choice_has_its_palette_and_everyone_hears(qtbot: QtBot) -> None:
    theme = Theme()
    heard: list[object] = []
    theme.changed.connect(heard.append)
    first = theme.palette  # the offscreen platform reports no dark scheme
    assert first is LIGHT
    for mode in (Mode.DARK, Mode.CONTRAST, Mode.LIGHT, Mode.SYSTEM):
        theme.set_mode(mode)
        assert theme.mode is mode
    assert heard == [DARK, CONTRAST_LIGHT, LIGHT]
    assert theme.palette is first


def test_a_system_that_asks_for_contrast_gets_it(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Theme, "_prefers", lambda _theme, question, _answer: question == "contrastPreference")
    assert Theme().palette is CONTRAST_LIGHT
    assert Theme(Mode.DARK).palette is DARK


def test_the_same_mode_again_is_no_news(qtbot: QtBot) -> None:
    theme = Theme(Mode.DARK)
    heard: list[object] = []
    theme.changed.connect(heard.append)
    theme.set_mode(Mode.DARK)
    assert heard == []
