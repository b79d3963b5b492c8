from pytestqt.qtbot import QtBot

from ui.theme import DARK, LIGHT, Mode, Theme


def test_the_button_goes_round_and_everyone_hears(qtbot: QtBot) -> None:
    theme = Theme()
    heard: list[object] = []
    theme.changed.connect(heard.append)
    first = theme.palette  # the offscreen platform reports no dark scheme
    assert first is LIGHT
    assert theme.cycle() is Mode.DARK  # the first press always shows
    assert heard == [DARK]
    assert theme.cycle() is Mode.LIGHT
    assert theme.cycle() is Mode.SYSTEM
    assert heard == [DARK, LIGHT]
    assert theme.palette is first


def test_the_same_mode_again_is_no_news(qtbot: QtBot) -> None:
    theme = Theme(Mode.DARK)
    heard: list[object] = []
    theme.changed.connect(heard.append)
    theme.set_mode(Mode.DARK)
    assert heard == []
