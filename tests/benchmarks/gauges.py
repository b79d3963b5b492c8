"""What the moving gauges cost: this process's time on a core while readings come ten times a second.

    python -m tests.benchmarks.gauges

The window is shown offscreen with an invented result; readings of both phases' gauge come as a run gives them, with a
progress for the status bar. The same window at rest is measured before and taken off. The aim is below 3 % of one core.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer

from advisor.benchmarks.model import LiveReading, Phase
from advisor.core.progress import Progress
from tests.support.fake_history import FakeHistory
from tests.support.fake_pipeline import FakePipeline, answer
from tests.support.screenshots import wait
from ui.__main__ import Parts, _application
from ui.bridge.activity import Activity
from ui.bridge.doors import Doors

AIM = 0.03
SECONDS = 8.0
PERIOD_MS = 100
REPETITIONS = 10
SPREAD = 0.02
"""Readings lie within that share of their middle, as on a quiet machine; the arc then moves all the time."""


def main() -> int:
    _application()
    pipeline = FakePipeline(hold=("decode",))
    parts = Parts(Doors(lambda: pipeline, answer, {}, history=FakeHistory))
    parts.window.show()
    parts.begin()
    wait(lambda: parts.window.loader.is_ready)
    parts.engine.open_model(Path("/models/m.gguf"))
    wait(lambda: parts.engine.activity is Activity.IDLE and not parts.engine.busy)
    parts.engine.benchmark()
    wait(lambda: pipeline.arrived("decode"))  # it waits there, and the window is as in a run
    at_rest = share(lambda number: None)

    def reading(number: int) -> None:
        per_repetition = int(1000 / PERIOD_MS * SECONDS / REPETITIONS)
        repetition, step = divmod(number, per_repetition)
        speed = 11.6 * (1.0 + SPREAD * (number % 7 - 3) / 3)
        final = step == per_repetition - 1
        parts.engine.reading.emit(LiveReading(Phase.DECODE, repetition + 1, REPETITIONS, speed, final))
        done = number * PERIOD_MS / 1000 / SECONDS
        parts.engine.progress.emit(Progress(min(1.0, done), f"Decode, repetition {repetition + 1}", SECONDS))

    moving = share(reading)
    mark = "ok" if moving - at_rest <= AIM else "MORE THAN THE AIM"
    print(
        f"gauges at {1000 // PERIOD_MS} Hz: {100 * (moving - at_rest):.1f} % of a core "
        f"({100 * moving:.1f} % moving, {100 * at_rest:.1f} % at rest)   {mark}", flush=True,
    )  # fmt: skip
    parts.window.close()
    wait(lambda: not parts.window.isVisible())
    parts.end()
    return 0


def share(tell: Callable[[int], None]) -> float:
    """Share of a core that this process takes while ``tell`` is called with 0, 1, 2 … every period."""
    loop, timer, number = QEventLoop(), QTimer(), 0

    def tick() -> None:
        nonlocal number
        tell(number)
        number += 1

    timer.timeout.connect(tick)
    QTimer.singleShot(round(1000 * SECONDS), loop.quit)
    timer.start(PERIOD_MS)
    cpu, wall = time.process_time(), time.perf_counter()
    loop.exec()
    return (time.process_time() - cpu) / (time.perf_counter() - wall)


if __name__ == "__main__":
    sys.exit(main())
