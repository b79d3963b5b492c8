"""The page of many users, driven by its button."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from advisor.benchmarks.model import Sweep
from advisor.core.errors import EngineError
from advisor.core.evidence import Basis, Known
from advisor.diagnosis.workload import PRESETS
from tests.support import documents
from tests.support.fake_pipeline import FakePipeline
from tests.ui.shell.test_trying import MakeWindow, at_rest, measured
from ui.bridge.activity import Activity
from ui.viewmodels.batching import depth_of, depth_options

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


@pytest.mark.parametrize(("choice", "depth"), [("1024", 1024), ("4096", 4096), ("workload", None), ("0", 0)])
def test_the_depth_that_is_chosen_is_measured(
    make_window: MakeWindow, qtbot: QtBot, choice: str, depth: int | None
) -> None:
    pipeline = FakePipeline()
    parts = measured(make_window, qtbot, pipeline)
    box = page(parts).depths
    index = box.findData(choice)
    assert index >= 0
    box.setCurrentIndex(index)
    box.activated.emit(index)
    page(parts)._empty.button.click()
    qtbot.waitUntil(lambda: at_rest(parts) and bool(page(parts)._state.dots))
    wanted = parts.screen.work.turn_prompt(parts.screen.work.turns) if depth is None else depth
    assert pipeline.depth == wanted
    assert ("in the cache" in page(parts)._headline.text()) == (wanted > 0)
    assert box.currentData() == choice


def test_a_depth_beyond_the_models_context_is_not_offered() -> None:
    small = replace(documents.model(), context_length=Known(2048, Basis.READ, "the header"))
    offered = [one.id for one in depth_options(PRESETS["chat"], small)]
    assert "1024" in offered
    assert "4096" not in offered
    assert depth_of("4096", PRESETS["chat"], small) == 0
