"""Runs a plan on an engine: progress of every repetition, and down the ladder of safe mode when it crashes."""

from dataclasses import dataclass, replace
from typing import Final

from advisor.benchmarks.engines.engine import Engine, Listening, Measured
from advisor.benchmarks.failures import named
from advisor.benchmarks.job import WARM_UP_S, Job, Placement, PlannedTest
from advisor.benchmarks.known_faults import KnownFault
from advisor.benchmarks.model import EngineCheck, EngineFacts, EngineMode, Phase, TestResult
from advisor.benchmarks.planning import Plan, plan_limits
from advisor.benchmarks.probing import weights_device
from advisor.benchmarks.safe_mode import SafeModes, cpu_key
from advisor.benchmarks.self_test import check, fault_of
from advisor.benchmarks.steadiness import Repeat
from advisor.core.errors import AdvisorError
from advisor.core.evidence import Basis, Known
from advisor.core.progress import CancelToken
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.session.clock import RunClock
from advisor.session.events import Listener, Remark, TestFinished

FORGET_COMMAND: Final = "two-machines selftest --forget"

GIVEN_UP: Final = {
    EngineMode.NO_EXTRA_BUFFERS: "without the engine's extra buffers for weights",
    EngineMode.NO_FLASH_ATTENTION: "without extra buffers and flash attention",
    EngineMode.ONE_THREAD: "without extra buffers and flash attention, on one thread",
}


@dataclass(frozen=True, slots=True)
class Measuring:
    """One plan on one engine."""

    runner: Engine
    safe_modes: SafeModes
    model: ModelFacts
    machine: Machine
    engine: EngineFacts
    plan: Plan
    placement: Placement
    listener: Listener
    cancel: CancelToken

    def run(self) -> Measured:
        """The results of the run that got furthest, and why they are not complete."""
        mode = self._tested_mode()
        crashed: tuple[AdvisorError, KnownFault | None] | None = None
        kept: tuple[TestResult, ...] = ()
        while True:
            measured = self._once(self.plan, mode, self.listener)
            kept = measured.tests or kept
            fault = fault_of(measured, mode, self.machine.cpu, self.engine)
            error = named(measured.error, fault) if measured.error is not None else None
            if not measured.crashed_early or error is None or mode is EngineMode.ONE_THREAD:
                break
            crashed = crashed or (error, fault)
            mode = EngineMode(mode + 1)
            self.listener(
                Remark(
                    f"{error.sentence} Trying again in safe mode.",
                    f"Safe mode runs {GIVEN_UP[mode]}; figures carry that mark.",
                )
            )
        # One crash may be chance (another program, a hiccup of memory); only one that comes again is remembered.
        if crashed and measured.tests and error is None and (crashed[1] or self._crashes_again(EngineMode(mode - 1))):
            self.safe_modes.remember(
                self.engine.build, cpu_key(self.machine.cpu), self._device, check(mode, crashed)
            )
        return replace(measured, tests=kept, error=error)

    @property
    def _device(self) -> str:
        return weights_device(Known(self.engine, Basis.READ, "the engine"))

    def _tested_mode(self) -> EngineMode:
        """The step of the ladder that the self-test found, or an earlier run with a crash of its own."""
        found = self.safe_modes.find(self.engine.build, cpu_key(self.machine.cpu), self._device)
        if found is None or found.mode is EngineMode.DEFAULT:
            return EngineMode.DEFAULT
        happened = f"The engine runs in safe mode: {found.happened} on {found.since}. {found.fault}"
        self.listener(Remark(happened.rstrip(), mend(found)))
        return found.mode

    def _once(self, plan: Plan, mode: EngineMode, listener: Listener) -> Measured:
        clock = RunClock(listener)
        clock.plan(_steps(plan))
        clock.begin("load", "Loading the model")
        progress = _Progress(clock, plan)
        job = Job(
            self.model.engine_file,
            plan.tests,
            mode,
            self.placement,
            self._device,
            f"{self.engine.name} {self.engine.version}",
            plan.notes,
            plan.real_use.spec if plan.real_use is not None else None,
        )
        listening = Listening(
            reading=listener,
            phase=progress.phase,
            repetition=progress.repetition,
            finished=lambda result: listener(TestFinished(result)),
        )
        return self.runner.measure(job, plan_limits(plan), self.machine.power, listening, self.cancel)

    def _crashes_again(self, mode: EngineMode) -> bool:
        """Whether a mode crashes a second time at load or in prefill."""
        prompts = [test for test in self.plan.tests if test.spec.phase is Phase.PREFILL][:1]
        if self.cancel.cancelled or not prompts:
            return False
        once_more = replace(self.plan, tests=(replace(prompts[0], repeat=Repeat(1, 1)),), real_use=None)
        return self._once(once_more, mode, lambda _event: None).crashed_early


def mend(found: EngineCheck) -> str:
    """What to do about safe mode."""
    again = f"To try its default mode again: {FORGET_COMMAND}"
    return f"{found.remedy}. {again}" if found.remedy else again


class _Progress:
    """Turns what the child says into progress: each repetition is one step of the clock."""

    def __init__(self, clock: RunClock, plan: Plan) -> None:
        self._clock = clock
        self._plan = plan
        self._test = -1
        self._repetition = 0
        self._writing = False

    def phase(self, words: str) -> None:
        if ", warming up" in words:
            self._test, self._repetition = self._test + 1, 0
            self._clock.begin(_step(self._test, 0), words)
        elif ", repetition " in words:
            self._repetition += 1
            self._clock.begin(_step(self._test, self._repetition), words)
        elif words.startswith("Writing text"):
            if not self._writing:  # said again and again, as a sign of life
                self._clock.begin(_TEXT, words)
            self._writing = True
        else:
            self._clock.say(words)

    def repetition(self, test: int, elapsed_s: float) -> None:
        self._clock.done()
        if 0 <= test < len(self._plan.tests):
            left = range(self._repetition + 1, _repetitions(self._plan.tests[test]) + 1)
            self._clock.plan({_step(test, index): elapsed_s for index in left})


_TEXT: Final = "text"


def _steps(plan: Plan) -> dict[str, float]:
    steps = {"load": plan.load_s}
    if plan.real_use is not None:
        steps[_TEXT] = plan.real_use.repetition_s
    for index, test in enumerate(plan.tests):
        steps[_step(index, 0)] = WARM_UP_S
        steps |= {_step(index, k): test.repetition_s for k in range(1, _repetitions(test) + 1)}
    return steps


def _repetitions(test: PlannedTest) -> int:
    """How many are counted on: the fewest; more are made only where time is left."""
    return test.repeat.minimum


def _step(test: int, repetition: int) -> str:
    return f"test {test}, repetition {repetition}"
