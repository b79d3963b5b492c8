"""Which tests, in which order and how often, for this model on this machine."""

from dataclasses import dataclass, replace
from typing import Final

from advisor.benchmarks.job import PlannedTest
from advisor.benchmarks.model import Phase, PlanKind, Sweep, TestSpec
from advisor.benchmarks.pacing import Pace
from advisor.benchmarks.planning.predicting import Predictor, predictor
from advisor.benchmarks.planning.settings import BenchSettings, Purpose, threads
from advisor.benchmarks.planning.sweeps import (
    LEAST_DEPTH,
    SHORT_GEN,
    STREAMS,
    Basis,
    depth_points,
    thread_points,
    why_no_room,
    without_room,
    worth_order,
)
from advisor.benchmarks.sharing import NO_ROOM
from advisor.benchmarks.steadiness import Repeat
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact, Known
from advisor.core.translation import tr
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine

SIZES: Final = ((512, 128), (512, 64), (512, 32), (256, 32), (128, 32), (64, 16), (16, 16))
"""Tokens of prefill and decode; the first that leave time for more are taken."""
LEAST_SIZES: Final = SIZES.index((128, 32))
"""A plan with a name goes no further down: below, prompts no longer fill a ubatch and figures mean something else."""
PHASES_SHARE: Final = 0.6
"""Share of a plan's time that the two phases may take."""
FILL_SHARE: Final = 0.35
"""Share of a plan's time that filling one depth may take."""
WORST_DEPTH: Final = 32_768
"""Deepest point of a plan; a sweep by hand may go further."""

PHASE_REPEATS: Final = {
    PlanKind.QUICK: Repeat(1, 5, 0.02),
    PlanKind.STANDARD: Repeat(2, 8, 0.015),
    PlanKind.THOROUGH: Repeat(5, 12, 0.01),
}
POINT_REPEATS: Final = {
    PlanKind.QUICK: Repeat(1, 3, 0.03),
    PlanKind.STANDARD: Repeat(2, 5, 0.02),
    PlanKind.THOROUGH: Repeat(3, 8, 0.015),
}
"""How often each phase, and each point of a curve, is repeated. Three times at least where time is left, since only
three have an interval; the minimum is for machines that turn out far slower than predicted."""
PHASE_BUDGET_SHARE: Final = 0.4
POINT_BUDGET_SHARE: Final = 0.2
"""Shares of a plan's time after which a phase, or a point, is not repeated any more."""


TEXT_TOKENS: Final = 64
TEXT_PROMPT: Final = 130
"""Tokens written for the check of real use, and about as many as its prompt has."""
TEXT_SHARE: Final = 0.15
"""Share of a plan's time that writing text may take."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be measured, in order.

    Attributes:
        load_s: predicted seconds of loading.
        notes: why its results are only suspect, known beforehand; clauses.
        budget_s: seconds that it may take, loading included; what does not fit is left out. None for no limit.
        real_use: a decode test with whose settings text is written at the end.
        left_out: points that cannot be run here, each with the reason, a clause.
    """

    tests: tuple[PlannedTest, ...]
    load_s: float
    notes: tuple[str, ...] = ()
    budget_s: float | None = None
    real_use: PlannedTest | None = None
    left_out: tuple[tuple[TestSpec, str], ...] = ()

    @property
    def text_s(self) -> float:
        """Seconds that writing text will take."""
        return self.real_use.repetition_s if self.real_use is not None else 0.0

    @property
    def tests_budget_s(self) -> float | None:
        """Seconds of the budget that are left to loading and tests."""
        return None if self.budget_s is None else self.budget_s - self.text_s

    def pace(self) -> Pace:
        """Its tests' costs, to be corrected while they run."""
        optional = [not test.essential for test in self.tests]
        return Pace([test.cost for test in self.tests], optional, self.tests_budget_s)

    @property
    def predicted_s(self) -> float:
        """Seconds that all of it will take, as far as it fits."""
        return self.load_s + sum(seconds for _, seconds in self.pace().to_come(0, self.load_s)) + self.text_s


def two_phases(model: ModelFacts, machine: Machine, ceilings: Fact[Ceilings], settings: BenchSettings) -> Plan:
    """Prefill then decode, exactly as often as set. With several NUMA nodes decode comes first.

    Whatever touches the pages of the weights first decides on which node they lie, and decode suffers more from a
    bad choice than prefill.
    """
    prophet = _predictor(model, machine, ceilings, settings)
    exactly = Repeat(settings.repetitions, settings.repetitions)
    specs = _phase_specs(machine, settings)
    return Plan(tuple(prophet.planned(spec, exactly, essential=True) for spec in specs), prophet.load_s)


