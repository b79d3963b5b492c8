"""The engines' window: what it lists, checks, adds, and what changes when another engine is used."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from advisor.benchmarks.engines.listed import EMBEDDED
from advisor.benchmarks.job import Placement
from advisor.core.errors import EngineCrashed
from advisor.core.evidence import Unknown
from tests.support.fake_engines import BROKEN, CUDA, NO_ENGINE_THERE, FakeEngines
from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.bridge.activity import Activity
from ui.views.engines import EnginesDialog

MODEL = Path("/models/llama-3.1-8b.gguf")
LEFT = Qt.MouseButton.LeftButton


def opened(make_window: MakeWindow, qtbot: QtBot, engines: FakeEngines, pipeline: FakePipeline | None = None) -> Parts:
    """A window at rest with the engines' list open and full."""
    parts = make_window(pipeline or FakePipeline(), engines=engines.doors())
    qtbot.waitUntil(lambda: at_rest(parts))
    qtbot.mouseClick(parts.window.toolbar.engines_button, LEFT)
    full(parts, qtbot)
    qtbot.waitUntil(parts.window.engines.card(BROKEN.id).isVisible)
    return parts


def full(parts: Parts, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: len(parts.engines.state.engines) >= 3 and not parts.engines.state.looking)


def click(qtbot: QtBot, button: QPushButton) -> None:
    assert button.isEnabled()
    qtbot.mouseClick(button, LEFT)


def test_nothing_is_asked_before_the_list_is_open(make_window: MakeWindow, qtbot: QtBot) -> None:
    engines = FakeEngines()
    parts = make_window(FakePipeline(), engines=engines.doors())
    qtbot.waitUntil(lambda: at_rest(parts))
    assert not engines.asked
    assert not parts.window.engines.isVisible()


def test_the_list_says_what_each_is_and_why_one_does_not_work(make_window: MakeWindow, qtbot: QtBot) -> None:
    engines = FakeEngines()
    dialog = opened(make_window, qtbot, engines).window.engines
    assert not dialog.isModal()
    own, cuda, broken = dialog.card(EMBEDDED), dialog.card(CUDA.id), dialog.card(BROKEN.id)
    assert "llama-cpp-python 0.3.36 · build 0c1e570 · CPU only" in own._what.text()
    assert own._used.isVisible()
    assert not own.use_button.isVisible()
    assert "CUDA0: NVIDIA GeForce RTX 3060" in cuda._devices.text()
    assert cuda.use_button.isEnabled()
    assert "libcudart.so.12 is missing" in broken._what.text()
    assert not broken.use_button.isEnabled()
    assert not broken.check_button.isEnabled()
    assert "libcudart.so.12" in broken.accessibleDescription()
    assert engines.asked == [EMBEDDED, CUDA.id, BROKEN.id]


@pytest.mark.parametrize("way", ["toolbar", "status", "keys"])
def test_every_way_opens_it_and_escape_closes_it(make_window: MakeWindow, qtbot: QtBot, way: str) -> None:
    parts = make_window(FakePipeline(), engines=FakeEngines().doors())
    window = parts.window
    qtbot.waitUntil(lambda: at_rest(parts))
    if way == "toolbar":
        click(qtbot, window.toolbar.engines_button)
    elif way == "status":
        click(qtbot, window.status._engine)
    else:
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        qtbot.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(window.engines.isVisible)
    full(parts, qtbot)
    qtbot.keyClick(window.engines, Qt.Key.Key_Escape)
    assert not window.engines.isVisible()


def test_opened_again_only_what_did_not_work_is_asked_again(make_window: MakeWindow, qtbot: QtBot) -> None:
    engines = FakeEngines()
    parts = opened(make_window, qtbot, engines)
    parts.window.engines.close()
    engines.asked.clear()
    engines.found = (CUDA, BROKEN)
    parts.window.engines.open_beside()
    qtbot.waitUntil(lambda: len(parts.engines.state.engines) == 2 and not parts.engines.state.looking)
    assert engines.asked == [BROKEN.id]
    with pytest.raises(KeyError):
        parts.window.engines.card(EMBEDDED)


def test_a_check_shows_both_speeds_in_place(make_window: MakeWindow, qtbot: QtBot) -> None:
    engines = FakeEngines()
    card = opened(make_window, qtbot, engines).window.engines.card(CUDA.id)
    click(qtbot, card.check_button)
    qtbot.waitUntil(lambda: "It works: prefill 41.3" in card._check.text())
    assert "decode 11.6" in card._check.text()
    assert card._check.isVisible()
    assert engines.checked == [CUDA.id]


