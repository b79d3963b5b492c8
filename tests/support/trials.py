"""Experiments to test with: an engine whose seconds are invented, contexts for it, and finished trials."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from advisor.benchmarks.engines.engine import Listening, Measured, Probed
from advisor.benchmarks.job import OWN_CHOICE, Job
from advisor.benchmarks.model import Conditions, EngineFacts, EngineMode, Phase, Stamp, TestResult, TestSpec
from advisor.benchmarks.supervisor import Limits
from advisor.benchmarks.trials.model import Arm, Pair, Quality, QuantiseTrial, SettingTrial, Trial, TrialPlan
from advisor.core.errors import AdvisorError, Cancelled
from advisor.core.evidence import Basis, Fact, Known
from advisor.core.progress import CancelToken
from advisor.hardware.model import Power
from advisor.recommendations.ledger import Ledger, Record
from advisor.report.document import Document
from advisor.session.trial_context import TrialContext
from tests.support import documents

VALID = Conditions(Stamp.VALID, ())
CREATED_AT = "2026-11-29T15:00:00+01:00"


@dataclass
class InventedEngine:
    """Takes the seconds that ``seconds`` says for a test's job and number of the call; remembers every job.

    Attributes:
        error: what a job ends with, by the number of the call; None for nothing.
        conditions: the stamp of every test of a job, by the number of the call.
    """

    seconds: Callable[[TestSpec, int], float]
    error: Callable[[Job, int], AdvisorError | None] = lambda _job, _call: None
    conditions: Callable[[int], Conditions] = lambda _call: VALID
    why: str = ""
    jobs: list[Job] = field(default_factory=list)

    def read_facts(self, cancel: CancelToken, rpc_servers: Sequence[str] = ()) -> Fact[EngineFacts]:
        return documents.engine()

    def why_not(self, test: TestSpec) -> str:
        return self.why

    def probe(self, request: Mapping[str, Any], on_phase: Callable[[str], None], cancel: CancelToken) -> Probed:
        return Probed((), (), ())

    def measure(self, job: Job, limits: Limits, power: Power, listening: Listening, cancel: CancelToken) -> Measured:
        call = len(self.jobs)
        self.jobs.append(job)
        error = Cancelled("Stopped.") if cancel.cancelled else self.error(job, call)
        if error is not None:
            return Measured((), error, False, 0.1)
        tests = []
        for planned, spec in zip(job.tests, job.specs, strict=True):
            listening.phase(f"{spec.phase.capitalize()}, repetition 1 of 1")
            elapsed_s = self.seconds(spec, call)
            tests.append(TestResult(
                **{each.name: getattr(spec, each.name) for each in fields(TestSpec)},
                samples_s=(elapsed_s,) * planned.repeat.minimum, engine=job.engine, device=job.device, mode=job.mode,
                conditions=self.conditions(call),
            ))  # fmt: skip
        return Measured(tuple(tests), None, False, 0.1)


def context(engine: InventedEngine, **more: Any) -> TrialContext:
    """A context on the laptop of the pictures, with rows ten times as fast, so that rounds fit the budget."""
    facts = documents.engine().or_none()
    assert facts is not None
    prefill, decode = (
        replace(row, samples_s=tuple(value / 10 for value in row.samples_s))
        for row in (documents.prefill_test(), documents.decode_test())
    )
    values: dict[str, Any] = {
        "advice": "threads", "engine": engine, "facts": facts, "machine": documents.machine(),
        "model": documents.model(), "mode": EngineMode.DEFAULT, "placement": OWN_CHOICE, "device": "CPU",
        "prefill": prefill, "decode": decode, "scratch": Path("scratch"), "created_at": CREATED_AT,
    }  # fmt: skip
    return TrialContext(**(values | more))


def threads_trial(before: int = 12, after: int = 6) -> SettingTrial:
    """Both phases with other threads."""
    prefill, decode = documents.prefill_test().spec, documents.decode_test().spec

    def arm(threads: int) -> Arm:
        return Arm(f"{threads} threads", tuple(replace(spec, n_threads=threads) for spec in (prefill, decode)))

    return SettingTrial(arm(before), arm(after))


def pair(ratio: float, phase: Phase = Phase.PREFILL, rounds: int = 5, spread: float = 0.0) -> Pair:
    """A pair with that median ratio, its values spread by that share on both sides."""
    steps = [spread * (2 * number / max(1, rounds - 1) - 1) for number in range(rounds)]
    what = "pp512" if phase is Phase.PREFILL else "tg64"
    return Pair(phase, what, (1.0,) * rounds, tuple(ratio * (1 + step) for step in steps))


def trial(
    *pairs: Pair, advice: str = "threads", plan: TrialPlan | None = None, conditions: Conditions = VALID
) -> Trial:
    """A finished trial."""
    return Trial(advice, "12 threads", "6 threads", pairs, conditions, CREATED_AT, plan=plan or threads_trial())


def tried_document() -> Document:
    """The document of the pictures with two trials: one that helped and one that must not be believed."""
    plan = threads_trial()
    helped = trial(pair(0.24, spread=0.02), advice="shorten-prompt", plan=plan)
    bad = trial(
        pair(0.9), pair(1.2, Phase.DECODE), advice="quantise", plan=QuantiseTrial("Q3_K_M"),
        conditions=Conditions(Stamp.INVALID, ("the computer was swapping (5.00\u00a0MB read back from disk)",)),
    )  # fmt: skip
    quality = Known(Quality(0.0312, 0.001, 0.92, 6.2, 6.4, 512, "a text"), Basis.MEASURED, "a text")
    bad = replace(bad, quality=quality, notes=("1\u00a0round was left out: on battery.",))
    base = documents.complete_document()
    shorten, *others, quantise = base.advice
    saved = replace(shorten, saved_s=73.6, saved_s_low=73.2, saved_s_high=74.1, basis=Basis.MEASURED, trial=plan,
                    tried=helped, evidence="Tried here, 5 rounds by turns.")
    records = (Record("quantise", 2, 1, 0.04, 0.03), Record("shorten-prompt", 9, 7, 0.02, 0.01))
    return replace(
        base, advice=(saved, *others, replace(quantise, tried=bad, trial=bad.plan)), trials=(helped, bad),
        ledger=Ledger(records, 0.03),
    )  # fmt: skip


EXAMPLES = {**documents.EXAMPLES, "tried": tried_document}
