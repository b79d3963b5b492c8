from pytestqt.qtbot import QtBot

from advisor.benchmarks.model import LiveReading, Phase
from advisor.core.progress import Progress
from advisor.session.events import Remark
from ui.bridge.live import LiveFeed


def reading(value: float, final: bool = False) -> LiveReading:
    return LiveReading(Phase.DECODE, 1, 5, value, final)


def test_a_thousand_messages_become_one(qtbot: QtBot) -> None:
    feed, seen = LiveFeed(), []
    feed.flushed.connect(seen.append)
    for i in range(1000):
        assert feed.put(Progress(i / 1000, f"step {i}"))
        assert feed.put(reading(float(i)))
    feed.flush()
    assert seen == [(reading(999.0), Progress(0.999, "step 999"))]
    feed.flush()
    assert len(seen) == 1


def test_finished_repetitions_are_all_kept_in_order(qtbot: QtBot) -> None:
    feed, seen = LiveFeed(), []
    feed.flushed.connect(seen.append)
    for value in (1.0, 2.0, 3.0):
        feed.put(reading(value * 0.9))
        feed.put(reading(value, final=True))
    feed.flush()
    assert seen == [(reading(1.0, True), reading(2.0, True), reading(3.0, True))]


def test_other_events_are_not_kept_back(qtbot: QtBot) -> None:
    feed = LiveFeed()
    assert not feed.put(Remark("aloud"))


def test_values_of_a_job_that_is_over_are_forgotten(qtbot: QtBot) -> None:
    feed, seen = LiveFeed(), []
    feed.flushed.connect(seen.append)
    feed.put(reading(1.0))
    feed.clear()
    feed.stop()
    assert seen == []
