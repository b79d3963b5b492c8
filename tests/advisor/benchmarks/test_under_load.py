"""The stamp under troubles that are really made: busy processes, a paused child, a model that leaves memory.

What cannot be made without harm or luck (swapping, sleep) is told by invented counters.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.model import Conditions, Stamp
from advisor.benchmarks.supervisor import Limits
from advisor.core.progress import CancelToken
from advisor.hardware.probes import load
from tests.advisor.benchmarks.test_embedded import MAINS, Heard, job
from tests.support.children import bad_child

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the bad child plays POSIX signals"),
    pytest.mark.timeout(120),
]

LIFE_S = 300
"""The busy processes end by themselves after this long, should the test not live to end them."""
STARTER = f"""
import subprocess, sys
work = "import signal; signal.alarm({LIFE_S})\\n" + sys.argv[2]
for _ in range(int(sys.argv[1])):
    quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(subprocess.Popen([sys.executable, "-c", work], start_new_session=True, **quiet).pid)
"""


@contextmanager
def busy_processes(count: int, work: str = "while True: pass") -> Iterator[None]:
    """Somebody else's: their parent has gone, so that they do not count as ours."""
    started = subprocess.run(
        [sys.executable, "-c", STARTER, str(count), work], capture_output=True, text=True, check=True, timeout=30
    )
    found = [psutil.Process(int(pid)) for pid in started.stdout.split()]
    try:
        yield
    finally:
        for process in found:
            process.kill()
        psutil.wait_procs(found, timeout=5)


def both(between: str, *more: str) -> tuple[Conditions, Conditions]:
    """The stamps of two tests whose repetitions really compute; what happens, happens in the first one."""
    launch = bad_child("works", between, *more)
    measured = EmbeddedEngine(launch).measure(job(), Limits(20.0, 60.0), MAINS, Heard().listening(), CancelToken())
    assert measured.error is None, measured.error
    first, second = measured.tests
    return first.conditions, second.conditions


def conditions(between: str, *more: str) -> Conditions:
    """The stamp of the test in which it happens."""
    return both(between, *more)[0]


def test_two_busy_processes_are_noticed_and_named() -> None:
    with busy_processes(2):
        judged = conditions("nothing")
    reason = next(why for why in judged.because if why.startswith("other programs used"))
    assert judged.stamp in (Stamp.SUSPECT, Stamp.INVALID)
    assert ", most of all " in reason
    assert "-c" not in reason  # a program's name, never its arguments
    assert not judged.fault


def test_a_child_that_was_paused_and_went_on_says_so() -> None:
    judged = conditions("pause")
    assert judged.stamp in (Stamp.SUSPECT, Stamp.INVALID)
    assert any(why.startswith("the measuring process was paused from outside for") for why in judged.because)


def test_a_pause_between_two_tests_is_not_held_against_them() -> None:
    assert "paused" not in " ".join(both("pause")[1].because)


@pytest.mark.skipif(sys.platform != "linux", reason="pages are sent away by Linux's madvise")
def test_a_model_that_has_to_be_read_from_disk_again_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    with file.open("wb") as out:
        for _ in range(32):
            out.write(os.urandom(1 << 20))
        out.flush()
        os.fsync(out.fileno())
    judged = conditions("page", str(file))
    assert judged.stamp is Stamp.INVALID
    assert judged.fault
    assert any("read from disk during the run" in why for why in judged.because)


def test_a_memory_hog_that_makes_the_computer_swap_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    swapped = iter(range(0, 10**12, 512 * 10**6))
    monkeypatch.setattr(load, "_swapped_in_bytes", lambda: next(swapped))
    judged = conditions("nothing")
    assert (judged.stamp, judged.fault) == (Stamp.INVALID, True)
    assert any("the computer was swapping (512" in why for why in judged.because)


def test_a_computer_that_slept_meanwhile_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    asleep = iter(range(0, 10**6, 90))
    monkeypatch.setattr(load, "asleep_s", lambda: float(next(asleep)))
    judged = conditions("nothing")
    assert judged.stamp is Stamp.INVALID
    assert any(why.startswith("the computer slept for 1") for why in judged.because)
