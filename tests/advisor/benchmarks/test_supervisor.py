import os
import sys
import threading
import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from advisor.benchmarks import protocol, supervisor
from advisor.benchmarks.launch import Launch, worker_command, worker_environment
from advisor.benchmarks.supervisor import Ending, Limits, Outcome, run_child
from advisor.core.progress import CancelToken
from tests.support.children import bad_child

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the bad child plays POSIX signals")

TWICE = {"kv_type": "f16", "repeat": {"minimum": 2}}
REQUEST = {"task": "phases", "tests": [TWICE | {"n_prompt": 512}, TWICE | {"n_prompt": 0}], "use_extra_bufts": True}
QUICK = Limits(silence_s=1.0, total_s=20.0)


def run(launch: Launch, limits: Limits = QUICK, cancel: CancelToken | None = None) -> tuple[Outcome, list[Any]]:
    messages: list[Mapping[str, Any]] = []
    outcome = run_child(REQUEST, launch, limits, messages.append, cancel or CancelToken())
    return outcome, messages


def test_a_good_child_is_done_and_every_row_arrives() -> None:
    outcome, messages = run(bad_child("good"))
    assert outcome.ending is Ending.DONE
    assert outcome.result is not None
    assert outcome.exit_code == 0
    assert [m["seconds"] for m in messages if "seconds" in m] == [0.5, 0.5, 1.0, 1.0]


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGILL", "SIGKILL", "SIGBUS", "SIGFPE"])
def test_a_signal_is_named_and_what_came_before_it_is_kept(name: str) -> None:
    outcome, messages = run(bad_child("dies-of", name))
    assert outcome.ending is Ending.CRASHED
    assert outcome.signal_name == name
    assert [m["seconds"] for m in messages if "seconds" in m] == [0.5, 0.5]


def test_the_last_log_lines_of_a_crash_are_kept() -> None:
    outcome, _ = run(bad_child("crash-unless-safe"))
    assert outcome.log == ("ggml: about to multiply",)


@pytest.mark.parametrize("code", ["0", "3"])
def test_leaving_without_a_result_is_an_ending_of_its_own(code: str) -> None:
    outcome, _ = run(bad_child("exit", code))
    assert outcome.ending is Ending.LEFT
    assert outcome.exit_code == int(code)


def test_a_silent_child_hangs() -> None:
    outcome, _ = run(bad_child("silent"))
    assert outcome.ending is Ending.HUNG
    assert "no sign of life" in outcome.detail


def test_a_child_that_never_comes_to_an_end_hangs() -> None:
    outcome, _ = run(bad_child("deaf"), Limits(silence_s=5.0, total_s=0.5))
    assert outcome.ending is Ending.HUNG
    assert "not done" in outcome.detail


def test_a_stopped_child_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "PAUSED_LIMIT_S", 0.3)
    outcome, messages = run(bad_child("stops-itself"), Limits(silence_s=30.0, total_s=60.0))
    assert outcome.ending is Ending.PAUSED
    assert len([m for m in messages if "seconds" in m]) == 2


@pytest.mark.parametrize(
    "line",
    [
        '{"v":2,"kind":"row"}',
        '{"v":1,"kind":"gossip"}',
        '{"v":1,"kind":"row","seconds":NaN}',
        '{"v":1,"kind":"row"',
        "{" + '"a":{' * 50_000,
    ],
)
def test_a_broken_message_ends_the_child(line: str) -> None:
    outcome, _ = run(bad_child("raw", line[:100_000]))
    assert outcome.ending is Ending.BABBLED


@pytest.mark.parametrize("mode", ["junk", "long-line"])
def test_babble_ends_the_child(mode: str) -> None:
    assert run(bad_child(mode))[0].ending is Ending.BABBLED


def test_a_few_stray_lines_of_a_library_are_forgiven() -> None:
    assert run(bad_child("chatter"))[0].ending is Ending.DONE


def test_a_handler_that_refuses_a_figure_ends_the_child() -> None:
    def refuse(message: Mapping[str, Any]) -> None:
        protocol.seconds(message, "no_such_field")

    outcome = run_child(REQUEST, bad_child("good"), QUICK, refuse, CancelToken())
    assert outcome.ending is Ending.BABBLED


def test_a_flooded_log_keeps_its_end_only() -> None:
    outcome, _ = run(bad_child("log-flood"), Limits(silence_s=10.0, total_s=30.0))
    assert outcome.ending is Ending.DONE
    assert len(outcome.log) == supervisor.LOG_LINES


def test_a_child_that_closes_its_pipe_and_lives_on_is_ended() -> None:
    outcome, _ = run(bad_child("closes-pipe"))
    assert outcome.ending is Ending.LEFT


def test_a_result_before_the_silence_counts_as_hung_not_done() -> None:
    # The child never ends by itself, so that its exit says nothing; what it measured was heard already.
    outcome, messages = run(bad_child("result-then-hang"))
    assert outcome.ending is Ending.HUNG
    assert len([m for m in messages if "seconds" in m]) == 4


def test_the_whole_process_group_goes() -> None:
    before = set(psutil.pids())
    outcome, _ = run(bad_child("grandchild"))
    assert outcome.ending is Ending.DONE
    left = [pid for pid in set(psutil.pids()) - before if _is_sleeper(pid)]
    assert not left


