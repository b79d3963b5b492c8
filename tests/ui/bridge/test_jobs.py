import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from advisor.core.errors import BadFile
from advisor.core.progress import CancelToken
from ui.bridge.jobs import Done, Ended, Failed, Jobs, Send


class Watcher:
    def __init__(self, jobs: Jobs) -> None:
        self.events: list[object] = []
        self.endings: list[Done | Failed | Ended] = []
        self.threads: set[int] = set()
        jobs.sent.connect(self._event)
        jobs.ended.connect(self._ending)

    def _event(self, message: object) -> None:
        self.threads.add(threading.get_ident())
        self.events.append(message.event)  # type: ignore[attr-defined]

    def _ending(self, ending: Done | Failed | Ended) -> None:
        self.threads.add(threading.get_ident())
        self.endings.append(ending)


@pytest.fixture
def jobs(qtbot: QtBot) -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.cancel_all()
    assert made.join(5)


def test_a_job_ends_once_with_its_value_on_this_thread(jobs: Jobs, qtbot: QtBot) -> None:
    seen = Watcher(jobs)

    def work(send: Send, cancel: CancelToken) -> object:
        send("on the way")
        return 24 * 2**30

    number = jobs.start("lane", "work", work)
    qtbot.waitUntil(lambda: bool(seen.endings))
    assert seen.events == ["on the way"]
    assert seen.endings == [Done(number, "work", 24 * 2**30)]
    assert seen.threads == {threading.get_ident()}


def test_an_error_ends_it_as_failed(jobs: Jobs, qtbot: QtBot) -> None:
    seen = Watcher(jobs)

    def work(send: Send, cancel: CancelToken) -> object:
        raise BadFile("Not a model.")

    jobs.start("lane", "work", work)
    qtbot.waitUntil(lambda: bool(seen.endings))
    (ending,) = seen.endings
    assert isinstance(ending, Failed)
    assert isinstance(ending.error, BadFile)


def test_stop_ends_it_as_cancelled(jobs: Jobs, qtbot: QtBot) -> None:
    seen = Watcher(jobs)

    def work(send: Send, cancel: CancelToken) -> object:
        cancel.wait(10)
        cancel.raise_if_cancelled()
        return None

    number = jobs.start("lane", "work", work)
    assert jobs.running("lane") == "work"
    assert jobs.cancel("lane")
    qtbot.waitUntil(lambda: bool(seen.endings))
    assert seen.endings == [Ended(number, "work", replaced=False)]
    assert not jobs.cancel("lane")


def test_what_a_stopped_job_returns_still_counts(jobs: Jobs, qtbot: QtBot) -> None:
    seen = Watcher(jobs)

    def work(send: Send, cancel: CancelToken) -> object:
        cancel.wait(10)
        return "half a result"

    number = jobs.start("lane", "work", work)
    jobs.cancel("lane")
    qtbot.waitUntil(lambda: bool(seen.endings))
    assert seen.endings == [Done(number, "work", "half a result")]


def test_late_answers_of_a_replaced_job_are_dropped(jobs: Jobs, qtbot: QtBot) -> None:
    seen = Watcher(jobs)
    let_go = threading.Event()

    def slow(send: Send, cancel: CancelToken) -> object:
        let_go.wait(10)
        send("too late")
        return "old"

    order: list[str] = []

    def quick(send: Send, cancel: CancelToken) -> object:
        order.append("old ended" if not old_thread.is_alive() else "old alive")
        return "new"

    first = jobs.start("lane", "slow", slow)
    old_thread = next(thread for thread in threading.enumerate() if thread.name.startswith("lane: slow"))
    second = jobs.start("lane", "quick", quick)
    assert seen.endings == [Ended(first, "slow", replaced=True)]
    let_go.set()
    qtbot.waitUntil(lambda: len(seen.endings) == 2)
    assert seen.endings[1] == Done(second, "quick", "new")
    assert order == ["old ended"]
    assert seen.events == []


def test_lanes_do_not_disturb_each_other(jobs: Jobs, qtbot: QtBot) -> None:
    seen = Watcher(jobs)
    jobs.start("one", "a", lambda send, cancel: 1)
    jobs.start("two", "b", lambda send, cancel: 2)
    qtbot.waitUntil(lambda: len(seen.endings) == 2)
    assert {ending.value for ending in seen.endings if isinstance(ending, Done)} == {1, 2}
    qtbot.waitUntil(lambda: not jobs.busy)


def test_after_the_end_nothing_is_heard_though_it_was_on_its_way(jobs: Jobs, qtbot: QtBot) -> None:
    seen = Watcher(jobs)
    jobs.start("a", "quick", lambda send, cancel: send("on its way"))
    assert jobs.join(5)  # its messages wait for the event loop
    assert jobs.end(5)
    qtbot.wait(20)
    assert (seen.events, seen.endings) == ([], [])
