"""The stutter experiment from a question to its result: prediction first, then the child, in safe mode if need be."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from advisor.benchmarks import failures
from advisor.benchmarks.conditions import judge
from advisor.benchmarks.job import Placement, in_mode
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import Conditions, EngineFacts, EngineMode, Phase, TestSpec
from advisor.benchmarks.planning.settings import BenchSettings, threads
from advisor.benchmarks.stutter.model import CHUNKS, NOT_MEASURED, ChunkSize, Stutter
from advisor.benchmarks.stutter.run import STEADY_STEPS, StutterRun, request_of
from advisor.benchmarks.supervisor import Ending, Limits, run_child
from advisor.benchmarks.trials.model import LEAST_ROUNDS
from advisor.benchmarks.trials.rounds import BUDGET_S, ROUNDS, counted, worst
from advisor.benchmarks.trials.watching import Watch
from advisor.ceilings.mixed import Arrival, PredictedPauses, predict_pauses
from advisor.ceilings.model import Ceilings
from advisor.core.errors import AdvisorError, Cancelled
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.numbers import count
from advisor.core.progress import CancelToken
from advisor.core.translation import tr, trn
from advisor.diagnosis.model import Workload
from advisor.diagnosis.waterfall import unlike_run
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine, OtherLoad
from advisor.session.clock import RunClock
from advisor.session.events import Listener, Remark
from advisor.session.measuring import MAX_RESTARTS, may_be_the_points

STEP: Final = "stutter"
DEPTH: Final = 256
"""Tokens that every stream starts with unless told otherwise: what a short chat holds."""
STREAMS: Final = 4
LEAST_PROMPT: Final = 1024
MOST_PROMPT: Final = 4096
"""Twice what llama-server reads in one step: longer ones repeat the same pause and only take time."""
SILENT_S: Final = 120.0
LEAST_S: Final = 900.0
SLOWER: Final = 20.0
"""A child is given up when it takes this many times the predicted seconds, which may be far off."""

_QUIET: Final = OtherLoad(*(Unknown("judged by rounds", Missing.NOT_APPLICABLE),) * 3)


@dataclass(frozen=True, slots=True)
class Question:
    """What is to arrive, and how often.

    Attributes:
        prompt_tokens: of the prompt that arrives.
        streams: that decode meanwhile.
        chunks: sizes of the pieces; 0 for the whole prompt in one go.
        depth: tokens that every stream starts with.
        rounds: how many at most; fewer than ``LEAST_ROUNDS`` only where that is asked for.
        budget_s: seconds after which no further round is begun, once there are ``LEAST_ROUNDS``.
    """

    prompt_tokens: int
    streams: int
    chunks: tuple[int, ...]
    depth: int = DEPTH
    rounds: int = ROUNDS
    budget_s: float = BUDGET_S

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes as they can be run, smallest first: what is no smaller than the prompt reads it in one go."""
        return tuple(sorted({min(chunk or self.prompt_tokens, self.prompt_tokens) for chunk in self.chunks}))


def question_of(workload: Workload) -> Question:
    """The experiment for a workload: its prompt among the streams of the other people, four where it has one only."""
    prompt = max(LEAST_PROMPT, min(workload.prompt_tokens, MOST_PROMPT))
    return Question(prompt, workload.users - 1 if workload.users > 1 else STREAMS, (*CHUNKS, 0))


@dataclass(frozen=True, slots=True)
class Setting:
    """On what it is measured.

    Attributes:
        launch: starts our own worker.
        mode: the step of the safe-mode ladder to begin with.
        device: name of the device that will hold the weights.
        placement: where the model goes.
    """

    launch: Launch
    facts: EngineFacts
    model: ModelFacts
    machine: Machine
    mode: EngineMode
    device: str
    placement: Placement


def spec_of(question: Question, settings: BenchSettings, machine: Machine) -> TestSpec:
    """The experiment as a test: ``n_streams`` streams at ``n_depth``, then a prompt of ``n_prompt`` tokens."""
    return TestSpec(
        phase=Phase.PREFILL, n_prompt=question.prompt_tokens, n_gen=STEADY_STEPS, n_depth=question.depth,
        n_streams=question.streams, n_threads=threads(machine, settings), n_batch=settings.n_batch,
        n_ubatch=settings.n_ubatch, flash_attention=settings.flash_attention, kv_type=settings.kv_type,
    )  # fmt: skip


def predictions(
    sizes: Iterable[int], spec: TestSpec, setting: Setting, ceilings: Fact[Ceilings]
) -> dict[int, Fact[PredictedPauses]]:
    """What the curves say of each size; Unknown with the reason where they say nothing about this run."""
    arrival = Arrival(spec.n_prompt, spec.n_streams, spec.n_depth, spec.n_ubatch)
    if isinstance(ceilings, Unknown):
        return dict.fromkeys(sizes, ceilings)
    held = ceilings.value
    why = tr("the kernels were measured beside other load ({why})", why=held.disturbed) if held.disturbed else ""
    if not held.kernels:
        why = tr("the engine's kernels are not measured")
    why = why or unlike_run(spec, setting.device, setting.mode is not EngineMode.DEFAULT, held)
    if why:
        return dict.fromkeys(sizes, Unknown(why, Missing.NOT_APPLICABLE))
    return {size: predict_pauses(setting.model, held.kernels, arrival, size) for size in sizes}


