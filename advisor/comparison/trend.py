"""The same model on the same machine, over time: is a run slower than the last, why, and how far do runs differ?

Pure: runs come in as points, newest first, and changes come out. A reason is something known of both runs that differs;
where nothing does, that is said, together with what runs of the same settings have differed by so far.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.conditions import causes_of
from advisor.benchmarks.model import Cause, Conditions, EngineMode, FlashAttention, Phase, Stamp, Sweep, TestResult
from advisor.benchmarks.phrases import flash_attention, setting_name, threads
from advisor.benchmarks.reported import reported
from advisor.benchmarks.store.model import EngineIdentity
from advisor.comparison.compare import judged, ratio_interval
from advisor.comparison.model import Outcome
from advisor.core.evidence import Known
from advisor.core.retelling import retold
from advisor.core.stats import median
from advisor.core.translation import ENGLISH, language, marked, tr
from advisor.hardware.model import Machine

LEAST_RUNS: Final = 3
"""Runs of the same settings, the present one included, from which on their spread means something."""

MODES: Final = {
    EngineMode.DEFAULT: marked("the engine's default mode"),
    EngineMode.NO_EXTRA_BUFFERS: marked("safe mode without extra buffers"),
    EngineMode.NO_FLASH_ATTENTION: marked("safe mode without flash attention"),
    EngineMode.ONE_THREAD: marked("safe mode on one thread"),
}

DRIVER_OF: Final = "driver of "
POWER_LIMIT_OF: Final = "power limit of "
NAMES: Final = (
    marked("threads"), marked("mode"), marked("device"), marked("batch"), marked("KV cache"),
    marked("flash attention"), "engine", marked("system"), marked("power"), marked("power profile"),
)  # fmt: skip
"""What may change a speed, as ``around`` calls it; of each GPU its driver and power limit besides."""

_SAID: Final[Mapping[str, Callable[[str], str]]] = {
    "threads": lambda number: threads(int(number)),
    "mode": lambda mode: tr(mode),
    "batch": lambda sizes: tr("batch {sizes}", sizes=sizes),
    "KV cache": lambda held: tr("KV cache {type}", type=held),
    "flash attention": lambda setting: flash_attention(FlashAttention(setting)),
    "power": lambda source: tr(source),
    "power profile": lambda profile: tr("power profile {profile}", profile=profile),
}
"""How a value is said; the others are names, said as they are."""


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement of the series.

    Attributes:
        run: its number in the history; None for the run that is not kept yet.
        measured_at: ISO 8601.
        around: name -> value of everything that may change a speed and is known: "engine", "threads", "power" …; the
            same in every language.
    """

    run: int | None
    measured_at: str
    test: TestResult
    around: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """What a test came to beside the same test of the last run.

    Attributes:
        run: number of the last run; ``run_at`` when it was made, ISO 8601.
        before_tokens_per_s, tokens_per_s: then and now.
        interval: between which their ratio lies; None where a side has no spread.
        reasons: clauses on what is known to have changed; empty where nothing is.
        unknown: names of what is known of one of the two runs only.
        spread: (largest - smallest) ÷ median of all runs with the settings of now; None for fewer than three.
        alike: how many those are, the present one included.
    """

    phase: Phase
    test: str
    run: int | None
    run_at: str
    before_tokens_per_s: float
    tokens_per_s: float
    interval: tuple[float, float] | None
    outcome: Outcome
    reasons: tuple[str, ...]
    unknown: tuple[str, ...]
    spread: float | None
    alike: int

    @property
    def ratio(self) -> float:
        """Now over then."""
        return self.tokens_per_s / self.before_tokens_per_s


@dataclass(frozen=True, slots=True)
class RunPast:
    """A stored run beside those before it.

    Attributes:
        lines: for each phase its measurement and those with the same settings before, newest first.
    """

    run: int
    changes: tuple[Change, ...]
    lines: tuple[tuple[Point, ...], ...]


def around(test: TestResult, engine: EngineIdentity | None, machine: Machine | None) -> dict[str, str]:
    """What may change a speed; what is not known is not in it."""
    found = {
        "threads": str(test.n_threads),
        "mode": MODES[test.mode],
        "device": test.device,
        "batch": f"{test.n_batch}/{test.n_ubatch}",
        "KV cache": test.kv_type,
    }
    if test.flash_attention is not FlashAttention.AUTO:
        found["flash attention"] = str(test.flash_attention)
    if engine is not None:
        found["engine"] = f"{engine.kind} {engine.version}, build {engine.build}"
    if machine is not None:
        found |= _of_machine(machine)
    return found


def _of_machine(machine: Machine) -> dict[str, str]:
    found = {"system": machine.system}
    power = machine.power
    if isinstance(power.on_battery, Known):
        found["power"] = marked("on battery") if power.on_battery.value else marked("on mains")
    if isinstance(power.profile, Known):
        found["power profile"] = power.profile.value
    for gpu in machine.gpus:
        name = gpu.name.or_none() or "GPU"
        if isinstance(gpu.driver, Known):
            found[f"{DRIVER_OF}{name}"] = gpu.driver.value
        if isinstance(gpu.power_limit_w, Known):
            found[f"{POWER_LIMIT_OF}{name}"] = f"{gpu.power_limit_w.value:.0f} W"
    return found


