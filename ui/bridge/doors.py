"""What the composition root passes in: the pipeline, the exporters and the sample, without importing them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from advisor.benchmarks.engines.listed import FoundEngine
from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import NO_REAL_USE, NOT_LOADED, EngineFacts, RealUse, TestResult
from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store.model import StoredRun
from advisor.benchmarks.store.overview import RunLine
from advisor.benchmarks.stutter.model import NOT_MEASURED, Stutter
from advisor.benchmarks.trials.model import Trial
from advisor.ceilings.model import Ceilings
from advisor.comparison.model import Comparison
from advisor.comparison.trend import Change, RunPast
from advisor.core.evidence import Fact
from advisor.core.progress import CancelToken, ProgressListener
from advisor.diagnosis.model import Workload
from advisor.gguf.discover.model import Discovery
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.recommendations.ledger import NO_LEDGER, Ledger
from advisor.report.document import Document
from advisor.servers.advice import ServerVerdict
from advisor.servers.model import ServerResult, ServerSettings

if TYPE_CHECKING:
    from advisor.benchmarks.engines.counting import Counted
    from advisor.benchmarks.engines.engine import Measured
    from advisor.rehearsal.model import Rehearsal
    from advisor.session.events import Listener
    from advisor.session.importing import Kept
    from advisor.session.pipeline import Asked, BenchSettings, Given
    from advisor.session.serving import Listener as ServerListener
    from advisor.session.stuttering import Question
    from advisor.shortlist.choosing import Place
    from advisor.shortlist.model import Priority, Shortlist
    from advisor.whatif.model import Considered
    from advisor.whatif.model import Question as WhatIfQuestion


class PipelineLike(Protocol):
    """What this door needs of ``advisor.session.pipeline.Pipeline``."""

    def read_machine(self) -> Machine: ...  # noqa: D102
    def read_engine(  # noqa: D102
        self, cancel: CancelToken, placement: Placement = OWN_CHOICE
    ) -> Fact[EngineFacts]: ...
    def check_engine(  # noqa: D102
        self, engine: Fact[EngineFacts], machine: Machine, cancel: CancelToken, *, placement: Placement = OWN_CHOICE
    ) -> Fact[EngineFacts]: ...
    def read_model(self, path: Path) -> ModelFacts: ...  # noqa: D102
    def measure_ceilings(  # noqa: D102
        self, model: ModelFacts, machine: Machine, listener: "Listener", cancel: CancelToken,
        engine: Fact[EngineFacts] | None = None,
        *,
        placement: Placement = OWN_CHOICE,
    ) -> Ceilings: ...
    def count_tokens(self, model: Path, text: Path, cancel: CancelToken) -> "Counted": ...  # noqa: D102
    def diagnose(  # noqa: D102
        self, path: Path, workload: Workload, settings: "BenchSettings", listener: "Listener", cancel: CancelToken,
        given: "Given | None" = None,
    ) -> Document: ...
    def measure_batch(  # noqa: D102
        self,
        model: ModelFacts,
        engine: Fact[EngineFacts],
        listener: "Listener",
        cancel: CancelToken,
        settings: "BenchSettings | None" = None,
        depth: int = 0,
    ) -> "Measured": ...
    def stutter(  # noqa: D102
        self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], question: "Question",
        settings: "BenchSettings", placement: Placement, listener: "Listener", cancel: CancelToken,
        ceilings: Fact[Ceilings] | None = None,
    ) -> Stutter: ...
    def try_advice(  # noqa: D102
        self,
        document: Document,
        advice_id: str,
        listener: "Listener",
        cancel: CancelToken,
        asked: "Asked | None" = None,
        *,
        draft: Path | None = None,
    ) -> Document: ...


class Answer(Protocol):
    """``advisor.session.pipeline.answer``."""

    def __call__(  # noqa: D102
        self, machine: Machine, engine: Fact[EngineFacts], model: ModelFacts, ceilings: Fact[Ceilings],
        tests: tuple[TestResult, ...], workload: Workload, created_at: str, interrupted: str = "",
        left_out: tuple[str, ...] = (),
        real_use: Fact[RealUse] = NO_REAL_USE,
        load_s: Fact[float] = NOT_LOADED,
        trials: tuple[Trial, ...] = (),
        ledger: Ledger = NO_LEDGER,
        stutter: Fact[Stutter] = NOT_MEASURED,
        changes: tuple[Change, ...] = (),
    ) -> Document: ...


@dataclass(frozen=True, slots=True)
class EngineDoors:
    """The engines of this machine; everything here is called on a worker thread.

    Attributes:
        find: those that seem to be there, by directory entries alone.
        add: the one that a folder or file holds; raises UsageError where there is none.
        ask: what it says of itself, with the devices of the RPC servers named.
        check: what it measures of the sample in about two seconds; raises AdvisorError.
        pipeline: one that measures with it.
    """

    find: Callable[[], tuple[FoundEngine, ...]]
    add: Callable[[Path], FoundEngine]
    ask: Callable[[FoundEngine, CancelToken, tuple[str, ...]], Fact[EngineFacts]]
    check: Callable[[FoundEngine, Fact[EngineFacts], CancelToken], Fact[tuple[TestResult, ...]]]
    pipeline: Callable[[FoundEngine], PipelineLike]


@dataclass(frozen=True, slots=True)
class ServerDoors:
    """Servers that others run; everything here is called on a worker thread.

    Attributes:
        measure: as ``advisor.session.serving.measure_and_keep``, with the result alone.
        save: writes what was measured to the path, as "json" or "txt".
    """

    measure: Callable[[ServerSettings, "ServerListener", CancelToken], ServerResult]
    save: Callable[[ServerResult, ServerSettings, ServerVerdict, Path, str], None]


class HistoryLike(Protocol):
    """What this door needs of ``advisor.session.history.History``."""

    def overview(self, deleted: bool) -> tuple[RunLine, ...]: ...  # noqa: D102
    def run(self, number: int) -> StoredRun: ...  # noqa: D102
    def past(self, number: int) -> RunPast: ...  # noqa: D102
    def compare(self, base: int, other: int) -> Comparison: ...  # noqa: D102
    def set_label(self, number: int, text: str) -> None: ...  # noqa: D102
    def set_note(self, number: int, text: str) -> None: ...  # noqa: D102
    def delete(self, number: int) -> None: ...  # noqa: D102
    def restore(self, number: int) -> None: ...  # noqa: D102
    def earlier(self, model: ModelFacts, machine: Machine) -> tuple[StoredRun, ...]: ...  # noqa: D102
    def remarks(self) -> tuple[tuple[str, str], ...]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class ShoppingDoors:
    """Models and hardware that are not here; everything is called on a worker thread.

    Attributes:
        consider: other hardware for what is known of the open model; raises UsageError for an unknown name.
        place: this machine's kernels in every quantisation; about twenty seconds the first time.
        shortlist: the catalogue in the user's order, quick.
        rehearse: a stand-in of a model, measured; None where that is not possible.
    """

    consider: Callable[[Document, "WhatIfQuestion"], "Fact[Considered]"]
    place: Callable[[PipelineLike, "Listener", CancelToken], "Place"]
    shortlist: Callable[["Place", Workload, "Priority", bool], "Shortlist"]
    rehearse: "Callable[[PipelineLike, str, str, Workload, Listener, CancelToken], Rehearsal] | None" = None


@dataclass(frozen=True, slots=True)
class OpenDoors:
    """Files that are not models; everything here is called on a worker thread.

    Attributes:
        file: what a file holds: a model's path, a diagnosis, or figures that were not measured here; raises BadFile.
        text: the figures in a pasted text; raises BadFile.
        keep: puts figures into the history; raises StoreError. Returns each one's number there, whether it was there
            before, and whether it was deleted until now.
        run: the whole result of a run of the history, or the figures that it was imported with; raises BadFile,
            StoreError.
        write: writes the report of a run of the history, of whichever kind it is, as ``pdf``, ``html``, ``md``, ``csv``
            or ``json``; raises BadFile, StoreError, CannotWrite.
    """

    file: Callable[[Path], Path | Document | tuple[ReportedRun, ...]]
    text: Callable[[str], tuple[ReportedRun, ...]]
    keep: Callable[[tuple[ReportedRun, ...]], Sequence["Kept"]]
    run: Callable[[int], Document | tuple[ReportedRun, ...]]
    write: Callable[[int, Path, str], None]


@dataclass(frozen=True, slots=True)
class Doors:
    """What the composition root passes in; everything here is called on a worker thread except ``answer``.

    Attributes:
        pipeline: makes the pipeline, once, on the first worker that needs it (its imports are slow).
        exporters: kind ("pdf", "html", "md", "csv", "json") -> function that writes the document to the path.
        sample: assembles the sample model and returns its path; None where the package is missing.
        find: lists the models on this machine; None lists nothing.
        engines: the engines to choose from; None where there is no choice.
        servers: measures running servers; None where that is not asked for.
        shopping: models and hardware that are not here; None where that is not asked for.
        opening: reads results that are not models; None where only models are opened.
        history: opens what was kept of earlier runs; None where nothing is.
        about: what the program is made of, as ``ui.viewmodels.about.AboutState``.
    """

    pipeline: Callable[[], PipelineLike]
    answer: Answer
    exporters: Mapping[str, Callable[[Document, Path], None]]
    sample: Callable[[ProgressListener, CancelToken], Path] | None = None
    find: Callable[[CancelToken], Discovery] | None = None
    engines: EngineDoors | None = None
    servers: ServerDoors | None = None
    shopping: ShoppingDoors | None = None
    opening: OpenDoors | None = None
    history: Callable[[], HistoryLike] | None = None
    about: Callable[[], object] | None = None
