"""The page *Stutter*: measured by its button in the benchmark's lane, with charts and a table, ended by Stop."""

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.support.fake_pipeline import NO_ENGINE, FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.bridge.activity import Activity

MODEL = Path("/models/llama-3.1-8b.gguf")


def opened(make_window: MakeWindow, qtbot: QtBot, pipeline: FakePipeline) -> Parts:
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.window.page.middle.tabs.show_page(4)
    return parts


def test_measure_shows_the_page_and_a_benchmark_keeps_it(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = opened(make_window, qtbot, FakePipeline())
    page = parts.window.page.middle.stutter
    assert page._stack.currentIndex() == 0
    qtbot.waitUntil(lambda: page._empty.button.isEnabled())
    qtbot.mouseClick(page._empty.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page._stack.currentIndex() == 1 and at_rest(parts))
    assert page._table.rowCount() == 5
    assert "4 other streams wait" in page._sentence.text()
    qtbot.waitUntil(lambda: page._charts is not None)
    page._sizes.setCurrentIndex(0)
    assert "Pieces of 64" in page._charts._clock.accessibleName()
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: parts.engine.document is not None and bool(parts.engine.document.tests) and at_rest(parts))
    assert page._stack.currentIndex() == 1


def test_stop_ends_it_and_nothing_else_runs_meanwhile(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(hold=("stutter",))
    parts = opened(make_window, qtbot, pipeline)
    parts.engine.measure_stutter()
    qtbot.waitUntil(lambda: pipeline.arrived("stutter"))
    assert parts.engine.activity is Activity.TRIAL
    assert not parts.window.page.middle.stutter._empty.button.isEnabled()
    parts.engine.benchmark()
    parts.engine.measure_stutter()
    assert pipeline.calls.count("stutter") == 1
    parts.engine.stop()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.window.page.middle.stutter._stack.currentIndex() == 0


def test_without_an_engine_the_button_waits_and_says_why(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = opened(make_window, qtbot, FakePipeline(engine=NO_ENGINE))
    button = parts.window.page.middle.stutter._empty.button
    assert not button.isEnabled()
    assert button.toolTip().startswith("No engine was found")
