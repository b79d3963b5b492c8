"""Stages in order, with progress, cancel and partial results."""

import logging
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from advisor.benchmarks.conditions import noted
from advisor.benchmarks.engines.counting import Counted, count_tokens
from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Engine, Measured
from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import (
    NO_REAL_USE,
    NOT_LOADED,
    EngineFacts,
    EngineMode,
    Phase,
    RealUse,
    Sweep,
    TestResult,
)
from advisor.benchmarks.planning import BenchSettings, Plan, Purpose, make_plan, sweep_plan, threads
from advisor.benchmarks.probing import weights_device
from advisor.benchmarks.safe_mode import SafeModes, cpu_key
from advisor.benchmarks.sharing import free_bytes
from advisor.benchmarks.stutter.model import Stutter
from advisor.benchmarks.trials.model import Trial
from advisor.ceilings.model import Ceilings
from advisor.core.errors import AdvisorError, BadFile, Cancelled, EngineError, EngineMissing, UsageError
from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.diagnosis.model import Workload
from advisor.diagnosis.workload import preset
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.hardware.detect import read_machine
from advisor.hardware.model import Machine
from advisor.hardware.probes.load import LoadWindow
from advisor.recommendations.ledger import Ledger
from advisor.rehearsal.model import BUDGET_S, Rehearsal
from advisor.rehearsal.model import Candidate as RehearsalCandidate
from advisor.report.answering import answer, ceilings_fact, load_fact
from advisor.report.document import Document
from advisor.report.left_out import left_out_words
from advisor.report.wording import work_words
from advisor.session.cautions import check_threads, warn_of_others, warn_of_variables
from advisor.session.checking import Checking
from advisor.session.clock import RunClock, behind
from advisor.session.events import (
    EngineRead,
    Listener,
    MachineRead,
    ModelRead,
    Remark,
    TestLeftOut,
)
from advisor.session.experiments import Experiments
from advisor.session.measuring import Measuring
from advisor.session.past import Past
from advisor.session.paths import Paths, user_paths
from advisor.session.preparing import CEILINGS_S, Preparing
from advisor.session.probe_cache import ProbeCache
from advisor.session.recording import About, Recordings
from advisor.session.rehearsing import Stage, rehearse
from advisor.session.stuttering import Question, Setting, measure_stutter, spec_of
from advisor.session.trial_records import TrialRecords
from advisor.session.trials import Asked, Candidate, Trying
from advisor.session.turn import Turn

__all__ = ["Asked", "BenchSettings", "Candidate", "Given", "Pipeline", "answer", "purpose_of"]

log = logging.getLogger(__name__)

ENGINE_S = 0.3
DEFAULT_WORK = "rag"
"""The work that a run is kept with which was measured for none, as a command takes it that is told none."""


@dataclass(frozen=True, slots=True)
class Given:
    """What is known before a diagnosis and need not be found out again; None for what is not."""

    machine: Machine | None = None
    engine: Fact[EngineFacts] | None = None
    ceilings: Ceilings | None = None


