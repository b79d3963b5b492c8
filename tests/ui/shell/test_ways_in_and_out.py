"""Ways into the window and out of it: files dropped, the sample, keys, menus, exports, and closing."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.bridge.activity import Activity
from ui.shell.report_files import REPORT_FILTERS
from ui.theme import Mode

MODEL = Path("/models/llama-3.1-8b.gguf")
STAGES = ("ceilings", "load", "prefill", "decode")


@pytest.mark.parametrize("stage", ("machine", "engine", "self-test", "open", *STAGES))
def test_close_during_a_run(make_window: MakeWindow, qtbot: QtBot, stage: str) -> None:
    pipeline = FakePipeline(hold=(stage,))
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    if stage in ("load", "prefill", "decode"):
        qtbot.waitUntil(lambda: at_rest(parts))
        parts.engine.benchmark()
    qtbot.waitUntil(lambda: pipeline.arrived(stage))
    parts.window.close()
    if stage in ("machine", "open"):  # these two take no token; the real ones last a fraction of a second
        pipeline.release(stage)
    qtbot.waitUntil(lambda: not parts.window.isVisible())
    assert parts.end()
    assert not parts.engine.busy


def test_a_deaf_child_does_not_keep_the_window(
    make_window: MakeWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.bridge.engine.CLOSE_LIMIT_MS", 100)
    pipeline = FakePipeline(hold=("decode",), deaf_s=20.0)
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: pipeline.arrived("decode"))
    parts.window.close()
    qtbot.waitUntil(lambda: not parts.window.isVisible())
    pipeline.release("decode")
    assert parts.engine.join(5)


def test_dropping_a_file_opens_it(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(MODEL))])
    spot, copy = QPointF(300, 300), Qt.DropAction.CopyAction
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(spot.toPoint(), copy, data, left, none)
    parts.window.dragEnterEvent(enter)
    assert enter.isAccepted()
    parts.window.dropEvent(QDropEvent(spot, copy, data, left, none))
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.screen.suggested_name() == "llama-3.1-8b report"


def test_dropping_a_link_to_the_net_is_not_taken(make_window: MakeWindow) -> None:
    window = make_window(FakePipeline(), begin=False).window
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/model.gguf")])
    enter = QDragEnterEvent(QPointF(9, 9).toPoint(), Qt.DropAction.CopyAction, data,
                            Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter.ignore()
    window.dragEnterEvent(enter)
    assert not enter.isAccepted()


def test_the_sample_can_be_tried_where_it_is_installed(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline(), sample=True)
    button = next(b for b in parts.window.findChildren(QPushButton) if b.text() == "Try the sample")
    assert button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: at_rest(parts) and not parts.window.page.middle.welcome.isVisible())
    bare = make_window(FakePipeline(), begin=False)
    button = next(b for b in bare.window.findChildren(QPushButton) if b.text() == "Try the sample")
    assert not button.isEnabled()


@pytest.mark.parametrize("kind", ["pdf", "html", "md", "csv", "json"])
def test_export_writes_and_says_where(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    parts = make_window(FakePipeline())
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts))
    target = tmp_path / f"report.{kind}"
    with qtbot.waitSignal(parts.engine.exported):
        parts.window._picked_report(str(target))
    assert target.read_text(encoding="utf-8") == "Llama-3.1-8B-Instruct"
    assert str(target) in parts.window.status.phase


def test_keys_reach_benchmark_and_stop(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(hold=("prefill",))
    parts = make_window(pipeline)
    parts.window.activateWindow()
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    qtbot.keyClick(parts.window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: pipeline.arrived("prefill"))
    qtbot.keyClick(parts.window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.window.status.phase.startswith("Stopped")


def test_another_model_during_a_run_replaces_it(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline(hold=("decode",))
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: pipeline.arrived("decode"))
    parts.engine.open_model(Path("/models/other.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.screen.suggested_name() == "other report"
    assert parts.screen.measurements.rowCount() == 0
    assert pipeline.calls.count("ceilings") == 2


def test_the_theme_menu_restyles_a_running_window(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts) and parts.window.loader.is_ready)
    parts.theme.set_mode(Mode.SYSTEM)
    before = parts.window.grab().toImage().pixelColor(5, 100).name()
    dark = next(action for action in parts.window.toolbar.theme_menu.actions() if action.text() == "Dark")
    dark.trigger()
    assert parts.theme.palette.dark
    assert dark.isChecked()
    after = parts.window.grab().toImage().pixelColor(5, 100).name()
    assert (before, after) == ("#f4f5f7", "#14171c")


def test_the_chosen_plan_is_measured(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline()
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    plans = parts.window.toolbar.plans
    qtbot.waitUntil(lambda: "about" in plans.itemText(0))
    assert [plans.itemText(i).split(" ")[0] for i in range(plans.count())] == ["Quick", "Standard", "Thorough"]
    assert plans.currentIndex() == 0
    plans.activated.emit(1)
    assert plans.currentIndex() == 1
    qtbot.waitUntil(lambda: parts.engine.activity is Activity.IDLE)
    qtbot.mouseClick(parts.window.toolbar.benchmark_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: parts.engine.document is not None and bool(parts.engine.document.tests))
    assert pipeline.settings is not None
    assert pipeline.settings.kind == "standard"


def test_a_report_gets_the_ending_of_the_kind_that_was_picked(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    parts = make_window(FakePipeline())
    parts.engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts) and parts.engine.document is not None)
    parts.window.choose_report()
    dialog = parts.window.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    assert dialog.defaultSuffix() == "pdf"
    dialog.filterSelected.emit(REPORT_FILTERS["md"])
    assert dialog.defaultSuffix() == "md"
    dialog.fileSelected.emit(str(tmp_path / "report.md"))
    dialog.close()
    qtbot.waitUntil((tmp_path / "report.md").exists)