def make_plan(
    model: ModelFacts,
    machine: Machine,
    ceilings: Fact[Ceilings],
    settings: BenchSettings,
    purpose: Purpose | None = None,
    on_cpu: bool = True,
) -> Plan:
    """The two phases and, where a plan or a time is asked for, the curves in order of worth for the request.

    All points are in the plan; which of them fit its time shows while it runs (``pacing``), when the machine's real
    speed is known. Without a ``purpose`` only the phases are in it; threads are swept where the weights lie
    in main memory (``on_cpu``).
    """
    budget_s = settings.plan_s
    if budget_s is None or purpose is None:
        return two_phases(model, machine, ceilings, settings)
    kind = settings.kind or _kind_of(budget_s)
    prophet = _predictor(model, machine, ceilings, settings)
    phases = PHASE_REPEATS[kind]._replace(budget_s=budget_s * PHASE_BUDGET_SHARE)
    fitted = _fitted(settings, machine, prophet, phases, budget_s)
    specs = _phase_specs(machine, fitted)
    tests = [prophet.planned(spec, phases, essential=True) for spec in specs]
    left_out: tuple[tuple[TestSpec, str], ...] = ()
    if len(specs) == 2:
        basis = _basis(specs, model, machine, purpose, on_cpu, _depth(prophet, specs, purpose, model, budget_s))
        point = POINT_REPEATS[kind]._replace(budget_s=budget_s * POINT_BUDGET_SHARE)
        tests += [prophet.planned(spec, point, essential=False) for spec in worth_order(basis)]
        left_out = without_room(basis)
    short = fitted.n_prompt < SIZES[LEAST_SIZES][0] or fitted.n_gen < SIZES[LEAST_SIZES][1]
    cut = short and (fitted.n_prompt, fitted.n_gen) != (settings.n_prompt, settings.n_gen)
    notes = (tr("it was cut short to fit the time budget"),) if cut else ()
    text = _text(specs, settings, prophet, budget_s)
    return Plan(tuple(tests), prophet.load_s, notes, budget_s, text, left_out)


def _text(
    specs: tuple[TestSpec, ...], settings: BenchSettings, prophet: Predictor, budget_s: float
) -> PlannedTest | None:
    """Text with the settings of the decode test, where that is one stream without depth and the time allows it."""
    decode = next((spec for spec in specs if spec.phase is Phase.DECODE), None)
    if not settings.real_use or decode is None or decode.n_depth or decode.n_streams > 1:
        return None
    prompt = replace(decode, phase=Phase.PREFILL, n_prompt=TEXT_PROMPT, n_gen=0)
    decode = replace(decode, n_gen=min(TEXT_TOKENS, decode.n_gen))
    seconds = prophet.repetition_s(decode) + prophet.repetition_s(prompt)
    if seconds > TEXT_SHARE * budget_s:
        return None
    return replace(prophet.planned(decode, Repeat(1, 1), essential=True), repetition_s=seconds)


def sweep_plan(
    model: ModelFacts, machine: Machine, ceilings: Fact[Ceilings], settings: BenchSettings, sweep: Sweep,
    depths: tuple[int, ...] = (), on_cpu: bool = True, streams: tuple[int, ...] = STREAMS,
    room_bytes: Fact[int] = NO_ROOM,
) -> Plan:
    """One whole curve (``THREADS``, ``BATCH`` or ``DEPTH``) with the point at the present setting, each point equally.

    Nothing is left out for time, but a point that cannot be run is. ``depths`` are those of the depth curve, above 0;
    of the batch curve the first is the depth of all its points. ``streams`` and ``room_bytes``, the memory that is
    free where the weights will lie, are for the batch curve, whose largest points may not fit.
    """
    prophet = _predictor(model, machine, ceilings, settings)
    repeat = Repeat(min(3, settings.repetitions), settings.repetitions, 0.015)
    specs = _phase_specs(machine, settings)
    basis = _basis(specs, model, machine, Purpose(1, 1), on_cpu, max(depths, default=0))
    # Prefill comes first in each of them: an engine that needs safe mode shows it there, and not in a curve's point.
    specs = (basis.prefill, replace(basis.decode, n_gen=SHORT_GEN))
    left_out: tuple[tuple[TestSpec, str], ...] = ()
    points: list[TestSpec]
    match sweep:
        case Sweep.THREADS:
            points = sorted(thread_points(basis), key=lambda spec: (spec.phase is Phase.DECODE, -spec.n_threads))
        case Sweep.BATCH:
            alone = replace(specs[1], n_depth=depths[0] if depths else 0)
            specs = (basis.prefill, alone)
            wanted = [
                replace(alone, n_streams=number, sweep=Sweep.BATCH) for number in sorted(set(streams)) if number > 1
            ]
            reasons = {spec: why_no_room(spec, model, room_bytes) for spec in wanted}
            points = [spec for spec in wanted if not reasons[spec]]
            left_out = tuple((spec, why) for spec, why in reasons.items() if why)
        case _:
            points = list(depth_points(basis, tuple(sorted(depths))))
    tests = [prophet.planned(spec, repeat, essential=True) for spec in specs]
    tests += [prophet.planned(spec, repeat, essential=False) for spec in points]
    return Plan(tuple(tests), prophet.load_s, left_out=left_out)


