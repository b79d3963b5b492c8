"""The turn to measure: who has it, who waits, and what is said."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from advisor.core.errors import Cancelled
from advisor.core.progress import CancelToken, Progress
from advisor.session import turn
from advisor.session.events import Event, Remark
from advisor.session.turn import TWO_AT_ONCE, WAITING, Turn


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "measuring.lock"


def quiet(_event: Event) -> None:
    return None


def remarks(events: list[Event]) -> list[str]:
    return [event.sentence for event in events if isinstance(event, Remark)]


def test_alone_nothing_is_said_and_nothing_is_noted(path: Path) -> None:
    events: list[Event] = []
    with Turn(path).taken(events.append, CancelToken()) as held:
        assert held == turn.Held()
    assert events == []


def test_within_it_the_same_thread_may_take_it_again(path: Path) -> None:
    own = Turn(path)
    with own.taken(quiet, CancelToken()) as outer, own.taken(quiet, CancelToken()) as inner:
        assert inner is outer
    with own.taken(quiet, CancelToken()):  # and it is free again
        pass


def test_the_second_says_who_measures_and_waits_until_that_is_done(path: Path) -> None:
    events: list[Event] = []
    heard = threading.Event()
    order: list[str] = []

    def listen(event: Event) -> None:
        events.append(event)
        if isinstance(event, Progress):
            heard.set()

    def second() -> None:
        with Turn(path).taken(listen, CancelToken()) as held:
            order.append("second")
            assert held.waited and held.notes == ()

    other = threading.Thread(target=second)
    with Turn(path).taken(quiet, CancelToken()):
        other.start()
        assert heard.wait(10)
        order.append("first")
    other.join(10)
    assert not other.is_alive() and order == ["first", "second"]
    (said,) = remarks(events)
    assert said.startswith("Another measurement of this program runs since ")
    assert said.endswith(f" (process {os.getpid()}); waiting until it is done.")
    assert [event.phase for event in events if isinstance(event, Progress)] == [WAITING]


def test_waiting_can_be_stopped(path: Path) -> None:
    cancel = CancelToken()

    def listen(event: Event) -> None:
        if isinstance(event, Progress):
            cancel.cancel()

    with Turn(path).taken(quiet, CancelToken()), pytest.raises(Cancelled), Turn(path).taken(listen, cancel):
        pytest.fail("it was another's turn")


def test_who_does_not_wait_measures_with_a_mark(path: Path) -> None:
    events: list[Event] = []
    with (
        Turn(path).taken(quiet, CancelToken()),
        Turn(path, wait=False).taken(events.append, CancelToken()) as held,
    ):
        assert held.notes == (TWO_AT_ONCE,) and not held.waited
    assert len(remarks(events)) == 1 and "both will be slower" in remarks(events)[0]
    with Turn(path, wait=False).taken(quiet, CancelToken()) as alone:
        assert alone.notes == ()


HOLDER = """
import sys, time
from pathlib import Path
from advisor.core.progress import CancelToken
from advisor.session.turn import Turn
with Turn(Path(sys.argv[1])).taken(lambda event: None, CancelToken()):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_holder_that_is_killed_leaves_no_lock_behind(path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )  # fmt: skip
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        cancel = CancelToken()
        cancel.cancel()
        with pytest.raises(Cancelled), Turn(path).taken(quiet, cancel):
            pytest.fail("it was another's turn")
    finally:
        holder.kill()
        holder.wait(10)
        holder.stdout.close()
    assert str(holder.pid) in path.read_text()  # what is written there is stale
    with Turn(path).taken(quiet, cancel) as held:
        assert not held.waited


def test_where_no_lock_can_be_everybody_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    with Turn(tmp_path / "file" / "measuring.lock").taken(quiet, CancelToken()) as held:
        assert held == turn.Held()

    def none(_stream: object) -> bool:
        raise OSError("no locks here")

    monkeypatch.setattr(turn, "_locked", none)
    with Turn(tmp_path / "measuring.lock").taken(quiet, CancelToken()) as held:
        assert held == turn.Held()


def test_a_file_that_says_nothing_readable_still_locks(path: Path) -> None:
    events: list[Event] = []
    with Turn(path).taken(quiet, CancelToken()):
        path.write_text("{")
        with Turn(path, wait=False).taken(events.append, CancelToken()) as held:
            assert held.notes
    assert remarks(events) == ["Another measurement of this program runs; both will be slower for it."]
