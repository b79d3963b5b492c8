"""Rehearses a model that is not here: writes two stand-ins, measures them by turns, scales, and removes them."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from advisor.benchmarks.engines.engine import Engine
from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import EngineFacts, Phase, TestResult
from advisor.benchmarks.planning import Plan
from advisor.benchmarks.probing import weights_device
from advisor.benchmarks.quantising import no_room
from advisor.benchmarks.safe_mode import SafeModes
from advisor.benchmarks.sharing import free_bytes
from advisor.core.errors import BadFile, EngineError
from advisor.core.evidence import Fact, Known, Unknown
from advisor.core.numbers import size
from advisor.core.progress import CancelToken, Progress
from advisor.core.stats import median
from advisor.core.translation import tr
from advisor.core.units import MIB
from advisor.diagnosis.model import Workload
from advisor.diagnosis.parts import Seconds
from advisor.diagnosis.timeline import timeline
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import Traffic
from advisor.hardware.model import Machine
from advisor.rehearsal import planning, stand_in
from advisor.rehearsal.cutting import Chosen, choose, cut
from advisor.rehearsal.fit import Fit, fit_of
from advisor.rehearsal.model import BUDGET_S, Candidate, Rehearsal
from advisor.rehearsal.scaling import Flows, Scaled, blended, scaled
from advisor.session.events import Event, Listener, TestFinished
from advisor.session.measuring import Measuring
from advisor.session.scratch import scratch_folder

MAX_ROUNDS: Final = 4
SPARE_BYTES: Final = 64 * MIB
IN_MEMORY: Final = 1.3
"""A stand-in takes its size in memory, as the engine holds it, and some for computing; what is kept of the file as well
gives way."""
ON_CPU: Final = Placement(devices=("CPU",), gpu_layers=0)


@dataclass(frozen=True, slots=True)
class Stage:
    """What a rehearsal works with.

    Attributes:
        notes: why what it measures is only suspect, known beforehand; clauses.
    """

    runner: Engine
    safe_modes: SafeModes
    machine: Machine
    engine: EngineFacts
    scratch: Path
    budget_s: float = BUDGET_S
    notes: tuple[str, ...] = ()


def rehearse(
    candidate: Candidate, workload: Workload, stage: Stage, listener: Listener, cancel: CancelToken
) -> Rehearsal:
    """Measure the stand-ins and scale; whatever happens, nothing is left of them.

    Raises:
        BadFile: a model that cannot be cut, or whose traffic is not known.
        EngineError: no room for its stand-ins, or the engine failed with them.
        Cancelled: when stopped.
    """
    started_s = time.monotonic()
    whole = candidate.facts
    if isinstance(whole.traffic, Unknown):
        raise BadFile(tr("{name} cannot be rehearsed: {reason}.", name=candidate.name, reason=tr(whole.traffic.reason)))
    chosen = choose(candidate.plan)
    fit = _fit(whole, workload, stage)
    placements = _placements(fit)
    with scratch_folder(stage.scratch) as folder:
        pair = _write(candidate, chosen, stage, folder, listener, cancel)
        done = [
            _Turns(pair, stage, placement, workload, listener, cancel, started_s, len(placements)).run()
            for placement in placements
        ]
    flows = Flows(_traffic(pair[0]), _traffic(pair[-1]), whole.traffic.value)
    tests = [tuple(_scaled(rounds, flows)) for rounds in done]
    joined = tests[0]
    if len(tests) == 2:
        share = fit.value.device_share if isinstance(fit, Known) else 1.0
        joined = tuple(blended(one, other, share) for one, other in zip(*tests, strict=False))
    return _told(candidate, workload, chosen, joined, fit, len(done[0]), pair, time.monotonic() - started_s)


def _fit(whole: ModelFacts, workload: Workload, stage: Stage) -> Fact[Fit]:
    engine = Known(stage.engine, whole.traffic.basis, "the engine") if isinstance(whole.traffic, Known) else None
    assert engine is not None
    device = weights_device(engine, OWN_CHOICE, whole.layers.or_none())
    context = workload.users * workload.deepest_tokens
    room = free_bytes(stage.machine, engine, device)
    return fit_of(whole, context, device, room, stage.machine.memory.total_bytes)


def _placements(fit: Fact[Fit]) -> tuple[Placement, ...]:
    """The engine's own choice, and the processor where a graphics card holds only a part of the model."""
    if isinstance(fit, Known) and fit.value.device_share < 1:
        return (OWN_CHOICE, ON_CPU)
    return (OWN_CHOICE,)


