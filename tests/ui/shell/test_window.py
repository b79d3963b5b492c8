"""The window around an invented pipeline: every way in, every way out."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from advisor.benchmarks.store.store import Store
from advisor.core.errors import EngineCrashed
from advisor.core.progress import CancelToken
from advisor.diagnosis.model import Workload
from advisor.report.document import Document
from advisor.session.events import Listener
from advisor.session.paths import user_paths
from advisor.session.pipeline import BenchSettings, Given
from advisor.session.recording import Recordings
from tests.support import documents
from tests.support.fake_pipeline import NO_ENGINE, FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.bridge.activity import Activity
from ui.bridge.notices import UNEXPECTED

MODEL = Path("/models/llama-3.1-8b.gguf")
STAGES = ("ceilings", "load", "prefill", "decode")
NBSP = "\u00a0"


def test_it_is_there_before_anything_is_known(make_window: MakeWindow) -> None:
    window = make_window(FakePipeline(), begin=False).window
    assert window.isVisible()
    assert not window.toolbar.benchmark_button.isEnabled()
    assert not window.toolbar.stop_button.isEnabled()
    assert not window.toolbar.export_button.isEnabled()
    assert window.page.middle.welcome.isVisible()


def test_open_shows_facts_then_both_ceilings(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(hold=("ceilings",))
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: pipeline.arrived("ceilings"))
    qtbot.waitUntil(lambda: parts.engine.activity is Activity.CEILINGS)
    assert parts.window.page.middle.prefill.isVisible()
    assert "measuring the ceiling" in parts.window.page.middle.decode.gauge.accessibleName()
    pipeline.release("ceilings")
    qtbot.waitUntil(lambda: at_rest(parts))
    assert "could reach 13.3" in parts.window.page.middle.decode.gauge.accessibleName()
    assert parts.window.toolbar.benchmark_button.isEnabled()
    assert pipeline.calls.index("open") < pipeline.calls.index("ceilings")


def test_the_engine_is_tested_behind_its_facts_and_before_the_ceilings(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    pipeline = FakePipeline(hold=("self-test",), checked=documents.crashing_engine())
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: pipeline.arrived("self-test"))
    qtbot.waitUntil(lambda: "llama-cpp-python 0.3.36" in parts.window.status._engine.text())
    assert "safe mode" not in parts.window.status._engine.text()
    assert "ceilings" not in pipeline.calls
    pipeline.release("self-test")
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.window.status._engine.text().endswith("safe mode")
    assert "SIGILL" in parts.window.status._engine.toolTip()
    assert "ceilings" in pipeline.calls


def test_benchmark_to_verdict(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline()
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    qtbot.mouseClick(parts.window.toolbar.benchmark_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: at_rest(parts))
    answer = parts.window.page.answer
    assert answer.verdict.accessibleDescription().startswith("Prefill is your problem.")
    assert len(answer.advice._views) == 4
    assert parts.window.status.phase == "Done"
    assert parts.window.toolbar.export_button.isEnabled()
    assert parts.screen.measurements.rowCount() == 2
    assert pipeline.given is not None
    assert pipeline.given.ceilings is not None  # measured once, not twice
    assert pipeline.calls.count("ceilings") == 1


class Crashing(FakePipeline):
    """Its engine dies after the rows were measured."""

    def diagnose(self, *arguments: Any, **named: Any) -> Document:
        return replace(super().diagnose(*arguments, **named), interrupted="The engine was killed while writing.")


def test_a_run_whose_engine_died_is_not_said_to_be_done(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(Crashing())
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: parts.window.status.phase == "Ended early; what was measured is kept")


def test_benchmark_during_the_ceilings_waits_for_them(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(hold=("ceilings",))
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: pipeline.arrived("ceilings"))
    parts.engine.benchmark()
    assert parts.engine.activity is Activity.BENCHMARK
    pipeline.release("ceilings")
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.screen.measurements.rowCount() == 2
    assert pipeline.given is not None
    assert pipeline.given.ceilings is not None


@pytest.mark.parametrize("stage", STAGES)
def test_stop_keeps_what_was_measured(make_window: MakeWindow, qtbot: QtBot, stage: str) -> None:
    pipeline = FakePipeline(hold=(stage,))
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    if stage != "ceilings":
        qtbot.waitUntil(lambda: at_rest(parts))
        parts.engine.benchmark()
    qtbot.waitUntil(lambda: pipeline.arrived(stage))
    qtbot.waitUntil(lambda: parts.window.toolbar.stop_button.isEnabled())
    qtbot.mouseClick(parts.window.toolbar.stop_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: at_rest(parts))
    rows = {"ceilings": 0, "load": 0, "prefill": 1, "decode": 2}[stage]
    assert parts.screen.measurements.rowCount() == rows
    assert parts.window.status.phase.startswith("Stopped")
    assert parts.window.toolbar.benchmark_button.isEnabled()
    assert not parts.window.toolbar.stop_button.isEnabled()


def test_a_run_stopped_at_once_leaves_the_one_before(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(hold=("load",))
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    pipeline.release("load")
    qtbot.waitUntil(lambda: at_rest(parts) and parts.screen.measurements.rowCount() == 2)
    pipeline.gates["load"].arrived.clear()
    pipeline.gates["load"].open.clear()
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: pipeline.arrived("load"))
    assert parts.screen.measurements.rowCount() == 0
    parts.engine.stop()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.screen.measurements.rowCount() == 2


def test_a_bad_file_is_a_notice_and_the_model_stays(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.open_model(Path("/models/bad.gguf"))
    qtbot.waitUntil(lambda: bool(parts.window.notice.text))
    assert parts.window.notice.text == "✕ bad.gguf is not a GGUF model."
    assert "web page" in parts.window.notice._hint.text()
    assert parts.window.toolbar.benchmark_button.isEnabled()
    qtbot.keyClick(parts.window, Qt.Key.Key_Escape)
    assert parts.window.notice.text == ""


def test_what_nobody_expected_is_a_notice_with_details(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline(failure={"ceilings": ZeroDivisionError("by nothing")}))
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: bool(parts.window.notice.text))
    assert UNEXPECTED in parts.window.notice.text
    assert "ZeroDivisionError" in parts.window.notice._details.toPlainText()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.window.toolbar.benchmark_button.isEnabled()


def test_a_crash_of_the_child_is_told(make_window: MakeWindow, qtbot: QtBot) -> None:
    crash = EngineCrashed("The engine crashed while loading.", "Try safe mode.", {"signal": 11})
    parts = make_window(FakePipeline(failure={"load": crash}))
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: bool(parts.window.notice.text))
    assert parts.window.notice.text == "✕ The engine crashed while loading."
    assert "signal: 11" in parts.window.notice._details.toPlainText()


class KeepingPipeline(FakePipeline):
    """Saves what it "measures", as the real one does."""

    def diagnose(
        self, path: Path, workload: Workload, settings: BenchSettings, listener: Listener, cancel: CancelToken,
        given: Given | None = None,
    ) -> Document:
        recordings = Recordings(user_paths().results)
        with recordings.run(documents.model(), documents.machine(), documents.engine(), listener) as recorder:
            document = super().diagnose(path, workload, settings, recorder, cancel, given)
            recorder.finish(document.tests, None)
        return document


def test_a_damaged_file_of_results_is_told_and_the_run_goes_on(make_window: MakeWindow, qtbot: QtBot) -> None:
    user_paths().results.parent.mkdir(parents=True, exist_ok=True)
    user_paths().results.write_bytes(b"no database" * 100)
    parts = make_window(KeepingPipeline())
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts) and bool(parts.window.notice.text))
    assert "damaged and was set aside" in parts.window.notice.text
    assert "results.damaged-" in parts.window.notice._hint.text()
    assert parts.screen.measurements.rowCount() == 2
    assert len(Store(user_paths().results).run(1).tests) == 2


def test_without_an_engine_it_says_how_to_get_one(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(engine=NO_ENGINE)
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts) and bool(parts.window.notice.text))
    assert "No engine was found" in parts.window.notice.text
    assert "pip install llama-cpp-python" in parts.window.notice._hint.text()
    assert "pip install" in parts.window.page.answer.verdict.accessibleDescription()
    assert "no engine" in parts.window.page.middle.decode.gauge.accessibleName()
    assert "ceilings" not in pipeline.calls
