"""What a screen reader and a keyboard find: the tree of QAccessible, and the way that Tab goes."""

import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from advisor.core.translation import LANGUAGES
from tests.support import on_the_bus
from tests.support.fake_engines import FakeEngines
from tests.support.fake_history import FakeHistory
from tests.support.fake_pipeline import FakePipeline
from tests.support.fake_shopping import FakeShopping
from tests.support.found import some_models
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.shell.toolbar import CHOOSE, HISTORY, SERVER, UPGRADES
from ui.theme import Mode

LIMIT_S = 110
Role = QAccessible.Role
TO_USE = frozenset({
    Role.Button, Role.PushButton, Role.ButtonMenu, Role.ButtonDropDown, Role.CheckBox, Role.RadioButton, Role.ComboBox,
    Role.Slider, Role.SpinBox, Role.EditableText, Role.Link, Role.List, Role.Table, Role.PageTab, Role.ProgressBar,
})
SAYS_NOTHING = frozenset({Role.NoRole, Role.Client, Role.Window, Role.Border, Role.Pane, Role.Grouping})
"""Roles from which nobody learns what an element is for."""


@pytest.fixture
def full(make_window: MakeWindow, qtbot: QtBot) -> Parts:
    """Everything is measured, so that everything is there."""
    parts = make_window(
        FakePipeline(), engines=FakeEngines().doors(), find=lambda _cancel: some_models(), history=FakeHistory,
        shopping=FakeShopping().doors(),
    )
    parts.engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts) and parts.window.loader.is_ready)
    for begin in (parts.engine.benchmark, parts.engine.measure_streams, parts.engine.measure_stutter):
        begin()
        qtbot.waitUntil(lambda: at_rest(parts))
    return parts


def pages(parts: Parts, qtbot: QtBot) -> Iterator[tuple[str, QWidget]]:
    """Every page and dialog in turn, by name."""
    window = parts.window
    for number, title in enumerate(window.page.middle.tabs.titles):
        window.page.middle.tabs.show_page(number)
        QApplication.processEvents()
        yield title, window
    for view in window.page.answer.advice._views:
        view._more.setChecked(True)
    window.page.facts.workload._change.setChecked(True)
    QApplication.processEvents()
    yield "unfolded", window
    window.show_place(SERVER)
    QApplication.processEvents()
    yield "server", window
    window.show_place(UPGRADES)
    qtbot.waitUntil(lambda: window.upgrades.table.model().rowCount() > 0)
    yield "upgrades", window
    window.show_place(CHOOSE)
    parts.choices.measure()
    qtbot.waitUntil(lambda: window.choose.table.model().rowCount() > 0)
    yield "choose", window
    window.show_place(HISTORY)
    qtbot.waitUntil(lambda: parts.runs.rowCount() > 0)
    window.history.table.selectRow(0)
    qtbot.waitUntil(lambda: window.history.card.number is not None)
    yield "history", window
    window.engines.open_beside()
    qtbot.waitUntil(lambda: bool(parts.engines.state.engines) and not parts.engines.state.looking)
    yield "engines", window.engines
    window.engines.close()


def tree(root: QWidget) -> Iterator[QAccessibleInterface]:
    """Every element that is neither hidden nor off."""
    waiting = [QAccessible.queryAccessibleInterface(root)]
    while waiting:
        one = waiting.pop()
        if one is None or not one.isValid() or one.state().invisible:
            continue
        yield one
        if one.role() not in (Role.Table, Role.List, Role.ComboBox):  # their cells are made when somebody asks
            waiting.extend(one.child(number) for number in range(one.childCount()))


def told(one: QAccessibleInterface) -> str:
    widget = one.object()
    above = type(widget.parent()).__name__ if widget else ""
    return f"{type(widget).__name__} {one.role().name} {one.rect()} in {above}"


def test_whatever_can_be_used_has_a_name_and_a_role(full: Parts, qtbot: QtBot) -> None:
    seen = 0
    wrong = []
    for page, root in pages(full, qtbot):
        for one in tree(root):
            if one.role() in TO_USE or one.state().focusable:
                seen += 1
                if not one.text(QAccessible.Text.Name).strip():
                    wrong.append(f"{page}: no name: {told(one)}")
                if one.state().focusable and one.role() in SAYS_NOTHING and not isinstance(one.object(), QScrollArea):
                    wrong.append(f"{page}: no role: {told(one)}")
    assert seen > 150
    assert not wrong, "\n".join(wrong)


