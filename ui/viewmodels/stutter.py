"""The stutter page as numbers and words: the token clock of one size, worst gaps over sizes, table and sentences."""

from dataclasses import dataclass, field
from typing import Final

from advisor.benchmarks.stutter.model import STALL_S, Stutter
from advisor.core.evidence import Known
from advisor.core.translation import marked, tr
from advisor.report import formatting as fmt
from advisor.report import stutter_words
from advisor.report.document import Document

EMPTY: Final = marked(
    "While somebody's long prompt is read, everybody else's answer stands still. Measure how long, and which size of "
    "pieces cures it; it takes one to three minutes."
)
MEASURE_TIP: Final = marked("Let a prompt of your workload arrive among running streams (Esc stops)")


@dataclass(frozen=True, slots=True)
class Ticks:
    """One stream's row of the clock: its name and the seconds at which its tokens came out."""

    name: str
    at_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ClockChart:
    """The token clock of one size: a row of ticks per stream, and from when to when the prompt was read.

    ``tick`` is what a tick stands for in any language: "token", or "chunk", which may carry several.
    """

    chunk: str
    rows: tuple[Ticks, ...]
    prompt_from_s: float
    prompt_to_s: float
    spoken: str
    tick: str = "token"


@dataclass(frozen=True, slots=True)
class GapPoint:
    """Worst gap of one size in seconds; ``predicted_s`` is None where nothing was predicted."""

    tokens: int
    worst_s: float
    low_s: float
    high_s: float
    predicted_s: float | None
    tip: str


@dataclass(frozen=True, slots=True)
class StutterPage:
    """State of the page; ``empty`` says what it is for while there is nothing to show."""

    clocks: tuple[ClockChart, ...] = ()
    points: tuple[GapPoint, ...] = ()
    budget_s: float = STALL_S
    sentence: str = ""
    head: tuple[str, ...] = field(default_factory=lambda: tuple(tr(name) for name in stutter_words.HEAD))
    rows: tuple[tuple[str, ...], ...] = ()
    notes: str = ""
    empty: str = field(default_factory=lambda: tr(EMPTY))
    can_measure: bool = False
    measure_tip: str = ""
    spoken: str = ""

    @property
    def figures(self) -> tuple[tuple[str, ...], tuple[tuple[float | None, ...], ...]]:
        """Every size as numbers; the head is English whatever the language, as in every file."""
        head = "prompt tokens per step", "worst gap, s", "lowest, s", "highest, s", "predicted, s"
        return head, tuple(
            (float(each.tokens), each.worst_s, each.low_s, each.high_s, each.predicted_s) for each in self.points
        )


def present_stutter(document: Document | None, why_not: str) -> StutterPage:
    """The page's state; ``why_not`` says why nothing can be measured now, empty where it can."""
    can_measure, tip = not why_not, why_not or tr(MEASURE_TIP)
    if document is None or not isinstance(document.stutter, Known):
        return StutterPage(can_measure=can_measure, measure_tip=tip)
    stutter = document.stutter.value
    first, second, *others = stutter_words.sentences(stutter)
    points = _points(stutter)
    return StutterPage(
        clocks=tuple(_clock(stutter, number) for number in range(len(stutter.sizes))),
        points=points,
        sentence=f"{first} {second}",
        rows=tuple(stutter_words.rows(stutter)),
        notes=" ".join(others),
        empty="",
        can_measure=can_measure,
        measure_tip=tip,
        spoken="; ".join(point.tip for point in points),
    )


def _points(stutter: Stutter) -> tuple[GapPoint, ...]:
    made = []
    for size, each in zip(stutter.sizes, stutter.pauses(), strict=True):
        predicted = size.predicted.or_none()
        words, gap = stutter_words.size_words(stutter, each.chunk_tokens), fmt.seconds(each.worst_s)
        tip = tr("{size}: worst gap {gap}", size=words, gap=gap)
        if predicted:
            expected = fmt.seconds(predicted.worst_s)
            tip = tr("{size}: worst gap {gap}, predicted {expected}", size=words, gap=gap, expected=expected)
        made.append(GapPoint(
            each.chunk_tokens, each.worst_s, each.worst_low_s, each.worst_high_s,
            predicted.worst_s if predicted else None, tip,
        ))  # fmt: skip
    return tuple(made)


def _clock(stutter: Stutter, number: int) -> ClockChart:
    """The clock of the round in the middle, by its worst gap."""
    size = stutter.sizes[number]
    counted = [clock for clock in size.clocks if clock.round in stutter.counted_rounds] or list(size.clocks)
    clock = sorted(counted, key=lambda each: each.worst_s)[len(counted) // 2]
    ends, now_s = [], 0.0
    for gap_s in (*clock.before_s, *clock.during_s, *clock.after_s):
        now_s += gap_s
        ends.append(now_s)
    begin = len(clock.before_s)
    end = begin + len(clock.during_s)
    streams = stutter.spec.n_streams
    rows = [Ticks(tr("stream {number}", number=index + 1), tuple(ends)) for index in range(min(streams, MOST_ROWS))]
    words = stutter_words.size_words(stutter, size.chunk_tokens)
    return ClockChart(
        chunk=words,
        rows=(*rows, Ticks(tr("the prompt"), tuple(ends[end - 1 :]))),
        prompt_from_s=ends[begin - 1],
        prompt_to_s=ends[end - 1],
        spoken=tr(
            "Pieces of {size}: the prompt is read from {begin} to {end}, the longest gap between two tokens is {gap}",
            size=words, begin=fmt.seconds(ends[begin - 1]), end=fmt.seconds(ends[end - 1]),
            gap=fmt.seconds(clock.worst_s),
        ),
    )


MOST_ROWS = 8
"""Streams that are drawn; all of them tick together, so more would show nothing new."""
