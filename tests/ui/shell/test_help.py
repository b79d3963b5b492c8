"""Help: the guide and what About says."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextCursor, QTextTable
from pytestqt.qtbot import QtBot

from advisor.core.evidence import Basis, Known, Unknown
from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow
from ui.__main__ import Parts
from ui.composition import doors
from ui.shell.toolbar import HELP, SERVER
from ui.theme import Mode
from ui.viewmodels.about import AboutState, present_about
from ui.viewmodels.guide import PAGES

STATE = AboutState("Two Machines 9.9", (("Engine", "llama.cpp 1"),), (("numpy", "2.0", "BSD"),), "All the words.")


def text(parts: Parts) -> str:
    return parts.window.guide.page.toPlainText()


def action(parts: Parts, title: str):  # type: ignore[no-untyped-def]
    return next(each for each in parts.window.toolbar.help_menu.actions() if each.text().startswith(title))


def test_f1_opens_the_guide_and_the_page_of_the_place(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline(), begin=False)
    guide = parts.window.guide
    parts.window.activateWindow()
    qtbot.waitUntil(parts.window.isActiveWindow)
    qtbot.keyClick(parts.window, Qt.Key.Key_F1)
    assert guide.isVisible() and guide.shown_page == "index"
    assert text(parts).startswith("Two Machines: user guide")
    qtbot.waitUntil(guide.isActiveWindow)
    qtbot.keyClick(guide, Qt.Key.Key_Escape)
    assert not guide.isVisible()
    parts.window.show_place(SERVER)
    action(parts, "User guide").trigger()
    assert guide.shown_page == "server"


@pytest.mark.parametrize(("title", "page"), HELP, ids=[page or "first" for _title, page in HELP])
def test_each_entry_of_the_menu_opens_its_page(make_window: MakeWindow, title: str, page: str) -> None:
    parts = make_window(FakePipeline(), begin=False)
    action(parts, title).trigger()
    assert parts.window.guide.shown_page == (page or "index")
    assert page in ("", *(name for name, _title in PAGES))


@pytest.mark.parametrize("mode", [Mode.LIGHT, Mode.DARK, Mode.CONTRAST])
def test_every_page_is_dressed_with_its_pictures(make_window: MakeWindow, mode: Mode) -> None:
    parts = make_window(FakePipeline(), begin=False)
    parts.theme.set_mode(mode)
    guide = parts.window.guide
    for row, (name, _title) in enumerate(PAGES):
        guide.pages.setCurrentRow(row)
        assert guide.shown_page == name
        document = guide.page.document()
        assert document.begin().blockFormat().headingLevel() == 1
        pictures = [
            each for each in document.allFormats() if each.isImageFormat() and each.toImageFormat().name()
        ]
        for each in pictures:
            found = guide.page.loadResource(2, QUrl(each.toImageFormat().name()))
            assert 0 < found.width() / found.devicePixelRatio() <= 680, each.toImageFormat().name()
        for table in document.rootFrame().childFrames():
            if isinstance(table, QTextTable):
                first = table.cellAt(0, 0)
                assert first.firstCursorPosition().block() == first.lastCursorPosition().block()


def test_links_go_to_headings_and_back(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline(), begin=False)
    guide = parts.window.guide
    guide.open_at("window")
    guide.page.anchorClicked.emit(QUrl("figures.md#stamps"))
    assert guide.shown_page == "figures"
    assert guide.page.textCursor().block().text() == "Stamps"
    assert guide.pages.currentItem().text() == "Reading the figures"
    guide.page.anchorClicked.emit(QUrl("schema/README.md"))
    assert text(parts).startswith("Not in this window")
    assert guide.pages.currentRow() == -1
    guide.back_button.click()
    guide.back_button.click()
    assert guide.shown_page == "window" and not guide.back_button.isEnabled()
    with qtbot.waitSignal(guide.address_chosen) as asked:
        guide.page.anchorClicked.emit(QUrl("https://example.org/"))
    assert asked.args == ["https://example.org/"]


def test_the_page_is_searched(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline(), begin=False)
    guide = parts.window.guide
    guide.open_at("figures")
    guide.field.setText("swapped")
    qtbot.keyClick(guide.field, Qt.Key.Key_Return)
    assert guide.page.textCursor().selectedText() == "swapped"
    guide.page.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClick(guide.field, Qt.Key.Key_Return)
    assert guide.page.textCursor().selectedText() == "swapped", "it begins again at the top"


def test_about_asks_once_and_copies(make_window: MakeWindow, qtbot: QtBot) -> None:
    asked: list[int] = []

    def about() -> AboutState:
        asked.append(1)
        return STATE

    parts = make_window(FakePipeline(), begin=False, about=about)
    window = parts.window.about
    action(parts, "About").trigger()
    qtbot.waitUntil(lambda: window.parts.rowCount() == 1)
    assert window.notices.toPlainText() == "All the words."
    window.copy_versions.click()
    assert QGuiApplication.clipboard().text() == "Two Machines 9.9\nEngine: llama.cpp 1\nnumpy 2.0\n"
    window.copy_notices.click()
    assert QGuiApplication.clipboard().text() == "All the words."
    window.close_button.click()
    action(parts, "About").trigger()
    assert window.isVisible() and asked == [1]


def test_about_says_why_it_cannot(make_window: MakeWindow, qtbot: QtBot) -> None:
    def about() -> AboutState:
        raise OSError("the disk is gone")

    parts = make_window(FakePipeline(), begin=False, about=about)
    parts.window.about.open_beside()
    qtbot.waitUntil(lambda: "the disk is gone" in parts.window.about._remark.text())
    assert not parts.window.about.copy_versions.isVisible()


def test_the_real_about_names_engine_and_parts() -> None:
    read = doors().about
    assert read is not None
    state = read()
    assert isinstance(state, AboutState)
    assert dict(state.facts).keys() == {"Licence", "Engine", "Python", "Qt"}
    assert {"numpy", "PySide6_Essentials"} <= {name for name, _version, _licence in state.parts}
    assert "numpy" in state.notices


def test_an_unknown_engine_keeps_its_reason() -> None:
    known = present_about("1", Known("llama 1", Basis.READ, "its files"), "3.12", "6.9", [("a", "1", "")], "text")
    assert dict(known.facts)["Engine"] == "llama 1" and known.parts == (("a", "1", "see below"),)
    unknown = present_about("1", Unknown("it is not installed"), "3.12", "6.9", [], "text")
    assert dict(unknown.facts)["Engine"] == "unknown: it is not installed"


def test_a_closing_window_takes_its_companions_along(make_window: MakeWindow) -> None:
    parts = make_window(FakePipeline(), begin=False)
    parts.window.guide.open_at("index")
    parts.window.about.open_beside()
    parts.window.close()
    assert not parts.window.guide.isVisible() and not parts.window.about.isVisible()


def test_the_guide_travels_with_the_package() -> None:
    import resources

    assert (Path(resources.__file__).parent / "guide" / "index.md").is_file()
