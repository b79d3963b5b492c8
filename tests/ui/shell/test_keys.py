"""The list of shortcuts is that of what is bound."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from pytestqt.qtbot import QtBot

from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow


def test_the_list_names_every_key_of_the_window(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window(FakePipeline(), begin=False).window
    named = {key for keys, _ in window.keys.lines for key in keys.split(" or ")}
    bound = {shortcut.key().toString(QKeySequence.SequenceFormat.NativeText)
             for shortcut in window.findChildren(QShortcut)}
    assert bound <= named
    assert all(words for _, words in window.keys.lines)


def test_f1_opens_it_and_escape_closes_it(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window(FakePipeline(), begin=False).window
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(window.keys.isActiveWindow)
    qtbot.keyClick(window.keys, Qt.Key.Key_Escape)
    assert not window.keys.isVisible()


def test_less_motion_can_be_asked_for_and_is_kept(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline(), begin=False)
    assert not parts.theme.reduced_motion
    parts.window.toolbar._still.trigger()
    assert parts.theme.reduced_motion
    assert parts.settings().still
    again = make_window(FakePipeline(), begin=False, settings=parts.settings())
    assert again.theme.reduced_motion
    assert again.window.toolbar._still.isChecked()
