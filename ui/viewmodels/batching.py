"""The page of many users: what the batch curve says, as numbers and words."""

from dataclasses import dataclass, field, replace
from typing import Final

from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.benchmarks.sharing import BatchReading, Terms, read_batch, total_bytes
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Workload
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report import formatting as fmt
from advisor.report.batching import batch_sentences, batch_table
from ui.bridge.activity import Activity
from ui.viewmodels.actions import why_no_streams

EMPTY: Final = marked(
    "How many people can share this model? Run the standard plan, or click Measure (1 to 32 streams, about a minute)."
)
MEASURE_TIP: Final = marked("Decode 1 to 32 streams in one context; about a minute for a small model (Esc stops)")


EMPTY_CACHE: Final = "0"
OWN_DEPTH: Final = "workload"
DEPTHS: Final = (1024, 4096)
ROOM_TO_WRITE: Final = 64
"""Tokens that are written in a point of the curve; they need room in the model's context as well."""


@dataclass(frozen=True, slots=True)
class DepthOption:
    """How full every stream's cache is when the curve is measured; ``id`` is what ``depth_of`` takes."""

    id: str
    text: str
    depth: int


@dataclass(frozen=True, slots=True)
class StreamDot:
    """A measured number of streams; speeds and deviations in tokens/s, a deviation of 0 where it is not known."""

    streams: int
    together: float
    together_spread: float
    each: float
    each_spread: float
    tip: str


@dataclass(frozen=True, slots=True)
class BatchingState:
    """State of the page; no ``dots`` while there is no curve, and ``empty`` says what to do."""

    headline: str = ""
    details: str = ""
    empty: str = field(default_factory=lambda: tr(EMPTY))
    dots: tuple[StreamDot, ...] = ()
    ceiling: tuple[tuple[int, float], ...] = ()
    comfort_tokens_per_s: float = 0.0
    comfort_label: str = ""
    balance_streams: float | None = None
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    spoken: str = ""
    can_measure: bool = False
    measure_tip: str = field(default_factory=lambda: tr("Open a model first"))
    depths: tuple[DepthOption, ...] = ()
    chosen_depth: str = EMPTY_CACHE

    @property
    def figures(self) -> tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]:
        """Every point as numbers; the head is English whatever the language, as in every file."""
        head = (
            "streams", "together, tokens/s", "together, deviation, tokens/s", "each, tokens/s",
            "each, deviation, tokens/s",
        )  # fmt: skip
        return head, tuple(
            (float(dot.streams), dot.together, dot.together_spread, dot.each, dot.each_spread) for dot in self.dots
        )


def depth_options(workload: Workload, model: ModelFacts | None) -> tuple[DepthOption, ...]:
    """The depths to choose from: those that the model's context can hold, the workload's own last."""
    own = workload.turn_prompt(workload.turns)
    options = [DepthOption(EMPTY_CACHE, tr("an empty cache"), 0)]
    options += [DepthOption(str(depth), fmt.tokens(depth), depth) for depth in DEPTHS]
    options.append(DepthOption(OWN_DEPTH, tr("your workload’s {tokens}", tokens=fmt.tokens(own)), own))
    context = model.context_length.or_none() if model is not None else None
    return tuple(one for one in options if context is None or one.depth + ROOM_TO_WRITE <= context)


def depth_of(chosen: str, workload: Workload, model: ModelFacts | None) -> int:
    """The depth that was chosen; an empty cache where it is not to be had any more."""
    return next((one.depth for one in depth_options(workload, model) if one.id == chosen), 0)


def present_batching(
    tests: tuple[TestResult, ...],
    model: ModelFacts | None,
    machine: Machine | None,
    engine: Fact[EngineFacts],
    ceilings: Ceilings | None,
    workload: Workload,
    activity: Activity,
    chosen_depth: str = EMPTY_CACHE,
) -> BatchingState:
    """The state of the page; while the curve is being measured its points come one by one."""
    state = _curve(tests, model, machine, engine, ceilings, workload, activity)
    options = depth_options(workload, model)
    there = chosen_depth if any(one.id == chosen_depth for one in options) else EMPTY_CACHE
    return replace(state, depths=options, chosen_depth=there)


def _curve(
    tests: tuple[TestResult, ...],
    model: ModelFacts | None,
    machine: Machine | None,
    engine: Fact[EngineFacts],
    ceilings: Ceilings | None,
    workload: Workload,
    activity: Activity,
) -> BatchingState:
    why_not = why_no_streams(model, engine, activity)
    can, tip = not why_not, why_not or tr(MEASURE_TIP)
    running = activity is Activity.CURVE
    empty = tr("Measuring: the curve begins with its second point.") if running else tr(EMPTY)
    if model is None or machine is None:
        return BatchingState(can_measure=can, measure_tip=tip)
    device = next((test.device for test in tests), "CPU")
    comfort = workload.comfort.slowest_tokens_per_s
    terms = Terms(comfort, workload.deepest_tokens, model, ceilings, total_bytes(machine, engine, device))
    reading = read_batch(tests, terms)
    if reading is None:
        return BatchingState(empty=empty, can_measure=can, measure_tip=tip)
    headline, *others = batch_sentences(reading)
    head, rows = batch_table(reading)
    return BatchingState(
        headline=tr("Measuring; so far: {answer}", answer=headline) if running else headline,
        details=" ".join(others),
        empty="",
        dots=_dots(reading),
        ceiling=reading.ceiling,
        comfort_tokens_per_s=comfort,
        comfort_label=tr("comfort: {speed} each", speed=fmt.tokens_per_s(comfort)),
        balance_streams=reading.balance.or_none(),
        head=head,
        rows=rows,
        spoken=f"{headline} " + "; ".join(dot.tip for dot in _dots(reading)),
        can_measure=can,
        measure_tip=tip,
    )


def _dots(reading: BatchReading) -> tuple[StreamDot, ...]:
    return tuple(
        StreamDot(
            point.streams, point.tokens_per_s, point.spread_tokens_per_s or 0.0, point.each_tokens_per_s,
            point.each_spread_tokens_per_s or 0.0,
            tr(
                "{streams}: {together} together, {each} each",
                streams=fmt.plural(point.streams, "stream", "streams"),
                together=fmt.tokens_per_s(point.tokens_per_s),
                each=fmt.tokens_per_s(point.each_tokens_per_s),
            ),
        )
        for point in reading.points
    )  # fmt: skip
