"""State of the overview page: hears the engine, holds what is known, hands out presented state."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import EngineFacts, LiveReading, Phase, PlanKind, Sweep, TestResult
from advisor.benchmarks.store.model import StoredRun
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.numbers import sentence
from advisor.core.progress import Progress
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Workload
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report import formatting as fmt
from advisor.report import wording
from advisor.report.document import Document
from advisor.servers.model import ServerResult
from ui.bridge.activity import Activity
from ui.bridge.engine import Engine
from ui.viewmodels.actions import Actions, present_actions, why_no_streams
from ui.viewmodels.answer import present_advice, present_verdict, tried_outcome
from ui.viewmodels.batching import EMPTY_CACHE, depth_of, present_batching
from ui.viewmodels.ended import ended_words
from ui.viewmodels.found import FoundModels
from ui.viewmodels.gauges import Live, present_gauge
from ui.viewmodels.machine_card import machine_warning, present_machine
from ui.viewmodels.measurements import MeasurementsModel, present_measurements
from ui.viewmodels.model_card import present_model
from ui.viewmodels.plans import present_plans
from ui.viewmodels.roofline import present_roofline
from ui.viewmodels.status import present_status
from ui.viewmodels.stutter import present_stutter
from ui.viewmodels.timeline import present_timeline
from ui.viewmodels.waterfall import Waterfalls
from ui.viewmodels.workload import present_workload, with_kept, with_preset, with_quantity

if TYPE_CHECKING:
    from advisor.benchmarks.engines.counting import Counted

PLANS_AFTER_MS: Final = 120
"""After a slider has come to rest: the runs' times are asked for last, and take as long as half of the answer."""
LOOKING: Final = Unknown(marked("not asked yet"), Missing.NOT_YET)

Say = Callable[[], str]
"""Makes a sentence when it is shown, so that it is said in the language of that moment."""


