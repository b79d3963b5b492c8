import os
import subprocess
import sys
from collections.abc import Callable

import psutil
import pytest

from advisor.core.evidence import Known, Unknown
from advisor.hardware import births
from advisor.hardware.probes import load
from advisor.hardware.probes.load import CpuTimes, LoadWindow, busy_fraction, parse_swapped_in_pages, steal_fraction

START = CpuTimes(busy_s=100.0, steal_s=5.0, total_s=1000.0)


@pytest.mark.parametrize(
    ("busy_s", "own_s", "fraction"),
    [(0.0, 0.0, 0.0), (5.0, 0.0, 0.5), (5.0, 5.0, 0.0), (5.0, 2.0, 0.3), (5.0, 6.0, 0.0), (11.0, 0.0, 1.0)],
)
def test_busy_fraction(busy_s: float, own_s: float, fraction: float) -> None:
    fact = busy_fraction(START, CpuTimes(100.0 + busy_s, 5.0, 1010.0), own_s)
    assert fact.or_none() == pytest.approx(fraction)


def test_an_empty_window_is_unknown() -> None:
    assert isinstance(busy_fraction(START, START, 0.0), Unknown)
    assert isinstance(steal_fraction(START, START), Unknown)


def test_steal_fraction() -> None:
    assert steal_fraction(START, CpuTimes(100.0, 7.0, 1010.0)).or_none() == pytest.approx(0.2)
    assert isinstance(steal_fraction(START, CpuTimes(100.0, None, 1010.0)), Unknown)


@pytest.mark.parametrize(
    ("text", "pages"), [("pgpgin 5\npswpin 17\npswpout 3\n", 17), ("pswpin x\n", None), ("", None), ("pswpin\n", None)]
)
def test_swapped_in_pages(text: str, pages: int | None) -> None:
    assert parse_swapped_in_pages(text) == pages


class FakeProcess:
    """One entry of the fake process table."""

    def __init__(self, born_at: float, own_s: float, children_s: float = 0.0) -> None:
        self.born_at, self.own_s, self.children_s = born_at, own_s, children_s

    def cpu_times(self) -> object:
        times = {"user": self.own_s, "system": 0.0, "children_user": self.children_s, "children_system": 0.0}
        return type("Times", (), times)()

    def create_time(self) -> float:
        return self.born_at


class FakeSystem:
    """A computer of which the test decides all counters."""

    def __init__(self) -> None:
        self.processes: dict[int, FakeProcess] = {}
        self.now, self.busy_s, self.total_s = 1000.0, 50.0, 500.0

    def process(self, pid: int) -> FakeProcess:
        if pid not in self.processes:
            raise psutil.NoSuchProcess(pid)
        return self.processes[pid]

    def window(self, *pids: int) -> LoadWindow:
        return LoadWindow(lambda: pids)


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> FakeSystem:
    fake = FakeSystem()
    monkeypatch.setattr(load.psutil, "Process", fake.process)
    monkeypatch.setattr(births.time, "time", lambda: fake.now)
    monkeypatch.setattr(load, "_cpu_times", lambda: CpuTimes(fake.busy_s, 0.0, fake.total_s))
    return fake


def busy(window: LoadWindow) -> float | None:
    return window.close().others_busy_fraction.or_none()


def test_our_processes_are_counted_out(system: FakeSystem) -> None:
    system.processes = {1: FakeProcess(1.0, 3.0), 2: FakeProcess(2.0, 7.0)}
    window = system.window(1, 2, 2)
    system.busy_s, system.total_s = 58.0, 510.0
    system.processes = {1: FakeProcess(1.0, 4.0), 2: FakeProcess(2.0, 12.0)}
    assert busy(window) == pytest.approx(0.2)


def test_a_child_that_ended_lives_on_in_its_parents_times(system: FakeSystem) -> None:
    system.processes = {1: FakeProcess(1.0, 3.0), 2: FakeProcess(2.0, 7.0)}
    window = system.window(1, 2)
    system.busy_s, system.total_s = 58.0, 510.0
    system.processes = {1: FakeProcess(1.0, 3.0, children_s=15.0)}
    assert busy(window) == pytest.approx(0.0)


def test_a_child_born_in_the_window_counts_whole(system: FakeSystem) -> None:
    system.processes = {1: FakeProcess(1.0, 3.0)}
    window = system.window(1, 2)
    system.busy_s, system.total_s = 58.0, 510.0
    system.processes[2] = FakeProcess(1001.0, 6.0)
    assert busy(window) == pytest.approx(0.2)


def test_an_old_process_named_late_and_a_reused_number_are_not_ours(system: FakeSystem) -> None:
    named = [1]
    system.processes = {1: FakeProcess(1.0, 3.0), 2: FakeProcess(2.0, 100.0)}
    window = LoadWindow(lambda: named)
    named.append(2)
    system.busy_s, system.total_s = 58.0, 510.0
    assert busy(window) == pytest.approx(0.8)
    system.processes[1] = FakeProcess(1005.0, 2.0)
    assert busy(window) == pytest.approx(0.6)


@pytest.mark.parametrize("step_s", [-3600.0, -1.0, 1.0, 3600.0])
@pytest.mark.parametrize("births_move", [True, False])
def test_a_clock_that_is_set_meanwhile_makes_none_of_ours_another_s(
    system: FakeSystem, step_s: float, births_move: bool
) -> None:
    """On Linux every birth moves with the clock, on macOS and Windows those before the step stay."""
    named = [1]
    system.processes = {1: FakeProcess(900.0, 300.0)}
    window = LoadWindow(lambda: named)
    named.append(2)
    system.now += step_s
    system.busy_s, system.total_s = 60.0, 510.0
    system.processes[1] = FakeProcess(900.0 + (step_s if births_move else 0.0), 304.0)
    system.processes[2] = FakeProcess(system.now + 1.0, 5.0)
    assert busy(window) == pytest.approx(0.1)


def test_a_start_of_the_system_that_is_rounded_anew_changes_nothing(system: FakeSystem) -> None:
    system.processes = {1: FakeProcess(10.0, 3.0)}
    window = system.window(1)
    system.busy_s, system.total_s = 58.0, 510.0
    system.processes = {1: FakeProcess(11.0, 9.0)}
    assert busy(window) == pytest.approx(0.2)


def test_unreadable_counters_are_unknown(system: FakeSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_cpu_times", lambda: None)
    seen = system.window(1).close()
    assert isinstance(seen.others_busy_fraction, Unknown)
    assert isinstance(seen.steal_fraction, Unknown)


@pytest.mark.parametrize("make", [lambda: LoadWindow(lambda: ()), load.begin])
def test_here(make: Callable[[], LoadWindow]) -> None:
    window = make()
    seen = load.read(window, sample_s=0.05)
    assert 0 <= (seen.cpu_busy_fraction.or_none() or 0.0) <= 1
    other = window.close()
    if sys.platform == "linux":
        assert isinstance(other.swap_in_bytes, Known)
        assert isinstance(seen.load_1min, Known)


def test_a_busy_child_of_ours_is_recognised() -> None:
    """The child works for a moment inside the window; with it counted out, others are less busy than without."""
    pids = [os.getpid()]
    ours, anybodys = LoadWindow(lambda: pids), LoadWindow(lambda: ())
    code = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    with subprocess.Popen([sys.executable, "-c", code]) as child:
        pids.append(child.pid)
        child.wait(60)
    without, with_child = ours.close().others_busy_fraction, anybodys.close().others_busy_fraction
    if sys.platform == "linux":
        assert isinstance(without, Known) and isinstance(with_child, Known)
        assert without.value < with_child.value
