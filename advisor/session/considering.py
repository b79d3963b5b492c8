"""The present that what-if compares with: the newest run of a model here, else single kernels."""

from pathlib import Path

from advisor.benchmarks.planning import BenchSettings
from advisor.core.errors import BadFile, EngineError
from advisor.core.evidence import Fact, Known, Unknown
from advisor.core.progress import CancelToken
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Workload
from advisor.report.document import Document
from advisor.report.evidence_of import evidence_of
from advisor.report.upgrades import present_of
from advisor.session.events import Listener, Remark
from advisor.session.pipeline import Pipeline
from advisor.session.recent import RecentRuns
from advisor.whatif.base import from_kernels
from advisor.whatif.consider import consider
from advisor.whatif.model import Base, Considered, Question

FROM_KERNELS = marked("estimated from single kernels measured here; the model itself was not run")


def present(
    pipeline: Pipeline,
    path: Path,
    workload: Workload,
    listener: Listener,
    cancel: CancelToken,
    from_runs: bool = True,
) -> Base:
    """This model and this work on this machine.

    Args:
        pipeline: whose store and engine are used.
        path: of the model.
        workload: the request.
        listener: hears what is used and how far it is.
        cancel: to stop.
        from_runs: whether a run of any age may be used.

    Raises:
        BadFile, EngineError, Cancelled.
    """
    recent = RecentRuns(pipeline, None)
    if from_runs:
        document = recent.document(path, workload, BenchSettings(), listener, cancel)
        held = None if document is None else of_document(document)
        if held is not None:
            return held
    model = pipeline.read_model(path)
    if not model.has_decode:
        raise BadFile(
            tr("{name} cannot write text, so there is nothing to compare.", name=path.name), " ".join(model.notes[:1])
        )
    machine = recent.known.machine or pipeline.read_machine()
    engine = recent.known.engine or pipeline.read_engine(cancel)
    cancel.raise_if_cancelled()
    if isinstance(engine, Unknown):
        raise EngineError(tr("The present speeds are not known: {reason}.", reason=tr(engine.reason)))
    listener(
        Remark(
            tr("No run of this model is kept here, so its speeds are reckoned from single kernels."),
            tr("To measure it: two-machines diagnose {name}", name=path.name),
        )
    )
    ceilings = recent.known.ceilings or pipeline.measure_ceilings(model, machine, listener, cancel, engine)
    found = from_kernels(machine, model, ceilings, workload, tr(FROM_KERNELS))
    if isinstance(found, Unknown):
        raise EngineError(
            tr("The present speeds are not known: {reason}.", reason=tr(found.reason)),
            tr("Measure the model: diagnose MODEL"),
        )
    return found.value


def of_document(document: Document) -> Base | None:
    """The present as a diagnosis measured it; None while there is no verdict or the model's traffic is not known."""
    evidence = evidence_of(document)
    return None if evidence is None else present_of(evidence, document)


def consider_document(document: Document, question: Question) -> Fact[Considered]:
    """What the window shows: the usual changes and those that are named, for what is known of the model until now.

    Raises UsageError for a device that nobody knows.
    """
    base = of_document(document)
    if base is None:
        if isinstance(document.ceilings, Unknown):
            return document.ceilings
        found = from_kernels(document.machine, document.model, document.ceilings.value, document.workload, FROM_KERNELS)
        if isinstance(found, Unknown):
            return found
        base = found.value
    return Known(consider(base, question, beside_usual=True), base.basis, base.source)
