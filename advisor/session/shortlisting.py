"""The chooser's way to its figures: this machine's kernels in every type that the catalogue's files have."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from advisor.benchmarks.probing import weights_device
from advisor.benchmarks.sharing import free_bytes
from advisor.ceilings.kernels import NO_KERNELS
from advisor.core.errors import EngineError
from advisor.core.evidence import Unknown
from advisor.core.numbers import capital
from advisor.core.progress import CancelToken, Progress
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Workload
from advisor.gguf.quant_types import BY_NAME
from advisor.rehearsal.candidates import of_shape
from advisor.rehearsal.catalogue import CatalogueModel, find, load
from advisor.rehearsal.model import Rehearsal
from advisor.rehearsal.recipes import facts
from advisor.session.events import Event, Listener, Remark
from advisor.session.pipeline import Pipeline
from advisor.shortlist.choosing import Place, shortlist
from advisor.shortlist.model import Priority, Shortlist

DENSE: Final = ("Qwen3-4B", "Q4_K_M")
MIXTURE: Final = ("Qwen3-30B-A3B", "Q4_K_M")
TYPES: Final = ("F16", "Q8_0", "Q5_K", "Q4_0", "IQ4_XS", "MXFP4", "Q3_K", "Q2_K", "Q5_0", "Q5_1", "IQ4_NL")
"""Yardsticks: a model of middling shapes, the experts of a mixture, which run other kernels, and the further types that
are measured at the heaviest shapes of both. The last three stand in where a row is no whole number of larger blocks."""

KERNELS: Final = 0.9
"""Share of the progress that belongs to the kernels; the rest to drawing up the models."""

RESTS_ON: Final = marked(
    "Wait and stream are reckoned from single kernels measured on this machine, for shapes like the models' own, "
    "within 20 % either way; nothing was loaded. Rehearse what you mean to download."
)
DISTURBED: Final = marked(
    "The computer was busy while it was measured, so that it may be faster than this list says."
)
ORDER: Final = marked(
    "Quality is not measured: more parameters stand higher, less what the quantisation loses (published perplexity); "
    "of a mixture the geometric mean of all and of active parameters counts, a rule of thumb."
)


def place_here(pipeline: Pipeline, listener: Listener, cancel: CancelToken) -> Place:
    """Where models would lie here, with the kernels; some 15 s the first time, then kept for a month.

    Kernels that cannot be measured leave the table empty, with a remark. Raises Cancelled.
    """
    machine = pipeline.read_machine()
    engine = pipeline.read_engine(cancel)
    cancel.raise_if_cancelled()
    device = weights_device(engine)
    place = Place(device, free_bytes(machine, engine, device), machine.memory.total_bytes, NO_KERNELS)
    if isinstance(engine, Unknown):
        listener(Remark(tr("Speeds are not known: {reason}.", reason=tr(engine.reason))))
        return place
    dense, mixture = (facts(find(name).shape, recipe, name) for name, recipe in (DENSE, MIXTURE))

    def hear(event: object) -> None:
        if isinstance(event, Progress):
            listener(replace(event, phase=tr("Measuring kernels in every quantisation"), left_s=None))
        elif isinstance(event, Remark):
            listener(event)

    types = [BY_NAME[one].id for one in TYPES]
    try:
        found = pipeline.measure_ceilings(dense, machine, hear, cancel, engine, more_types=types, also=mixture)
    except EngineError as error:
        listener(Remark(error.sentence, error.hint))
        return place
    return replace(place, table=found.kernels, disturbed=found.disturbed)


def choose(
    pipeline: Pipeline,
    work: Workload,
    priority: Priority,
    listener: Listener,
    cancel: CancelToken,
    every: bool = False,
    named: str = "",
) -> Shortlist:
    """The list for a work on this machine. Raises Cancelled."""

    def hear(event: Event) -> None:
        listener(replace(event, fraction=KERNELS * event.fraction) if isinstance(event, Progress) else event)

    return listed(place_here(pipeline, hear, cancel), work, priority, every, named, listener)


def listed(
    place: Place, work: Workload, priority: Priority, every: bool = False, named: str = "",
    listener: Listener = lambda _event: None,
) -> Shortlist:
    """The list once the place is known: some seconds the first time, then quick, for every change of the work."""
    notes = [tr(RESTS_ON)] if place.table else []
    if place.disturbed:
        notes.insert(0, f"{tr(DISTURBED)} {capital(place.disturbed)}.")
    return shortlist(_told(catalogue(named), listener), work, place, priority, every, (*notes, tr(ORDER)))


def _told(models: tuple[CatalogueModel, ...], listener: Listener) -> Iterator[CatalogueModel]:
    """The models one by one, each told before it is drawn up in every quantisation."""
    for number, model in enumerate(models):
        fraction = KERNELS + (1 - KERNELS) * number / len(models)
        listener(Progress(fraction, tr("Drawing up every model in every quantisation")))
        yield model


def catalogue(named: str = "") -> tuple[CatalogueModel, ...]:
    """All models, or those with this in name or maker."""
    wanted = named.casefold()
    return tuple(model for model in load() if wanted in f"{model.maker} {model.name}".casefold())


def rehearse_choice(
    pipeline: Pipeline, name: str, recipe: str, work: Workload, listener: Listener, cancel: CancelToken
) -> Rehearsal:
    """A stand-in of one choice, measured. Raises AdvisorError, Cancelled."""
    model = find(name)
    candidate = of_shape(model.name, model.shape, recipe, model.source)
    machine = pipeline.read_machine()
    engine = pipeline.read_engine(cancel)
    cancel.raise_if_cancelled()
    return pipeline.rehearse(candidate, work, machine, engine, listener, cancel)
