"""The place *A server*: measured in the benchmark's lane, stopped within a second, with what was measured kept."""

import json
import threading
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from advisor.core.errors import AdvisorError
from advisor.core.progress import CancelToken, Progress
from advisor.servers.model import ServerResult, ServerSettings
from advisor.servers.run import Listener, Note
from advisor.session.paths import user_paths
from advisor.session.turn import WAITING, Turn
from advisor.session.window_settings import WindowSettings
from tests.support.fake_pipeline import FakePipeline
from tests.support.fake_server import FakeServer, Script
from tests.support.server_results import FACTS, some_result
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.bridge.activity import Activity
from ui.bridge.doors import ServerDoors
from ui.composition import _measure_server, _save_server
from ui.shell.toolbar import COMPUTER, SERVER

MODEL = Path("/models/llama-3.1-8b.gguf")


class FakeMeasuring:
    """Tells facts, waits until it may end or is cancelled, and returns all of it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[ServerSettings] = []
        self.may_end = threading.Event()
        self.error = error

    def __call__(self, settings: ServerSettings, listen: Listener, cancel: CancelToken) -> ServerResult:
        self.asked.append(settings)
        if self.error is not None:
            raise self.error
        listen(ServerResult(FACTS))
        listen(Note("Sends at most some requests."))
        listen(Progress(0.5, "2 users at once"))
        while not self.may_end.is_set() and not cancel.cancelled:
            time.sleep(0.01)
        return some_result()


def placed(make_window: MakeWindow, measure: FakeMeasuring, settings: WindowSettings | None = None) -> Parts:
    parts = make_window(FakePipeline(), servers=ServerDoors(measure, _save_server), settings=settings)
    parts.window.show_place(SERVER)
    parts.window.server.form.address.setText("127.0.0.1:8080")
    parts.window.server.form.address.textEdited.emit("127.0.0.1:8080")
    return parts


def test_measure_shows_facts_while_it_runs_and_then_everything(make_window: MakeWindow, qtbot: QtBot) -> None:
    measure = FakeMeasuring()
    parts = placed(make_window, measure)
    page = parts.window.server
    qtbot.keyClicks(page.form.key, "hunter2")
    qtbot.mouseClick(page.form.measure_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.form.model.count() == 2)
    assert measure.asked[0].key == "hunter2"
    assert parts.engine.activity is Activity.SERVER
    assert not page.form.measure_button.isEnabled()
    qtbot.waitUntil(lambda: parts.window.status.phase == "2 users at once")
    measure.may_end.set()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert page.figures._users_table.rowCount() == 3
    assert page.form.model.lineEdit().placeholderText().startswith("tiny")
    assert "HTTP 500" in parts.window.notice.text
    qtbot.waitUntil(lambda: page.figures._users_charts is not None)
    assert page.figures._users_charts.isVisible()


def test_nothing_else_is_measured_meanwhile_and_opening_a_model_does_not_end_it(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    measure = FakeMeasuring()
    parts = placed(make_window, measure)
    parts.servers.measure()
    qtbot.waitUntil(lambda: bool(measure.asked))
    parts.window.open_requested.emit(MODEL)
    assert not parts.window.at_server
    qtbot.waitUntil(lambda: parts.screen.model_path == MODEL)
    parts.engine.benchmark()
    assert parts.engine.activity is Activity.SERVER
    measure.may_end.set()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.window.server.figures._users_table.rowCount() == 3


def test_a_benchmark_keeps_the_server_waiting(make_window: MakeWindow, qtbot: QtBot) -> None:
    measure = FakeMeasuring()
    pipeline = FakePipeline(hold=("decode",))
    parts = make_window(pipeline, servers=ServerDoors(measure, _save_server))
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: pipeline.arrived("decode"))
    parts.window.show_place(SERVER)
    parts.window.server.form.address.setText("127.0.0.1:8080")
    parts.window.server.form.address.textEdited.emit("")
    assert not parts.window.server.form.measure_button.isEnabled()
    parts.servers.measure()
    parts.engine.measure_server(ServerSettings("http://127.0.0.1:8080"))
    assert not measure.asked


def test_escape_stops_and_keeps_what_was_measured(make_window: MakeWindow, qtbot: QtBot) -> None:
    measure = FakeMeasuring()
    parts = placed(make_window, measure)
    parts.servers.measure()
    qtbot.waitUntil(lambda: bool(measure.asked))
    parts.window.stop_by_key()
    qtbot.waitUntil(lambda: at_rest(parts), timeout=1000)
    assert parts.window.server.figures.save_button.isEnabled()


def test_another_measurement_of_ours_is_a_notice_and_stop_gives_up_waiting(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    """The real door, while a command has the turn."""
    with Turn(user_paths().turn).taken(lambda _event: None, CancelToken()):
        parts = make_window(FakePipeline(), servers=ServerDoors(_measure_server, _save_server))
        parts.engine.measure_server(ServerSettings("http://127.0.0.1:9"))
        qtbot.waitUntil(lambda: "Another measurement of this program runs since" in parts.window.notice.text)
        qtbot.waitUntil(lambda: parts.window.status.phase == WAITING)
        parts.engine.stop()
        qtbot.waitUntil(lambda: at_rest(parts))


def test_closing_ends_it(make_window: MakeWindow, qtbot: QtBot) -> None:
    measure = FakeMeasuring()
    parts = placed(make_window, measure)
    parts.servers.measure()
    qtbot.waitUntil(lambda: bool(measure.asked))
    parts.window.close()
    qtbot.waitUntil(lambda: not parts.window.isVisible())
    assert not parts.engine.busy


def test_an_error_is_a_notice(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = placed(make_window, FakeMeasuring(AdvisorError("Nothing answers there.", "Start it first.")))
    parts.servers.measure()
    qtbot.waitUntil(lambda: "Nothing answers there." in parts.window.notice.text)
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.window.server.form.measure_button.isEnabled()


def test_the_address_comes_back_and_the_key_does_not(make_window: MakeWindow) -> None:
    parts = placed(make_window, FakeMeasuring())
    parts.window.server.form.key.setText("hunter2")
    parts.window.server.form.key.textEdited.emit("hunter2")
    kept = parts.settings()
    assert kept.server == "http://127.0.0.1:8080"
    assert "hunter2" not in repr(kept)
    again = make_window(FakePipeline(), settings=kept)
    assert again.window.server.form.address.text() == "http://127.0.0.1:8080"
    assert again.window.server.form.key.text() == ""
    assert again.window.server.form.key.echoMode() is QLineEdit.EchoMode.Password


def test_the_places_turn_by_keyboard_and_the_welcome(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    parts.window.page.middle.welcome.server_requested.emit()
    assert parts.window.at_server
    assert not parts.window.toolbar.benchmark_button.isVisible()
    parts.window.activateWindow()
    qtbot.waitUntil(parts.window.isActiveWindow)
    qtbot.keyClick(parts.window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not parts.window.at_server)
    assert parts.window.toolbar.benchmark_button.isVisible()
    assert parts.window._places.currentIndex() == COMPUTER


@pytest.mark.parametrize("kind", ["json", "txt"])
def test_a_real_run_through_the_bridge_is_shown_and_saved(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    parts = make_window(FakePipeline(), servers=ServerDoors(_measure_server, _save_server))
    form, target = parts.window.server.form, tmp_path / f"server.{kind}"
    with FakeServer(Script(token_s=0.002, prompt_token_s=0.00002, stalls=True, key="hunter2")) as server:
        form.address.setText(server.url)
        form.key.setText("hunter2")
        form.users.setValue(2)
        qtbot.waitUntil(lambda: form.measure_button.isEnabled())
        parts.servers.measure()
        qtbot.waitUntil(lambda: at_rest(parts), timeout=30_000)
    page = parts.window.server.figures
    assert page._users_table.rowCount() == 2
    assert page._stutter_table.rowCount() == 2
    assert parts.window.notice.text == ""
    parts.window._picked_server_file(str(target))
    qtbot.waitUntil(lambda: target.exists() and at_rest(parts))
    text = target.read_text(encoding="utf-8")
    assert "hunter2" not in text
    if kind == "json":
        assert [point["users"] for point in json.loads(text)["users"]] == [1, 2]
    else:
        assert text.startswith(f"Server {server.url}/v1\n")
        assert "Verdict" in text
