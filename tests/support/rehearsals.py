"""An invented engine for rehearsals: it computes each test's time from the file it is given, without an engine."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from advisor.benchmarks.engines.engine import Listening, Measured, Probed
from advisor.benchmarks.job import Job
from advisor.benchmarks.model import Conditions, EngineFacts, Phase, Stamp, TestResult, TestSpec
from advisor.benchmarks.supervisor import Limits
from advisor.core.errors import AdvisorError
from advisor.core.evidence import Fact, Known
from advisor.core.progress import CancelToken
from advisor.gguf.architecture import read_model
from advisor.gguf.traffic import Traffic
from advisor.hardware.model import Power
from tests.support import documents

BYTES_PER_S, FLOP_PER_S, STEP_S = 20e9, 200e9, 1e-4


def seconds(spec: TestSpec, flows: Traffic) -> float:
    """A machine on which steps take their bytes' time, prompts their operations' time, and each a fixed one."""
    if spec.phase is Phase.DECODE:
        step = flows.step_bytes(spec.n_streams, spec.n_depth + spec.n_gen // 2)
        return spec.n_gen * (STEP_S + step / BYTES_PER_S)
    return STEP_S + flows.prefill_flop(spec.n_prompt, spec.n_depth) / FLOP_PER_S


class InventedEngine:
    """Measures by ``seconds``.

    Attributes:
        seen: files that it was given, with the bytes of their weights at that time.
        error: what a run ends with instead.
        cancel_at: the run that the user stops; 0 for none.
        noise: factor on the time of each run, by turns.
        cold: factor on the time of each test's first repetition, where there are several.
    """

    def __init__(self, noise: Sequence[float] = (1.0,)) -> None:
        self.seen: list[tuple[Path, int]] = []
        self.error: AdvisorError | None = None
        self.cancel_at = 0
        self.noise = noise
        self.cold = 1.0

    def read_facts(self, cancel: CancelToken, rpc_servers: Sequence[str] = ()) -> Fact[EngineFacts]:
        return documents.engine()

    def why_not(self, test: TestSpec) -> str:
        return ""

    def probe(self, request: Mapping[str, Any], on_phase: Any, cancel: CancelToken) -> Probed:
        raise AssertionError("nothing is probed in a rehearsal")

    def measure(self, job: Job, limits: Limits, power: Power, listening: Listening, cancel: CancelToken) -> Measured:
        self.seen.append((job.model, read_model(job.model).weights_bytes))
        if self.cancel_at == len(self.seen):
            cancel.cancel()
        if self.error is not None:
            return Measured((), self.error, False, None)
        flows = read_model(job.model).traffic
        assert isinstance(flows, Known)
        factor = self.noise[len(self.seen) % len(self.noise)]
        tests = []
        for test, spec in zip(job.tests, job.specs, strict=True):
            each_s = factor * seconds(spec, flows.value)
            tests.append(result(spec, *(self.cold * each_s, *[each_s] * (test.repeat.minimum - 1))))
        return Measured(tuple(tests), None, False, 0.5)


def result(spec: TestSpec, *samples_s: float) -> TestResult:
    """A finished test."""
    return TestResult(
        **{each.name: getattr(spec, each.name) for each in fields(TestSpec)},
        samples_s=samples_s, engine="an engine", device="CPU", conditions=Conditions(Stamp.VALID, ()),
    )  # fmt: skip


def machine(available_bytes: int, total_bytes: int = 0):  # type: ignore[no-untyped-def]
    """The invented laptop with so much memory."""
    held = documents.machine()
    memory = replace(
        held.memory,
        available_bytes=replace(held.memory.available_bytes, value=available_bytes),
        total_bytes=replace(held.memory.total_bytes, value=total_bytes or available_bytes),
    )
    return replace(held, memory=memory)
