"""The history's door at the end of the window."""

import threading

from pytestqt.qtbot import QtBot

from tests.support.fake_history import FakeHistory
from ui.bridge.history import HistoryDoor
from ui.bridge.notices import NoticeCentre


def test_marks_that_wait_for_each_other_are_written_before_the_end(qtbot: QtBot) -> None:
    kept, gate = FakeHistory(), threading.Event()

    def slow() -> FakeHistory:
        gate.wait(5)
        return kept

    door = HistoryDoor(slow, NoticeCentre())
    door.set_label(8, "cool room")
    door.set_note(8, "window open")
    gate.set()
    assert door.end(5)
    assert kept.calls == ["label 8 cool room", "note 8 window open"]
    assert door.end(5)
    assert len(kept.calls) == 2


def test_nothing_is_heard_of_a_run_after_the_end(qtbot: QtBot) -> None:
    door = HistoryDoor(FakeHistory, NoticeCentre())
    heard: list[object] = []
    for signal in (door.listed, door.read, door.past_read):
        signal.connect(heard.append)
    door.open(8)
    door.look()
    assert door._jobs.join(5)
    assert door.end(5)
    qtbot.wait(50)
    assert not heard