@pytest.mark.parametrize("where", ["in the group", "apart"])
def test_a_crash_is_told_though_another_process_holds_its_pipe(where: str) -> None:
    """The pipe's end never comes then: the death must be seen, not the silence, and nothing may wait for the other."""
    before = set(psutil.pids())
    outcome, _ = run(bad_child("leaves-its-pipe", "SIGSEGV", where), Limits(silence_s=30.0, total_s=50.0))
    left = [pid for pid in set(psutil.pids()) - before if _is_sleeper(pid)]
    for pid in left:
        psutil.Process(pid).kill()
    assert (outcome.ending, outcome.signal_name) == (Ending.CRASHED, "SIGSEGV")
    assert len(left) == (where == "apart")  # still asleep when we were told


def test_a_child_that_never_listens_does_not_stop_its_parent() -> None:
    """A request that fills the pipe would block who writes it; limits and Stop count all the same."""
    big = {"task": "phases", "text": "x" * (4 << 20)}
    outcome = run_child(big, bad_child("never-listens"), QUICK, lambda _message: None, CancelToken())
    assert outcome.ending is Ending.HUNG


def test_a_message_that_comes_in_pieces_is_one() -> None:
    outcome, _ = run(bad_child("says", '{"v":1,"kind":"row","x":"' + "y" * 100_000 + '"}\n{"v":1,"kind":"result"}'))
    assert outcome.ending is Ending.DONE


def _is_sleeper(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        return process.status() != psutil.STATUS_ZOMBIE and "time.sleep(60)" in " ".join(process.cmdline())
    except psutil.Error:
        return False


@pytest.mark.parametrize("mode", ["deaf", "silent", "polite", "stops-itself"])
def test_cancel_ends_every_child(mode: str) -> None:
    cancel = CancelToken()
    timer = threading.Timer(0.3, cancel.cancel)
    timer.start()
    outcome, _ = run(bad_child(mode), Limits(silence_s=30.0, total_s=60.0), cancel)
    timer.join()
    assert outcome.ending is Ending.CANCELLED


def test_a_polite_child_may_still_hand_over_what_it_has() -> None:
    cancel = CancelToken()
    threading.Timer(0.3, cancel.cancel).start()
    outcome, messages = run(bad_child("polite"), Limits(silence_s=30.0, total_s=60.0), cancel)
    assert outcome.ending is Ending.CANCELLED
    assert [m["seconds"] for m in messages if "seconds" in m] == [0.5]


def test_cancelled_before_the_start_starts_nothing() -> None:
    cancel = CancelToken()
    cancel.cancel()
    assert run(Launch(("/no/such/program",)), cancel=cancel)[0] == Outcome(Ending.CANCELLED)


def test_a_program_that_is_not_there() -> None:
    outcome, _ = run(Launch(("/no/such/program",)))
    assert outcome.ending is Ending.NOT_STARTED
    assert "no/such/program" in outcome.detail


def test_a_failure_is_told_by_the_child() -> None:
    outcome, _ = run(bad_child("failure"))
    assert outcome.ending is Ending.FAILED
    assert outcome.failure is not None
    assert outcome.failure["code"] == "out_of_memory"


def test_the_environment_is_reduced_to_what_the_engine_needs() -> None:
    kept = worker_environment(
        {
            "PATH": "/bin",
            "GGML_VK_VISIBLE_DEVICES": "0",
            "PYTHONSTARTUP": "x",
            "AWS_SECRET_ACCESS_KEY": "s",
            "HOME": "/h",
        }
    )
    assert kept["GGML_VK_VISIBLE_DEVICES"] == "0"
    assert kept["HOME"] == "/h"
    assert "AWS_SECRET_ACCESS_KEY" not in kept
    assert "PYTHONSTARTUP" not in kept


def test_the_worker_ends_by_itself_when_its_parent_is_gone() -> None:
    # Its standard input ends when the parent does; a worker in the middle of a task must notice.
    process = psutil.Popen(
        worker_command(sys.executable),
        stdin=-1,
        stdout=-1,
        stderr=-3,
        env=worker_environment(os.environ),
    )
    try:
        process.stdin.write(
            b'{"task":"ceilings","read_bytes":50000000,"read_threads":[1],"compute_threads":[1],"shapes":[]'
        )
        process.stdin.write(b',"columns":64}\n')
        process.stdin.flush()
        assert b"hello" in process.stdout.readline()
        process.stdin.close()
        assert process.wait(timeout=20) == 0
    finally:
        process.stdout.close()
        if process.is_running():
            process.kill()


def test_no_reader_thread_is_left() -> None:
    before = threading.active_count()
    run(bad_child("good"))
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_time_in_which_we_ourselves_were_stopped_is_not_the_childs_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl+Z stops both; whoever goes on first must not think that the other has hung."""
    looks = 0

    def monotonic() -> float:
        nonlocal looks
        looks += 1
        return time.monotonic() + (10_000.0 if looks > 4 else 0.0)

    monkeypatch.setattr(supervisor, "time", SimpleNamespace(monotonic=monotonic))
    outcome, _ = run(bad_child("good"), Limits(silence_s=20.0, total_s=60.0))
    assert outcome.ending is Ending.DONE
