"""What somebody sees at first: lists in full, tabs that stand still, a focus that leads on."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QFileDialog, QToolButton
from pytestqt.qtbot import QtBot

from tests.support.fake_pipeline import FakePipeline
from tests.support.fake_shopping import FakeShopping
from tests.ui.conftest import MakeWindow, at_rest
from ui.shell.places import COMPUTER, HISTORY, UPGRADES

LINE_PX = 24
"""Height of a line that is hit without aiming."""


@pytest.mark.parametrize("width", [1200, 1360, 2200])
def test_the_tabs_stand_where_they_stood_at_every_place(make_window: MakeWindow, qtbot: QtBot, width: int) -> None:
    parts = make_window(FakePipeline(), shopping=FakeShopping().doors())
    window = parts.window
    window.resize(width, 860)
    qtbot.waitUntil(lambda: at_rest(parts) and window.loader.is_ready and window.width() == width)

    def left_of_tabs(place: int) -> int:
        window.show_place(place)
        qtbot.wait(1)  # layouts are heard
        return window.toolbar.places.x()

    first = left_of_tabs(COMPUTER)
    assert [left_of_tabs(place) for place in (UPGRADES, HISTORY, COMPUTER)] == [first] * 3


def test_a_list_that_opens_shows_all_of_its_lines(make_window: MakeWindow, qtbot: QtBot) -> None:
    window = make_window(FakePipeline()).window
    for box in (*window.page.findChildren(QComboBox), window.toolbar.plans):
        if not box.isVisible():
            continue
        box.showPopup()
        view = box.view()
        last = view.visualRect(box.model().index(box.count() - 1, 0))
        assert view.viewport().rect().contains(last), box.accessibleName()
        assert last.height() >= LINE_PX
        box.hidePopup()


def test_opening_a_model_from_the_welcome_leads_to_the_benchmark(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    window = parts.window
    window.activateWindow()
    window.page.middle.welcome._sample.setEnabled(True)
    window.page.middle.welcome._sample.setFocus()
    parts.engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts) and window.loader.is_ready)
    assert window.focusWidget() is window.toolbar.benchmark_button


def test_the_buttons_of_a_dialog_for_files_have_their_pictures(make_window: MakeWindow, qtbot: QtBot) -> None:
    dialog = QFileDialog(make_window(FakePipeline()).window, "Open", "/")
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.open()
    button = dialog.findChild(QToolButton, "toParentButton")
    assert isinstance(button, QToolButton)
    picture = button.grab().toImage()
    middle = {
        picture.pixel(x, y) for x in range(6, picture.width() - 6) for y in range(6, picture.height() - 6)
    }  # fmt: skip
    assert len(middle) > 1
    dialog.reject()