def measure_stutter(
    question: Question, spec: TestSpec, setting: Setting, ceilings: Fact[Ceilings], listener: Listener,
    cancel: CancelToken,
) -> Stutter:
    """The experiment; stopped or failed after something was measured it is partial, with ``interrupted``.

    A size that ends the child is left out, and the others begin again in a fresh one.

    Raises:
        Cancelled: stopped before anything was measured.
        EngineError: the engine failed before anything was measured, in every mode.
    """
    crashed: dict[int, str] = {}
    earlier: StutterRun | None = None
    while True:
        spec = in_mode(spec, setting.mode)
        predicted = predictions(question.sizes, spec, setting, ceilings)
        run, error, is_fault = _once(question, spec, setting, predicted, listener, cancel)
        if error is None:
            break
        if len(crashed) < MAX_RESTARTS and _is_the_sizes(run, error, question):
            crashed[run.chunk] = error.sentence.rstrip(".")
            words = trn(
                "{error} Going on without pieces of {n}\u00a0token.",
                "{error} Going on without pieces of {n}\u00a0tokens.",
                run.chunk, error=error.sentence, n=count(run.chunk),
            )  # fmt: skip
            listener(Remark(words))
            question = replace(question, chunks=tuple(size for size in question.sizes if size != run.chunk))
            earlier = run if run.clocks else earlier
        elif not run.warm and is_fault and setting.mode is not EngineMode.ONE_THREAD:
            setting = replace(setting, mode=EngineMode(setting.mode + 1))
            listener(
                Remark(tr("{error} Trying again in safe mode.", error=error.sentence), tr("Figures carry that mark."))
            )
        else:
            break
    run = run if run.clocks or earlier is None else earlier
    stamps = run.finish()
    sizes = tuple(
        ChunkSize(chunk, tuple(run.clocks[chunk]), predicted.get(chunk, NOT_MEASURED)) for chunk in sorted(run.clocks)
    )
    left_out = tuple(
        trn(
            "Pieces of {n}\u00a0token were left out: {why}.", "Pieces of {n}\u00a0tokens were left out: {why}.",
            chunk, n=count(chunk), why=reason.rstrip("."),
        )
        for chunk, reason in sorted((run.left_out | crashed).items())
    )
    if not sizes:
        if error is None:
            error = AdvisorError(" ".join(left_out) or tr("Nothing was measured."), tr("Choose a shorter prompt."))
        raise error
    return Stutter(
        spec=spec, sizes=sizes, round_conditions=stamps, conditions=stamp_of(sizes, stamps, setting.machine),
        engine=f"{setting.facts.name} {setting.facts.version}", device=setting.device, mode=setting.mode,
        created_at=datetime.now().astimezone().isoformat(timespec="seconds"), left_out=left_out,
        interrupted=_interrupted(error, run, question),
    )  # fmt: skip


def _is_the_sizes(run: StutterRun, error: AdvisorError, question: Question) -> bool:
    """Whether an end may come from the very size that ran, and too little was measured to leave it at that."""
    known = run.warm and run.chunk > 0 and len(question.sizes) > 1
    return known and run.rounds < min(LEAST_ROUNDS, question.rounds) and may_be_the_points(error)


def stamp_of(sizes: tuple[ChunkSize, ...], stamps: tuple[Conditions, ...], machine: Machine) -> Conditions:
    """The worst of the rounds that count, and of how far they differ in the time that a prompt took."""
    good = counted(stamps)
    ways = [[clock.first_token_s for clock in size.clocks if clock.round in good] for size in sizes]
    differ = [judge(samples_s, _QUIET, machine.power) for samples_s in ways if samples_s]
    return worst([*(stamps[number] for number in good if number < len(stamps)), *differ])


def _once(
    question: Question, spec: TestSpec, setting: Setting, predicted: dict[int, Fact[PredictedPauses]],
    listener: Listener, cancel: CancelToken,
) -> tuple[StutterRun, AdvisorError | None, bool]:
    """One child; how it went wrong, and whether the engine's own code is to blame."""
    known = [fact.or_none() for fact in predicted.values()]
    each_s = [found.first_token_s for found in known if found is not None]
    takes_s = question.rounds * sum(each_s) if each_s else question.budget_s
    clock = RunClock(listener)
    clock.plan({STEP: takes_s})
    run = StutterRun(Watch(clock.say), setting.machine.power)
    clock.begin(STEP, tr("Loading the model"))
    request = request_of(
        setting.model.engine_file, spec, question.sizes, setting.mode, setting.placement, question.rounds,
        min(LEAST_ROUNDS, question.rounds), question.budget_s,
    )  # fmt: skip
    silent_s = max(each_s, default=0.0)
    limits = Limits(max(SILENT_S, SLOWER * silent_s), max(LEAST_S, SLOWER * takes_s))
    outcome = run_child(request, setting.launch, limits, run.take, cancel)
    if outcome.ending is Ending.DONE:
        clock.finish(tr("Measured"))
        return run, None, False
    return run, failures.explain(outcome, run.stage), failures.is_engine_fault(outcome)


def _interrupted(error: AdvisorError | None, run: StutterRun, question: Question) -> str:
    if error is None:
        return ""
    n, most = run.rounds, question.rounds
    if isinstance(error, Cancelled):
        return trn(
            "Stopped after {n}\u00a0whole round of {most}.", "Stopped after {n}\u00a0whole rounds of {most}.",
            n, n=count(n), most=most,
        )  # fmt: skip
    return trn(
        "Ended after {n}\u00a0whole round of {most}: {error}", "Ended after {n}\u00a0whole rounds of {most}: {error}",
        n, n=count(n), most=most, error=error.sentence,
    )  # fmt: skip