@pytest.mark.parametrize("how", ["unknown", "raised", "unexpected"])
def test_a_check_that_fails_says_why_in_place(
    make_window: MakeWindow, qtbot: QtBot, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    engines = FakeEngines()
    if how == "unknown":
        engines.result = Unknown("the engine crashed in prefill")
    else:
        engines.error = EngineCrashed("The engine crashed in prefill.") if how == "raised" else RuntimeError("odd")
    card = opened(make_window, qtbot, engines).window.engines.card(CUDA.id)
    click(qtbot, card.check_button)
    wanted = "log has more" if how == "unexpected" else "crashed in prefill"
    qtbot.waitUntil(lambda: card._check.text().startswith("The check failed:") and wanted in card._check.text())
    assert ("odd" in caplog.text) == (how == "unexpected")


@pytest.mark.parametrize("how", ["stop", "close", "measure"])
def test_a_check_ends_when_it_is_stopped_or_closed_or_the_window_measures(
    make_window: MakeWindow, qtbot: QtBot, how: str
) -> None:
    engines = FakeEngines(hold=True)
    parts = opened(make_window, qtbot, engines)
    card = parts.window.engines.card(CUDA.id)
    card.check_button.setFocus()
    click(qtbot, card.check_button)
    qtbot.waitUntil(lambda: engines.checked == [CUDA.id])
    assert "Measuring" in card._check.text()
    assert not parts.window.engines.card(EMBEDDED).check_button.isEnabled()
    if how == "stop":
        assert card.check_button.text() == "Stop"
        click(qtbot, card.check_button)
    elif how == "close":
        parts.window.engines.close()
    else:
        parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: engines.cancelled == [CUDA.id] and not parts.engines.state.checking)
    qtbot.waitUntil(lambda: at_rest(parts))
    assert ("Stopped, since the window began to measure." in card._check.text()) == (how == "measure")
    assert card.check_button.text() == "Check"


def test_using_another_engine_finds_out_everything_anew_and_measures_with_it(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    engines, pipeline = FakeEngines(), FakePipeline()
    parts = opened(make_window, qtbot, engines, pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts) and parts.screen.measurements.rowCount() == 2)
    before = list(pipeline.calls)
    card = parts.window.engines.card(CUDA.id)
    click(qtbot, card.use_button)
    assert card._used.isVisible()
    assert parts.window.engines.card(EMBEDDED).use_button.isVisible()
    qtbot.waitUntil(lambda: "0.3.30 · CUDA0" in parts.window.status._engine.text() and at_rest(parts))
    mine = engines.pipelines[CUDA.id]
    assert mine.calls == ["machine", "engine", "self-test", "ceilings"]
    assert parts.screen.measurements.rowCount() == 0  # those of the old engine are not this one's
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts) and parts.screen.measurements.rowCount() == 2)
    assert mine.given is not None
    assert mine.given.ceilings is not None
    assert pipeline.calls == before
    click(qtbot, parts.window.engines.card(EMBEDDED).use_button)
    qtbot.waitUntil(lambda: "0.3.36" in parts.window.status._engine.text() and at_rest(parts))