def changes(now: Sequence[Point], earlier: Sequence[Point]) -> tuple[Change, ...]:
    """Each phase beside the last run that is to be believed; a phase that was never measured so has none.

    Args:
        now: every measurement of the run.
        earlier: those of earlier runs on the same machine with the same model, newest first.
    """
    found = []
    for phase in Phase:
        point = _main(now, phase)
        before = next((each for each in earlier if _same_test(each, point) and _believed(each)), None)
        if point is not None and before is not None:
            found.append(_change(point, before, earlier))
    return tuple(found)


def series(point: Point, earlier: Sequence[Point]) -> tuple[Point, ...]:
    """The measurements of the same test with nothing known to differ, newest first, ``point`` itself left out."""
    return tuple(
        each for each in earlier
        if _same_test(each, point) and _believed(each) and not _differing(each.around, point.around)[0]
    )  # fmt: skip


def main_points(points: Sequence[Point]) -> tuple[Point, ...]:
    """The measurement that stands for each phase."""
    return tuple(point for phase in Phase if (point := _main(points, phase)) is not None)


def _main(points: Sequence[Point], phase: Phase) -> Point | None:
    """The phase itself, of one stream, in the least depth."""
    fitting = [
        point for point in points
        if point.test.phase is phase and point.test.sweep is Sweep.PHASES and point.test.n_streams == 1
    ]  # fmt: skip
    return min(fitting, key=lambda point: point.test.n_depth, default=None)


def _same_test(one: Point, other: Point | None) -> bool:
    return other is not None and one.test.sweep is Sweep.PHASES and one.test.test == other.test.test


def _believed(point: Point) -> bool:
    return point.test.conditions.stamp is not Stamp.INVALID and point.test.complete


def _change(now: Point, before: Point, earlier: Sequence[Point]) -> Change:
    first, second = reported(before.test), reported(now.test)
    interval = ratio_interval(first, second)
    reasons, unknown = _differing(before.around, now.around)
    if now.test.conditions.because and _stamp_key(now.test.conditions) != _stamp_key(before.test.conditions):
        reasons = (*reasons, _stamped(now.test.conditions))
    speeds = [now.test.tokens_per_s, *(point.test.tokens_per_s for point in series(now, earlier))]
    return Change(
        phase=now.test.phase,
        test=now.test.test,
        run=before.run,
        run_at=before.measured_at,
        before_tokens_per_s=before.test.tokens_per_s,
        tokens_per_s=now.test.tokens_per_s,
        interval=interval,
        outcome=judged(second.tokens_per_s / first.tokens_per_s, interval),
        reasons=reasons,
        unknown=unknown,
        spread=(max(speeds) - min(speeds)) / median(speeds) if len(speeds) >= LEAST_RUNS else None,
        alike=len(speeds),
    )


def _stamp_key(conditions: Conditions) -> tuple[Stamp, frozenset[str]]:
    """What a stamp says, whatever its figures and language: its causes, and what was known beforehand in English."""
    clauses = zip(causes_of(conditions), retold(conditions.because, ENGLISH, language()), strict=True)
    return conditions.stamp, frozenset(why if cause is Cause.PLANNED else str(cause) for cause, why in clauses)


def _stamped(conditions: Conditions) -> str:
    why = ", ".join(conditions.because)
    if conditions.stamp is Stamp.INVALID:
        return tr("this run is invalid: {why}", why=why)
    return tr("this run is suspect: {why}", why=why)


def _name(name: str) -> str:
    """What may change a speed, in the user's language."""
    for beginning, words in (
        (DRIVER_OF, marked("driver of {gpu}")), (POWER_LIMIT_OF, marked("power limit of {gpu}")),
    ):  # fmt: skip
        if name.startswith(beginning):
            return tr(words, gpu=name.removeprefix(beginning))
    return setting_name(name)


def _said(name: str, value: str) -> str:
    """A value in the user's language."""
    if name.startswith(DRIVER_OF):
        return tr("driver {version}", version=value)
    return _SAID[name](value) if name in _SAID else value


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Clauses on what changed, and what only one side tells. Settings that are unsaid are the engine's own choice."""
    chosen = {"flash attention": str(FlashAttention.AUTO)}
    reasons, unknown = [], []
    for name in dict.fromkeys((*before, *now)):
        first, second = before.get(name), now.get(name)
        if name in chosen and first != second:
            reasons.append(f"{_said(name, first or chosen[name])} → {_said(name, second or chosen[name])}")
        elif first is None or second is None:
            unknown.append(_name(name))
        elif first != second:
            words = f"{_said(name, first)} → {_said(name, second)}"
            alone = name in ("threads", "mode", "device", "batch", "power")
            reasons.append(words if alone else f"{_name(name)}: {words}")
    return tuple(reasons), tuple(unknown)
