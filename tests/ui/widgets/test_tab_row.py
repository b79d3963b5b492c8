"""The row of tabs: as wide as it may be, and none out of reach where that is too little."""

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from ui.widgets.tab_row import TabRow

TITLES = ("Roofline", "Speed", "Seconds", "Batching", "Stutter", "Table")


@pytest.fixture
def row(qtbot: QtBot) -> TabRow:
    made = TabRow()
    for title in TITLES:
        made.add_tab(title)
    qtbot.addWidget(made)
    made.resize(900, 40)
    made.show()
    return made


def in_sight(row: TabRow, tab: QPushButton) -> bool:
    left = tab.mapTo(row._area.viewport(), tab.rect().topLeft()).x()
    return left >= 0 and left + tab.width() <= row._area.viewport().width()


def test_with_room_there_are_no_arrows(row: TabRow) -> None:
    assert all(in_sight(row, tab) for tab in row.findChildren(QPushButton))
    assert not any(arrow.isVisible() for arrow in row._arrows)


def test_without_room_arrows_and_choosing_bring_every_tab_into_sight(row: TabRow, qtbot: QtBot) -> None:
    row.resize(220, 40)
    qtbot.waitUntil(lambda: all(arrow.isVisible() for arrow in row._arrows))
    back, on = row._arrows
    assert (back.isEnabled(), on.isEnabled()) == (False, True)
    tabs = row.findChildren(QPushButton)
    assert not in_sight(row, tabs[-1])
    for _ in TITLES:
        on.click()
    assert in_sight(row, tabs[-1])
    assert (back.isEnabled(), on.isEnabled()) == (True, False)
    turned: list[int] = []
    row.chosen.connect(turned.append)
    row.choose(0)
    assert in_sight(row, tabs[0])
    assert turned == [0]
    tabs[4].setFocus()
    qtbot.waitUntil(lambda: in_sight(row, tabs[4]))


def test_the_chosen_tab_stays_whole_when_the_row_loses_room(row: TabRow, qtbot: QtBot) -> None:
    tabs = row.findChildren(QPushButton)
    for number in (3, 5):
        row.resize(900, 40)
        row.choose(number)
        row.resize(220, 40)  # the arrows come and take room as well
        qtbot.waitUntil(lambda: all(arrow.isVisible() for arrow in row._arrows))
        qtbot.waitUntil(lambda number=number: in_sight(row, tabs[number]))