def _write(
    candidate: Candidate, chosen: Chosen, stage: Stage, folder: Path, listener: Listener, cancel: CancelToken
) -> tuple[ModelFacts, ...]:
    """The stand-ins' files: the smaller one, where there is one, then the larger one."""
    plans = [cut(candidate.plan, layers) for layers in (chosen.small, chosen.large) if layers]
    needed = [sum(tensor.stored_bytes for tensor in plan.tensors) for plan in plans]
    free = shutil.disk_usage(folder).free
    if sum(needed) + SPARE_BYTES > free:
        raise no_room(sum(needed), free, tr("Rehearsing {name}", name=candidate.name))
    memory = stage.machine.memory.available_bytes.or_none()
    if memory is not None and IN_MEMORY * needed[-1] > memory:
        layers = len(chosen.large)
        raise EngineError(
            tr(
                "Even {n} of the layers of {name} take {needed}, "
                "and {memory} of memory are free.",
                n=layers, name=candidate.name, needed=size(IN_MEMORY * needed[-1]), memory=size(memory),
            ),
            tr("Close other programs, or choose a smaller model or a heavier quantisation."),
            {"reason": "no_memory", "needed_bytes": round(IN_MEMORY * needed[-1]), "free_bytes": memory},
        )
    made, before = [], 0
    for number, plan in enumerate(plans):

        def told(fraction: float, before: int = before, share: int = needed[number]) -> None:
            done = (before + fraction * share) / sum(needed)
            listener(Progress(0.1 * done, tr("Writing a stand-in with random weights")))

        path = stand_in.write(plan, folder / f"stand-in-{number}.gguf", cancel, told)
        before += needed[number]
        made.append(read_model(path))
    return tuple(made)


Round = tuple[tuple[TestResult, ...], ...]
"""One round's results of each stand-in, the larger one last."""


@dataclass(frozen=True, slots=True)
class _Turns:
    """The stand-ins measured by turns at one placement."""

    pair: tuple[ModelFacts, ...]
    stage: Stage
    placement: Placement
    workload: Workload
    listener: Listener
    cancel: CancelToken
    started_s: float
    parts: int

    def run(self) -> list[Round]:
        """As many rounds as the time allows, at least one."""
        begun_s = time.monotonic()
        small, large = self.pair[0], self.pair[-1]
        budget_s = (self.stage.budget_s - (begun_s - self.started_s)) / self.parts
        pilot = self._measure(small, planning.pilot(self.stage.machine, small), 0.10)
        paid = {test.phase: min(test.samples_s) / test.tokens for test in pilot}
        grown = {
            Phase.PREFILL: _traffic(large).block_elements / _traffic(small).block_elements,
            Phase.DECODE: _traffic(large).step_bytes() / _traffic(small).step_bytes(),
        }
        costs = [paid, {phase: paid[phase] * grown[phase] for phase in Phase}][2 - len(self.pair) :]
        both = {phase: sum(cost[phase] for cost in costs) for phase in Phase}
        left_s = budget_s - (time.monotonic() - begun_s)
        what = planning.sizes(
            both[Phase.PREFILL], both[Phase.DECODE], max(left_s, 1.0), self.workload.deepest_tokens, self.workload.users
        )
        plans = [
            planning.round_plan(self.stage.machine, facts, what, cost[Phase.PREFILL], cost[Phase.DECODE])
            for facts, cost in zip(self.pair, costs, strict=True)
        ]
        rounds: list[Round] = []
        longest_s = 0.0
        while len(rounds) < MAX_ROUNDS:
            round_s = time.monotonic()
            if rounds and round_s - begun_s + longest_s > budget_s:
                break
            at = 0.15 + 0.85 * min(1.0, (round_s - begun_s) / budget_s)
            # the other one first in each, so that a machine that slows down favours neither
            order = list(range(len(plans)))[:: -1 if len(rounds) % 2 else 1]
            held = {index: self._measure(self.pair[index], plans[index], at) for index in order}
            rounds.append(tuple(held[index] for index in sorted(held)))
            longest_s = max(longest_s, time.monotonic() - round_s)
        return rounds

    def _measure(self, facts: ModelFacts, plan: Plan, at: float) -> tuple[TestResult, ...]:
        def hear(event: Event) -> None:
            if isinstance(event, Progress):
                event = replace(event, fraction=at, left_s=None)
            if not isinstance(event, TestFinished):  # a stand-in's own figures are nobody's
                self.listener(event)

        possible = tuple(test for test in plan.tests if test.essential or not self.stage.runner.why_not(test.spec))
        plan = replace(plan, tests=possible)
        measured = Measuring(
            self.stage.runner, self.stage.safe_modes, facts, self.stage.machine, self.stage.engine,
            replace(plan, notes=(*plan.notes, *self.stage.notes)), self.placement, hear, self.cancel,
        ).run()  # fmt: skip
        self.cancel.raise_if_cancelled()
        essential = sum(test.essential for test in plan.tests)
        if measured.error is not None and len(measured.tests) < essential:
            raise measured.error
        return measured.tests