class Pipeline:
    """Runs the stages; every method blocks and belongs on a worker thread. One pipeline may be shared by threads.

    ``read_engine``, ``check_engine``, ``measure_ceilings``, ``ceilings_or_reason`` and ``drafter`` are ``Preparing``'s;
    ``turn`` is ``Turn.taken``, which every method that measures takes by itself.

    Args:
        engine: what measures; None for the llama-cpp-python of this Python.
        paths: where remembered choices lie.
        wait: whether to wait while another program of ours measures; else both measure, and the stamp says so.
    """

    def __init__(self, engine: Engine | None = None, paths: Paths | None = None, wait: bool = True) -> None:
        self._engine = engine or EmbeddedEngine()
        self._paths = paths or user_paths()
        self._turn = Turn(self._paths.turn, wait)
        self._safe_modes = SafeModes(self._paths.safe_modes)
        self._probes = ProbeCache(self._paths.probes)
        self._recordings = Recordings(self._paths.results)
        self._trials = TrialRecords(self._paths.results)
        self._past = Past(self._paths.results)
        self._experiments = Experiments(self._paths.results)
        self.turn = self._turn.taken
        preparing = Preparing(self._engine, self._safe_modes, self._probes, self._turn)
        self.read_engine, self.check_engine = preparing.read_engine, preparing.check_engine
        self.measure_ceilings, self.ceilings_or_reason = preparing.measure_ceilings, preparing.ceilings_or_reason
        self.drafter = preparing.drafter

    def read_machine(self, window: LoadWindow | None = None) -> Machine:
        """Facts of this machine, about 0.2 s; less where a window on its load was opened before."""
        return read_machine(window=window)

    def read_model(self, path: Path) -> ModelFacts:
        """Facts of a model file. Raises BadFile."""
        return read_model(path)

    def count_tokens(self, model: Path, text: Path, cancel: CancelToken) -> Counted:
        """How many tokens a prompt file is to a model; any engine's model, counted by llama-cpp-python.

        Raises BadFile, EngineError, Cancelled.
        """
        launch = self._engine.launch if isinstance(self._engine, EmbeddedEngine) else None
        return count_tokens(model, text, cancel, launch)

    def bench(
        self,
        model: ModelFacts,
        machine: Machine,
        engine: Fact[EngineFacts],
        ceilings: Fact[Ceilings],
        settings: BenchSettings,
        listener: Listener,
        cancel: CancelToken,
        workload: Workload | None = None,
        about: About | None = None,
    ) -> Measured:
        """The planned tests, and why they are not complete. A crash at load or in prefill leads to safe mode.

        ``workload`` is what a plan with curves is for; without one the two phases are measured. ``about`` is what the
        run is kept with, made here where it is not given.
        """
        purpose = purpose_of(workload) if workload else None
        on_cpu = weights_device(engine, settings.placement, model.layers.or_none()) == "CPU"
        plan = make_plan(model, machine, ceilings, settings, purpose, on_cpu)
        words = work_words(workload) if workload else ""
        about = about or self._about(model, machine, engine, ceilings, workload)
        return self.run_plan(plan, model, machine, engine, settings, listener, cancel, words, about)

    def _about(
        self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], ceilings: Fact[Ceilings],
        workload: Workload | None,
    ) -> About:
        """What a run is kept with: its key, and the document before its first test."""
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        work = workload or preset(DEFAULT_WORK)
        return About(uuid4().hex, answer(machine, engine, model, ceilings, (), work, now))

    def run_plan(
        self,
        plan: Plan,
        model: ModelFacts,
        machine: Machine,
        engine: Fact[EngineFacts],
        settings: BenchSettings,
        listener: Listener,
        cancel: CancelToken,
        workload: str = "",
        about: About | None = None,
    ) -> Measured:
        """A plan made before, as ``bench``; each test is saved when it is measured: one run of the store."""
        about = about or self._about(model, machine, engine, ceilings_fact(None), None)
        with (
            self.turn(listener, cancel) as held,
            self._recordings.run(model, machine, engine, listener, workload, about) as recorder,
        ):
            plan = replace(plan, notes=(*plan.notes, *held.notes))
            now = self.read_machine() if held.waited else machine
            measured = self._run_plan(plan, model, now, engine, settings, recorder, cancel)
            recorder.finish(measured.tests, measured.error)
        return measured

    def measure_batch(
        self,
        model: ModelFacts,
        engine: Fact[EngineFacts],
        listener: Listener,
        cancel: CancelToken,
        settings: BenchSettings | None = None,
        depth: int = 0,
    ) -> Measured:
        """Both phases, then several streams together, each with ``depth`` tokens in its cache; as ``bench`` otherwise.

        ``settings`` say where the model goes; None for the engine's own choice.
        """
        settings, machine = settings or BenchSettings(), self.read_machine()
        device = weights_device(engine, settings.placement, model.layers.or_none())
        plan = sweep_plan(
            model, machine, ceilings_fact(None), settings, Sweep.BATCH, (depth,) if depth else (), device == "CPU",
            room_bytes=free_bytes(machine, engine, device),
        )  # fmt: skip
        return self.run_plan(plan, model, machine, engine, settings, listener, cancel)

    def _run_plan(
        self,
        plan: Plan,
        model: ModelFacts,
        machine: Machine,
        engine: Fact[EngineFacts],
        settings: BenchSettings,
        listener: Listener,
        cancel: CancelToken,
    ) -> Measured:
        if isinstance(engine, Unknown):
            kind = EngineMissing if engine.kind is Missing.TOOL_MISSING else EngineError
            return Measured((), kind(tr(engine.reason)), False, None)
        check_threads(machine, max(threads(machine, settings, phase) for phase in Phase), listener)
        warn_of_others(machine, listener)
        warn_of_variables(engine.value, listener)
        self.check_engine(engine, machine, cancel, listener, settings.placement)
        for spec, reason in plan.left_out:
            listener(TestLeftOut(spec, reason))
        plan = self._possible(plan, listener)
        measuring = Measuring(
            self._engine, self._safe_modes, model, machine, engine.value, plan, settings.placement, listener, cancel
        )
        return measuring.run()

    def _possible(self, plan: Plan, listener: Listener) -> Plan:
        """The plan without the tests that the engine cannot run; each reason is told."""
        reasons = {test: self._engine.why_not(test.spec) for test in plan.tests}
        for why in dict.fromkeys(filter(None, reasons.values())):
            names = ", ".join(test.spec.test for test, reason in reasons.items() if reason == why)
            listener(Remark(tr("Left out: {names}, because {why}.", names=names, why=why)))
        return replace(plan, tests=tuple(test for test in plan.tests if not reasons[test]))

    def diagnose(
        self,
        path: Path,
        workload: Workload,
        settings: BenchSettings,
        listener: Listener,
        cancel: CancelToken,
        given: Given | None = None,
    ) -> Document:
        """The whole job. A Stop or an engine failure gives a partial document, with ``interrupted`` saying why.

        Raises BadFile and UsageError only (before anything was measured), and Cancelled while another one measures.
        """
        with self.turn(listener, cancel):
            return self._diagnose(path, workload, settings, listener, cancel, given or Given())

    def _diagnose(
        self,
        path: Path,
        workload: Workload,
        settings: BenchSettings,
        listener: Listener,
        cancel: CancelToken,
        given: Given,
    ) -> Document:
        created_at = datetime.now().astimezone().isoformat(timespec="seconds")
        clock = RunClock(listener)
        clock.plan({"machine": 0.2, "engine": ENGINE_S, "ceilings": CEILINGS_S})
        clock.begin("machine", tr("Reading the model and the machine"))
        model = self.read_model(path)
        listener(ModelRead(model))
        if not model.has_decode:
            raise BadFile(
                tr("{name} cannot write text, so there is nothing to measure.", name=path.name),
                model.notes[0] if model.notes else tr("Choose a model that generates text."),
            )
        machine = given.machine or self.read_machine()
        listener(MachineRead(machine))
        engine, ceilings, interrupted = given.engine, ceilings_fact(given.ceilings), ""
        tests: tuple[TestResult, ...] = ()
        about: About | None = None
        left_out: list[TestLeftOut] = []
        real_use: Fact[RealUse] = NO_REAL_USE
        load_s: Fact[float] = NOT_LOADED
        try:
            if engine is None or isinstance(engine, Unknown):
                clock.begin("engine", tr("Asking the engine what it can do"))
                engine = self.read_engine(cancel, settings.placement)
                listener(EngineRead(engine))
            cancel.raise_if_cancelled()
            clock.begin("self-test", tr("Testing the engine"))
            unchecked, engine = engine, self.check_engine(engine, machine, cancel, placement=settings.placement)
            if engine != unchecked:
                listener(EngineRead(engine))
            cancel.raise_if_cancelled()
            if isinstance(ceilings, Unknown) or ceilings.value.disturbed:
                # Probes that were disturbed may be far too low; now may be a better moment.
                clock.begin("ceilings", tr("Measuring how fast this machine reads and computes"))
                fresh = self.ceilings_or_reason(model, machine, engine, listener, cancel, settings.placement)
                ceilings = fresh if isinstance(fresh, Known) or isinstance(ceilings, Unknown) else ceilings
            clock.done()
            hear = behind(clock, listener, left_out)
            about = self._about(model, machine, engine, ceilings, workload)
            measured = self.bench(model, machine, engine, ceilings, settings, hear, cancel, workload, about)
            tests, real_use, load_s = measured.tests, measured.real_use, load_fact(measured.load_s)
            if measured.error is not None:
                raise measured.error
        except UsageError:
            raise
        except AdvisorError as error:
            interrupted = str(error)
        if isinstance(ceilings, Known) and not cancel.cancelled:
            checking = Checking(
                self._engine, self._probes, model, machine, engine or Unknown(""), settings.placement, listener, cancel
            )
            ceilings = ceilings_fact(checking.against(checking.in_mode_of(ceilings.value, tests), tests))
        done = answer(
            machine,
            engine or Unknown(tr("not asked"), Missing.NOT_YET),
            model,
            ceilings,
            tests,
            workload,
            created_at,
            interrupted,
            left_out_words((event.spec, event.reason) for event in left_out),
            real_use,
            load_s,
            trials=self.earlier_trials(model, machine, engine or Unknown(""), tests),
            ledger=self.ledger(machine),
            changes=self._past.changes(model, machine, engine or Unknown(""), tests, about.key if about else ""),
            stutter=self.earlier_stutter(model, machine, engine or Unknown(""), tests),
        )
        if about is not None:
            self._recordings.complete(about.key, done)
        if not interrupted:
            clock.finish("Done")
        return done

    def stutter(
        self,
        model: ModelFacts,
        machine: Machine,
        engine: Fact[EngineFacts],
        question: Question,
        settings: BenchSettings,
        placement: Placement,
        listener: Listener,
        cancel: CancelToken,
        ceilings: Fact[Ceilings] | None = None,
    ) -> Stutter:
        """What running streams feel while a prompt arrives; the curves for its prediction are measured where needed.

        Raises:
            UsageError: the engine is another program, which takes no such task.
            EngineError, EngineMissing, Cancelled: before anything was measured.
        """
        if not isinstance(self._engine, EmbeddedEngine):
            raise UsageError(
                tr("The stutter experiment runs on llama-cpp-python alone."), tr("Choose it: two-machines engines")
            )
        if isinstance(engine, Unknown):
            raise (EngineMissing if engine.kind is Missing.TOOL_MISSING else EngineError)(tr(engine.reason))
        check_threads(machine, threads(machine, settings), listener)
        with self.turn(listener, cancel) as held:
            started_at = datetime.now().astimezone().isoformat(timespec="seconds")
            now = self.read_machine() if held.waited else machine
            found = self._stutter(
                self._engine.launch, model, now, engine, question, settings, placement, listener, cancel, ceilings
            )
        found = replace(found, conditions=noted(found.conditions, held.notes))
        code = "" if not found.interrupted else Cancelled.code if cancel.cancelled else EngineError.code
        self._experiments.keep_stutter(model, machine, engine, found, started_at, code, listener)
        return found

    def _stutter(
        self,
        launch: Launch,
        model: ModelFacts,
        machine: Machine,
        engine: Known[EngineFacts],
        question: Question,
        settings: BenchSettings,
        placement: Placement,
        listener: Listener,
        cancel: CancelToken,
        ceilings: Fact[Ceilings] | None,
    ) -> Stutter:
        warn_of_others(machine, listener)
        checked = self.check_engine(engine, machine, cancel, listener, placement)
        assert isinstance(checked, Known)
        engine = checked
        device = weights_device(engine, placement, model.layers.or_none())
        found = self._safe_modes.find(engine.value.build, cpu_key(machine.cpu), device)
        if ceilings is None or isinstance(ceilings, Unknown) or ceilings.value.disturbed:
            ceilings = self.ceilings_or_reason(model, machine, engine, listener, cancel, placement)
        cancel.raise_if_cancelled()
        setting = Setting(
            launch, engine.value, model, machine, found.mode if found else EngineMode.DEFAULT, device,
            placement,
        )  # fmt: skip
        return measure_stutter(
            question, spec_of(question, settings, machine), setting, ceilings, listener, cancel
        )

    def try_advice(
        self, document: Document, advice_id: str, listener: Listener, cancel: CancelToken, asked: Asked | None = None,
        *, draft: Path | None = None,
    ) -> Document:
        """The diagnosis with an experiment that tries one advice. Raises as ``Trying.run``; the diagnosis stays.

        ``draft`` is a small model that shall guess, read and measured first, as by ``drafter``.
        """
        with self.turn(listener, cancel) as held:
            machine = self.read_machine()
            warn_of_others(machine, listener)
            asked = replace(asked or Asked(), notes=held.notes)
            if draft is not None:
                drafter = self.drafter(document.model, draft, machine, document.engine, listener, cancel)
                asked = replace(asked, drafter=drafter)
            return self._trying(machine).run(document, advice_id, asked, listener, cancel)

    def can_be_tried(self, document: Document, asked: Asked | None = None) -> tuple[Candidate, ...]:
        """Every advice that ``try_advice`` takes."""
        return self._trying(document.machine).candidates(document, asked or Asked())

    def rehearse(
        self,
        candidate: RehearsalCandidate,
        workload: Workload,
        machine: Machine,
        engine: Fact[EngineFacts],
        listener: Listener,
        cancel: CancelToken,
        budget_s: float = BUDGET_S,
    ) -> Rehearsal:
        """How fast a model that is not here would be; nothing is left of its stand-ins, whatever happens.

        Raises AdvisorError, Cancelled.
        """
        if isinstance(engine, Unknown):
            raise (EngineMissing if engine.kind is Missing.TOOL_MISSING else EngineError)(tr(engine.reason))
        with self.turn(listener, cancel) as held:
            now = self.read_machine() if held.waited else machine
            warn_of_others(now, listener)
            self.check_engine(engine, now, cancel, listener, OWN_CHOICE)
            stage = Stage(
                self._engine, self._safe_modes, now, engine.value, self._paths.scratch, budget_s, held.notes
            )
            return rehearse(candidate, workload, stage, listener, cancel)

    @property
    def results(self) -> Path:
        """The file that everything measured is kept in."""
        return self._paths.results

    def earlier_trials(
        self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], tests: tuple[TestResult, ...]
    ) -> tuple[Trial, ...]:
        """What was tried here before with the same model and engine; it answers only what would be tried alike."""
        return self._trials.earlier(model, machine, engine, tests)

    def earlier_stutter(
        self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], tests: tuple[TestResult, ...]
    ) -> Fact[Stutter]:
        """The newest stutter experiment here with the same model, engine and settings."""
        return self._experiments.newest_stutter(model, machine, engine, tests)

    def ledger(self, machine: Machine) -> Ledger:
        """How predictions held on this machine so far."""
        return self._trials.ledger(machine)

    def _trying(self, machine: Machine) -> Trying:
        return Trying(self._engine, self._trials, machine, self._paths.scratch)

    def forget_safe_modes(self) -> bool:
        """Test every engine anew from now on; whether anything had been remembered."""
        return self._safe_modes.forget()


def purpose_of(workload: Workload) -> Purpose:
    """What a plan needs to know of a workload; of a chat its last turn, since that one reaches deepest."""
    return Purpose(workload.turn_prompt(workload.turns), workload.answer_tokens, workload.users)
