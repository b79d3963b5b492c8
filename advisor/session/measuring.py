"""Runs a plan on an engine: down the ladder of safe mode when it crashes, and past the points that it cannot run."""

import time
from dataclasses import dataclass, replace
from typing import Final

from advisor.benchmarks.engines.engine import Engine, Listening, Measured
from advisor.benchmarks.failures import named
from advisor.benchmarks.job import Job, Placement
from advisor.benchmarks.known_faults import KnownFault
from advisor.benchmarks.model import EngineCheck, EngineFacts, EngineMode, Phase, TestResult
from advisor.benchmarks.planning.limits import plan_limits
from advisor.benchmarks.planning.plan import Plan
from advisor.benchmarks.probing import weights_device
from advisor.benchmarks.safe_mode import SafeModes, cpu_key
from advisor.benchmarks.self_test import check, fault_of
from advisor.benchmarks.steadiness import Repeat
from advisor.core.dates import day
from advisor.core.errors import AdvisorError, EngineError, EngineMissing, EngineTimeout
from advisor.core.evidence import Basis, Known
from advisor.core.progress import CancelToken
from advisor.core.translation import marked, tr
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.session.clock import RunClock
from advisor.session.events import Listener, Remark, TestFinished, TestLeftOut
from advisor.session.pacer import Pacer

MAX_RESTARTS: Final = 3
"""Crashes of single points of a curve that are stepped over before the run ends."""

FORGET_COMMAND: Final = "two-machines selftest --forget"

GIVEN_UP: Final = {
    EngineMode.NO_EXTRA_BUFFERS: marked("without the engine's extra buffers for weights"),
    EngineMode.NO_FLASH_ATTENTION: marked("without extra buffers and flash attention"),
    EngineMode.ONE_THREAD: marked("without extra buffers and flash attention, on one thread"),
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
        started_s = time.monotonic()
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
                    tr("{error} Trying again in safe mode.", error=error.sentence),
                    tr("Safe mode runs {how}; figures carry that mark.", how=tr(GIVEN_UP[mode])),
                )
            )
        # One crash may be chance (another program, a hiccup of memory); only one that comes again is remembered.
        if crashed and measured.tests and error is None and (crashed[1] or self._crashes_again(EngineMode(mode - 1))):
            self.safe_modes.remember(
                self.engine.build, cpu_key(self.machine.cpu), self._device, check(mode, crashed)
            )
        return self._step_over(replace(measured, tests=kept, error=error), mode, started_s)

    def _step_over(self, measured: Measured, mode: EngineMode, started_s: float) -> Measured:
        """The tests behind a point that ended the child, in a fresh one; a point that crashes is left out, said why."""
        plan = self.plan
        for _ in range(MAX_RESTARTS):
            error, at = measured.error, measured.at
            if error is None or at is None or plan.tests[at].essential or not may_be_the_points(error):
                break
            self.listener(TestLeftOut(plan.tests[at].spec, error.sentence.rstrip(".")))
            budget_s = self.plan.budget_s
            left_s = None if budget_s is None else budget_s - (time.monotonic() - started_s)
            plan = replace(plan, tests=plan.tests[at + 1 :], budget_s=left_s)
            if not plan.tests:
                return replace(measured, error=None)
            again = self._once(plan, mode, self.listener)
            measured = replace(again, tests=(*measured.tests, *again.tests))
        return measured

    @property
    def _device(self) -> str:
        facts = Known(self.engine, Basis.READ, "the engine")
        return weights_device(facts, self.placement, self.model.layers.or_none())

    def _tested_mode(self) -> EngineMode:
        """The step of the ladder that the self-test found, or an earlier run with a crash of its own."""
        found = self.safe_modes.find(self.engine.build, cpu_key(self.machine.cpu), self._device)
        if found is None or found.mode is EngineMode.DEFAULT:
            return EngineMode.DEFAULT
        happened = tr(
            "The engine runs in safe mode: {happened} on {date}. {fault}",
            happened=found.happened, date=day(found.since), fault=found.fault,
        )  # fmt: skip
        self.listener(Remark(happened.rstrip(), mend(found)))
        return found.mode

    def _once(self, plan: Plan, mode: EngineMode, listener: Listener) -> Measured:
        pacer = Pacer(RunClock(listener), plan)
        job = Job(
            self.model.engine_file,
            plan.tests,
            mode,
            self.placement,
            self._device,
            f"{self.engine.name} {self.engine.version}",
            plan.notes,
            plan.tests_budget_s,
            plan.real_use.spec if plan.real_use is not None else None,
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
        once_more = replace(self.plan, tests=(replace(prompts[0], repeat=Repeat(1, 1)),), real_use=None)
        return self._once(once_more, mode, lambda _event: None).crashed_early


def mend(found: EngineCheck) -> str:
    """What to do about safe mode."""
    again = tr("To try its default mode again: {command}", command=FORGET_COMMAND)
    return f"{found.remedy}. {again}" if found.remedy else again


def may_be_the_points(error: AdvisorError) -> bool:
    """Whether an end may come from the very point that ran; a hang costs minutes, so it is not tried further."""
    return isinstance(error, EngineError) and not isinstance(error, (EngineTimeout, EngineMissing))
