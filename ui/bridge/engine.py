"""The only door to the engine: asks the pipeline on worker threads and answers with signals of frozen values."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from advisor.benchmarks.model import EngineFacts, LiveReading, PlanKind
from advisor.benchmarks.stutter.model import Stutter
from advisor.ceilings.model import CEILINGS_SOURCE, Ceilings
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import sentence
from advisor.core.progress import Progress
from advisor.core.translation import language, marked, tr
from advisor.diagnosis.model import Workload
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.document import Document
from advisor.report.server_words import failure_words
from advisor.servers.advice import ServerVerdict
from advisor.servers.model import ServerResult, ServerSettings
from advisor.session.events import CeilingsMeasured, EngineRead, MachineRead, ModelRead, Remark, TestFinished
from ui.bridge.activity import MEASURING, Activity, activity_of
from ui.bridge.doors import Doors
from ui.bridge.engines import EngineChoice
from ui.bridge.held import Held
from ui.bridge.jobs import Done, Ended, Failed, JobEvent, Jobs
from ui.bridge.live import LiveFeed
from ui.bridge.notices import Notice, NoticeCentre, Severity
from ui.bridge.telling import Telling
from ui.bridge.work import PipelineWork

if TYPE_CHECKING:
    from advisor.benchmarks.engines.engine import Measured
    from ui.bridge.work import Lent

log = logging.getLogger(__name__)

CLOSE_LIMIT_MS: Final = 2500
"""Longest time that closing waits for jobs; a child is ended within a second of being asked."""

CLOSE_POLL_MS: Final = 20

NO_ENGINE: Final = marked("No engine was found, so nothing can be measured; machine and model are shown all the same.")

STREAMS: Final = marked("streams and a prompt that arrived")
NOT_YET: Final = Unknown(marked("not measured yet"), Missing.NOT_YET)


class Engine(QObject):
    """Machine, model, ceilings, benchmark and export for one window.

    Lives on the main thread; every signal is emitted there and carries one frozen value.
    """

    machine_read = Signal(object)
    placed = Signal(object)
    engine_read = Signal(object)
    model_read = Signal(object)
    ceilings_measured = Signal(object)
    benchmark_started = Signal()
    trial_started = Signal(str)
    streams_started = Signal()
    server_started = Signal(object)
    server_known = Signal(object)
    reading = Signal(object)
    progress = Signal(object)
    test_finished = Signal(object)
    answered = Signal(object)
    activity_changed = Signal(object)
    exported = Signal(object)
    prompt_counted = Signal(object)
    lent = Signal(object)
    closed = Signal()

    def __init__(self, doors: Doors, notices: NoticeCentre, workload: Workload, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._doors = doors
        self._notices = notices
        self._workload = workload
        self._machine: Machine | None = None
        self._engine: Fact[EngineFacts] = NOT_YET
        self._model: ModelFacts | None = None
        self._ceilings: Ceilings | None = None
        self._held = Held()
        self._plan = PlanKind.QUICK
        self._document: Document | None = None
        self._said_in, self._telling = language(), Telling()
        self._want_ceilings = False
        self._want_benchmark = False
        self._activity = Activity.IDLE
        self._closing = False
        self._jobs = Jobs(self)
        self._jobs.sent.connect(self._on_event)
        self._jobs.ended.connect(self._on_ended)
        self._feed = LiveFeed(self)
        self._feed.flushed.connect(self._on_flushed)
        self._work = PipelineWork(doors, self._feed)
        self._close_clock = QElapsedTimer()
        self._close_timer = QTimer(self)
        self._close_timer.setInterval(CLOSE_POLL_MS)
        self._close_timer.timeout.connect(self._look_whether_closed)

    # ---- what the window asks for

    @property
    def document(self) -> Document | None:
        """The newest answer, None before the first."""
        return self._document

    @property
    def activity(self) -> Activity:
        """What goes on now."""
        return self._activity

    @property
    def busy(self) -> bool:
        """Whether anything runs that closing must end first."""
        return self._jobs.busy

    @property
    def has_model(self) -> bool:
        """Whether a model is open or just being read."""
        return self._model is not None or bool(self._jobs.running("file"))

    def read_machine(self) -> None:
        """Read the machine, ask the engine what it is, and test it where that was not done before."""
        self._jobs.start("machine", "machine", self._work.machine())

    def use_engine(self, choice: EngineChoice) -> None:
        """Measure with that engine from now on: its facts, self-test and the ceilings are found out anew."""
        if not self._work.use_engine(choice.found, choice.placement):
            return
        self.placed.emit(choice.placement)
        self._want_ceilings = self._want_benchmark = False  # wanted of the old engine
        self._jobs.abandon("machine")
        self._engine = NOT_YET
        self.engine_read.emit(NOT_YET)
        self.read_machine()
        if self._model is not None:
            self._set_model(self._model)
        self._settle()

    def open_model(self, path: Path) -> None:
        """Read a model's header; its facts replace the old model's, a bad file leaves the old one in place."""
        self._jobs.start("file", "open", self._work.model(path))
        self._settle()

    def show_past(self, document: Document) -> None:
        """Hold a document that was measured some other time or elsewhere: from then on nothing is measured here."""
        self._workload = document.workload
        self._machine, self._engine, self._model = document.machine, document.engine, document.model
        self._ceilings = document.ceilings.or_none()
        self._held = replace(Held().after(document), stutter=document.stutter)
        self._document, self._said_in = document, language()
        self._set_activity(Activity.PAST)
        self.machine_read.emit(document.machine)
        self.engine_read.emit(document.engine)
        self.model_read.emit(document.model)
        if self._ceilings is not None:
            self.ceilings_measured.emit(self._ceilings)
        self.answered.emit(document)

    def open_sample(self) -> None:
        """Assemble the sample model where it is installed, and open it."""
        work = self._work.sample()
        if work is not None:
            self._jobs.start("file", "open", work)
            self._settle()

    def count_prompt(self, path: Path) -> None:
        """Count a text file's tokens as the open model would read them."""
        model = self._model
        if model is not None:
            self._jobs.start("file", "count", self._work.count(model, path))
            self._settle()

    @property
    def plan(self) -> PlanKind:
        """How much the next benchmark measures."""
        return self._plan

    def set_plan(self, plan: PlanKind) -> None:
        """Measure that much from the next benchmark on."""
        self._plan = plan

    def benchmark(self) -> None:
        """Measure what the plan holds; while the ceilings are being measured this waits for them."""
        if self._model is not None and self._activity not in MEASURING:
            self._want_benchmark = True
            self._settle()

    def try_advice(self, advice: str, draft: Path | None = None) -> None:
        """Measure one advice of the newest answer before and after; nothing while anything else is measured.

        ``draft`` is a small model that the user has picked to guess for speculation.
        """
        document = self._document
        if document is None or self._activity is not Activity.IDLE:
            return
        self._jobs.start("model", "trial", self._work.trial(document, advice, draft))
        self.trial_started.emit(advice)
        self._settle()

    def measure_streams(self, depth: int = 0) -> None:
        """Measure the batch curve of the open model, every stream's cache filled so far; nothing while not at rest."""
        model, engine = self._model, self._engine
        if model is None or not model.has_decode or self._activity is not Activity.IDLE:
            return
        self._jobs.start("model", "curve", self._work.streams(model, engine, depth))
        self.streams_started.emit()
        self._settle()

    def measure_stutter(self) -> None:
        """Let a prompt of the workload arrive among its streams; nothing while anything else is measured."""
        model, workload, known = self._model, self._workload, self._engine
        if model is None or self._activity is not Activity.IDLE or isinstance(known, Unknown):
            return
        found = None if self._ceilings is None else Known(self._ceilings, Basis.COMPUTED, CEILINGS_SOURCE)
        self._jobs.start("model", "stutter", self._work.stutter(model, workload, known, found))
        self._settle()

    def measure_server(self, settings: ServerSettings) -> None:
        """Measure a running server; nothing while anything else is measured."""
        work = self._work.server(settings)
        if work is None or self._activity is not Activity.IDLE:
            return
        self._jobs.start("model", "server", work)
        self.server_started.emit(settings)
        self._settle()

    def lend(self, make: "Lent") -> bool:
        """Let another page measure in this lane, ``lent`` carries what it returns; False while anything is measured."""
        if self._activity is not Activity.IDLE:
            return False
        self._jobs.start("model", "lent", self._work.lent(make))
        self._settle()
        return True

    def save_server(
        self, result: ServerResult, settings: ServerSettings, verdict: ServerVerdict, path: Path, kind: str
    ) -> None:
        """Write what was measured of a server as ``json`` or ``txt``."""
        work = self._work.save_server(result, settings, verdict, path, kind)
        if work is not None:
            self._jobs.start("export", "export", work)

    def stop(self) -> None:
        """End what runs; what was measured stays."""
        self._want_ceilings = self._want_benchmark = False
        running = self._jobs.cancel("model")
        running = self._jobs.cancel("file") or running
        if running:
            self._set_activity(Activity.STOPPING)

    def set_workload(self, workload: Workload) -> None:
        """Answer anew for this work; quick, no measuring."""
        if workload != self._workload:
            self._workload = workload
            self._answer()

    def say_anew(self) -> None:
        """Say it all in the user's language where that was changed; not while new figures are on their way."""
        if self._said_in != language() and self._jobs.running("model") not in ("benchmark", "curve"):
            self._retell()
            if self._document:
                self.answered.emit(self._document)

    def export(self, path: Path, kind: str) -> None:
        """Write the newest answer as ``pdf``, ``html``, ``md``, ``csv`` or ``json``."""
        if self._document is not None:
            self._jobs.start("export", "export", self._work.export(self._document, path, kind))

    def shut_down(self) -> None:
        """Cancel everything; ``closed`` follows when the threads are gone or after ``CLOSE_LIMIT_MS``."""
        if self._closing:
            return
        self._closing = True
        self._want_ceilings = self._want_benchmark = False
        self._jobs.cancel_all()
        self._set_activity(Activity.CLOSING)
        self._close_clock.start()
        self._close_timer.start()

    def join(self, timeout_s: float) -> bool:
        """Last resort after the event loop has ended: cancel and wait without events; True when all is gone."""
        self._close_timer.stop()
        return self._jobs.end(timeout_s)

    # ---- starting

    def _start_ceilings(self, model: ModelFacts, machine: Machine) -> None:
        self._want_ceilings = False
        self._jobs.start("model", "ceilings", self._work.ceilings(model, machine, self._engine))

    def _start_benchmark(self, model: ModelFacts) -> None:
        self._want_benchmark = self._want_ceilings = False
        work = self._work.benchmark(model, self._workload, self._plan, self._engine, self._ceilings)
        self._jobs.start("model", "benchmark", work)
        self.benchmark_started.emit()

    # ---- what comes back, on the main thread

    def _on_flushed(self, events: tuple[object, ...]) -> None:
        for event in events:
            if isinstance(event, LiveReading):
                self.reading.emit(event)
            elif isinstance(event, ServerResult):
                self.server_known.emit(event)
            elif isinstance(event, Progress):
                self.progress.emit(event)

    def _on_event(self, message: JobEvent) -> None:
        event = message.event
        if not isinstance(event, (MachineRead, EngineRead, ModelRead)):
            self._feed.flush()  # what was seen before an event is shown before it
        match event:
            case MachineRead():
                self._machine = event.machine
                self.machine_read.emit(event.machine)
                self._settle()
            case EngineRead():
                self._set_engine(event.engine)
            case CeilingsMeasured():
                self._set_ceilings(event.ceilings)
            case TestFinished():
                self.test_finished.emit(event.result)
            case Remark() if event.sentence:
                self._notices.post(Notice(Severity.WARNING, event.sentence, event.hint))
            case _:
                log.debug("unused event %s", event)

    def _on_ended(self, ending: Done | Failed | Ended) -> None:
        if isinstance(ending, Failed):
            self._notices.post_error(ending.error)
        elif isinstance(ending, Done):
            self._on_done(ending)
        elif ending.kind in ("ceilings", "benchmark", "trial", "stutter", "curve", "server", "lent"):
            self._feed.clear()
        self._settle()

    def _on_done(self, ending: Done) -> None:
        value = ending.value
        if ending.kind == "lent":
            self._feed.flush()
            self.lent.emit(value)
        elif isinstance(value, EngineRead):
            self._set_engine(value.engine)
        elif isinstance(value, ModelFacts):
            self._set_model(value)
        elif isinstance(value, Ceilings):
            self._set_ceilings(value)
            self._answer()
        elif isinstance(value, Document):
            self._feed.flush()
            self._set_document(value)
        elif ending.kind == "curve":
            from advisor.benchmarks.engines.engine import Measured  # whole engines, which the window starts without

            assert isinstance(value, Measured)
            self._feed.flush()
            self._take_streams(value)
        elif isinstance(value, Stutter):
            self._feed.flush()
            self._held = replace(self._held, stutter=Known(value, Basis.MEASURED, STREAMS))
            if value.interrupted:
                self._notices.post(Notice(Severity.WARNING, value.interrupted))
            self._answer()
        elif isinstance(value, ServerResult):
            self._feed.flush()
            self._take_server(value)
        elif isinstance(value, Path):
            self.exported.emit(value)
        elif ending.kind == "count":
            self.prompt_counted.emit(value)

    def _set_engine(self, engine: Fact[EngineFacts]) -> None:
        if engine == self._engine:
            return
        self._engine = engine
        self.engine_read.emit(engine)
        if isinstance(engine, Unknown):
            self._notices.post(Notice(Severity.WARNING, tr(NO_ENGINE), sentence(tr(engine.reason))))

    def _set_model(self, model: ModelFacts) -> None:
        if self._jobs.running("model") != "server":  # a server does not depend on the model; the ceilings wait for it
            self._jobs.abandon("model")
        self._model, self._ceilings, self._held, self._document = model, None, Held(), None
        self._want_ceilings, self._want_benchmark = model.has_decode, False
        self.model_read.emit(model)

    def _set_ceilings(self, ceilings: Ceilings) -> None:
        if ceilings != self._ceilings:
            self._ceilings = ceilings
            self.ceilings_measured.emit(ceilings)

    def _set_document(self, document: Document) -> None:
        from advisor.report.answering import spoken  # with all advice, which the window starts without

        self._retell()
        document = spoken(document)  # begun, perhaps, in another language
        if document.interrupted:
            self._notices.post(Notice(Severity.WARNING, document.interrupted))
        if isinstance(document.engine, Known) and document.engine != self._engine:
            self._set_engine(document.engine)
        if isinstance(document.ceilings, Known):
            self._set_ceilings(document.ceilings.value)
        held = self._held = self._held.after(document)
        self._machine = document.machine
        same = document.workload == self._workload and (
            document.tests, document.trials, document.stutter
        ) == (held.tests, held.trials, held.stutter)
        if same:
            self._document, self._said_in = document, language()
            self.answered.emit(document)
        else:
            self._answer()

    def _retell(self) -> None:
        """Hold everything in the language that is spoken now."""
        before, self._said_in = self._said_in, language()
        if before == self._said_in:
            return
        held = (self._machine, self._engine, self._model, self._ceilings, self._held, self._document)
        told = self._telling.tell(held, before, self._said_in)
        self._machine, self._engine, self._model, self._ceilings, self._held, self._document = told

    def _take_streams(self, measured: "Measured") -> None:
        if measured.error is not None:
            self._notices.post_error(measured.error)
        if measured.tests:
            self._held = self._held.with_streams(measured.tests)
        self._answer()

    def _take_server(self, result: ServerResult) -> None:
        """Show it, and tell the first of what failed; the page tells all."""
        self.server_known.emit(result)
        if result.interrupted:  # that the time given is up is no fault
            loud = Severity.WARNING if result.failures else Severity.INFO
            self._notices.post(Notice(loud, result.interrupted))
        for part, failure in tuple(result.failures.items())[:1]:
            self._notices.post(Notice(Severity.WARNING, failure_words(part, failure), failure.hint))

    def _answer(self) -> None:
        if self._machine is None or self._model is None:
            return
        ceilings: Fact[Ceilings] = NOT_YET
        if self._ceilings is not None:
            ceilings = Known(self._ceilings, Basis.COMPUTED, CEILINGS_SOURCE)
        self._retell()
        held = self._held
        document = self._doors.answer(
            self._machine, self._engine, self._model, ceilings, held.tests, self._workload, held.made_at,
            held.interrupted, held.left_out, held.real_use, held.load_s, held.trials, held.ledger,
            held.stutter, held.changes,
        )
        self._document = document
        self.answered.emit(document)

    # ---- what to do next

    def _settle(self) -> None:
        """Start what is wanted and possible, and say what goes on."""
        if self._closing or self._activity is Activity.PAST:
            return
        running = self._jobs.running("model")
        if not running and self._model is not None:
            if self._want_benchmark:
                self._start_benchmark(self._model)
            elif self._want_ceilings and self._machine is not None and not self._jobs.running("machine"):
                if isinstance(self._engine, Known):
                    self._start_ceilings(self._model, self._machine)
                else:
                    self._want_ceilings = False
        running = self._jobs.running("model")
        opening = bool(self._jobs.running("file"))
        (self._feed.start if running or opening else self._feed.stop)()
        if self._activity is Activity.STOPPING and running:
            return
        now = activity_of(running, self._want_benchmark, self._want_ceilings, opening)
        self._set_activity(now)
        if now is Activity.IDLE:
            self.say_anew()

    def _set_activity(self, activity: Activity) -> None:
        if activity is not self._activity:
            self._activity = activity
            self.activity_changed.emit(activity)

    def _look_whether_closed(self) -> None:
        if not self._jobs.busy or self._close_clock.hasExpired(CLOSE_LIMIT_MS):
            self._close_timer.stop()
            self.closed.emit()
