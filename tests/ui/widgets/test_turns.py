"""Work that waits for its turn."""

from pytestqt.qtbot import QtBot

from ui.widgets.turns import Turns


def test_each_in_its_turn_and_the_newest_of_the_same(qtbot: QtBot) -> None:
    turns, done = Turns(), []
    turns.later("a", lambda: done.append("old a"))
    turns.later("b", lambda: done.append("b"))
    turns.later("a", lambda: done.append("a"))
    assert done == []
    qtbot.waitUntil(lambda: done == ["a"])
    qtbot.waitUntil(lambda: done == ["a", "b"])
    turns.later("a", lambda: done.append("again"))
    qtbot.waitUntil(lambda: done == ["a", "b", "again"])