def test_using_another_engine_in_mid_ceilings_leaves_none_of_the_old_behind(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    engines, pipeline = FakeEngines(), FakePipeline(hold=("ceilings",))
    parts = opened(make_window, qtbot, engines, pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: pipeline.arrived("ceilings"))
    click(qtbot, parts.window.engines.card(CUDA.id).use_button)
    qtbot.waitUntil(lambda: CUDA.id in engines.pipelines and "ceilings" in engines.pipelines[CUDA.id].calls)
    qtbot.waitUntil(lambda: at_rest(parts))
    assert "0.3.30" in parts.window.status._engine.text()


def test_nothing_is_switched_or_checked_during_a_benchmark(make_window: MakeWindow, qtbot: QtBot) -> None:
    engines, pipeline = FakeEngines(), FakePipeline(hold=("load",))
    parts = opened(make_window, qtbot, engines, pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: pipeline.arrived("load"))
    assert parts.engine.activity is Activity.BENCHMARK
    card = parts.window.engines.card(CUDA.id)
    assert not card.use_button.isEnabled()
    assert not card.check_button.isEnabled()
    assert "stop it first" in card.use_button.toolTip()
    parts.engine.stop()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert card.use_button.isEnabled()


def test_a_folder_is_added_once_under_a_free_name(make_window: MakeWindow, qtbot: QtBot) -> None:
    engines = FakeEngines()
    parts = opened(make_window, qtbot, engines)
    dialog = parts.window.engines
    pick(dialog, "/srv/llama-cuda")
    qtbot.waitUntil(lambda: engines.asked[-1:] == ["llama-cuda-2"] and not parts.engines.state.looking)
    assert dialog.card("llama-cuda-2").use_button.isEnabled()
    pick(dialog, "/srv/llama-cuda")
    qtbot.waitUntil(lambda: "in the list already, as llama-cuda-2" in dialog._remark.text())
    pick(dialog, "/home/maria/music")
    qtbot.waitUntil(lambda: dialog._remark.text() == NO_ENGINE_THERE)
    assert dialog._remark.isVisible()
    dialog.close()
    dialog.open_beside()
    qtbot.waitUntil(lambda: not parts.engines.state.looking)
    assert len(parts.engines.state.engines) == 4


def pick(dialog: EnginesDialog, folder: str) -> None:
    """As if the user had picked that folder in the dialog of the system."""
    dialog.add_button.click()
    files = dialog.findChild(QFileDialog)
    assert isinstance(files, QFileDialog)
    files.fileSelected.emit(folder)
    files.close()
    files.setParent(None)


def test_every_button_has_a_name_of_its_own(make_window: MakeWindow, qtbot: QtBot) -> None:
    dialog = opened(make_window, qtbot, FakeEngines()).window.engines
    names = [button.accessibleName() or button.text() for button in dialog.findChildren(QPushButton)]
    assert len(set(names)) == len(names)
    assert f"Use {CUDA.id}" in names


def test_tab_goes_down_the_list_and_then_to_the_buttons(make_window: MakeWindow, qtbot: QtBot) -> None:
    dialog = opened(make_window, qtbot, FakeEngines()).window.engines
    buttons, widget = [], dialog.card(EMBEDDED).check_button.nextInFocusChain()
    while widget is not dialog.card(EMBEDDED).check_button:
        usable = widget.isVisible() and widget.isEnabled() and dialog.isAncestorOf(widget)
        if usable and isinstance(widget, QPushButton):
            buttons.append(widget)
        widget = widget.nextInFocusChain()
    own, cuda = dialog.card(EMBEDDED), dialog.card(CUDA.id)
    assert buttons == [
        own.more_button, cuda.check_button, cuda.use_button, cuda.more_button, dialog.add_button, dialog.close_button,
    ]  # fmt: skip


def test_the_focus_stays_on_the_card_that_is_used(make_window: MakeWindow, qtbot: QtBot) -> None:
    dialog = opened(make_window, qtbot, FakeEngines()).window.engines
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    card = dialog.card(CUDA.id)
    card.use_button.setFocus()
    qtbot.keyClick(card.use_button, Qt.Key.Key_Space)
    assert card._used.isVisible()
    assert card.check_button.hasFocus()


def test_without_engines_to_choose_from_the_list_says_so(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    parts.window.engines.open_beside()
    assert parts.window.engines._heading.text() == "No engine was found"
    parts.engines.add(Path("/srv/llama-cuda"))
    parts.engines.check(EMBEDDED)
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.engines.state.engines == ()


def test_what_is_set_for_devices_goes_into_every_measurement(make_window: MakeWindow, qtbot: QtBot) -> None:
    engines = FakeEngines()
    parts = opened(make_window, qtbot, engines)
    card = parts.window.engines.card(CUDA.id)
    card.more_button.click()
    assert card.panel.isVisible()
    card.panel.rpc.setFocus()
    qtbot.keyClicks(card.panel.rpc, "10.0.0.2:50052")
    assert not card.panel.apply_button.isEnabled()
    card.panel.join_button.click()
    qtbot.waitUntil(lambda: "RPC0" in card._devices.text() and not parts.engines.state.looking)
    card.panel.own_choice.setChecked(False)
    assert card.panel._no_tick.isVisible()
    for name in ("RPC0", "CUDA0"):
        card.panel.device_box(name).setChecked(True)
    card.panel.layers.setValue(20)
    card.panel.experts.setChecked(True)
    qtbot.keyClicks(card.panel.split, "3,1")
    assert card.panel.apply_button.text() == "Use like this"
    card.panel.apply_button.click()
    wanted = Placement(("RPC0", "CUDA0"), 20, (("exps", "CPU"),), (3.0, 1.0), ("10.0.0.2:50052",))
    qtbot.waitUntil(lambda: CUDA.id in engines.pipelines and at_rest(parts))
    assert "experts on the CPU" in parts.window.status._engine.text()
    assert not card.panel.apply_button.isEnabled()
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.try_advice("shorten-prompt")
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.measure_streams(1024)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.measure_stutter()
    qtbot.waitUntil(lambda: at_rest(parts))
    mine = engines.pipelines[CUDA.id]
    stages = ("engine", "self-test", "ceilings", "diagnose", "trial", "streams", "stutter")
    assert mine.placements == dict.fromkeys(stages, wanted)
    assert mine.depth == 1024


def test_servers_that_do_not_answer_leave_the_engine_as_it_was(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = opened(make_window, qtbot, FakeEngines())
    card = parts.window.engines.card(CUDA.id)
    card.more_button.click()
    qtbot.keyClicks(card.panel.rpc, "nobody:50052")
    card.panel.join_button.click()
    qtbot.waitUntil(lambda: "No RPC server answers" in parts.window.engines._remark.text())
    assert "CUDA0" in card._devices.text()
    assert card.panel.join_button.isEnabled()
    assert not card.panel.apply_button.isEnabled()
