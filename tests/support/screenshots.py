"""``python -m tests.support.screenshots OUTDIR``: the window in every state, size and palette, as PNG files."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from advisor.gguf.discover.model import Discovery
from tests.support.fake_engines import CUDA, FakeEngines
from tests.support.fake_pipeline import NO_ENGINE, FakePipeline, answer, write_nothing
from tests.support.found import some_models
from ui.__main__ import Parts
from ui.bridge.activity import Activity
from ui.bridge.doors import Doors
from ui.theme import Mode, Theme

SIZES = {"1360x860": (1360, 860), "1024x640": (1024, 640), "1920x1200": (1920, 1200)}
MODEL = Path("/models/llama-3.1-8b-instruct-q4_k_m.gguf")
LIMIT_MS = 10_000
PAGES = {"batching": 3, "stutter": 4, "table": 5}
"""Tab of the details that a state shows."""
FOUND = {"empty": some_models(), "popup": some_models()}


def main(folder: Path) -> int:
    """Take all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    application = QApplication.instance() or QApplication(["screenshots"])
    assert isinstance(application, QApplication)
    application.setStyle("Fusion")
    for mode in (Mode.LIGHT, Mode.DARK):
        for size in SIZES:
            for state in ("empty", "empty-none", "ready", "measuring", "done"):
                _take(folder, mode, size, state)
        _take(folder, mode, "1360x860", "no-engine")
        for size in ("1360x860", "1024x640"):
            for state in PAGES:
                _take(folder, mode, size, state)
        _take(folder, mode, "1360x860", "popup")
        _take(folder, mode, "1360x860", "engines")
        _take(folder, mode, "1024x640", "notice")
    return 0


def _take(folder: Path, mode: Mode, size: str, state: str) -> None:
    pipeline = FakePipeline(
        step_s=0.02, hold=("decode",) if state == "measuring" else (),
        engine=NO_ENGINE if state == "no-engine" else None,
    )
    parts = Parts(
        Doors(
            lambda: pipeline, answer, {"pdf": write_nothing}, sample=lambda progress, cancel: MODEL,
            find=lambda cancel: FOUND.get(state, Discovery()),
            engines=FakeEngines().doors(),
        ),
        Theme(mode),
    )
    window = parts.window
    window.resize(*SIZES[size])
    window.show()
    parts.begin()
    wait(lambda: window.loader.is_ready and not parts.finder.searching)
    if not state.startswith("empty"):
        parts.engine.open_model(MODEL.with_name("bad.gguf") if state == "notice" else MODEL)
        wait(lambda: parts.engine.activity is Activity.IDLE and not parts.engine.busy)
    if state in ("measuring", "done", *PAGES):
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
    if state == "popup":
        window.show_models()
        wait(lambda: not parts.finder.searching)
    if state == "engines":
        window.engines.open_beside()
        wait(lambda: bool(parts.engines.state.engines) and not parts.engines.state.looking)
        parts.engines.check(CUDA.id)
        wait(lambda: not parts.engines.state.checking)
    _settle(400)
    picture = window.grab()
    if state == "popup":
        # A popup is a window of its own.
        window.popup.render(picture, window.mapFromGlobal(window.popup.pos()))
    if state == "engines":
        picture = window.engines.grab()
    picture.save(str(folder / f"{mode}-{size}-{state}.png"))
    window.popup.hide()
    window.close()
    wait(lambda: not window.isVisible())
    parts.end()
    window.deleteLater()
    _settle(20)


def wait(condition: Callable[[], bool]) -> None:
    """Run the event loop until the condition holds."""
    loop = QEventLoop()
    timer = QTimer()
    timer.setInterval(10)
    timer.timeout.connect(lambda: loop.quit() if condition() else None)
    limit = QTimer()
    limit.setSingleShot(True)
    limit.timeout.connect(lambda: loop.exit(1))
    timer.start()
    limit.start(LIMIT_MS)
    if loop.exec() == 1:
        raise TimeoutError("the state was not reached")


def _settle(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("Use: python -m tests.support.screenshots OUTDIR", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(Path(sys.argv[1])))


