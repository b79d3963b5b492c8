"""What the desktop hears of a run: through the window with an invented pipeline, and step by step."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from advisor.core.errors import EngineCrashed
from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.bridge.activity import Activity
from ui.desktop.run_watch import DONE, TITLE, Desktop, RunWatch

MODEL = Path("/models/m.gguf")


class FakeDesktop:
    """Notes what it hears."""

    def __init__(self, looking: bool = False, can_notify: bool = True) -> None:
        self.heard: list[object] = []
        self.shown: list[float | None] = []
        self.looking, self.can_notify = looking, can_notify
        self.parts = Desktop(
            lambda: self.looking, self._notify, lambda: self.heard.append("alert"), self, self
        )

    def _notify(self, title: str, words: str) -> bool:
        self.heard.append((title, words))
        return self.can_notify

    def show(self, fraction: float | None) -> None:
        self.shown.append(fraction)

    def hold(self) -> None:
        self.heard.append("hold")

    def release(self) -> None:
        self.heard.append("release")


def after(desktop: FakeDesktop, *activities: Activity, long_ms: int = 0) -> list[object]:
    watch = RunWatch(desktop.parts, long_ms)
    for activity in activities:
        watch.follow(activity)
    return desktop.heard


@pytest.mark.parametrize("run", DONE, ids=str)
def test_the_end_of_a_long_run_is_told(qapp: object, run: Activity) -> None:
    assert after(FakeDesktop(), run, Activity.IDLE) == ["hold", "release", (TITLE, DONE[run])]


def test_where_there_are_no_notifications_the_window_is_marked(qapp: object) -> None:
    assert after(FakeDesktop(can_notify=False), Activity.CURVE, Activity.IDLE)[-1] == "alert"


def test_nobody_is_told_who_looks_or_has_stopped_it_or_did_not_wait(qapp: object) -> None:
    quiet = ["hold", "release"]
    assert after(FakeDesktop(looking=True), Activity.CURVE, Activity.IDLE) == quiet
    assert after(FakeDesktop(), Activity.CURVE, Activity.STOPPING, Activity.IDLE) == quiet
    assert after(FakeDesktop(), Activity.CURVE, Activity.IDLE, long_ms=60_000) == quiet
    assert after(FakeDesktop(), Activity.CURVE, Activity.CLOSING) == quiet


def test_reading_a_file_is_no_run(qapp: object) -> None:
    assert after(FakeDesktop(), Activity.OPENING, Activity.IDLE) == []


def test_ceilings_that_lead_to_a_benchmark_are_one_run(qapp: object) -> None:
    heard = after(FakeDesktop(), Activity.CEILINGS, Activity.BENCHMARK, Activity.IDLE)
    assert heard == ["hold", "release", (TITLE, DONE[Activity.BENCHMARK])]


def test_the_verdict_is_what_is_told_of_a_benchmark(make_window: MakeWindow, qtbot: QtBot) -> None:
    desktop = FakeDesktop()
    parts = make_window(FakePipeline())
    parts.tell_desktop(desktop.parts)
    assert parts._watch is not None
    parts._watch._long_ms = 0
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    desktop.heard.clear()
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts))
    assert desktop.heard == ["hold", "release", (TITLE, "Prefill is your problem.")]
    seen = [fraction for fraction in desktop.shown if fraction is not None]
    assert seen == sorted(seen)
    assert desktop.shown[-1] is None


def test_a_failure_is_told_as_one(make_window: MakeWindow, qtbot: QtBot) -> None:
    desktop = FakeDesktop()
    parts = make_window(FakePipeline(failure={"load": EngineCrashed("The engine crashed while loading.")}))
    parts.tell_desktop(desktop.parts)
    assert parts._watch is not None
    parts._watch._long_ms = 0
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts) and "release" in desktop.heard[3:])
    assert desktop.heard[-1] == (TITLE, "The engine crashed while loading.")
