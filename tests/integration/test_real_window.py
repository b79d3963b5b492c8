"""The real window around the real engine and the sample model: every stage, stopped, hit or closed."""

import json
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from advisor.benchmarks.model import LiveReading, Phase, Sweep
from advisor.core.progress import Progress
from tests.support.sample import sample_path
from ui.__main__ import Parts
from ui.bridge.activity import Activity
from ui.composition import doors

pytestmark = [
    pytest.mark.engine,
    pytest.mark.timeout(240),
    pytest.mark.qt_log_ignore("propagateSizeHints", extend=True),
]
LONG_MS = 120_000


class Watched:
    """A window with everything it was told."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.parts = Parts(doors())
        self.engine = self.parts.engine
        self.readings: list[LiveReading] = []
        self.progress: list[Progress] = []
        self.notices: list[str] = []
        self.exported: list[Path] = []
        self.engine.reading.connect(self.readings.append)
        self.engine.progress.connect(self.progress.append)
        self.engine.exported.connect(self.exported.append)
        self.parts.notices.posted.connect(lambda notice: self.notices.append(str(notice)))
        self.parts.window.show()
        self.parts.begin()

    def wait_at_rest(self) -> None:
        self.qtbot.waitUntil(lambda: self.engine.activity is Activity.IDLE and not self.engine.busy, timeout=LONG_MS)

    def open_sample(self) -> None:
        self.engine.open_model(sample_path())
        self.wait_at_rest()

    def wait_for_phase(self, words: str) -> None:
        self.qtbot.waitUntil(lambda: any(words in p.phase for p in self.progress), timeout=LONG_MS)

    def measured(self) -> list[tuple[Phase, bool]]:
        """The two phases as far as they came; a slow machine's quick plan has fewer tokens, and curves or none."""
        document = self.engine.document
        assert document is not None
        return [(test.phase, test.complete) for test in document.tests if test.sweep is Sweep.PHASES]


@pytest.fixture
def watched(qtbot: QtBot) -> Iterator[Watched]:
    before = set(threading.enumerate())
    made = Watched(qtbot)
    yield made
    made.parts.window.close()
    qtbot.waitUntil(lambda: not made.parts.window.isVisible(), timeout=5000)
    assert made.parts.end()
    made.parts.window.deleteLater()
    assert not workers()
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
        assert not thread.is_alive(), thread.name


def workers() -> list[psutil.Process]:
    """The measuring children of this process."""
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            if "advisor.benchmarks.worker" in " ".join(child.cmdline()):
                found.append(child)
        except psutil.Error:
            continue
    return found


def test_open_benchmark_export(watched: Watched, tmp_path: Path) -> None:
    watched.open_sample()
    page = watched.parts.window.page
    assert "could reach" in page.middle.decode.gauge.accessibleName()
    watched.qtbot.mouseClick(watched.parts.window.toolbar.benchmark_button, Qt.MouseButton.LeftButton)
    watched.wait_at_rest()
    assert watched.measured() == [(Phase.PREFILL, True), (Phase.DECODE, True)]
    live = [reading for reading in watched.readings if reading.phase is Phase.DECODE and not reading.final]
    assert len({reading.tokens_per_s for reading in live}) > 5, "the decode gauge stood still"
    assert len([r for r in watched.readings if r.phase is Phase.PREFILL]) >= 1
    for kind in ("pdf", "json", "md"):
        watched.engine.export(tmp_path / f"report.{kind}", kind)
        watched.qtbot.waitUntil(lambda kind=kind: any(p.suffix == f".{kind}" for p in watched.exported), timeout=20_000)
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
    said = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert said["verdict"]["problem"] in ("prefill", "decode", "none")
    assert "llama_cpp" not in sys.modules


@pytest.mark.parametrize("moment", ["Loading the model", "Decode, warming up", "Decode, repetition 1"])
def test_stop_keeps_what_was_measured(watched: Watched, moment: str) -> None:
    watched.open_sample()
    watched.engine.benchmark()
    watched.wait_for_phase(moment)
    watched.engine.stop()
    watched.wait_at_rest()
    assert not workers()
    document = watched.engine.document
    assert document is not None
    names = [name for name, _ in watched.measured()]
    if moment.startswith("Decode"):
        assert (Phase.PREFILL, True) in watched.measured()
    else:
        assert names == []
    assert watched.parts.window.toolbar.benchmark_button.isEnabled()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGSTOP"])
def test_the_window_survives_what_happens_to_the_child(watched: Watched, name: str) -> None:
    watched.open_sample()
    watched.engine.benchmark()
    watched.wait_for_phase("Decode, repetition 1")
    for worker in workers():
        worker.send_signal(getattr(signal, name))
    watched.wait_at_rest()
    assert not workers()
    assert watched.measured()[0] == (Phase.PREFILL, True)
    assert any("decode" in notice for notice in watched.notices), watched.notices
    # It still works afterwards.
    watched.engine.benchmark()
    watched.wait_at_rest()
    assert watched.measured() == [(Phase.PREFILL, True), (Phase.DECODE, True)]


@pytest.mark.parametrize("moment", ["", "Loading the model", "Prefill, repetition 1", "Decode, repetition 1"])
def test_closing_in_the_middle_leaves_no_child(watched: Watched, moment: str) -> None:
    if moment:
        watched.open_sample()
        watched.engine.benchmark()
        watched.wait_for_phase(moment)
    else:
        watched.engine.open_model(sample_path())
        watched.qtbot.waitUntil(lambda: watched.engine.activity is Activity.CEILINGS, timeout=20_000)
    watched.parts.window.close()
    watched.qtbot.waitUntil(lambda: not watched.parts.window.isVisible(), timeout=5000)
    assert not workers()
