"""The engines to choose from: what each is, whether it works, and what can be done with it now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.engines.listed import EMBEDDED, EngineKind, ListedEngine
from advisor.benchmarks.model import EngineDevice, EngineFacts
from advisor.core.evidence import Known, Missing
from advisor.core.numbers import plural, sentence
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from advisor.report import formatting as fmt
from ui.bridge.activity import Activity
from ui.bridge.engines import STOPPED, EngineList
from ui.viewmodels.placing import GRAPHICS, PlacementForm, PlacementState, present_placement

OWN: Final = marked("This program's own")
FREE_TO_CHOOSE: Final = (Activity.IDLE, Activity.CEILINGS, Activity.OPENING)
NO_FORMS: Final[Mapping[str, PlacementForm]] = {}


@dataclass(frozen=True, slots=True)
class EngineRow:
    """One engine.

    Attributes:
        kind: what it is and where it was found.
        what: name, version and build; while these are not known, what is the matter.
        tone: of ``what``, as the style sheet names it.
        check: what the check gave, empty before one; ``check_tone`` goes with it.
        used: whether the window measures with it; then there is nothing to use.
        spoken: what a screen reader says.
        placement: where it puts models; None while it is not known what it can compute on.
    """

    id: str
    title: str
    kind: str
    what: str
    tone: str
    devices: tuple[str, ...]
    path: str
    check: str
    check_tone: str
    checking: bool
    used: bool
    can_check: bool
    check_tip: str
    can_use: bool
    use_tip: str
    spoken: str
    placement: PlacementState | None = None


@dataclass(frozen=True, slots=True)
class EnginesState:
    """The list, a line above it, and what came of the last addition (empty where nothing did)."""

    rows: tuple[EngineRow, ...]
    heading: str
    remark: str


def present_engines(state: EngineList, forms: Mapping[str, PlacementForm] = NO_FORMS) -> EnginesState:
    """The state of the engines' list; ``forms`` hold what is set for each engine's placement, by id."""
    number = len(state.engines)
    engines = plural(number, "engine", "engines")
    if state.looking:
        heading = tr("{engines}, asking what they can do…", engines=engines) if number else tr("Looking for engines…")
    else:
        heading = tr("{engines} on this computer", engines=engines) if number else tr("No engine was found")
    if state.activity is not Activity.IDLE:
        heading += tr("; none is asked or checked while the window measures")
    return EnginesState(tuple(_row(each, state, forms) for each in state.engines), heading, state.remark)


def _row(listed: ListedEngine, state: EngineList, forms: Mapping[str, PlacementForm]) -> EngineRow:
    found, facts = listed.found, listed.facts
    title = tr(OWN) if found.id == EMBEDDED else found.id
    told = found.kind is EngineKind.EMBEDDED or "llama.cpp" in found.because
    kind = tr(found.because) if told else f"{tr(found.kind)}, {tr(found.because)}"
    works, used, checking = isinstance(facts, Known), found.id == state.chosen, found.id == state.checking
    devices: tuple[str, ...] = ()
    tone = "bad"
    if isinstance(facts, Known):
        what, tone, devices = _what(facts.value), "", tuple(_device(device) for device in facts.value.devices)
    elif facts.kind is Missing.NOT_YET:
        what, tone = tr("asking what it can do…") if state.looking else tr("not asked yet"), "muted"
    else:
        what = sentence(tr("Does not work: {reason}", reason=retold(facts.reason)))
    check, check_tone = (tr("Measuring the sample model…"), "muted") if checking else _check(listed)
    can_check, check_tip = (True, tr("End this check")) if checking else _may_check(works, state)
    can_use, use_tip = _may_use(works, state)
    spoken = [title, tr("in use") if used else "", kind, what, *devices, check]
    return EngineRow(
        found.id, title, kind, what, tone, devices, str(found.path), check, check_tone, checking, used,
        can_check, check_tip, can_use and not used, use_tip, ". ".join(part.rstrip(".") for part in spoken if part),
        _placement(listed, state, forms.get(found.id, PlacementForm())),
    )  # fmt: skip


def _placement(listed: ListedEngine, state: EngineList, form: PlacementForm) -> PlacementState | None:
    if not isinstance(listed.facts, Known):
        return None
    used = state.placement if listed.found.id == state.chosen else None
    free, why_not = _may_use(True, state)
    may_ask = state.activity is Activity.IDLE and not state.looking and not state.checking
    joined = state.joined.get(listed.found.id, ())
    return present_placement(form, listed.facts.value, used, joined, free, may_ask, why_not)


def _what(facts: EngineFacts) -> str:
    parts = [f"{facts.name} {facts.version}", tr("build {build}", build=facts.build)]
    if not any(device.kind in GRAPHICS for device in facts.devices):
        parts.append(tr("CPU only"))
    if facts.safe_mode is not None:
        parts.append(tr("safe mode"))
    return " · ".join(parts)


def _device(device: EngineDevice) -> str:
    return f"{device.name}: {device.description}, {fmt.fact(device.memory_total_bytes, fmt.size)}"


def _check(listed: ListedEngine) -> tuple[str, str]:
    check = listed.check
    if isinstance(check, Known):
        speeds = ", ".join(f"{tr(test.phase)} {fmt.tokens_per_s(test.tokens_per_s)}" for test in check.value)
        if any(test.safe_mode for test in check.value):
            return tr("✓ It works: {speeds} with the sample model, in safe mode", speeds=speeds), "good"
        return tr("✓ It works: {speeds} with the sample model", speeds=speeds), "good"
    if check.kind is Missing.NOT_YET:
        return (sentence(retold(check.reason)), "muted") if check == STOPPED else ("", "")
    return sentence(tr("The check failed: {reason}", reason=retold(check.reason))), "bad"


def _may_check(works: bool, state: EngineList) -> tuple[bool, str]:
    if not works:
        return False, tr("It must say what it is first")
    if state.activity is not Activity.IDLE:
        return False, tr("The window is measuring; the check would disturb it")
    if state.checking:
        return False, tr("One check at a time")
    return True, tr("Let it measure the sample model for about two seconds")


def _may_use(works: bool, state: EngineList) -> tuple[bool, str]:
    if not works:
        return False, tr("It must say what it is first")
    if state.activity not in FREE_TO_CHOOSE:
        return False, tr("A benchmark is running; stop it first")
    return True, tr("Measure with this engine until the window is closed")
