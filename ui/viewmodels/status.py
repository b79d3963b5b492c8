"""The status bar: what goes on, how far, how long; what makes figures read low; which engine on which device."""

from dataclasses import dataclass, field
from typing import Final

from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.core.evidence import Fact, Known, Missing
from advisor.core.progress import Progress
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from advisor.report import formatting as fmt
from ui.bridge.activity import Activity
from ui.viewmodels.placing import placement_words

PHASES: Final = {
    Activity.IDLE: marked("Ready"),
    Activity.OPENING: marked("Reading the file"),
    Activity.CEILINGS: marked("Measuring what this machine can do"),
    Activity.BENCHMARK: marked("Starting the measurement"),
    Activity.TRIAL: marked("Starting the experiment"),
    Activity.CURVE: marked("Starting the measurement of streams"),
    Activity.SERVER: marked("Asking the server"),
    Activity.LENT: marked("Measuring this machine"),
    Activity.STOPPING: marked("Stopping…"),
    Activity.CLOSING: marked("Ending the measurement before closing…"),
    Activity.PAST: marked("A run of the past"),
}
"""Said until the work itself reports a phase."""

SMALLEST_LEFT_S: Final = 1.0
MINUTE_S: Final = 59.5


@dataclass(frozen=True, slots=True)
class Status:
    """State of the bar; ``fraction`` is None where no bar is due, and 0..1 of the whole job otherwise."""

    phase: str = field(default_factory=lambda: tr(PHASES[Activity.IDLE]))
    fraction: float | None = None
    busy: bool = False
    left: str = ""
    warning: str = ""
    engine: str = ""
    engine_tip: str = ""


def present_status(
    activity: Activity,
    progress: Progress | None,
    warning: str,
    engine: Fact[EngineFacts],
    tests: tuple[TestResult, ...],
    outcome: str = "",
    placement: Placement = OWN_CHOICE,
) -> Status:
    """The bar's state; ``outcome`` is how the last job ended, said while nothing runs."""
    at_rest = activity in (Activity.IDLE, Activity.PAST)
    busy = not at_rest
    phase = tr(PHASES[activity])
    fraction = None
    left = ""
    if not at_rest and activity not in (Activity.STOPPING, Activity.CLOSING):
        fraction = 0.0
        if progress is not None:
            phase, fraction = tr(progress.phase), min(1.0, max(0.0, progress.fraction))
            left = _left(progress.left_s)
    elif at_rest and outcome:
        phase = outcome
    text, tip = _engine(engine, tests, placement)
    return Status(phase, fraction, busy, left, f"⚠ {warning}" if warning else "", text, tip)


def _left(left_s: float | None) -> str:
    if left_s is None:
        return ""
    if left_s < SMALLEST_LEFT_S:
        return tr("almost done")
    if left_s < MINUTE_S:
        return tr("about {time} left", time=fmt.with_unit(fmt.count(left_s), "s"))
    return tr("about {time} left", time=fmt.with_unit(fmt.count(left_s / MINUTE_S), "min"))


def _engine(engine: Fact[EngineFacts], tests: tuple[TestResult, ...], placement: Placement) -> tuple[str, str]:
    if not isinstance(engine, Known):
        if engine.kind is Missing.NOT_YET:
            return tr("looking for the engine…"), ""
        return tr("no engine"), retold(engine.reason)
    facts = engine.value
    devices = [test.device for test in tests] or [device.name for device in facts.devices[:1]]
    placed = placement_words(placement)
    if placed and placement.devices and not tests:
        devices = []  # what was set names them
    text = " · ".join([f"{facts.name} {facts.version}", *dict.fromkeys(devices), *([placed] if placed else [])])
    check = facts.safe_mode
    if check is not None or any(test.safe_mode for test in tests):
        text += " · " + tr("safe mode")
    why = [part for part in (check.happened, check.fault, check.remedy) if part] if check is not None else []
    return text, "\n".join([*why, facts.build, facts.system_info, facts.python])
