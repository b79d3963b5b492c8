"""*Try it* on an advice card: as a job of its own, with progress and Stop, and the card changes in place."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from advisor.core.errors import EngineCrashed
from advisor.diagnosis.workload import preset
from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.bridge.activity import Activity
from ui.views.answer import AdviceView

MODEL = Path("/models/llama-3.1-8b.gguf")
NBSP = "\u00a0"


def measured(make_window: MakeWindow, qtbot: QtBot, pipeline: FakePipeline) -> Parts:
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts))
    return parts


def card(parts: Parts, name: str = "shorten-prompt") -> AdviceView:
    return next(view for view in parts.window.page.answer.advice._views if view.advice_id == name)


def press(qtbot: QtBot, parts: Parts) -> None:
    qtbot.mouseClick(card(parts).try_button, Qt.MouseButton.LeftButton)


def test_only_what_can_be_tried_has_a_button(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = measured(make_window, qtbot, FakePipeline())
    qtbot.waitUntil(lambda: card(parts).try_button.isVisible())  # new cards are laid out in the next turn of the loop
    button = card(parts).try_button
    assert button.isEnabled()
    assert button.accessibleName() == "Try it: Retrieve 8 passages instead of 40"
    assert not card(parts, "use-gpu").try_button.isVisible()


def test_the_card_changes_in_place(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(hold=("trial",))
    parts = measured(make_window, qtbot, pipeline)
    before = card(parts)
    parts.window.activateWindow()
    qtbot.waitUntil(parts.window.isActiveWindow)
    before.try_button.setFocus()
    press(qtbot, parts)
    qtbot.waitUntil(lambda: pipeline.arrived("trial"))
    qtbot.waitUntil(lambda: parts.engine.activity is Activity.TRIAL)
    assert card(parts) is before  # nobody's place is lost
    assert before.try_button.hasFocus()
    assert before.try_button.text() == "■ Stop"
    qtbot.waitUntil(lambda: parts.window.status.phase.startswith("Round 1 of 5"))
    assert parts.window.toolbar.stop_button.isEnabled()
    assert not parts.window.toolbar.benchmark_button.isEnabled()
    pipeline.release("trial")
    qtbot.waitUntil(lambda: at_rest(parts))
    shown = card(parts)
    assert shown.accessibleDescription().startswith("Tried: saves")
    assert f"5{NBSP}rounds" in shown.accessibleDescription()
    assert shown.try_button.text() == "Try again"
    qtbot.waitUntil(shown.try_button.hasFocus)
    assert parts.window.status.phase.startswith("Tried: saves")


def test_no_difference_is_said(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline()
    pipeline.ratio = 1.0
    parts = measured(make_window, qtbot, pipeline)
    press(qtbot, parts)
    qtbot.waitUntil(lambda: at_rest(parts) and "trial" in pipeline.calls)
    assert card(parts).accessibleDescription() == f"Tried: no difference, 5{NBSP}rounds"


def test_stop_on_the_card_leaves_the_prediction(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(hold=("trial",))
    parts = measured(make_window, qtbot, pipeline)
    press(qtbot, parts)
    qtbot.waitUntil(lambda: parts.engine.activity is Activity.TRIAL and pipeline.arrived("trial"))
    press(qtbot, parts)
    qtbot.waitUntil(lambda: at_rest(parts))
    assert card(parts).accessibleDescription() == ""
    assert card(parts).try_button.text() == "Try it"
    assert parts.window.status.phase.startswith("Stopped")
    assert parts.screen.measurements.rowCount() == 2


def test_a_failed_trial_is_a_notice_and_the_answer_stays(make_window: MakeWindow, qtbot: QtBot) -> None:
    crash = EngineCrashed("6 threads: The engine crashed while running prefill (SIGSEGV).", "Update the engine.")
    parts = measured(make_window, qtbot, FakePipeline(failure={"trial": crash}))
    press(qtbot, parts)
    qtbot.waitUntil(lambda: parts.window.notice.isVisible())
    qtbot.waitUntil(lambda: at_rest(parts))
    assert len(parts.window.page.answer.advice._views) == 4
    assert card(parts).try_button.isEnabled()


def test_never_two_measurements_at_once(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(hold=("trial", "load"))
    pipeline.release("load")
    parts = measured(make_window, qtbot, pipeline)
    press(qtbot, parts)
    qtbot.waitUntil(lambda: pipeline.arrived("trial"))
    loads = pipeline.calls.count("load")
    parts.engine.benchmark()
    parts.engine.try_advice("shorten-prompt")
    pipeline.release("trial")
    qtbot.waitUntil(lambda: at_rest(parts))
    assert pipeline.calls.count("load") == loads
    assert pipeline.calls.count("trial") == 1


def test_the_result_follows_the_workload_and_outlives_the_next_benchmark(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    parts = measured(make_window, qtbot, FakePipeline())
    press(qtbot, parts)
    qtbot.waitUntil(lambda: card(parts).accessibleDescription().startswith("Tried"))
    first = card(parts).accessibleDescription()
    parts.screen.choose_preset(preset("coding").id)
    assert card(parts).accessibleDescription().startswith("Tried: saves")
    assert card(parts).accessibleDescription() != first
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert card(parts).accessibleDescription().startswith("Tried: saves")


def test_another_model_knows_nothing_of_it(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = measured(make_window, qtbot, FakePipeline())
    press(qtbot, parts)
    qtbot.waitUntil(lambda: card(parts).accessibleDescription().startswith("Tried"))
    parts.engine.open_model(MODEL.with_name("other.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert card(parts).accessibleDescription() == ""


def test_only_the_card_of_speculation_asks_for_a_draft_model(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline()
    parts = measured(make_window, qtbot, pipeline)
    assert not card(parts).draft_button.isVisibleTo(card(parts))
    state = card(parts).state
    asking = AdviceView(replace(state, id="speculate", trying=replace(state.trying, asks_draft=True)), unfolded=False)
    qtbot.addWidget(asking)
    assert asking.draft_button.isVisibleTo(asking)
    with qtbot.waitSignal(asking.draft_requested) as asked:
        qtbot.mouseClick(asking.draft_button, Qt.MouseButton.LeftButton)
    assert asked.args == ["speculate"]


def test_a_picked_draft_model_goes_to_the_engine(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline()
    parts = measured(make_window, qtbot, pipeline)
    parts.window.draft_picked.emit("shorten-prompt", Path("/models/small.gguf"))
    qtbot.waitUntil(lambda: pipeline.draft == Path("/models/small.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts))
