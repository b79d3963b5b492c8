"""The place *History*: filter, label, note, delete with undo; and earlier runs beside the present one."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from advisor.benchmarks.store.model import StoreError
from tests.support.fake_history import FakeHistory
from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.shell.toolbar import HISTORY
from ui.viewmodels.history import NOTHING, WIDEST
from ui.views.history import CELL_PADDING, HistoryPage

MODEL = Path("/models/llama-3.1-8b.gguf")


@pytest.fixture
def kept() -> FakeHistory:
    return FakeHistory()


@pytest.fixture
def parts(make_window: MakeWindow, kept: FakeHistory, qtbot: QtBot) -> Parts:
    made = make_window(FakePipeline(), history=lambda: kept)
    made.window.show_place(HISTORY)
    qtbot.waitUntil(lambda: made.runs.rowCount() == 8)
    return made


def choose(page: HistoryPage, qtbot: QtBot, row: int) -> None:
    page.table.selectRow(row)
    qtbot.waitUntil(lambda: page.card.number is not None and page.card.number == page.number)


def test_the_chosen_run_is_shown_whole(parts: Parts, qtbot: QtBot) -> None:
    page = parts.window.history
    assert not page.card._inner.isVisible()
    choose(page, qtbot, 0)
    assert page.card._title.text().startswith("Run 8, ")
    assert page.card._table.rowCount() == 2


def test_typing_filters_and_keeps_the_chosen_run(parts: Parts, qtbot: QtBot) -> None:
    page = parts.window.history
    choose(page, qtbot, 3)
    assert page.number == 5
    qtbot.keyClicks(page.filter, "qwen")
    assert parts.runs.rowCount() == 2
    assert page.number == 5
    assert page.table.currentIndex().row() == 0
    qtbot.keyClicks(page.filter, " nothing")
    assert page.number is None
    assert not page.table.isVisible()
    assert "nothing" in page._empty.text()


def test_label_and_note_are_written_when_they_are_left(parts: Parts, kept: FakeHistory, qtbot: QtBot) -> None:
    page = parts.window.history
    parts.window.activateWindow()
    choose(page, qtbot, 0)
    page.card.label_field.setFocus()
    qtbot.keyClicks(page.card.label_field, "cool room")
    qtbot.keyClick(page.card.label_field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: kept.calls == ["label 8 cool room"])
    page.card.note_field.setFocus()
    qtbot.keyClicks(page.card.note_field, "window open")
    page.filter.setFocus()
    qtbot.waitUntil(lambda: kept.calls[1:] == ["note 8 window open"])
    qtbot.waitUntil(lambda: parts.runs.index(0, 5).data() == "cool room")
    page.card.label_field.setFocus()
    page.filter.setFocus()
    assert len(kept.calls) == 2  # nothing was changed


def test_delete_takes_the_run_away_and_undo_brings_it_back(parts: Parts, kept: FakeHistory, qtbot: QtBot) -> None:
    page = parts.window.history
    parts.window.activateWindow()
    page.table.setFocus()
    choose(page, qtbot, 2)
    qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: parts.runs.rowCount() == 7)
    assert kept.calls == ["delete 6"]
    assert page.number == 5  # the next one, so that Delete goes on
    assert page._undo.isVisible()
    qtbot.keyClick(page.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: parts.runs.rowCount() == 8)
    assert kept.calls[-1] == "restore 6"
    assert page.number == 6
    assert not page._undo.isVisible()


def test_deleted_runs_can_be_seen_and_restored(parts: Parts, kept: FakeHistory, qtbot: QtBot) -> None:
    page = parts.window.history
    choose(page, qtbot, 7)
    qtbot.mouseClick(page.card.delete_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: parts.runs.rowCount() == 7)
    page.deleted_box.setChecked(True)
    qtbot.waitUntil(lambda: parts.runs.rowCount() == 1)
    choose(page, qtbot, 0)
    assert not page.card.delete_button.isVisible()
    qtbot.mouseClick(page.card.restore_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: parts.runs.rowCount() == 0)
    assert kept.calls[-1] == "restore 1"


def test_a_store_that_cannot_be_written_is_told_and_the_list_stays(
    parts: Parts, kept: FakeHistory, qtbot: QtBot
) -> None:
    page = parts.window.history
    choose(page, qtbot, 0)
    kept.failure = StoreError("The file of results cannot be used: it is read-only.")
    qtbot.mouseClick(page.card.delete_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(parts.window.notice.text))
    assert "read-only" in parts.window.notice.text
    qtbot.waitUntil(lambda: parts.runs.rowCount() == 8)


def test_that_a_damaged_file_was_set_aside_is_told(make_window: MakeWindow, kept: FakeHistory, qtbot: QtBot) -> None:
    kept.said.append(("The file of earlier results is damaged and was set aside.", "It is kept."))
    parts = make_window(FakePipeline(), history=lambda: kept)
    parts.window.show_place(HISTORY)
    qtbot.waitUntil(lambda: "set aside" in parts.window.notice.text)


def test_without_a_history_it_says_what_will_appear(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    parts.window.show_place(HISTORY)
    assert parts.window.history._empty.text() == NOTHING


def test_earlier_runs_of_the_model_stand_on_the_roofline(make_window: MakeWindow, qtbot: QtBot) -> None:
    kept = FakeHistory()
    parts = make_window(FakePipeline(), history=lambda: kept)
    shown: list[int] = []
    parts.screen.roofline.connect(lambda state: shown.append(len(state.earlier)))
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts) and bool(shown) and shown[-1] == 6)  # both phases of three runs
    parts.engine.open_model(MODEL.with_name("other.gguf"))
    qtbot.waitUntil(lambda: 0 in shown[shown.index(6):])
    qtbot.waitUntil(lambda: at_rest(parts) and shown[-1] == 6)


def test_two_runs_are_held_against_each_other(parts: Parts, qtbot: QtBot) -> None:
    page = parts.window.history
    button, card = page.card.compare_button, page.comparison
    choose(page, qtbot, 0)
    assert not card.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    choose(page, qtbot, 4)
    assert button.text() == "Compare with run 8"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(card.isVisible)
    assert card._title.text() == "Run 4 against run 8"
    assert card.tables["Tests"].rowCount() == 2
    assert "Prefill" in card._sentences.text()
    assert button.text() == "Compare…"
    qtbot.mouseClick(card.close_button, Qt.MouseButton.LeftButton)
    assert not card.isVisible()


def test_a_comparison_may_be_given_up(parts: Parts, qtbot: QtBot) -> None:
    page = parts.window.history
    choose(page, qtbot, 0)
    for _ in range(2):
        qtbot.mouseClick(page.card.compare_button, Qt.MouseButton.LeftButton)
    choose(page, qtbot, 1)
    assert page.card.compare_button.text() == "Compare…"


def test_a_deleted_run_is_no_partner_of_a_comparison_and_offers_only_its_restoring(
    parts: Parts, qtbot: QtBot
) -> None:
    page = parts.window.history
    card = page.card
    choose(page, qtbot, 0)
    qtbot.mouseClick(card.compare_button, Qt.MouseButton.LeftButton)
    assert card.compare_button.text() == "Choose the other run…"
    qtbot.mouseClick(card.delete_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: parts.runs.rowCount() == 7 and card.number == 7)
    assert card.compare_button.text() == "Compare…"
    page.deleted_box.setChecked(True)
    qtbot.waitUntil(lambda: parts.runs.rowCount() == 1)
    choose(page, qtbot, 0)
    for button in (card.compare_button, card.open_button, card.export_button, card.delete_button):
        assert not button.isVisible()
    assert card.label_field.isReadOnly() and card.note_field.isReadOnly()
    qtbot.mouseClick(card.restore_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: parts.runs.rowCount() == 0)
    page.deleted_box.setChecked(False)
    qtbot.waitUntil(lambda: parts.runs.rowCount() == 8)
    choose(page, qtbot, 0)
    assert card.compare_button.isVisible() and not card.label_field.isReadOnly()


@pytest.mark.parametrize("width", [1024, 1440])
def test_figures_and_dates_are_never_cut(parts: Parts, qtbot: QtBot, width: int) -> None:
    table = parts.window.history.table
    parts.window.resize(width, 700)
    qtbot.waitUntil(lambda: parts.window.width() == width and table.horizontalScrollBar().maximum() == 0)
    metrics, head = table.fontMetrics(), table.horizontalHeader()
    for column, text in enumerate(WIDEST):
        title = str(parts.runs.headerData(column, Qt.Orientation.Horizontal)).splitlines()
        assert metrics.horizontalAdvance(text) <= table.columnWidth(column) - CELL_PADDING
        assert max(map(metrics.horizontalAdvance, title)) < table.columnWidth(column)
    assert head.length() <= table.viewport().width()


def test_what_changed_since_the_run_before_stands_below_a_run(parts: Parts, qtbot: QtBot) -> None:
    page = parts.window.history
    choose(page, qtbot, 0)
    qtbot.waitUntil(page.card._past.isVisible)
    assert "in run 7 of" in page.card._past.text()
    choose(page, qtbot, 7)
    qtbot.waitUntil(lambda: page.card.number == 1)
    assert not page.card._past.isVisible()