class Screen(QObject):
    """View model of the overview page; each signal carries the frozen state that its name says.

    Lives on the main thread, as the engine's door does.
    """

    machine = Signal(object)
    model = Signal(object)
    workload = Signal(object)
    gauge = Signal(object)
    timeline = Signal(object)
    roofline = Signal(object)
    waterfall = Signal(object)
    batching = Signal(object)
    stutter = Signal(object)
    verdict = Signal(object)
    advice = Signal(object)
    status = Signal(object)
    actions = Signal(object)
    plans = Signal(object)

    def __init__(self, engine: Engine, workload: Workload, has_sample: bool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._door = engine
        self._has_sample = has_sample
        self.measurements = MeasurementsModel(self)
        self.found = FoundModels(self)
        self._waterfalls = Waterfalls()
        self._machine: Machine | None = None
        self._engine: Fact[EngineFacts] = LOOKING
        self._model: ModelFacts | None = None
        self._ceilings: Ceilings | None = None
        self._workload = workload
        self._document: Document | None = None
        self._tests: tuple[TestResult, ...] = ()
        self._earlier: tuple[StoredRun, ...] = ()
        self._live: dict[Phase, Live] = {}
        self._progress: Progress | None = None
        self._activity = Activity.IDLE
        self._outcome: Say | None = None
        self._placement = OWN_CHOICE
        self._depth = EMPTY_CACHE
        self._trying = ""
        self._trials_before = 0
        self._server: ServerResult | None = None
        self._stutter_before: object = None
        self._allowed: Actions | None = None
        self._plans_later = QTimer(self)
        self._plans_later.setSingleShot(True)
        self._plans_later.setInterval(PLANS_AFTER_MS)
        self._plans_later.timeout.connect(self._show_plans)
        engine.machine_read.connect(self._on_machine)
        engine.placed.connect(self._on_placed)
        engine.engine_read.connect(self._on_engine)
        engine.model_read.connect(self._on_model)
        engine.ceilings_measured.connect(self._on_ceilings)
        engine.benchmark_started.connect(self._on_benchmark_started)
        engine.trial_started.connect(self._on_trial_started)
        engine.streams_started.connect(self._on_streams_started)
        engine.server_known.connect(self._on_server_known)
        engine.reading.connect(self._on_reading)
        engine.progress.connect(self._on_progress)
        engine.test_finished.connect(self._on_test)
        engine.answered.connect(self._on_answer)
        engine.activity_changed.connect(self._on_activity)
        engine.exported.connect(self._on_exported)
        engine.prompt_counted.connect(self._on_counted)

    # ---- what the views ask

    def show_all(self) -> None:
        """Send every state once, for views that were just made; in another language everything is said anew."""
        self._door.say_anew()
        self._allowed = None
        self._show_machine()
        self._show_model()
        self._show_workload()
        self._show_gauges()
        self._show_answer()
        self._show_status()
        self._show_plans()

    def choose_plan(self, plan: str) -> None:
        """The user said how much the next run measures."""
        self._door.set_plan(PlanKind(plan))
        self._show_plans()

    def choose_preset(self, preset: str) -> None:
        """The user picked a preset."""
        self._set_workload(with_preset(self._workload, preset))

    def change_quantity(self, key: str, value: int) -> None:
        """The user moved a slider or typed a number."""
        self._set_workload(with_quantity(self._workload, key, value))

    def change_kept(self, kept: bool) -> None:
        """The user said whether the program keeps a chat from turn to turn."""
        self._set_workload(with_kept(self._workload, kept))

    def choose_depth(self, chosen: str) -> None:
        """The user said how full every stream's cache is when the batch curve is measured."""
        self._depth = chosen
        self._show_batching()

    def measure_streams(self) -> None:
        """Measure the batch curve at that depth."""
        self._door.measure_streams(depth_of(self._depth, self._workload, self._model))

    def count_prompt(self, path: Path) -> None:
        """The user picked a text file; the prompt becomes as long as it is to the open model."""
        self._door.count_prompt(path)

    @property
    def work(self) -> Workload:
        """What is asked now."""
        return self._workload

    @property
    def model_path(self) -> Path | None:
        """File of the open model."""
        return self._model.path if self._model is not None else None

    def suggested_name(self) -> str:
        """File name for an export, without folder and ending."""
        return tr("{model} report", model=self._model.path.stem) if self._model else tr("report")

    # ---- what the engine says

    def show_earlier(self, runs: tuple[StoredRun, ...]) -> None:
        """Show earlier runs of the open model beside the present one."""
        if runs != self._earlier:
            self._earlier = runs
            self._show_roofline()

    def _on_machine(self, machine: Machine) -> None:
        self._machine = machine
        self._show_machine()
        self._show_model()
        self._show_status()
        self._show_plans()

    def _on_placed(self, placement: Placement) -> None:
        self._placement = placement
        self._show_status()

    def _on_engine(self, engine: Fact[EngineFacts]) -> None:
        self._engine = engine
        self._show_gauges()
        self._show_verdict()
        self._show_roofline()
        self._show_batching()
        self._show_stutter()
        self._show_status()
        self._show_plans()

    def _on_model(self, model: ModelFacts) -> None:
        self._model, self._ceilings, self._document, self._tests = model, None, None, ()
        self._live, self._progress, self._outcome = {}, None, None
        self._show_workload()
        self._show_machine()
        self._show_model()
        self._show_gauges()
        self._show_answer()
        self._show_status()
        self._show_plans()

    def _on_ceilings(self, ceilings: Ceilings) -> None:
        self._ceilings = ceilings
        self._show_machine()
        self._show_gauges()
        self._show_roofline()
        self._show_plans()

    def _on_benchmark_started(self) -> None:
        self._tests, self._document, self._outcome = (), None, None
        self._live = {Phase.PREFILL: Live(), Phase.DECODE: Live()}
        self._show_gauges()
        self._show_answer()

    def _on_trial_started(self, advice: str) -> None:
        self._trying, self._outcome = advice, None
        self._trials_before = self._trials

    def _on_streams_started(self) -> None:
        self._tests, self._outcome = tuple(test for test in self._tests if test.sweep is not Sweep.BATCH), None
        self._show_batching()

    def _on_server_known(self, result: ServerResult) -> None:
        self._server = result

    def _on_reading(self, reading: LiveReading) -> None:
        if reading.phase in self._live:
            self._live[reading.phase] = self._live[reading.phase].after(reading)
            self._show_gauge(reading.phase)

    def _on_progress(self, progress: Progress) -> None:
        self._progress = progress
        self._show_status()

    def _on_test(self, result: TestResult) -> None:
        # A phase that crashed and ran again in safe mode replaces what it left behind.
        self._tests = (*(test for test in self._tests if _point(test) != _point(result)), result)
        if result.sweep is Sweep.PHASES:
            self._live.pop(result.phase, None)
        self._show_gauge(result.phase)
        self._show_roofline()
        self._show_batching()
        self._show_measurements()

    def say(self, words: Say) -> None:
        """Say in the status bar how something ended that is not the engine's."""
        self._outcome = words
        self._show_status()

    def forget_outcome(self) -> None:
        """The user has gone elsewhere: what ended before is no news there."""
        if self._outcome is not None:
            self._outcome = None
            self._show_status()

    def take_past(self, document: Document) -> None:
        """A run of the past comes with the work that it was judged for."""
        self._workload = document.workload

    def _on_answer(self, document: Document) -> None:
        self._document, self._tests, self._live = document, document.tests, {}
        self._show_gauges()
        self._show_answer()
        self._show_status()

    def _on_activity(self, activity: Activity) -> None:
        before, self._activity = self._activity, activity
        if activity is Activity.TRIAL:
            self._stutter_before = self._stutter
        elif activity is Activity.SERVER:
            self._server = None
        if activity is Activity.IDLE:
            counted = self._outcome if before is Activity.OPENING else None
            self._outcome = self._how_it_ended(before) or counted
            self._live = {}
            self._trying = ""
            if self._document is not None and self._tests != self._document.tests:
                # A curve was to be measured anew, and its job died.
                self._tests = self._document.tests
                self._show_roofline()
                self._show_measurements()
        self._progress = None
        self._show_machine()
        self._show_workload()
        self._show_gauges()
        self._show_verdict()
        self._show_advice()
        self._show_batching()
        self._show_stutter()
        self._show_status()

    def _on_counted(self, counted: "Counted") -> None:
        self._outcome = lambda: tr(
            "{file}: {tokens} to this model", file=counted.name, tokens=fmt.tokens(counted.tokens)
        )
        # Nothing is known to repeat in it.
        self._set_workload(with_quantity(with_quantity(self._workload, "shared", 0), "prompt", counted.tokens))
        self._show_status()

    def _on_exported(self, path: object) -> None:
        self._outcome = partial(tr, marked("Report written: {path}"), path=path)
        self._show_status()

    # ---- showing

    def _set_workload(self, workload: Workload) -> None:
        self._workload = workload
        self._show_workload()
        self._show_model()
        self._plans_later.start()
        self._door.set_workload(workload)

    def _show_workload(self) -> None:
        model = self._model.name if self._model is not None else ""
        self.workload.emit(present_workload(self._workload, model, self._activity is Activity.IDLE))

    def _how_it_ended(self, before: Activity) -> Say | None:
        if self._trying and self._document is not None and self._trials > self._trials_before:
            return lambda: tried_outcome(self._document) if self._document is not None else ""
        words = ended_words(
            before, trying=bool(self._trying), measured=bool(self._tests), ceilings=self._ceilings is not None,
            interrupted=self._document is not None and bool(self._document.interrupted),
            stutter=self._stutter not in (None, self._stutter_before),
            server=self._server is not None and bool(self._server.singles),
        )  # fmt: skip
        return partial(tr, words) if words else None

    @property
    def _stutter(self) -> object:
        return self._document.stutter.or_none() if self._document is not None else None

    @property
    def _trials(self) -> int:
        return len(self._document.trials) if self._document is not None else 0

    def _show_machine(self) -> None:
        self.machine.emit(present_machine(self._machine, self._ceilings, self._activity is Activity.CEILINGS))

    def _show_model(self) -> None:
        self.model.emit(present_model(self._model, self._machine, self._workload))
        self._show_actions()

    def _show_gauges(self) -> None:
        for phase in Phase:
            self._show_gauge(phase)

    def _show_gauge(self, phase: Phase) -> None:
        verdict = self._document.verdict.or_none() if self._document else None
        finding = None
        if verdict is not None:
            finding = verdict.prefill if phase is Phase.PREFILL else verdict.decode
        live = self._live.get(phase)
        if live is not None and live.tokens_per_s is None and not self._turn_of(phase):
            waiting = present_gauge(phase, self._ceilings, None, None, None, tr("waiting for its turn"))
            self.gauge.emit(waiting)
            return
        mine = [test for test in self._tests if test.phase is phase and test.sweep is Sweep.PHASES]
        result = next((test for test in reversed(mine) if not test.n_depth), None)
        self.gauge.emit(present_gauge(phase, self._ceilings, live, result, finding, self._gauge_hint()))

    def _turn_of(self, phase: Phase) -> bool:
        """Prefill is measured first; decode's turn comes when prefill is finished."""
        return phase is Phase.PREFILL or Phase.PREFILL not in self._live

    def _no_engine(self) -> str:
        """Why nothing can be measured, as a sentence; empty while the engine is there or not yet known."""
        engine = self._engine
        missing = isinstance(engine, Unknown) and engine.kind is not Missing.NOT_YET
        return sentence(retold(engine.reason)) if missing and isinstance(engine, Unknown) else ""

    def _gauge_hint(self) -> str:
        if self._no_engine():
            return tr("no engine to measure with")
        if self._model is None:
            return tr("open a model to see its ceiling")
        if self._activity is Activity.CEILINGS and self._ceilings is None:
            return tr("measuring the ceiling…")
        return ""

    def _show_answer(self) -> None:
        document = self._document
        self.timeline.emit(present_timeline(document.timeline if document and self._tests else None, self._workload))
        self._show_advice()
        self._show_verdict()
        self._show_roofline()
        self._show_waterfall()
        self._show_batching()
        self._show_stutter()
        self._show_measurements()
        self._show_actions()

    def _show_advice(self) -> None:
        document = self._document
        if document is None:
            self.advice.emit(present_advice((), (), False))
            return
        past = self._activity is Activity.PAST
        self.advice.emit(
            present_advice(
                tuple(replace(one, trial=None) for one in document.advice) if past else document.advice,
                document.wont_help,
                isinstance(document.verdict, Known),
                document.ledger,
                self._trying,
                self._activity is Activity.IDLE,
                not past and isinstance(document.engine, Known) and document.engine.value.name == "llama-cpp-python",
                wording.advice_heading(document.verdict),
            )
        )

    def _show_verdict(self) -> None:
        document = self._document
        measuring = self._activity is Activity.BENCHMARK
        self.verdict.emit(present_verdict(
            document.verdict if document else None, document.interrupted if document else "",
            measuring, self._model is not None, self._no_engine(), document.changes if document else (),
        ))

    def _show_roofline(self) -> None:
        self.roofline.emit(present_roofline(
            self._model, self._ceilings, self._tests, self._no_engine(), self._earlier
        ))

    def _show_waterfall(self) -> None:
        verdict = self._document.verdict.or_none() if self._document else None
        page = self._waterfalls.present(self._model, self._ceilings, self._tests, verdict, self._workload)
        self.waterfall.emit(page)

    def _show_batching(self) -> None:
        self.batching.emit(
            present_batching(
                self._tests,
                self._model,
                self._machine,
                self._engine,
                self._ceilings,
                self._workload,
                self._activity,
                self._depth,
            )
        )

    def _show_stutter(self) -> None:
        why_not = why_no_streams(self._model, self._engine, self._activity)
        self.stutter.emit(present_stutter(self._document, why_not))

    def _show_measurements(self) -> None:
        self.measurements.set_rows(present_measurements(self._tests, self._ceilings))

    def _show_status(self) -> None:
        warning, outcome = machine_warning(self._machine), self._outcome() if self._outcome else ""
        self.status.emit(
            present_status(
                self._activity, self._progress, warning, self._engine, self._tests, outcome, self._placement
            )
        )
        self._show_actions()

    def _show_plans(self) -> None:
        self.plans.emit(present_plans(
            self._door.plan, self._model, self._machine, self._engine, self._ceilings, self._workload
        ))

    def _show_actions(self) -> None:
        state = present_actions(self._activity, self._model, self._engine, bool(self._tests), self._has_sample)
        if state != self._allowed:
            self._allowed = state
            self.actions.emit(state)


def _point(test: TestResult) -> tuple[object, ...]:
    """What makes a test the same point of the same curve."""
    return test.sweep, test.test, test.setting