def _kind_of(budget_s: float) -> PlanKind:
    """The repetitions that suit an own time."""
    return PlanKind.QUICK if budget_s < 60 else PlanKind.STANDARD if budget_s < 300 else PlanKind.THOROUGH


def _predictor(model: ModelFacts, machine: Machine, ceilings: Fact[Ceilings], settings: BenchSettings) -> Predictor:
    prefill, decode = (threads(machine, settings, phase) for phase in (Phase.PREFILL, Phase.DECODE))
    return predictor(model, machine, ceilings, prefill, decode)


def _phase_specs(machine: Machine, settings: BenchSettings) -> tuple[TestSpec, ...]:
    specs = []
    for phase, tokens in ((Phase.PREFILL, settings.n_prompt), (Phase.DECODE, settings.n_gen)):
        if tokens:
            prefill = phase is Phase.PREFILL
            specs.append(
                TestSpec(
                    phase=phase,
                    n_prompt=tokens if prefill else 0,
                    n_gen=0 if prefill else tokens,
                    n_depth=settings.n_depth,
                    n_streams=1 if prefill else settings.n_streams,
                    n_threads=threads(machine, settings, phase),
                    n_batch=settings.n_batch,
                    n_ubatch=settings.n_ubatch,
                    flash_attention=settings.flash_attention,
                    kv_type=settings.kv_type,
                )
            )
    nodes = machine.cpu.numa_nodes.or_none() or 1
    return tuple(reversed(specs)) if nodes > 1 else tuple(specs)


def _fitted(
    settings: BenchSettings, machine: Machine, prophet: Predictor, repeat: Repeat, budget_s: float
) -> BenchSettings:
    """Fewer tokens, as many as leave time for more than the phases; a plan with a name keeps them comparable."""
    sizes = SIZES if settings.budget_s is not None else SIZES[: LEAST_SIZES + 1]
    fitted = settings
    for n_prompt, n_gen in sizes:
        fitted = replace(settings, n_prompt=min(n_prompt, settings.n_prompt), n_gen=min(n_gen, settings.n_gen))
        tests = [prophet.planned(spec, repeat, essential=True) for spec in _phase_specs(machine, fitted)]
        if Plan(tuple(tests), prophet.load_s).predicted_s <= PHASES_SHARE * budget_s:
            break
    return fitted


def _depth(
    prophet: Predictor, specs: tuple[TestSpec, ...], purpose: Purpose, model: ModelFacts, budget_s: float
) -> int:
    """The depth at which the request's answer is written, halved until it can be filled in time.

    The least depth stays in the plan even where it will find no time, so that it is said.
    """
    depth = min(purpose.prompt_tokens, WORST_DEPTH)
    if isinstance(model.context_length, Known):
        depth = min(depth, model.context_length.value - sum(spec.n_prompt + spec.n_gen for spec in specs))
    while depth // 2 >= LEAST_DEPTH and prophet.fill_s(replace(specs[0], n_depth=depth)) > FILL_SHARE * budget_s:
        depth //= 2
    return max(depth, 0)


def _basis(
    specs: tuple[TestSpec, ...], model: ModelFacts, machine: Machine, purpose: Purpose, on_cpu: bool, depth: int
) -> Basis:
    prefill, decode = sorted(specs, key=lambda spec: spec.phase is Phase.DECODE)
    return Basis(prefill, decode, depth, purpose, model, machine, on_cpu)
