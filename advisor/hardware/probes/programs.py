"""Which other program uses the processor most. By hand: ``top``.

Only names of programs are read, never their arguments, which may hold anything.
"""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import psutil

from advisor.hardware.births import Opening, is_newborn, is_same

SAMPLE_S: Final = 0.3
LONGEST_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class Used:
    """A process at one moment: its program's name, when it was born, and the CPU seconds it has used."""

    name: str
    born_at: float
    cpu_s: float


def biggest(
    before: dict[int, Used], after: dict[int, Used], opened_at: float, own: Iterable[int], step_s: float = 0.0
) -> str:
    """Name of the program whose processes used most between two readings; empty when none used anything.

    Args:
        before: process id -> what it had used.
        after: the same later.
        opened_at: when ``before`` was read; a process born later counts whole.
        own: processes that do not count.
        step_s: by which the clock was set in between.
    """
    ours = set(own)
    totals: dict[str, float] = defaultdict(float)
    for pid, now in after.items():
        if pid in ours:
            continue
        then = before.get(pid)
        if then is not None and is_same(then.born_at, now.born_at, step_s):
            totals[now.name] += now.cpu_s - then.cpu_s
        elif is_newborn(now.born_at, opened_at, step_s):
            totals[now.name] += now.cpu_s
    name = max(totals, key=lambda each: totals[each], default="")
    return name[:LONGEST_NAME] if totals.get(name, 0.0) > 0 else ""


class ProgramsWindow:
    """Watches all processes from construction on; costs one look at each, some ten microseconds, at either end.

    Args:
        own_pids: the processes that belong to us, asked at the end.
    """

    def __init__(self, own_pids: Callable[[], Iterable[int]] = lambda: (os.getpid(),)) -> None:
        self._own_pids = own_pids
        self._opened = Opening.now()
        self._before = _read()

    def biggest(self) -> str:
        """Name of the program that has used most since; empty when there is none."""
        return biggest(self._before, _read(), self._opened.wall_s, self._own_pids(), self._opened.step_s())


def read(sample_s: float = SAMPLE_S) -> str:
    """Name of the program that uses the processor most during the next ``sample_s``; empty when none does."""
    window = ProgramsWindow()
    time.sleep(sample_s)
    return window.biggest()


def _read() -> dict[int, Used]:
    found = {}
    for process in psutil.process_iter():
        try:
            with process.oneshot():
                times = process.cpu_times()
                found[process.pid] = Used(process.name(), process.create_time(), times.user + times.system)
        except (psutil.Error, OSError, ValueError):
            continue
    return found
