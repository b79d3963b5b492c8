"""An invented pipeline: the real one's methods and events with frozen figures, at any pace, held at any stage."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from advisor.benchmarks.engines.counting import Counted
from advisor.benchmarks.engines.engine import Measured
from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import EngineFacts, LiveReading, Phase, RealUse, Sweep, TestResult
from advisor.benchmarks.stutter.model import NOT_MEASURED, Stutter
from advisor.benchmarks.trials.model import Trial
from advisor.ceilings.model import Ceilings
from advisor.comparison.trend import Change
from advisor.core.errors import BadFile, Cancelled
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.progress import CancelToken, Progress
from advisor.diagnosis.model import Workload
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.hardware.probes.load import LoadWindow
from advisor.recommendations.ledger import NO_LEDGER, Ledger
from advisor.recommendations.model import Advice
from advisor.report.document import Document
from advisor.session.events import CeilingsMeasured, Listener, TestFinished
from advisor.session.pipeline import Asked, BenchSettings, Given
from advisor.session.stuttering import Question
from tests.support import documents
from tests.support.stutters import stutter
from tests.support.trials import pair, threads_trial, trial

STAGES = ("machine", "engine", "self-test", "open", "ceilings", "load", "prefill", "decode", "trial", "stutter")
NO_ENGINE = Unknown("llama_cpp is not installed; get it with: pip install llama-cpp-python", Missing.TOOL_MISSING)
LIVE_STEPS = 4
LIMIT_S = 20.0


@dataclass
class Gate:
    """A stage at which the pipeline waits; ``arrived`` tells that it is there, ``open`` lets it go on."""

    arrived: threading.Event = field(default_factory=threading.Event)
    open: threading.Event = field(default_factory=threading.Event)


class FakePipeline:
    """Answers from ``tests.support.documents``.

    Args:
        step_s: seconds between two live readings; 0 runs as fast as the threads do.
        hold: stages to wait at until ``release`` or a cancel.
        engine: what the engine says it is.
        checked: the same after its self-test; None when that changes nothing.
        failure: stage -> error raised there.
        deaf_s: seconds for which a cancel is not noticed, for closing against a slow child.
    """

    def __init__(
        self, step_s: float = 0.0, hold: tuple[str, ...] = (), engine: Fact[EngineFacts] | None = None,
        failure: dict[str, Exception] | None = None, deaf_s: float = 0.0, checked: Fact[EngineFacts] | None = None,
    ) -> None:
        self.gates = {stage: Gate() for stage in hold}
        self.engine = engine if engine is not None else documents.engine()
        self.checked = checked
        self.failure = failure or {}
        self.calls: list[str] = []
        self.given: Given | None = None
        self.settings: BenchSettings | None = None
        self.placements: dict[str, Placement] = {}
        """Where each stage was told to put the model."""
        self.depth: int | None = None
        self.ratio = 0.5
        self.draft: Path | None = None
        self._step_s = step_s
        self._deaf_s = deaf_s

    def arrived(self, stage: str) -> bool:
        """Whether a held stage was reached."""
        return self.gates[stage].arrived.is_set()

    def release(self, stage: str) -> None:
        """Let a held stage go on, now and later."""
        self.gates[stage].open.set()

    def read_machine(self, window: LoadWindow | None = None) -> Machine:
        self._enter("machine", CancelToken())
        return documents.machine()

    def read_engine(self, cancel: CancelToken, placement: Placement = OWN_CHOICE) -> Fact[EngineFacts]:
        self.placements["engine"] = placement
        self._enter("engine", cancel)
        return self.engine

    def check_engine(
        self, engine: Fact[EngineFacts], machine: Machine, cancel: CancelToken, *, placement: Placement = OWN_CHOICE
    ) -> Fact[EngineFacts]:
        self.placements["self-test"] = placement
        self._enter("self-test", cancel)
        return self.checked or engine

    def read_model(self, path: Path) -> ModelFacts:
        self._enter("open", CancelToken())
        if "bad" in path.name:
            raise BadFile(f"{path.name} is not a GGUF model.", "It looks like a web page: download it again.")
        return replace(documents.model(), path=path)

    def measure_ceilings(
        self, model: ModelFacts, machine: Machine, listener: Listener, cancel: CancelToken,
        engine: Fact[EngineFacts] | None = None,
        *,
        placement: Placement = OWN_CHOICE,
    ) -> Ceilings:
        self.placements["ceilings"] = placement
        listener(Progress(0.1, "Measuring how fast this machine reads and computes", 3.0))
        self._enter("ceilings", cancel)
        found = documents.ceilings()
        listener(CeilingsMeasured(found))
        return found

    def count_tokens(self, model: Path, text: Path, cancel: CancelToken) -> Counted:
        self._enter("count", cancel)
        return Counted(text.name, 12_345, 50_000, 0.02)

    def diagnose(
        self, path: Path, workload: Workload, settings: BenchSettings, listener: Listener, cancel: CancelToken,
        given: Given | None = None,
    ) -> Document:
        self.given, self.settings = given, settings
        self.placements["diagnose"] = settings.placement
        tests: list[TestResult] = []
        interrupted = ""
        try:
            listener(Progress(0.02, "Loading the model", 60.0))
            self._enter("load", cancel)
            for phase, result, start in (
                (Phase.PREFILL, documents.prefill_test(), 0.1), (Phase.DECODE, documents.decode_test(), 0.5),
            ):
                self._measure(phase, result, start, listener, cancel, tests)
        except Cancelled as stopped:
            interrupted = str(stopped)
        known = given.ceilings if given is not None else None
        document = answer(
            documents.machine(), self.engine, replace(documents.model(), path=path),
            Known(known or documents.ceilings(), Basis.COMPUTED, "probes"), tuple(tests), workload,
            documents.CREATED_AT, interrupted,
        )
        listener(Progress(1.0, "Done", 0.0))
        return document

    def measure_batch(
        self,
        model: ModelFacts,
        engine: Fact[EngineFacts],
        listener: Listener,
        cancel: CancelToken,
        settings: BenchSettings | None = None,
        depth: int = 0,
    ) -> Measured:
        self.depth = depth
        self.placements["streams"] = settings.placement if settings else OWN_CHOICE
        tests: list[TestResult] = []
        rows = [test for test in documents.curve_tests() if test.sweep is Sweep.BATCH]
        try:
            for row in (documents.prefill_test(), documents.decode_test(), *rows):
                row = replace(row, n_depth=depth) if row.phase is Phase.DECODE else row
                listener(Progress(0.1, "Streams", 30.0))
                self._enter(f"streams {row.n_streams}", cancel)
                tests.append(row)
                listener(TestFinished(row))
        except Cancelled as stopped:
            return Measured(tuple(tests), stopped, False, None)
        return Measured(tuple(tests), None, False, None)

    def stutter(
        self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], question: Question,
        settings: BenchSettings, placement: Placement, listener: Listener, cancel: CancelToken,
        ceilings: Fact[Ceilings] | None = None,
    ) -> Stutter:
        self.placements["stutter"] = placement
        self._enter("stutter", cancel)
        return stutter()

    def try_advice(
        self,
        document: Document,
        advice_id: str,
        listener: Listener,
        cancel: CancelToken,
        asked: Asked | None = None,
        *,
        draft: Path | None = None,
    ) -> Document:
        self.draft = draft
        self.placements["trial"] = asked.placement if asked else OWN_CHOICE
        listener(Progress(0.1, "Round 1 of 5, 12 threads", 30.0))
        self._enter("trial", cancel)
        made = trial(pair(self.ratio), advice=advice_id)
        return answer(
            document.machine, document.engine, document.model, document.ceilings, document.tests, document.workload,
            document.created_at, trials=(*document.trials, made),
        )  # fmt: skip

    def _measure(
        self, phase: Phase, result: TestResult, start: float, listener: Listener, cancel: CancelToken,
        tests: list[TestResult],
    ) -> None:
        speeds = result.samples_tokens_per_s
        runs = len(speeds)
        listener(LiveReading(phase, 0, runs, speeds[0] * 0.9, final=False))
        for i, speed in enumerate(speeds, start=1):
            for step in range(1, LIVE_STEPS + 1):
                cancel.raise_if_cancelled()
                fraction = start + 0.4 * (i - 1 + step / LIVE_STEPS) / runs
                listener(Progress(fraction, f"{phase.capitalize()}, repetition {i} of {runs}", 60 * (1 - fraction)))
                listener(LiveReading(phase, i, runs, speed * (0.97 + 0.01 * step), final=False))
                if self._step_s:
                    cancel.wait(self._step_s)
            listener(LiveReading(phase, i, runs, speed, final=True))
            if i == 3:
                try:
                    self._enter(phase, cancel)
                except Cancelled:
                    partial = replace(result, samples_s=result.samples_s[:i], complete=False)
                    tests.append(partial)
                    listener(TestFinished(partial))
                    raise
        tests.append(result)
        listener(TestFinished(result))

    def _enter(self, stage: str, cancel: CancelToken) -> None:
        self.calls.append(str(stage))
        if stage in self.failure:
            raise self.failure[stage]
        gate = self.gates.get(stage)
        if gate is not None:
            gate.arrived.set()
            waited = 0.0
            while not gate.open.wait(0.01) and waited < LIMIT_S:
                waited += 0.01
                if cancel.cancelled:
                    break
            if cancel.cancelled and self._deaf_s:
                gate.open.wait(self._deaf_s)
        cancel.raise_if_cancelled()


def answer(
    machine: Machine, engine: Fact[EngineFacts], model: ModelFacts, ceilings: Fact[Ceilings],
    tests: tuple[TestResult, ...], workload: Workload, created_at: str, interrupted: str = "",
    left_out: tuple[str, ...] = (), real_use: Fact[RealUse] | None = None, load_s: Fact[float] | None = None,
    trials: tuple[Trial, ...] = (), ledger: Ledger = NO_LEDGER, stutter: Fact[Stutter] = NOT_MEASURED,
    changes: tuple[Change, ...] = (),
) -> Document:
    """The document of the pictures as far as the tests go; its seconds scale with the workload."""
    done = documents.complete_document()
    both = {test.phase for test in tests} == {Phase.PREFILL, Phase.DECODE}
    not_yet = Unknown("both phases must be measured first", Missing.NOT_YET)
    wait_s, stream_s = workload.prompt_tokens / 41.3, workload.answer_tokens / 11.6
    timeline = replace(documents.timeline(), wait_s=wait_s, stream_s=stream_s, total_s=wait_s + stream_s)
    return replace(
        done, machine=machine, engine=engine, model=model, ceilings=ceilings, tests=tests, workload=workload,
        created_at=created_at, interrupted=interrupted, left_out=left_out, stutter=stutter,
        timeline=Known(timeline, Basis.COMPUTED, "measured speeds") if both else not_yet,
        verdict=done.verdict if both else not_yet,
        advice=tuple(_tried(one, trials, wait_s) for one in done.advice) if both else (),
        wont_help=done.wont_help if both else (), trials=trials, ledger=ledger, changes=changes,
    )  # fmt: skip


def _tried(advice: Advice, trials: tuple[Trial, ...], wait_s: float) -> Advice:
    """The first advice can be tried; its trial gives it other figures."""
    if advice.id != "shorten-prompt":
        return advice
    advice = replace(advice, trial=threads_trial())
    for made in trials:
        saved_s = wait_s * (1 - made.pairs[0].ratio)
        advice = replace(advice, tried=made, basis=Basis.MEASURED, saved_s=saved_s, saved_s_low=saved_s - 1,
                         saved_s_high=saved_s + 1)
    return advice


def write_nothing(document: Document, path: Path) -> None:
    """An exporter that writes one line."""
    path.write_text(document.model.name, encoding="utf-8")


Exporter = Callable[[Document, Path], None]
