"""The list of shortcuts is that of what is bound."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from advisor.session.window_settings import WindowSettings
from tests.support.fake_history import FakeHistory
from tests.support.fake_pipeline import FakePipeline
from tests.support.fake_shopping import FakeShopping
from tests.ui.conftest import MakeWindow, at_rest
from ui.shell.places import COMPUTER, HISTORY


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


def test_every_place_begins_where_one_works_and_never_at_another_place_s_tab(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    parts = make_window(FakePipeline(), shopping=FakeShopping().doors(), history=FakeHistory)
    window, bar = parts.window, parts.window.toolbar
    window.activateWindow()
    qtbot.waitUntil(lambda: at_rest(parts) and parts.window.loader.is_ready)

    def focus_after(key: Qt.Key) -> QWidget | None:
        qtbot.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        return window.focusWidget()

    assert focus_after(Qt.Key.Key_3) is bar.places.shown  # there is nothing to look at yet
    assert focus_after(Qt.Key.Key_4) is window.choose.empty.button
    assert focus_after(Qt.Key.Key_5) is window.history.filter
    assert focus_after(Qt.Key.Key_2) is window.server.form.address
    assert focus_after(Qt.Key.Key_1) is bar.open_button
    parts.engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts))
    focus_after(Qt.Key.Key_3)
    qtbot.waitUntil(lambda: window.upgrades.table.model().rowCount() > 0)
    focus_after(Qt.Key.Key_2)
    assert focus_after(Qt.Key.Key_3) is window.upgrades.table
    assert focus_after(Qt.Key.Key_1) is bar.benchmark_button


def test_how_something_ended_is_said_where_one_was_and_not_at_the_next_place(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    parts = make_window(FakePipeline(), settings=WindowSettings(language="en"))
    window = parts.window
    parts.engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts) and parts.window.loader.is_ready)
    assert window.status.phase == "Both ceilings are measured"
    window.show_place(COMPUTER)  # no other place
    assert window.status.phase == "Both ceilings are measured"
    window.show_place(HISTORY)
    assert window.status.phase == "Ready"
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert window.status.phase == "Done"
    parts.language.choose("de")
    assert window.place_shown == HISTORY
    assert window.status.phase == "Fertig"
    window.show_place(COMPUTER)
    assert window.status.phase == "Bereit"


def test_a_line_about_what_was_opened_speaks_the_new_language(make_window: MakeWindow) -> None:
    parts = make_window(FakePipeline(), begin=False, settings=WindowSettings(language="en"))
    parts.opened.tell_exported(Path("run.pdf"))
    assert parts.window.status.phase == "Report written: run.pdf"
    parts.language.choose("de")
    assert parts.window.status.phase == "Bericht geschrieben: run.pdf"
