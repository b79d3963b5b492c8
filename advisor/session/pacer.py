"""Progress and time left of a running plan, from what the child says of its tests."""

import time
from collections.abc import Callable
from typing import Final

from advisor.benchmarks.child_words import translated
from advisor.benchmarks.model import Phase, Sweep, TestSpec
from advisor.benchmarks.pacing import DECODE, FILL, PREFILL
from advisor.benchmarks.planning.plan import Plan
from advisor.core.numbers import capital
from advisor.core.translation import marked, tr
from advisor.session.clock import RunClock

CURVES: Final = {
    Sweep.DEPTH: marked("Depth"),
    Sweep.THREADS: marked("Threads"),
    Sweep.BATCH: marked("Streams"),
    Sweep.UBATCH: marked("Batch size"),
    Sweep.FLASH_ATTENTION: marked("Flash attention"),
    Sweep.KV_TYPE: marked("KV type"),
}


_TEXT: Final = "text"


class Pacer:
    """Every test is one step of the clock; the steps to come follow the speeds that were measured.

    Args:
        clock: fresh; the pacer begins its first step, loading.
        plan: whose tests run, by index.
        now: seconds of a monotonic clock.
    """

    def __init__(self, clock: RunClock, plan: Plan, now: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._plan = plan
        self._pace = plan.pace()
        self._now = now
        self._started_s = now()
        self._at = -1
        self._filled = ""
        self._writing = False
        clock.plan({"load": plan.load_s} | ({_TEXT: plan.text_s} if plan.real_use is not None else {}))
        self._replan(plan.load_s)
        clock.begin("load", tr("Loading the model"))

    def say(self, words: str) -> None:
        """What is happening, in the child's words; of a curve's point, which one it is."""
        said = translated(words)
        if words.startswith("Writing text") and not self._writing:  # said again and again, as a sign of life
            self._writing = True
            self._clock.begin(_TEXT, said)
            return
        name, _, rest = words.partition(", ")
        if self._at >= 0 and rest and name.lower() in tuple(Phase):
            said = f"{_named(self._plan.tests[self._at].spec)}, {said.partition(', ')[2]}"
        self._clock.say(said)

    def begun(self, index: int) -> None:
        """A test begins; those before it are done or left out."""
        if self._at >= 0:
            self._filled = self._plan.tests[self._at].cost.fill_key or self._filled
        self._at = index
        test = self._plan.tests[index]
        self._clock.plan({_step(index): self._pace.seconds(index, self._filled)})
        self._clock.begin(_step(index), tr("{phase}, warming up", phase=_named(test.spec)))
        self._replan(self._now() - self._started_s + self._pace.seconds(index, self._filled))

    def filled(self, index: int, elapsed_s: float) -> None:
        """The cache was brought to the test's depth."""
        self._pace.correct(FILL, self._plan.tests[index].fill_s, elapsed_s)

    def repetition(self, index: int, elapsed_s: float) -> None:
        """A repetition of a test is done; those of the two phases tell how fast the machine is."""
        test = self._plan.tests[index]
        if not test.essential:
            return
        work = PREFILL if test.spec.phase is Phase.PREFILL else DECODE
        self._pace.correct(work, test.repetition_s, elapsed_s)
        whole_s = self._pace.seconds(index, self._filled)
        self._clock.plan({_step(index): whole_s})
        self._replan(self._now() - self._started_s + whole_s)

    def _replan(self, elapsed_s: float) -> None:
        """The steps behind the present one, as they will probably be run."""
        steps = {_step(index): 0.0 for index in range(self._at + 1, len(self._plan.tests))}
        filled = self._plan.tests[self._at].cost.fill_key if self._at >= 0 else ""
        coming = self._pace.to_come(self._at + 1, elapsed_s, filled or self._filled)
        self._clock.plan(steps | {_step(index): seconds for index, seconds in coming})


def _named(spec: TestSpec) -> str:
    if spec.sweep is Sweep.PHASES:
        return capital(tr(spec.phase))
    curve = tr(CURVES[spec.sweep])
    if spec.setting:
        return tr("{curve}: {test} with {setting}", curve=curve, test=spec.test, setting=spec.setting)
    return f"{curve}: {spec.test}"


def _step(test: int) -> str:
    return f"test {test}"
