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
from advisor.core.numbers import seconds, size
from advisor.core.progress import CancelToken, Progress
from advisor.core.stats import median
from advisor.core.translation import tr, trn
from advisor.core.units import MIB
from advisor.diagnosis.model import Workload
from advisor.diagnosis.parts import Seconds
from advisor.diagnosis.timeline import timeline
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import Traffic
from advisor.hardware.model import Machine
from advisor.rehearsal import planning
from advisor.rehearsal.cutting import Chosen, choose, cut
from advisor.rehearsal.fit import Fit, fit_of
from advisor.rehearsal.model import BUDGET_S, Candidate, Rehearsal
from advisor.rehearsal.scaling import Flows, Scaled, blended, scaled
from advisor.rehearsal.stand_in import Pair, write_pair
from advisor.session.clock import ALMOST
from advisor.session.events import Event, Listener, Remark, TestFinished, TestLeftOut
from advisor.session.measuring import Measuring
from advisor.session.scratch import scratch_folder

MAX_ROUNDS: Final = 4
SPARE_BYTES: Final = 64 * MIB
IN_MEMORY: Final = 1.3
"""A stand-in takes its size in memory, as the engine holds it, and some for computing; what is kept of the file as well
gives way."""
_TELLING: Final = 0.2
"""Share of the file after which the time of the rest is told from it."""
_WRITING_SHARE: Final = 0.3
"""Of the time that was given, at most; where writing is slower, all of it will take longer."""
_MUCH_LONGER: Final = 1.15
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
    say = _Progress(listener, started_s, stage.budget_s)
    with scratch_folder(stage.scratch) as folder:
        pair = _write(candidate, chosen, stage, folder, say, cancel)
        done = [
            _Turns(pair, stage, placement, workload, say, cancel, started_s, len(placements) - number).run()
            for number, placement in enumerate(placements)
        ]
    flows = Flows(_traffic(pair[0].facts), _traffic(pair[-1].facts), whole.traffic.value)
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
    candidate: Candidate, chosen: Chosen, stage: Stage, folder: Path, say: "_Progress", cancel: CancelToken
) -> tuple["_Shown", ...]:
    """The stand-ins: the smaller one, where there is one, then the larger one; one file holds both."""
    plans = [cut(candidate.plan, layers) for layers in (chosen.small, chosen.large) if layers]
    needed = sum(tensor.stored_bytes for tensor in plans[-1].tensors)
    free = shutil.disk_usage(folder).free
    if needed + SPARE_BYTES > free:
        raise no_room(needed, free, tr("Rehearsing {name}", name=candidate.name))
    memory = stage.machine.memory.available_bytes.or_none()
    if memory is not None and IN_MEMORY * needed > memory:
        layers = len(chosen.large)
        raise EngineError(
            trn(
                "Even {n} of the layers of {name} takes {needed}, and {memory} of memory are free.",
                "Even {n} of the layers of {name} take {needed}, and {memory} of memory are free.",
                layers,
                n=layers, name=candidate.name, needed=size(IN_MEMORY * needed), memory=size(memory),
            ),
            tr("Close other programs, or choose a smaller model or a heavier quantisation."),
            {"reason": "no_memory", "needed_bytes": round(IN_MEMORY * needed), "free_bytes": memory},
        )
    words = tr("Writing a stand-in with random weights")
    pair = write_pair(plans, folder / "stand-in.gguf", cancel, lambda fraction: say.writing(fraction, words))
    return tuple(_Shown(pair, which, read_model(pair.show(which))) for which in range(len(plans)))


@dataclass(frozen=True, slots=True)
class _Shown:
    """One of the two stand-ins."""

    pair: Pair
    which: int
    facts: ModelFacts

    def show(self) -> ModelFacts:
        """Make the file this one."""
        self.pair.show(self.which)
        return self.facts