def stops(root: QWidget) -> list[QWidget]:
    """Where Tab stops until it comes round, told from the top."""
    first = root.nextInFocusChain()
    while not _stops_at(first):
        first = first.nextInFocusChain()
    first.setFocus(Qt.FocusReason.TabFocusReason)
    found: list[QWidget] = []
    here = QApplication.focusWidget()
    while here is not None and here not in found and len(found) < 500:
        found.append(here)
        QTest.keyClick(here, Qt.Key.Key_Tab)
        here = QApplication.focusWidget()
    top = min(range(len(found)), key=lambda number: (_place(found[number]).y(), _place(found[number]).x()))
    return found[top:] + found[:top]


def _stops_at(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def test_tab_reaches_everything_column_by_column_from_top_to_bottom(full: Parts, qtbot: QtBot) -> None:
    for page, root in pages(full, qtbot):
        root.activateWindow()
        order = stops(root)
        wanted = [widget for widget in root.findChildren(QWidget) if _stops_at(widget) and widget.window() is root]
        missed = [widget for widget in wanted if widget not in order and widget.focusProxy() not in order]
        assert not missed, f"{page}: {_words(missed)}"
        steps = [(_column(widget), widget) for widget in order]
        columns = [column for column, _ in steps]
        changes = [column for index, column in enumerate(columns) if not index or columns[index - 1] != column]
        assert len(changes) == len(set(changes)), f"{page}: goes back to a column: {_words(order)}"
        for (column, one), (following, other) in pairwise(steps):
            if column == following:
                assert _after(one, other), f"{page}: {_words([one, other])}"


@pytest.mark.parametrize("mode", [Mode.LIGHT, Mode.DARK, Mode.CONTRAST], ids=str)
def test_the_focus_can_be_seen_wherever_it_is(full: Parts, qtbot: QtBot, mode: Mode) -> None:
    full.theme.set_mode(mode)
    for page, root in pages(full, qtbot):
        root.activateWindow()
        for widget in stops(root):
            root.setFocus()
            QApplication.processEvents()
            without = widget.grab().toImage()
            widget.setFocus(Qt.FocusReason.TabFocusReason)
            QApplication.processEvents()
            assert widget.grab().toImage() != without, f"{page}: {_words([widget])}"


def _column(widget: QWidget) -> str:
    """The part of the window that it lies in."""
    part = widget
    while (above := part.parentWidget()) is not None:
        if isinstance(above, QScrollArea) and above.parentWidget().objectName() == "ground":
            return str(id(above))
        if part.objectName() in ("toolbar", "statusbar", "notice"):
            return part.objectName()
        part = above
    return ""


def _after(one: QWidget, other: QWidget) -> bool:
    """Whether the other stands at the right of the one in its row, below it, or in a part further right."""
    first, second = _place(one), _place(other)
    if second.x() >= first.x() + one.width():
        return True
    same_row = min(first.y() + one.height(), second.y() + other.height()) - max(first.y(), second.y()) > 4
    return second.x() >= first.x() if same_row else second.y() >= first.y()


def _place(widget: QWidget) -> QPoint:
    return widget.mapTo(widget.window(), widget.rect().topLeft())


def _words(widgets: list[QWidget]) -> list[tuple[str, str, int, int]]:
    return [(type(w).__name__, w.accessibleName() or getattr(w, "text", str)(), *_place(w).toTuple())  # type: ignore[call-overload]
            for w in widgets]


def test_a_tab_is_one_of_several_and_not_a_box_to_tick(full: Parts) -> None:
    window = full.window
    tabs = [button for button in window.findChildren(QPushButton) if button.property("role") == "tab"]
    assert len(tabs) > 10
    for tab in tabs:
        assert QAccessible.queryAccessibleInterface(tab).role() is Role.RadioButton, tab.text()


def test_what_will_not_help_is_read_after_what_will(full: Parts) -> None:
    advice = full.window.page.answer.advice
    children = advice.children()
    assert advice._views
    assert all(children.index(view) < children.index(advice._wont) for view in advice._views)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_screen_reader_on_the_real_bus_finds_all_of_it(language: str) -> None:
    if lacking := on_the_bus.missing():
        pytest.skip(f"not here: {lacking}")
    words = [sys.executable, "-m", "tests.support.on_the_bus", "--language", language]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    assert done.returncode == 0, done.stdout + done.stderr
