"""Nothing is clipped at the smallest size, and everything is reached by keyboard and has a name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPushButton, QSlider, QSpinBox, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from advisor.core.translation import ENGLISH, LANGUAGES
from advisor.session.window_settings import WindowSettings
from tests.support.clipping import cut, lengthen
from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.widgets.tab_row import widen

SIZES = [(1024, 640), (1360, 860), (1920, 1200)]


def measured_in(language: str, make_window: MakeWindow, qtbot: QtBot) -> Parts:
    """A window after a run, in that language."""
    parts = make_window(FakePipeline(), settings=WindowSettings(theme="light", language=language))
    parts.engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts) and parts.window.loader.is_ready)
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts))
    return parts


@pytest.fixture
def measured(make_window: MakeWindow, qtbot: QtBot) -> Parts:
    return measured_in(ENGLISH, make_window, qtbot)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_no_label_or_button_is_cut(
    make_window: MakeWindow, qtbot: QtBot, size: tuple[int, int], language: str
) -> None:
    window = measured_in(language, make_window, qtbot).window
    window.resize(*size)
    qtbot.waitUntil(lambda: (window.width(), window.height()) == size)

    def nothing_is_cut() -> None:
        assert not cut(window)

    for page in range(6):
        window.page.middle.tabs.show_page(page)
        qtbot.waitUntil(nothing_is_cut)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_words_that_are_longer_by_two_fifths_are_not_cut(
    measured: Parts, qtbot: QtBot, size: tuple[int, int]
) -> None:
    """As in other languages: every button and every label that wraps."""
    window = measured.window
    window.resize(*size)
    lengthen(window.page)

    def nothing_is_cut() -> None:
        assert not cut(window)
        for scroll in (window.page._left, window.page._centre, window.page._right):
            assert scroll.widget().width() <= scroll.viewport().width()

    for page in range(6):
        window.page.middle.tabs.show_page(page)
        qtbot.waitUntil(nothing_is_cut)


@pytest.mark.parametrize(("scale", "language"), [("1", "en"), ("2", "en"), ("1", "de"), ("1.5", "de")])
def test_every_page_and_dialog_is_whole_at_every_scale(scale: str, language: str) -> None:
    """In a process of its own, since Qt reads the scale at its start; with the words as they are, and longer."""
    environment = {**os.environ, "QT_SCALE_FACTOR": scale}
    words = [sys.executable, "-m", "tests.support.clipping", language]
    said = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=150, check=False)
    assert said.returncode == 0, said.stderr
    assert not said.stdout.strip(), said.stdout


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_no_column_is_wider_than_its_place(measured: Parts, qtbot: QtBot, size: tuple[int, int]) -> None:
    window = measured.window
    window.resize(*size)

    def all_fit() -> None:
        for scroll in (window.page._left, window.page._centre, window.page._right):
            assert scroll.widget().width() <= scroll.viewport().width()

    for page in range(6):
        window.page.middle.tabs.show_page(page)
        qtbot.waitUntil(all_fit)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_to_use_has_a_name(make_window: MakeWindow, qtbot: QtBot, language: str) -> None:
    measured = measured_in(language, make_window, qtbot)
    kinds = (QPushButton, QToolButton, QComboBox, QSlider, QSpinBox)
    nameless = [
        widget for kind in kinds for widget in measured.window.findChildren(kind)
        if not (widget.accessibleName() or getattr(widget, "text", str)())
        and not widget.objectName().startswith("qt_") and not widget.isHidden()
    ]
    assert not nameless


def test_tab_reaches_every_control_and_leaves_it(measured: Parts) -> None:
    wanted = {
        widget for kind in (QPushButton, QToolButton, QComboBox, QSlider, QSpinBox)
        for widget in measured.window.findChildren(kind)
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    }
    assert len(wanted) > 15
    reached: set[QWidget] = set()
    start = measured.window.toolbar.open_button
    widget: QWidget = start
    for _ in range(2000):
        reached.add(widget)
        widget = widget.nextInFocusChain()
        if widget is start:
            break
    assert wanted <= reached


@pytest.mark.parametrize("longer", [1.0, 1.35, 1.8])
def test_the_toolbar_fits_the_smallest_window_in_longer_languages(
    measured: Parts, qtbot: QtBot, longer: float
) -> None:
    window, bar = measured.window, measured.window.toolbar
    bar.offer_opened(True)
    for button in bar.findChildren(QPushButton):
        if len(button.text()) > 2 and button is not bar.stop_button:
            button.setText(button.text() + "o" * round((longer - 1) * len(button.text())))
            if button.property("role") == "tab":
                widen(button, button.text())
    window.resize(1360, 860)
    window.resize(1024, 640)
    qtbot.waitUntil(lambda: bar.width() == 1024)
    qtbot.waitUntil(lambda: not cut(bar))
    layout = bar.layout()
    assert layout is not None
    assert layout.minimumSize().width() <= 1024
    offered = [action.text() for action in bar.menu_button.menu().actions()]
    assert {"Export as", "Colours", "Engines…\tCtrl+Shift+E"} <= set(offered)


def test_a_choice_that_does_not_fit_ends_in_an_ellipsis(measured: Parts, qtbot: QtBot) -> None:
    box = measured.window.page.facts.workload._presets
    box.setFixedWidth(120)
    qtbot.waitUntil(lambda: box.width() == 120)
    assert box.shown_text.endswith("…")
    assert box.toolTip().startswith(box.currentText())
    box.setFixedWidth(500)
    qtbot.waitUntil(lambda: box.width() == 500)
    assert box.shown_text == box.currentText()
    assert box.toolTip() == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_gauges_keep_their_names_and_say_their_limits_alike(
    make_window: MakeWindow, qtbot: QtBot, language: str
) -> None:
    window = measured_in(language, make_window, qtbot).window
    cards = (window.page.middle.prefill, window.page.middle.decode)
    for size in ((1920, 1200), (1024, 640), (1360, 860), (1024, 640)):
        window.resize(*size)
        qtbot.waitUntil(lambda size=size: (window.width(), window.height()) == size)
        for card in cards:
            pill, heading = card._pill, card.heading
            qtbot.waitUntil(lambda pill=pill: pill.width() <= pill.sizeHint().width())
            needed = heading.fontMetrics().horizontalAdvance(heading._short)
            qtbot.waitUntil(lambda heading=heading, needed=needed: heading.width() >= needed)
        long = [card._pill.text() == card._state.pill for card in cards]
        assert long[0] == long[1]
