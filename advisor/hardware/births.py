"""Whether two readings are of one process, though the system's clock was set in between; pure but for ``Opening.now``.

Systems state when a process was born by the clock on the wall. Linux counts it from the start of the system, so that
every birth moves with the clock; macOS and Windows keep what the clock showed then. Either way a process that was there
before must not look newborn, nor one of ours like another's, because a time server corrected the clock during a run.
"""

import time
from dataclasses import dataclass
from typing import Final, Self

_ROUNDING_S: Final = 1.0
"""Linux states its own start in whole seconds, and the last digit was seen to change from reading to reading."""
_TICK_S: Final = 0.05
"""Births are in ticks since the system's start, whose own time is rounded."""
_STEP_S: Final = 0.5
"""The two clocks part by less on their own."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A moment by the clock on the wall and by one that nobody sets."""

    wall_s: float
    steady_s: float

    @classmethod
    def now(cls) -> Self:
        """This moment."""
        return cls(time.time(), time.monotonic())

    def step_s(self) -> float:
        """Seconds by which the wall's clock has gone on further than the other since; 0 for the usual drift."""
        apart_s = (time.time() - self.wall_s) - (time.monotonic() - self.steady_s)
        return apart_s if abs(apart_s) >= _STEP_S else 0.0


def is_same(before: float, now: float, step_s: float) -> bool:
    """Whether two births that were read of one process id are one, where the clock was set by ``step_s`` between."""
    return abs(now - before) <= _ROUNDING_S + abs(step_s)


def is_newborn(born_at: float, opened_at: float, step_s: float) -> bool:
    """Whether a process began after a moment on the wall's clock, which was set by ``step_s`` since."""
    return born_at >= opened_at + min(0.0, step_s) - _TICK_S
