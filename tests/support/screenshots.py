"""``python -m tests.support.screenshots OUTDIR [--scales 1 2] [--states done …] [--language de]``: the window as PNGs.

Every page in light, dark and high contrast, small and large, at every scale; before, during and after a run. Each scale
is a process of its own, since Qt reads it at its start.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from advisor.core.progress import CancelToken
from advisor.core.translation import ENGLISH, LANGUAGES
from advisor.gguf.discover.model import Discovery
from advisor.servers.model import ServerResult, ServerSettings
from advisor.servers.run import Listener
from advisor.session.window_settings import WindowSettings
from tests.support.fake_engines import CUDA, FakeEngines
from tests.support.fake_history import FakeHistory, some_runs
from tests.support.fake_pipeline import NO_ENGINE, FakePipeline, answer, write_nothing
from tests.support.fake_shopping import FakeShopping
from tests.support.found import some_models
from tests.support.server_results import some_result
from ui.__main__ import Parts
from ui.bridge.activity import Activity
from ui.bridge.doors import Doors, ServerDoors
from ui.shell.toolbar import CHOOSE, HISTORY, SERVER, UPGRADES
from ui.theme import Mode, Theme

SIZES = {"1024x640": (1024, 640), "1360x860": (1360, 860), "1920x1200": (1920, 1200)}
MODES = (Mode.LIGHT, Mode.DARK, Mode.CONTRAST)
MODEL = Path("/models/llama-3.1-8b-instruct-q4_k_m.gguf")
LIMIT_MS = 10_000
PAGES = {"speed": 1, "seconds": 2, "batching": 3, "stutter": 4, "table": 5}
"""State -> number of the tab that it shows."""
MEASURED = ("measuring", "done", "upgrades", *PAGES)
FOUND = {"empty": some_models(), "popup": some_models()}
STATES = (
    "empty", "empty-none", "ready", "measuring", "done", *PAGES, "server-empty", "server", "upgrades", "choose",
    "history-empty", "history", "notice", "no-engine", "popup", "engines", "keys",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scales", nargs="*", default=["1", "1.5", "2"])
    parser.add_argument("--states", nargs="*", default=list(STATES), choices=STATES)
    parser.add_argument("--sizes", nargs="*", default=list(SIZES), choices=SIZES)
    parser.add_argument("--modes", nargs="*", default=list(MODES), choices=MODES, type=Mode)
    parser.add_argument("--language", default=ENGLISH, choices=LANGUAGES)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if len(asked.scales) > 1 or asked.scales[0] != os.environ.get("QT_SCALE_FACTOR", "1"):
        for scale in asked.scales:
            words = [sys.executable, "-m", "tests.support.screenshots", str(asked.folder), "--scales", scale]
            words += ["--states", *asked.states, "--sizes", *asked.sizes, "--modes", *asked.modes]
            words += ["--language", asked.language]
            subprocess.run(words, check=True, env={**os.environ, "QT_SCALE_FACTOR": scale})
        return 0
    application = QApplication.instance() or QApplication(["screenshots"])
    assert isinstance(application, QApplication)
    application.setStyle("Fusion")
    for mode in asked.modes:
        for size in asked.sizes:
            for state in asked.states:
                name = f"{state}-{mode}-{size}-{round(100 * float(asked.scales[0]))}.png"
                _take(asked.folder / name, mode, size, state, asked.language)
    return 0


def _take(path: Path, mode: Mode, size: str, state: str, language: str) -> None:
    pipeline = FakePipeline(
        step_s=0.02 if state == "measuring" else 0.0, hold=("decode",) if state == "measuring" else (),
        engine=NO_ENGINE if state == "no-engine" else None,
    )
    runs = some_runs(40)
    runs[-2] = replace(runs[-2], label="after the new cooler", note="Window open, 18 °C in the room.")
    kept = FakeHistory([] if state == "history-empty" else runs)
    parts = Parts(
        Doors(
            lambda: pipeline, answer, {"pdf": write_nothing}, sample=lambda progress, cancel: MODEL,
            find=lambda cancel: FOUND.get(state, Discovery()),
            engines=FakeEngines().doors(),
            servers=ServerDoors(_server, lambda *_: None),
            shopping=FakeShopping().doors(),
            history=lambda: kept,
        ),
        Theme(mode),
        WindowSettings(language=language),
    )
    window = parts.window
    window.resize(*SIZES[size])
    window.show()
    parts.begin()
    wait(lambda: window.loader.is_ready and not parts.finder.searching)
    if not state.startswith("empty"):
        parts.engine.open_model(MODEL.with_name("bad.gguf") if state == "notice" else MODEL)
        wait(lambda: parts.engine.activity is Activity.IDLE and not parts.engine.busy)
    if state in MEASURED:
        parts.engine.benchmark()
        if state == "measuring":
            wait(lambda: pipeline.arrived("decode"))
        else:
            wait(lambda: parts.engine.activity is Activity.IDLE)
    if state in ("batching", "stutter"):
        (parts.engine.measure_streams if state == "batching" else parts.engine.measure_stutter)()
        wait(lambda: parts.engine.activity is Activity.IDLE and not parts.engine.busy)
    if state in PAGES:
        window.page.middle.tabs.show_page(PAGES[state])
    picture = _of_place(parts, state)
    picture.save(str(path))
    window.popup.hide()
    window.close()
    wait(lambda: not window.isVisible())
    parts.end()
    window.deleteLater()
    _settle(20)


def _of_place(parts: Parts, state: str) -> QPixmap:
    """Go where the state is, and take the picture."""
    window = parts.window
    if state.startswith("server"):
        window.show_place(SERVER)
        if state == "server":
            window.server.form.address.setText("127.0.0.1:8080")
            window.server.form.address.textEdited.emit("127.0.0.1:8080")
            parts.servers.measure()
            wait(lambda: parts.engine.activity is Activity.IDLE and not parts.engine.busy)
    if state.startswith("history"):
        window.show_place(HISTORY)
        wait(lambda: not parts.runs.state.empty or state == "history-empty")
        window.history.table.selectRow(0)
    if state == "upgrades":
        window.show_place(UPGRADES)
        wait(lambda: window.upgrades.table.model().rowCount() > 0)
    if state == "choose":
        window.show_place(CHOOSE)
        parts.choices.measure()
        wait(lambda: window.choose.table.model().rowCount() > 0)
    if state == "popup":
        window.show_models()
        wait(lambda: not parts.finder.searching)
    if state == "engines":
        window.engines.open_beside()
        wait(lambda: bool(parts.engines.state.engines) and not parts.engines.state.looking)
        parts.engines.check(CUDA.id)
        wait(lambda: not parts.engines.state.checking)
    if state == "keys":
        window.keys.open_beside()
    _settle(300)
    if state in ("engines", "keys"):
        return (window.engines if state == "engines" else window.keys).grab()
    picture = window.grab()
    if state == "popup":
        # A popup is a window of its own.
        window.popup.render(picture, window.mapFromGlobal(window.popup.pos()))
    return picture


def _server(settings: ServerSettings, listen: Listener, cancel: CancelToken) -> ServerResult:
    return some_result()


def wait(condition: Callable[[], bool], limit_ms: int = LIMIT_MS) -> None:
    """Run the event loop until the condition holds."""
    loop = QEventLoop()
    timer = QTimer()
    timer.setInterval(10)
    timer.timeout.connect(lambda: loop.quit() if condition() else None)
    limit = QTimer()
    limit.setSingleShot(True)
    limit.timeout.connect(lambda: loop.exit(1))
    timer.start()
    limit.start(limit_ms)
    if loop.exec() == 1:
        raise TimeoutError("the state was not reached")


def _settle(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


if __name__ == "__main__":
    sys.exit(main())
