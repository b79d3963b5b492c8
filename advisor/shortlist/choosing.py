"""From the catalogue to a list in the user's order; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.ceilings.kernels import KernelTable
from advisor.core.errors import AdvisorError
from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.translation import marked, tr
from advisor.diagnosis.expected import Expected, expected
from advisor.diagnosis.model import Workload
from advisor.gguf.model import ModelFacts
from advisor.rehearsal.catalogue import CatalogueModel
from advisor.rehearsal.fit import Fit, fit_of
from advisor.rehearsal.recipes import RECIPES, facts, known_recipe
from advisor.shortlist.model import Choice, Comfort, Priority, Shortlist
from advisor.shortlist.quality import MOST_LOSS, NATIVE, doublings, loss_of

PREDICTED_WITHIN: Final = 0.20
"""Either side of a time from kernels of other shapes than the model's own: predictions from one model's kernels for
others were off by up to 14 %, and by 20 % on a busy machine (docs/accuracy.md)."""

TRAINED_IN_MXFP4: Final = frozenset({"gpt-oss"})
"""Architectures that are published in MXFP4 and in nothing finer."""

NOT_MEASURED: Final = marked("a part of it would lie on another device, which only a rehearsal can tell")


@dataclass(frozen=True, slots=True)
class Place:
    """Where models would lie on this machine.

    Attributes:
        device: ggml name of what holds the weights.
        device_bytes: free there; of a graphics card its own memory.
        main_bytes: all main memory.
        table: kernels of that device; empty where they are not measured.
        disturbed: what else went on while they were measured.
    """

    device: str
    device_bytes: Fact[int]
    main_bytes: Fact[int]
    table: KernelTable
    disturbed: str = ""


def recipes_of(model: CatalogueModel) -> tuple[str, ...]:
    """The quantisations worth offering for a model, the finest first."""
    native = model.shape.architecture in TRAINED_IN_MXFP4
    labels = (known_recipe(recipe) for recipe in RECIPES)
    return tuple(label for label in labels if (label in NATIVE) is native)


def choices_of(model: CatalogueModel, work: Workload, place: Place) -> tuple[Choice, ...]:
    """Every quantisation of a model; none of an architecture that cannot be drawn up."""
    found = []
    for recipe in recipes_of(model):
        try:
            held = facts(model.shape, recipe, model.name)
        except AdvisorError:
            return ()
        found.append(_choice(model, recipe, held, work, place))
    return tuple(found)


def shortlist(
    models: Iterable[CatalogueModel],
    work: Workload,
    place: Place,
    priority: Priority,
    every: bool = False,
    notes: tuple[str, ...] = (),
) -> Shortlist:
    """The best quantisation of each model in the user's order, or all that are possible.

    Args:
        models: of the catalogue.
        work: the request.
        place: this machine.
        priority: what the user wants most of.
        every: whether all quantisations are listed.
        notes: passed on.
    """
    chosen: list[Choice] = []
    impossible = []
    for model in models:
        possible = [choice for choice in choices_of(model, work, place) if choice.possible]
        if not possible:
            impossible.append(model.name)
        else:
            chosen += possible if every else [best(possible, priority)]
    return Shortlist(work, ordered(chosen, priority), priority, tuple(impossible), notes, bool(place.disturbed))


def best(choices: Sequence[Choice], priority: Priority) -> Choice:
    """Of one model's quantisations the one to take; never one that loses much where another would do.

    For quality the finest that is comfortable; where none is, the fastest among those that lose little. For speed and
    size the fastest and the smallest among those.
    """
    careful = [choice for choice in choices if _loses_little(choice)] or list(choices)
    if priority is Priority.QUALITY:
        for wanted in (Comfort.YES, Comfort.PERHAPS):
            comfortable = [choice for choice in choices if choice.comfort is wanted]
            if comfortable:
                return max(comfortable, key=lambda choice: (choice.worth, -choice.file_bytes))
        return min(careful, key=_speed_key)
    return min(careful, key=_speed_key if priority is Priority.SPEED else lambda choice: choice.file_bytes)


def ordered(choices: Iterable[Choice], priority: Priority) -> tuple[Choice, ...]:
    """By the priority; for quality and size what is comfortable comes first. Ties by name.

    By quality, what is too slow follows by how far it is from comfortable: the largest model that takes a quarter of an
    hour helps nobody.
    """

    def key(choice: Choice) -> tuple[float, ...]:
        if priority is Priority.SPEED:
            return (_speed_key(choice),)
        order = _ORDER[choice.comfort]
        if priority is Priority.SIZE:
            return order, choice.file_bytes
        return order, (choice.beyond if choice.comfort is Comfort.NO else -choice.worth)

    return tuple(sorted(choices, key=lambda choice: (*key(choice), choice.name, choice.recipe)))


_ORDER: Final = {Comfort.YES: 0, Comfort.PERHAPS: 1, Comfort.NO: 2, Comfort.UNKNOWN: 3}


def comfort_of(found: Fact[Expected], work: Workload) -> Comfort:
    """Whether the whole range keeps the comfort line, a part of it, or nothing."""
    if isinstance(found, Unknown):
        return Comfort.UNKNOWN
    wait, stream = found.value.wait, found.value.stream
    slowest_s = work.answer_tokens / work.comfort.slowest_tokens_per_s
    if wait.high_s <= work.comfort.longest_wait_s and stream.high_s <= slowest_s:
        return Comfort.YES
    if wait.low_s > work.comfort.longest_wait_s or stream.low_s > slowest_s:
        return Comfort.NO
    return Comfort.PERHAPS


def beyond_comfort(found: Fact[Expected], work: Workload) -> float:
    """Times by which the worse phase misses its comfort line, 1 for just keeping it; infinite where it is unknown."""
    if isinstance(found, Unknown):
        return float("inf")
    held, comfort = found.value, work.comfort
    slowest_s = work.answer_tokens / comfort.slowest_tokens_per_s
    return max(held.wait.middle_s / comfort.longest_wait_s, held.stream.middle_s / slowest_s)


def _choice(model: CatalogueModel, recipe: str, held: ModelFacts, work: Workload, place: Place) -> Choice:
    fit = fit_of(held, work.users * work.deepest_tokens, place.device, place.device_bytes, place.main_bytes)
    found = _expected(held, work, place, fit)
    active = held.active_parameters.or_none() or held.parameters
    loss = loss_of(recipe, held.parameters)
    return Choice(
        name=model.name,
        maker=model.maker,
        recipe=recipe,
        parameters=held.parameters,
        active_parameters=active,
        file_bytes=held.file_bytes,
        context=model.shape.context,
        fit=fit,
        long_enough=work.deepest_tokens <= model.shape.context,
        expected=found,
        comfort=comfort_of(found, work),
        loss=loss,
        worth=doublings(held.parameters, active, loss),
        beyond=beyond_comfort(found, work),
        source=model.source,
    )


def _expected(held: ModelFacts, work: Workload, place: Place, fit: Fact[Fit]) -> Fact[Expected]:
    if isinstance(fit, Known) and not fit.value.fits:
        return Unknown(tr("it does not fit the memory"), Missing.NOT_APPLICABLE)
    if isinstance(fit, Known) and fit.value.device_share < 1:
        return Unknown(tr(NOT_MEASURED), Missing.NOT_YET)
    return expected(held, place.table, work, PREDICTED_WITHIN)


def _loses_little(choice: Choice) -> bool:
    known = choice.loss.or_none()
    return known is None or known.perplexity <= MOST_LOSS


def _speed_key(choice: Choice) -> float:
    found = choice.expected
    return found.value.wait.middle_s + found.value.stream.middle_s if isinstance(found, Known) else float("inf")
