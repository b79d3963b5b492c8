import csv
import io
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.theme.palette import LIGHT
from ui.widgets.copy_figures import as_csv


def test_numbers_are_numbers_and_commas_are_quoted() -> None:
    text = as_csv((("part", "seconds"), (("reading, 4.62\u00a0GB", 0.0752), ("rest", None), ("all", 1e12))))
    assert text == 'part,seconds\r\n"reading, 4.62 GB",0.0752\r\nrest,\r\nall,1e+12\r\n'


def test_every_page_gives_its_figures_and_its_picture(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    parts.engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts) and parts.window.loader.is_ready)
    for begin in (parts.engine.benchmark, parts.engine.measure_streams, parts.engine.measure_stutter):
        begin()
        qtbot.waitUntil(lambda: at_rest(parts))
    tabs = parts.window.page.middle.tabs
    clipboard = QGuiApplication.clipboard()
    for number, title in enumerate(tabs.titles):
        tabs.show_page(number)
        clipboard.clear()
        qtbot.keyClick(
            parts.window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        )
        rows = list(csv.reader(io.StringIO(clipboard.text())))
        assert (len(rows) > 1) is (title != "Speed"), title  # no kernels are known here, so no step is taken apart
        assert all(rows[:1]), title
        tabs.copy_button.copy_picture()
        picture = clipboard.image()
        assert picture.width() > 300, title
        assert picture.pixelColor(1, 1).name() == LIGHT.surface, title
        seen = {picture.pixelColor(x, y).name() for x in range(0, picture.width(), 2) for y in range(picture.height())}
        assert len(seen) > 5, title
    assert tabs.copy_button.text() == "Copied"


def test_where_nothing_is_measured_there_are_no_figures(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("mine")
    tabs = parts.window.page.middle.tabs
    for number in range(len(tabs.titles)):
        tabs.show_page(number)
        tabs.copy_button._look()
        assert not tabs.copy_button._csv.isEnabled()
        tabs.copy_button.copy_figures()
    assert clipboard.text() == "mine"


@pytest.fixture(autouse=True)
def _clear(qapp: object) -> None:
    QGuiApplication.clipboard().clear()
