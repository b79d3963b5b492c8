"""The page of many users, driven by its button."""

from pytestqt.qtbot import QtBot

from advisor.benchmarks.model import Sweep
from advisor.core.errors import EngineError
from tests.support.fake_pipeline import FakePipeline
from tests.ui.shell.test_trying import MakeWindow, at_rest, measured
from ui.bridge.activity import Activity

NBSP = "\u00a0"


def page(parts):  # type: ignore[no-untyped-def]
    return parts.window.page.middle.batching


def test_the_button_measures_and_the_curve_joins_the_answer(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = measured(make_window, qtbot, FakePipeline())
    assert page(parts)._empty.text.text().startswith("How many people can share this model?")
    assert page(parts)._empty.button.isEnabled()
    phases = [test for test in parts.engine.document.tests if test.sweep is Sweep.PHASES]
    page(parts)._empty.button.click()
    qtbot.waitUntil(lambda: at_rest(parts) and bool(page(parts)._state.dots))
    assert f"6{NBSP}people at once get" in page(parts)._headline.text()
    assert [dot.streams for dot in page(parts)._state.dots] == [1, 2, 4, 8]
    assert page(parts)._table.rowCount() == 4
    document = parts.engine.document
    assert [test for test in document.tests if test.sweep is Sweep.PHASES] == phases
    assert sorted(test.n_streams for test in document.tests if test.sweep is Sweep.BATCH) == [1, 2, 4, 8]


def test_stop_keeps_the_points_that_are_there(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(hold=("streams 8",))
    parts = measured(make_window, qtbot, pipeline)
    page(parts)._empty.button.click()
    qtbot.waitUntil(lambda: pipeline.arrived("streams 8") and len(page(parts)._state.dots) == 3)
    assert parts.engine.activity is Activity.CURVE
    assert page(parts)._headline.text().startswith("Measuring; so far:")
    assert not page(parts)._again.isEnabled()
    parts.engine.stop()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert [dot.streams for dot in page(parts)._state.dots] == [1, 2, 4]


def test_a_curve_that_cannot_be_measured_again_leaves_the_old_one(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline()
    parts = measured(make_window, qtbot, pipeline)
    page(parts)._empty.button.click()
    qtbot.waitUntil(lambda: at_rest(parts) and len(page(parts)._state.dots) == 4)
    pipeline.failure["streams 4"] = EngineError("The engine is gone.")
    page(parts)._again.click()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert "The engine is gone." in parts.window.notice.text
    assert [dot.streams for dot in page(parts)._state.dots] == [1, 2, 4, 8]
