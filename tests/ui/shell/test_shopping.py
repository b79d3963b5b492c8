"""The places *Upgrades* and *Choose*: reckoned on workers, measured in the benchmark's lane, sorted, priced."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from advisor.diagnosis.workload import preset
from advisor.rehearsal.catalogue import find
from advisor.shortlist.choosing import shortlist
from advisor.shortlist.model import Priority
from tests.support.fake_pipeline import FakePipeline
from tests.support.fake_shopping import NAMES, FakeShopping
from tests.support.yardsticks import place
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.bridge.activity import Activity
from ui.shell.toolbar import CHOOSE, UPGRADES

MODEL = Path("/models/llama-3.1-8b.gguf")


def opened(make_window: MakeWindow, qtbot: QtBot, shopping: FakeShopping, measured: bool = False) -> Parts:
    parts = make_window(FakePipeline(), shopping=shopping.doors())
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: parts.engine.has_model and at_rest(parts))
    if measured:
        parts.engine.benchmark()
        qtbot.waitUntil(lambda: parts.engine.document is not None and at_rest(parts))
    return parts


def column(table, number: int) -> list[str]:  # type: ignore[no-untyped-def]
    model = table.model()
    return [model.index(row, number).data() for row in range(model.rowCount())]


def test_upgrades_wait_for_a_model_and_then_list_the_usual_changes(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline(), shopping=FakeShopping().doors())
    page = parts.window.upgrades
    parts.window.show_place(UPGRADES)
    qtbot.waitUntil(lambda: "Open a model" in page._empty.text())
    parts = opened(make_window, qtbot, FakeShopping(), measured=True)
    page = parts.window.upgrades
    parts.window.show_place(UPGRADES)
    qtbot.waitUntil(lambda: page.table.model().rowCount() > 10)
    assert "RTX 4090" in column(page.table, 0)
    assert page.details._said.text()
    assert "Now (measured" in page._now.text()


def test_upgrades_sort_by_any_column_and_show_what_is_chosen(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = opened(make_window, qtbot, FakeShopping(), measured=True)
    page = parts.window.upgrades
    parts.window.show_place(UPGRADES)
    qtbot.waitUntil(lambda: page.table.model().rowCount() > 10)
    page.table.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    first = column(page.table, 0)[0]
    page.table.selectRow(0)
    qtbot.waitUntil(lambda: page.details.heading.text() == first.upper())
    page.details.price.setValue(1600)
    qtbot.waitUntil(lambda: "1,600" in page.details._said.text())
    page.form.requests.setValue(50)
    qtbot.waitUntil(lambda: "50 requests a day" in page.details._said.text())
    assert column(page.table, 7)[0] == "1,600"


def test_another_device_joins_the_list_and_an_unknown_one_is_told(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = opened(make_window, qtbot, FakeShopping(), measured=True)
    page = parts.window.upgrades
    parts.window.show_place(UPGRADES)
    qtbot.waitUntil(lambda: page.table.model().rowCount() > 10)
    page.form.device.setText("rtx 4070 super")
    page.form.device.editingFinished.emit()
    qtbot.waitUntil(lambda: "RTX 4070 SUPER" in column(page.table, 0))
    page.form.device.setText("RTX 9999 Ultra")
    page.form.device.editingFinished.emit()
    qtbot.waitUntil(lambda: "RTX 9999 Ultra" in parts.window.notice.text)
    assert "RTX 4070 SUPER" in column(page.table, 0)


def test_nothing_is_reckoned_while_the_page_is_hidden(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = opened(make_window, qtbot, FakeShopping(), measured=True)
    assert parts.window.upgrades.table.model().rowCount() == 0


def test_choose_measures_once_and_lists_in_the_user_s_order(make_window: MakeWindow, qtbot: QtBot) -> None:
    shopping = FakeShopping()
    parts = make_window(FakePipeline(), shopping=shopping.doors())
    page = parts.window.choose
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.window.show_place(CHOOSE)
    qtbot.waitUntil(lambda: page.empty.button.isEnabled())
    parts.window.activateWindow()
    page.empty.button.setFocus()
    qtbot.mouseClick(page.empty.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.table.model().rowCount() > 0)
    assert shopping.measured == 1
    qtbot.waitUntil(lambda: parts.window.focusWidget() is page.table)
    by_quality = column(page.table, 0)
    buttons = page._group.buttons()
    qtbot.mouseClick(buttons[1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: column(page.table, 0)[0] == "Llama-3.2-1B")
    assert sorted(column(page.table, 0)) == sorted(by_quality)
    page.every.setChecked(True)
    qtbot.waitUntil(lambda: page.table.model().rowCount() > len(by_quality))
    assert shopping.measured == 1
    parts.screen.choose_preset("coding")
    qtbot.waitUntil(lambda: "Coding agent" in page._headline.text())


def test_a_list_measured_on_a_busy_computer_asks_for_another_measurement(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    shopping = FakeShopping(busy=1)
    parts = make_window(FakePipeline(), shopping=shopping.doors())
    page = parts.window.choose
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.window.show_place(CHOOSE)
    parts.choices.measure()
    qtbot.waitUntil(lambda: page._headline.text().startswith("Measure again: the computer was busy meanwhile. "))
    qtbot.waitUntil(lambda: page.again_button.isVisible() and page.again_button.isEnabled())
    qtbot.mouseClick(page.again_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shopping.measured == 2 and not page.again_button.isVisible())
    assert "Measure again" not in page._headline.text()


def test_a_rehearsal_that_fails_is_told_and_the_list_stays(make_window: MakeWindow, qtbot: QtBot) -> None:
    shopping = FakeShopping()
    parts = make_window(FakePipeline(), shopping=shopping.doors())
    page = parts.window.choose
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.window.show_place(CHOOSE)
    parts.choices.measure()
    qtbot.waitUntil(lambda: page.rehearse_button.isEnabled())
    qtbot.mouseClick(page.rehearse_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(shopping.rehearsed))
    qtbot.waitUntil(lambda: "No room for the stand-in" in parts.window.notice.text)
    assert page.table.model().rowCount() > 0
    assert parts.engine.activity is Activity.IDLE


@pytest.mark.parametrize("priority", list(Priority))
def test_the_presented_list_follows_the_priority(priority: Priority) -> None:
    from ui.viewmodels.choose import present_choices

    found = shortlist([find(name) for name in NAMES], preset("chat"), place(), priority)
    state = present_choices(found, at_rest=True, can_rehearse=True)
    assert [row.key for row in state.table.rows] == [f"{one.name} {one.recipe}" for one in found.choices]
    spans = [cell.span for row in state.table.rows for cell in row.cells if cell.span is not None]
    assert spans
    assert all(0 <= span.low <= span.middle <= span.high <= 1 for span in spans)