class _Progress:
    """How far all of it is, by the clock: the time that was given, or more where this machine will need it."""

    def __init__(self, listener: Listener, started_s: float, budget_s: float) -> None:
        self._listener = listener
        self._started_s = started_s
        self._budget_s = self._whole_s = budget_s
        self._fraction = 0.0

    def writing(self, fraction: float, words: str) -> None:
        """So much of the file is written; all further steps together take as long as was given them."""
        elapsed_s = time.monotonic() - self._started_s
        if fraction > _TELLING:
            self._whole_s = max(self._budget_s, elapsed_s / fraction / _WRITING_SHARE)
        self.say(words)

    def expect(self, left_s: float) -> None:
        """What is left will take so long, at least; said in a sentence where that is much more than was given."""
        before_s = self._whole_s
        self._whole_s = max(self._budget_s, time.monotonic() - self._started_s + left_s)
        if self._whole_s > _MUCH_LONGER * self._budget_s and before_s <= _MUCH_LONGER * self._budget_s:
            self._listener(
                Remark(
                    tr("This will take about {time} in all: the model is heavy for this machine.",
                       time=seconds(round(self._whole_s))),
                    tr("Stop it, or choose a smaller model or a heavier quantisation."),
                )
            )  # fmt: skip

    def say(self, words: str) -> None:
        """What is happening now."""
        elapsed_s = time.monotonic() - self._started_s
        self._fraction = max(self._fraction, min(elapsed_s / max(self._whole_s, 1e-9), ALMOST))
        self._listener(Progress(self._fraction, words, max(0.0, self._whole_s - elapsed_s)))

    def pass_on(self, event: Event) -> None:
        """What the engine's run says; its own fraction is that of one stand-in's turn."""
        if isinstance(event, Progress):
            self.say(event.phase)
        elif not isinstance(event, TestFinished):  # a stand-in's own figures are nobody's
            self._listener(event)

    def pass_on_of_pilot(self, event: Event) -> None:
        """The same; what a pilot has no time for is no loss."""
        if not isinstance(event, TestLeftOut):
            self.pass_on(event)


Round = tuple[tuple[TestResult, ...], ...]
"""One round's results of each stand-in, the larger one last."""


@dataclass(frozen=True, slots=True)
class _Turns:
    """The stand-ins measured by turns at one placement."""

    pair: tuple[_Shown, ...]
    stage: Stage
    placement: Placement
    workload: Workload
    say: _Progress
    cancel: CancelToken
    started_s: float
    parts: int
    """Placements still to be measured, this one included."""

    def run(self) -> list[Round]:
        """As many rounds as the time allows, at least one."""
        begun_s = time.monotonic()
        budget_s = (self.stage.budget_s - (begun_s - self.started_s)) / self.parts
        costs = self._costs()
        both = {phase: sum(cost[phase] for cost in costs) for phase in Phase}
        left_s = budget_s - (time.monotonic() - begun_s)
        what = planning.sizes(
            both[Phase.PREFILL], both[Phase.DECODE], max(left_s, 1.0), self.workload.deepest_tokens, self.workload.users
        )
        plans = [
            planning.round_plan(self.stage.machine, each.facts, what, cost[Phase.PREFILL], cost[Phase.DECODE])
            for each, cost in zip(self.pair, costs, strict=True)
        ]
        self.say.expect(sum(plan.predicted_s for plan in plans) * self.parts)
        rounds: list[Round] = []
        longest_s = 0.0
        while len(rounds) < MAX_ROUNDS:
            round_s = time.monotonic()
            if rounds and round_s - begun_s + longest_s > budget_s:
                break
            # the other one first in each, so that a machine that slows down favours neither
            order = list(range(len(plans)))[:: -1 if len(rounds) % 2 else 1]
            held = {index: self._measure(self.pair[index], plans[index], self.say.pass_on) for index in order}
            rounds.append(tuple(tuple(map(planning.settled, held[index])) for index in sorted(held)))
            longest_s = max(longest_s, time.monotonic() - round_s)
        return rounds

    def _costs(self) -> list[dict[Phase, float]]:
        """Seconds per token of each stand-in, from a few tokens of the smaller one."""
        small, large = self.pair[0], self.pair[-1]
        pilot = self._measure(small, planning.pilot(self.stage.machine, small.facts), self.say.pass_on_of_pilot)
        paid = {test.phase: min(test.samples_s) / test.tokens for test in pilot}  # of prompts, the longer one's
        less, more = _traffic(small.facts), _traffic(large.facts)
        grown = {
            Phase.PREFILL: more.block_elements / less.block_elements,
            Phase.DECODE: more.step_bytes() / less.step_bytes(),
        }
        return [paid, {phase: paid[phase] * grown[phase] for phase in Phase}][2 - len(self.pair) :]

    def _measure(self, shown: _Shown, plan: Plan, hear: Listener) -> tuple[TestResult, ...]:
        possible = tuple(test for test in plan.tests if test.essential or not self.stage.runner.why_not(test.spec))
        plan = replace(plan, tests=possible)
        measured = Measuring(
            self.stage.runner, self.stage.safe_modes, shown.show(), self.stage.machine, self.stage.engine,
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
    pair: tuple[_Shown, ...],
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
        scratch_bytes=pair[-1].facts.file_bytes,
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
