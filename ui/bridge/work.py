"""What the bridge's jobs do on worker threads: each method makes the work of one job, to be started by ``Jobs``."""

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.benchmarks.engines.listed import FoundEngine
from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import EngineFacts, PlanKind
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact, Known
from advisor.core.progress import CancelToken, Progress
from advisor.core.retelling import prepare
from advisor.diagnosis.model import Workload
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.document import Document
from advisor.servers.advice import ServerVerdict
from advisor.servers.model import ServerResult, ServerSettings
from advisor.session.events import EngineRead, MachineRead, Remark
from ui.bridge.doors import Doors
from ui.bridge.jobs import Send, Work
from ui.bridge.live import LiveFeed

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.servers.run import Event as ServerEvent
    from advisor.session.events import Event, Listener
    from ui.bridge.doors import PipelineLike

    Lent = Callable[[PipelineLike, Listener, CancelToken], object]


class PipelineWork:
    """Holds the pipeline and where models are put; every job keeps what held when it was made."""

    def __init__(self, doors: Doors, feed: LiveFeed) -> None:
        self._doors = doors
        self._feed = feed
        self._placement = OWN_CHOICE
        # Two workers may both make one at the start; a pipeline has no state that this could harm.
        self._get_pipeline = cache(doors.pipeline)

    def use_engine(self, found: FoundEngine, placement: Placement) -> bool:
        """Whether there is a choice of engines; then every later job works with that one, put there."""
        if self._doors.engines is None:
            return False
        self._get_pipeline = cache(partial(self._doors.engines.pipeline, found))
        self._placement = placement
        return True

    def machine(self) -> Work:
        """Read the machine and the engine; ends with the engine after its self-test."""
        placement, get = self._placement, self._get_pipeline

        def work(send: Send, cancel: CancelToken) -> object:
            pipeline = get()
            machine = pipeline.read_machine()
            prepare()  # of whatever is shown now, sentences are told in the reader's language
            send(MachineRead(machine))
            engine = pipeline.read_engine(cancel, placement)
            send(EngineRead(engine))
            return EngineRead(pipeline.check_engine(engine, machine, cancel, placement=placement))

        return work

    def model(self, path: Path) -> Work:
        """Read a model's header."""
        return lambda send, cancel: self._get_pipeline().read_model(path)

    def sample(self) -> Work | None:
        """Assemble the sample and read its header; None where it is not installed."""
        sample = self._doors.sample
        if sample is None:
            return None
        return lambda send, cancel: self._get_pipeline().read_model(sample(self._listener(send, cancel), cancel))

    def count(self, model: ModelFacts, path: Path) -> Work:
        """Count a text file's tokens."""
        return lambda send, cancel: self._get_pipeline().count_tokens(model.engine_file, path, cancel)

    def ceilings(self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts]) -> Work:
        """Measure what the ceilings rest on."""
        placement = self._placement
        return lambda send, cancel: self._get_pipeline().measure_ceilings(
            model, machine, self._listener(send, cancel), cancel, engine, placement=placement
        )

    def benchmark(
        self, model: ModelFacts, workload: Workload, plan: PlanKind, engine: Fact[EngineFacts],
        ceilings: Ceilings | None,
    ) -> Work:
        """Measure what the plan holds."""
        known, placement = engine if isinstance(engine, Known) else None, self._placement

        def work(send: Send, cancel: CancelToken) -> object:
            from advisor.session.pipeline import BenchSettings, Given

            return self._get_pipeline().diagnose(
                model.path,
                workload,
                BenchSettings(kind=plan, placement=placement),
                self._listener(send, cancel),
                cancel,
                Given(None, known, ceilings),  # the machine anew: its load now is what the figures are judged by
            )

        return work

    def trial(self, document: Document, advice: str, draft: Path | None) -> Work:
        """Measure one advice before and after, with a draft model where one was picked."""
        placement = self._placement

        def work(send: Send, cancel: CancelToken) -> object:
            from advisor.session.pipeline import Asked

            asked = Asked(placement=placement)
            return self._get_pipeline().try_advice(
                document, advice, self._listener(send, cancel), cancel, asked, draft=draft
            )

        return work

    def streams(self, model: ModelFacts, engine: Fact[EngineFacts], depth: int) -> Work:
        """Measure the batch curve with so many tokens in every stream's cache."""
        placement = self._placement

        def work(send: Send, cancel: CancelToken) -> object:
            from advisor.session.pipeline import BenchSettings

            settings = BenchSettings(placement=placement)
            return self._get_pipeline().measure_batch(
                model, engine, self._listener(send, cancel), cancel, settings, depth
            )

        return work

    def stutter(
        self, model: ModelFacts, workload: Workload, engine: Known[EngineFacts], ceilings: Fact[Ceilings] | None
    ) -> Work:
        """Let a prompt of the workload arrive among its streams."""
        placement = self._placement

        def work(send: Send, cancel: CancelToken) -> object:
            from advisor.session.pipeline import BenchSettings
            from advisor.session.stuttering import question_of

            pipeline = self._get_pipeline()
            return pipeline.stutter(
                model,
                pipeline.read_machine(),
                engine,
                question_of(workload),
                BenchSettings(),
                placement,
                self._listener(send, cancel),
                cancel,
                ceilings,
            )

        return work

    def export(self, document: Document, path: Path, kind: str) -> Work:
        """Write the document; ends with the path."""
        write = self._doors.exporters[kind]

        def work(send: Send, cancel: CancelToken) -> object:
            write(document, path)
            return path

        return work

    def lent(self, make: "Lent") -> Work:
        """What another page wants measured."""
        return lambda send, cancel: make(self._get_pipeline(), self._listener(send, cancel), cancel)

    def server(self, settings: ServerSettings) -> Work | None:
        """Measure a running server; None where there is no way to."""
        doors, feed = self._doors.servers, self._feed
        if doors is None:
            return None

        def work(send: Send, cancel: CancelToken) -> object:
            def listen(event: "ServerEvent | Remark") -> None:
                if isinstance(event, Remark):
                    send(event)
                # A note says the load, which the page has said before the click.
                elif isinstance(event, (Progress, ServerResult)) and not cancel.cancelled:
                    feed.put(event)

            return doors.measure(settings, listen, cancel)

        return work

    def save_server(
        self, result: ServerResult, settings: ServerSettings, verdict: ServerVerdict, path: Path, kind: str
    ) -> Work | None:
        """Write what was measured of a server; ends with the path."""
        doors = self._doors.servers
        if doors is None:
            return None

        def work(send: Send, cancel: CancelToken) -> object:
            doors.save(result, settings, verdict, path, kind)
            return path

        return work

    def _listener(self, send: Send, cancel: CancelToken) -> "Listener":
        def listen(event: "Event") -> None:
            if not cancel.cancelled and not self._feed.put(event):
                send(event)

        return listen