def _scaled(rounds: Sequence[Round], flows: Flows) -> list[Scaled]:
    """Every test that all rounds have of both stand-ins."""
    found = []
    for test in rounds[0][-1]:
        by_round = [[_of(test, results) for results in held] for held in rounds]
        if any(result is None for held in by_round for result in held):
            continue
        known = [[result for result in held if result is not None] for held in by_round]
        small = [held[0] for held in known] if len(known[0]) == 2 else []
        found.append(scaled([held[-1] for held in known], small, flows))
    return found


def _of(test: TestResult, results: Sequence[TestResult]) -> TestResult | None:
    return next((result for result in results if result.spec == test.spec), None)


def _traffic(facts: ModelFacts) -> Traffic:
    if isinstance(facts.traffic, Unknown):
        raise BadFile(tr("The model cannot be rehearsed: {reason}.", reason=tr(facts.traffic.reason)))
    return facts.traffic.value


def _told(
    candidate: Candidate,
    workload: Workload,
    chosen: Chosen,
    tests: tuple[Scaled, ...],
    fit: Fact[Fit],
    rounds: int,
    pair: tuple[ModelFacts, ...],
    took_s: float,
) -> Rehearsal:
    line = timeline(workload, [each.test for each in tests], candidate.facts.traffic.or_none())
    wait: Fact[Seconds] = line if isinstance(line, Unknown) else _range(line.value.wait_s, tests, Phase.PREFILL, line)
    stream: Fact[Seconds] = (
        line if isinstance(line, Unknown) else _range(line.value.stream_s, tests, Phase.DECODE, line)
    )
    if isinstance(fit, Known) and not fit.value.fits and isinstance(stream, Known):
        fast_s, slow_s = (workload.users * workload.answer_tokens * cost for cost in fit.value.drive_s)
        held = stream.value
        stream = replace(
            stream,
            value=Seconds(held.middle_s + (fast_s * slow_s) ** 0.5, held.low_s + fast_s, held.high_s + slow_s),
        )
    return Rehearsal(
        candidate=candidate,
        workload=workload,
        layers=candidate.facts.layers.or_none() or len(chosen.large),
        large_layers=len(chosen.large),
        small_layers=len(chosen.small),
        rounds=rounds,
        tests=tests,
        fit=fit,
        timeline=line,
        wait=wait,
        stream=stream,
        scratch_bytes=sum(facts.file_bytes for facts in pair),
        took_s=took_s,
        notes=_notes(candidate),
    )


def _range(seconds: float, tests: Sequence[Scaled], phase: Phase, line: Fact[object]) -> Fact[Seconds]:
    margin = median([each.margin for each in tests if each.test.phase is phase])
    assert isinstance(line, Known)
    return Known(Seconds(seconds, seconds / (1 + margin), seconds * (1 + margin)), line.basis, line.source)


def _notes(candidate: Candidate) -> tuple[str, ...]:
    if candidate.facts.experts:
        return (
            tr(
                "Its weights are random, so tokens go to experts by chance; real text sends neighbouring tokens to the "
                "same ones more often, and prompts and several people at once may be somewhat faster.",
            ),
        )
    return ()
