"""Progress of one run from what its steps were predicted to take, corrected by what they took."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from advisor.benchmarks.model import LiveReading
from advisor.core.progress import Progress, ProgressListener
from advisor.session.events import Listener, Remark, TestFinished, TestLeftOut

ALMOST: Final = 0.99
"""The most before all is done: steps that take longer than predicted are not done yet, whatever is left of the time."""


class RunClock:
    """Steps with predicted seconds, done one after another.

    The fraction never falls: when a step turns out slower than predicted, it stands still until the rest catches up.

    Args:
        listener: hears every change.
        now: seconds of a monotonic clock.
    """

    def __init__(self, listener: ProgressListener, now: Callable[[], float] = time.monotonic) -> None:
        self._listener = listener
        self._now = now
        self._left: dict[str, float] = {}
        self._started_s = now()
        self._step: str | None = None
        self._step_started_s = self._started_s
        self._fraction = 0.0
        self._phase = ""

    @property
    def fraction(self) -> float:
        """What the listener was told last, 0 to 1."""
        return self._fraction

    def plan(self, steps: dict[str, float]) -> None:
        """Add steps still to come, or correct their seconds."""
        self._left.update(steps)

    def begin(self, step: str, phase: str) -> None:
        """The running step is done, and the next one runs."""
        self.done()
        self._step = step
        self._step_started_s = self._now()
        self.say(phase)

    def done(self) -> None:
        """The running step is done."""
        if self._step is not None:
            self._left.pop(self._step, None)
            self._step = None

    def say(self, phase: str) -> None:
        """Tell the listener what is happening, with the present fraction and time left."""
        self._phase = phase
        now_s = self._now()
        left_s = sum(self._left.values())
        if self._step is not None:
            left_s -= min(now_s - self._step_started_s, self._left.get(self._step, 0.0))
        elapsed_s = now_s - self._started_s
        if elapsed_s + left_s > 0:
            self._fraction = max(self._fraction, min(elapsed_s / (elapsed_s + left_s), ALMOST))
        self._listener(Progress(self._fraction, phase, left_s))

    def tick(self) -> None:
        """Tell the listener again how far it is."""
        self.say(self._phase)

    def finish(self, phase: str) -> None:
        """All is done."""
        self._left.clear()
        self._step = None
        self._fraction = 1.0
        self._listener(Progress(1.0, phase, 0.0))


def behind(clock: RunClock, listener: Listener, left_out: list[TestLeftOut]) -> Listener:
    """Progress of a part, shifted behind the fraction that the whole has already reached; keeps what was left out."""
    start = clock.fraction

    def forward(event: object) -> None:
        if isinstance(event, Progress):
            listener(replace(event, fraction=start + (1 - start) * event.fraction))
        elif isinstance(event, (LiveReading, TestFinished, TestLeftOut, Remark)):
            listener(event)
        if isinstance(event, TestLeftOut):
            left_out.append(event)

    return forward
