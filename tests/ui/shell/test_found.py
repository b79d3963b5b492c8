"""Both lists in the window: by mouse, by keyboard, for a screen reader, in every size."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from advisor.gguf.discover.model import Discovery
from advisor.session.window_settings import WindowSettings
from tests.support.fake_pipeline import FakePipeline
from tests.support.found import some_models
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.views.found import FEWEST_ROWS, MOST_ROWS, FoundList, FoundPopup, row_height

SIZES = [(1024, 640), (1360, 860), (1920, 1200)]


@pytest.fixture
def parts(make_window: MakeWindow, qtbot: QtBot) -> Parts:
    made = make_window(FakePipeline(), sample=True, find=lambda cancel: some_models())
    qtbot.waitUntil(lambda: page_list(made).isVisible())
    return made


def page_list(parts: Parts) -> FoundList:
    return parts.window.page.middle.welcome.found.list


def row_middle(view: FoundList, row: int) -> QPoint:
    return view.visualRect(view.model().index(row, 0)).center()


def opened(parts: Parts) -> Path:
    model = parts.screen._model
    assert model is not None
    return model.path


def test_a_click_opens(parts: Parts, qtbot: QtBot) -> None:
    view = page_list(parts)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=row_middle(view, 1))
    qtbot.waitUntil(lambda: at_rest(parts) and parts.screen._model is not None)
    assert opened(parts) == Path("/models/gemma-3-270m-q4_k_m.gguf")
    assert not view.isVisible()


def test_keys_walk_and_enter_opens(parts: Parts, qtbot: QtBot) -> None:
    view = page_list(parts)
    view.setFocus()
    assert view.currentIndex().row() == 0
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: at_rest(parts) and parts.screen._model is not None)
    assert opened(parts).name == "gemma-3-12b-it-Q4_K_M.gguf"


def test_letters_jump(parts: Parts, qtbot: QtBot) -> None:
    view = page_list(parts)
    view.setFocus()
    qtbot.keyClicks(view, "ph")
    assert view.currentIndex().data() == "Phi-3-mini-4k-instruct.Q4_0"


def test_the_search_rests_while_a_model_is_open(parts: Parts, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: parts.finder.waiting)
    parts.engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts))
    assert not parts.finder.waiting
    assert not parts.finder.searching
    parts.window.show_models()
    qtbot.waitUntil(lambda: parts.finder.waiting)
    parts.window.popup.hide()
    assert not parts.finder.waiting


def test_the_button_opens_a_popup_and_escape_closes_it(parts: Parts, qtbot: QtBot) -> None:
    popup: FoundPopup = parts.window.popup
    qtbot.mouseClick(parts.window.toolbar.models_button, Qt.MouseButton.LeftButton)
    assert popup.isVisible()
    assert popup.panel.list.hasFocus()
    assert popup.width() <= parts.window.width()
    qtbot.keyClick(popup, Qt.Key.Key_Escape)
    assert not popup.isVisible()


def test_a_pick_in_the_popup_opens_and_closes_it(parts: Parts, qtbot: QtBot) -> None:
    parts.window.show_models()
    view = parts.window.popup.panel.list
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=row_middle(view, 3))
    assert not parts.window.popup.isVisible()
    qtbot.waitUntil(lambda: at_rest(parts) and parts.screen._model is not None)
    assert opened(parts) == Path("/models/gpt-oss:20b.gguf")


def test_the_popup_leads_to_the_file_dialog(parts: Parts, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    parts.window.show_models()
    with qtbot.waitSignal(parts.window.popup.file_requested):
        qtbot.mouseClick(parts.window.popup.file_button, Qt.MouseButton.LeftButton)
    assert not parts.window.popup.isVisible()


def test_a_row_is_spoken_whole(parts: Parts) -> None:
    view = page_list(parts)
    assert view.accessibleName() == "Models on this computer"
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface.childCount() == 11
    assert "Two Machines" in interface.child(1).text(QAccessible.Text.Name)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_nothing_is_cut_on_the_empty_page(parts: Parts, qtbot: QtBot, size: tuple[int, int]) -> None:
    window = parts.window
    window.resize(*size)
    qtbot.waitUntil(lambda: (window.width(), window.height()) == size)
    qtbot.wait(50)
    view = page_list(parts)
    height = row_height(view.font())
    assert FEWEST_ROWS * height <= view.height() <= MOST_ROWS * height + 2
    assert window.page._centre.widget().width() <= window.page._centre.viewport().width()
    cut = [
        text.text() for text in window.page.middle.welcome.findChildren(QLabel)
        if text.isVisible() and text.wordWrap() and text.height() < text.heightForWidth(text.width())
    ]
    assert not cut


def test_few_models_take_little_room(make_window: MakeWindow, qtbot: QtBot) -> None:
    few = Discovery(some_models().models[:2])
    parts = make_window(FakePipeline(), find=lambda cancel: few)
    qtbot.waitUntil(lambda: page_list(parts).isVisible())
    qtbot.wait(50)
    view = page_list(parts)
    assert view.height() == 2 * row_height(view.font()) + 2


def test_no_models_is_said(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline(), find=lambda cancel: Discovery())
    note = parts.window.page.middle.welcome.found.note
    assert note.text().startswith("Looking for models")
    qtbot.waitUntil(lambda: note.text().startswith("No models of other programs"))
    assert not page_list(parts).isVisible()
    parts.window.show_models()
    assert parts.window.popup.file_button.hasFocus()


def test_thousands_scroll(make_window: MakeWindow, qtbot: QtBot) -> None:
    one = some_models().models
    parts = make_window(FakePipeline(), find=lambda cancel: Discovery(one * 500))
    qtbot.waitUntil(lambda: page_list(parts).isVisible())
    view = page_list(parts)
    assert view.model().rowCount() == 5500
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.currentIndex().row() == 5499


def test_a_note_without_a_list_is_read_whole_and_takes_no_more_room_than_its_lines(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    parts = make_window(FakePipeline(), find=lambda cancel: Discovery(), settings=WindowSettings(language="de"))
    parts.window.resize(1024, 640)
    panel = parts.window.page.middle.welcome.found
    qtbot.waitUntil(lambda: "keine Modelle" in panel.alone.text())
    qtbot.waitUntil(lambda: panel.alone.height() == panel.alone.heightForWidth(panel.width()) == panel.height())
    assert panel.alone.height() > panel.alone.fontMetrics().height() * 1.5  # too long for one line
