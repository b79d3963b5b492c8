"""Runs a plan on an engine: down the ladder of safe mode when it crashes, and past the points that it cannot run."""

import time
from dataclasses import dataclass, replace
from typing import Final

from advisor.benchmarks.engines.engine import Engine, Listening, Measured
from advisor.benchmarks.job import Job, Placement
from advisor.benchmarks.model import EngineFacts, EngineMode, Phase, TestResult
from advisor.benchmarks.planning.limits import plan_limits
from advisor.benchmarks.planning.plan import Plan
from advisor.benchmarks.probing import weights_device
from advisor.benchmarks.safe_mode import SafeModes
from advisor.benchmarks.steadiness import Repeat
from advisor.core.errors import AdvisorError, EngineError, EngineMissing, EngineTimeout
from advisor.core.evidence import Basis, Known
from advisor.core.progress import CancelToken
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.session.clock import RunClock
from advisor.session.events import Listener, Remark, TestFinished, TestLeftOut
from advisor.session.pacer import Pacer

MAX_RESTARTS: Final = 3
"""Crashes of single points of a curve that are stepped over before the run ends."""

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

    def run(self) -> tuple[tuple[TestResult, ...], AdvisorError | None]:
        """The results, and why they are not complete."""
        started_s = time.monotonic()
        mode = self._remembered_mode()
        happened = ""
        kept: tuple[TestResult, ...] = ()
        while True:
            measured = self._once(self.plan, mode, self.listener)
            kept = measured.tests or kept
            if not measured.crashed_early or measured.error is None or mode is EngineMode.ONE_THREAD:
                break
            happened = happened or measured.error.sentence.rstrip(".")
            mode = EngineMode(mode + 1)
            self.listener(
                Remark(
                    f"{measured.error.sentence.rstrip('.')}. Trying again in safe mode.",
                    f"Safe mode runs {GIVEN_UP[mode]}; figures carry that mark.",
                )
            )
        # One crash may be chance (another program, a hiccup of memory); only one that comes again is remembered.
        if happened and measured.tests and measured.error is None and self._crashes_again(EngineMode(mode - 1)):
            self.safe_modes.remember(self.engine.build, cpu_key(self.machine), happened[0].lower() + happened[1:], mode)
        rest, error = self._step_over(measured, mode, started_s)
        return (*kept, *rest), error

    def _step_over(
        self, measured: Measured, mode: EngineMode, started_s: float
    ) -> tuple[tuple[TestResult, ...], AdvisorError | None]:
        """The tests behind a point that ended the child, in a fresh one; a point that crashes is left out, said why."""
        more: tuple[TestResult, ...] = ()
        plan = self.plan
        for _ in range(MAX_RESTARTS):
            error, at = measured.error, measured.at
            if error is None or at is None or plan.tests[at].essential or not _may_be_the_points(error):
                break
            self.listener(TestLeftOut(plan.tests[at].spec, error.sentence.rstrip(".")))
            budget_s = self.plan.budget_s
            left_s = None if budget_s is None else budget_s - (time.monotonic() - started_s)
            plan = replace(plan, tests=plan.tests[at + 1 :], budget_s=left_s)
            if not plan.tests:
                return more, None
            measured = self._once(plan, mode, self.listener)
            more += measured.tests
        return more, measured.error

    def _remembered_mode(self) -> EngineMode:
        reason = self.safe_modes.reason(self.engine.build, cpu_key(self.machine))
        if reason is None:
            return EngineMode.DEFAULT
        self.listener(
            Remark(
                f"The engine runs in safe mode: {reason.happened} on {reason.since}.",
                f"To try its default mode again: {FORGET_COMMAND}",
            )
        )
        return reason.mode

    def _once(self, plan: Plan, mode: EngineMode, listener: Listener) -> Measured:
        pacer = Pacer(RunClock(listener), plan)
        job = Job(
            self.model.engine_file,
            plan.tests,
            mode,
            self.placement,
            weights_device(Known(self.engine, Basis.READ, "the engine"), self.placement, self.model.layers.or_none()),
            f"{self.engine.name} {self.engine.version}",
            plan.notes,
            plan.budget_s,
        )
        listening = Listening(
            reading=listener,
            phase=pacer.say,
            repetition=pacer.repetition,
            finished=lambda result: listener(TestFinished(result)),
            filled=pacer.filled,
            begun=pacer.begun,
        )
        measured = self.runner.measure(job, plan_limits(plan), self.machine.power, listening, self.cancel)
        for index, reason in measured.left_out:
            listener(TestLeftOut(plan.tests[index].spec, reason))
        return measured

    def _crashes_again(self, mode: EngineMode) -> bool:
        """Whether a mode crashes a second time at load or in prefill."""
        prompts = [test for test in self.plan.tests if test.spec.phase is Phase.PREFILL][:1]
        if self.cancel.cancelled or not prompts:
            return False
        once_more = replace(self.plan, tests=(replace(prompts[0], repeat=Repeat(1, 1)),))
        return self._once(once_more, mode, lambda _event: None).crashed_early


def _may_be_the_points(error: AdvisorError) -> bool:
    """Whether an end may come from the very point that ran; a hang costs minutes, so it is not tried further."""
    return isinstance(error, EngineError) and not isinstance(error, (EngineTimeout, EngineMissing))


def cpu_key(machine: Machine) -> str:
    """What remembered choices name this processor by."""
    return machine.cpu.name.or_none() or machine.cpu.architecture

