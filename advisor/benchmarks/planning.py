"""Which runs, sizes and time limits for this model on this machine."""

from dataclasses import dataclass, field, replace
from typing import Final

from advisor.benchmarks.job import Placement, PlannedTest
from advisor.benchmarks.model import Phase, TestSpec
from advisor.benchmarks.steadiness import Repeat
from advisor.benchmarks.supervisor import Limits
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact, Known
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine

N_BATCH: Final = 2048
N_UBATCH: Final = 512
"""llama-bench's defaults."""
REAL_USE_TOKENS: Final = 64
REAL_USE_PROMPT: Final = 130
"""Tokens written for the check of real use, and about as many as its prompt has."""
TYPICAL_OF_CEILING: Final = 0.5
"""Share of its ceiling that a phase usually reaches; for predicting time only."""


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """What to measure.

    Attributes:
        n_threads: None for what the machine's facts advise.
        budget_s: seconds the two phases may take together; None for as long as it takes. With a budget the number
            of repetitions (never below 2) and of tokens is cut to fit.
        placement: where the engine puts the model.
        real_use: whether to write text after the tests; left out where the budget has no room for it.
    """

    n_prompt: int = 512
    n_gen: int = 128
    n_depth: int = 0
    repetitions: int = 5
    n_threads: int | None = None
    budget_s: float | None = None
    placement: Placement = field(default_factory=Placement)
    real_use: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be measured, in order.

    Attributes:
        load_s: predicted seconds of loading.
        notes: why its results are only suspect, known beforehand; clauses.
        real_use: a decode test whose settings text is written with at the end.
    """

    tests: tuple[PlannedTest, ...]
    load_s: float
    notes: tuple[str, ...] = ()
    real_use: PlannedTest | None = None

    @property
    def predicted_s(self) -> float:
        """Seconds that all of it will take."""
        text_s = self.real_use.repetition_s if self.real_use is not None else 0.0
        return self.load_s + sum(test.predicted_s for test in self.tests) + text_s


def threads(machine: Machine, settings: BenchSettings) -> int:
    """Threads of both phases."""
    return settings.n_threads or machine.cpu.usable_threads


def two_phases(model: ModelFacts, machine: Machine, ceilings: Fact[Ceilings], settings: BenchSettings) -> Plan:
    """Prefill then decode, cut to the budget. With several NUMA nodes decode comes first.

    Whatever touches the pages of the weights first decides on which node they lie, and decode suffers more from a
    bad choice than prefill.
    """
    predicted = predict(model, ceilings, settings)
    fitted = fit_budget(settings, predicted)
    if fitted != settings:
        predicted = predict(model, ceilings, fitted)
    n_threads, repeat = threads(machine, settings), Repeat(fitted.repetitions, fitted.repetitions)
    tests = []
    for phase, tokens, seconds in (
        (Phase.PREFILL, fitted.n_prompt, predicted.prefill_s),
        (Phase.DECODE, fitted.n_gen, predicted.decode_s),
    ):
        if tokens:
            spec = TestSpec(
                phase=phase,
                n_prompt=tokens if phase is Phase.PREFILL else 0,
                n_gen=tokens if phase is Phase.DECODE else 0,
                n_depth=fitted.n_depth,
                n_threads=n_threads,
                n_batch=N_BATCH,
                n_ubatch=N_UBATCH,
            )
            tests.append(PlannedTest(spec, repeat, seconds))
    nodes = machine.cpu.numa_nodes.or_none() or 1
    if nodes > 1:
        tests.reverse()
    notes = ("it was cut short to fit the time budget",) if fitted != settings else ()
    plan = Plan(tuple(tests), predicted.load_s, notes)
    return _with_real_use(plan, fitted, predicted) if settings.real_use else plan


def _with_real_use(plan: Plan, settings: BenchSettings, predicted: "Predicted") -> Plan:
    """The plan with text written at its end, with the settings of its decode test, where there is time for it."""
    decode = next((test for test in plan.tests if test.spec.phase is Phase.DECODE and test.spec.n_depth == 0), None)
    if decode is None:
        return plan
    n_gen = min(REAL_USE_TOKENS, decode.spec.n_gen)
    seconds = n_gen / settings.n_gen * predicted.decode_s
    if settings.n_prompt:
        seconds += REAL_USE_PROMPT / settings.n_prompt * predicted.prefill_s
    longer = replace(plan, real_use=PlannedTest(replace(decode.spec, n_gen=n_gen), Repeat(1, 1), seconds))
    return plan if settings.budget_s is not None and longer.predicted_s > settings.budget_s else longer


@dataclass(frozen=True, slots=True)
class Predicted:
    """Seconds that one repetition of each phase will take, and the loading; rough until the first is measured."""

    load_s: float
    prefill_s: float
    decode_s: float


def predict(model: ModelFacts, ceilings: Fact[Ceilings], settings: BenchSettings) -> Predicted:
    """From the ceilings where they are known, else from the file's size at 10 GB/s and 100 GFLOP/s."""
    prefill_rate, decode_rate = None, None
    if isinstance(ceilings, Known):
        prefill_rate = ceilings.value.prefill_tokens_per_s.or_none()
        decode_rate = ceilings.value.decode_tokens_per_s.or_none()
    weights = max(model.weights_bytes, 1)
    decode_rate = (decode_rate or 10e9 / weights) * TYPICAL_OF_CEILING
    prefill_rate = (prefill_rate or 100e9 / (2 * max(model.parameters, 1))) * TYPICAL_OF_CEILING
    depth_s = settings.n_depth / prefill_rate
    return Predicted(
        load_s=0.3 + weights / 1e9,
        prefill_s=settings.n_prompt / prefill_rate + depth_s,
        decode_s=settings.n_gen / decode_rate + depth_s,
    )


def fit_budget(settings: BenchSettings, predicted: Predicted) -> BenchSettings:
    """Fewer repetitions, then fewer tokens, until the prediction fits the budget; never below 2 and 16."""
    if settings.budget_s is None:
        return settings
    fitted, seconds = settings, predicted

    def total_s() -> float:
        return seconds.load_s + (fitted.repetitions + 1) * seconds.prefill_s + fitted.repetitions * seconds.decode_s

    while total_s() > settings.budget_s and fitted.repetitions > 2:
        fitted = replace(fitted, repetitions=fitted.repetitions - 1)
    while total_s() > settings.budget_s and max(fitted.n_prompt, fitted.n_gen) > 16:
        fitted = replace(fitted, n_prompt=_halved(fitted.n_prompt), n_gen=_halved(fitted.n_gen))
        seconds = replace(seconds, prefill_s=seconds.prefill_s / 2, decode_s=seconds.decode_s / 2)
    return fitted


def _halved(tokens: int) -> int:
    return max(tokens // 2, 16) if tokens else 0


def plan_limits(plan: Plan) -> Limits:
    """Silence: one prefill can say nothing until it is done, so many times its prediction; at least two minutes."""
    longest = max([plan.load_s, *(test.repetition_s for test in plan.tests)])
    silence = max(120.0, 20 * longest)
    repetitions = sum(test.repeat.maximum + 1 for test in plan.tests)
    return Limits(silence_s=silence, total_s=silence * (repetitions + 2))
