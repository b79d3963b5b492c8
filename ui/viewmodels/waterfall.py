"""Where the speed goes: one step of each phase taken apart, as rows of bars that begin where the last one ended."""

from dataclasses import dataclass, field
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult
from advisor.benchmarks.phrases import tokens
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact, Unknown
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Verdict, Workload
from advisor.diagnosis.selection import at_depth, choose, same_setting
from advisor.diagnosis.waterfall import Part, Waterfall, waterfall
from advisor.gguf.model import ModelFacts
from advisor.report import formatting as fmt
from advisor.report.waterfall_words import waterfall_rows, waterfall_title

IDEAL: Final = frozenset({Part.RATED, Part.READING, Part.ARITHMETIC})
"""What the hardware needs in any case; the rest is lost on the way."""

EMPTY: Final = marked(
    "After a benchmark, each token's time is taken apart here: what the hardware needs, and what is lost."
)


@dataclass(frozen=True, slots=True)
class StepPart:
    """One row.

    Attributes:
        start, width: of its bar as shares of the step, 0 to 1; parts that are longer alone than together make the
            bars shrink so that all fit.
        seconds: of one step; below 0 where parts are longer alone than together.
        kind: "ideal", "lost" or "unexplained".
    """

    name: str
    time: str
    share: str
    start: float
    width: float
    kind: str
    seconds: float


@dataclass(frozen=True, slots=True)
class StepShown:
    """One phase's step; without parts ``sentence`` says why it is not taken apart."""

    phase: str
    title: str
    sentence: str
    parts: tuple[StepPart, ...] = ()


@dataclass(frozen=True, slots=True)
class WaterfallPage:
    """State of the page; ``empty`` is said while nothing is measured."""

    steps: tuple[StepShown, ...] = ()
    empty: str = field(default_factory=lambda: tr(EMPTY))

    @property
    def figures(self) -> tuple[tuple[str, ...], tuple[tuple[str | float, ...], ...]]:
        """Every part as a number; the head is English whatever the language, as in every file."""
        return ("phase", "part", "seconds per step"), tuple(
            (step.phase, part.name, part.seconds) for step in self.steps for part in step.parts
        )


Taken = tuple[tuple[TestResult, Fact[Waterfall]], ...]
"""Rows that may be shown, prefill first, each phase's row of least depth before others, each step taken apart."""


class Waterfalls:
    """Takes the steps apart once for each measurement: a moved slider changes none of them."""

    def __init__(self) -> None:
        self._asked: tuple[object, ...] = ()
        self._taken: Taken = ()

    def present(
        self, model: ModelFacts | None, ceilings: Ceilings | None, tests: tuple[TestResult, ...],
        verdict: Verdict | None, workload: Workload,
    ) -> WaterfallPage:
        """As ``present_waterfalls``."""
        asked = (model, ceilings, tests)
        if len(self._asked) != len(asked) or any(a is not b for a, b in zip(asked, self._asked, strict=True)):
            self._asked, self._taken = asked, take_apart(model, ceilings, tests)
        return present_waterfalls(self._taken, tests, verdict, workload)


def take_apart(model: ModelFacts | None, ceilings: Ceilings | None, tests: tuple[TestResult, ...]) -> Taken:
    """Each phase's row of least depth and decode's depth curve, each step taken apart; nothing without a model."""
    if model is None:
        return ()
    shown = []
    for phase in Phase:
        rows = [row for row in tests if row.phase is phase and row.sweep is Sweep.PHASES]
        if rows:
            least = min(rows, key=lambda held: held.n_depth)
            curve = same_setting(tests, least) if phase is Phase.DECODE else ()
            shown += [least, *(row for row in curve if row is not least)]
    return tuple((row, waterfall(row, model, ceilings)) for row in shown)


def present_waterfalls(
    taken: Taken, tests: tuple[TestResult, ...], verdict: Verdict | None, workload: Workload
) -> WaterfallPage:
    """The page's state.

    Of decode the step nearest to the depth at which the work writes is shown. What the verdict says of a phase stands
    below its step only where it speaks of the same row: for a deep workload it may rest on another one.
    """
    chosen = choose(tests, workload)
    steps = []
    for phase in Phase:
        mine = [(row, found) for row, found in taken if row.phase is phase]
        if not mine:
            continue
        deep = at_depth([row for row, _ in mine], mine[0][0], workload.writing_depth_tokens)
        row, found = next(each for each in mine if each[0] is deep)
        rests_on = chosen.prefill if phase is Phase.PREFILL else chosen.decode
        because = ""
        if verdict is not None and row is rests_on:
            because = (verdict.prefill if phase is Phase.PREFILL else verdict.decode).because
        elif verdict is not None and rests_on is not None and row is not mine[0][0]:
            because = tr("Measured nearest to the depth of this work, {depth}; the verdict rests on {test}.",
                         depth=tokens(workload.writing_depth_tokens), test=rests_on.test)
        steps.append(_step(row, found, because))
    return WaterfallPage(tuple(steps), "" if steps else tr(EMPTY))


def _step(row: TestResult, found: Fact[Waterfall], because: str) -> StepShown:
    phase = str(row.phase)
    if row.conditions.stamp is Stamp.INVALID:
        return StepShown(phase, row.test, tr("Not taken apart: the run is not valid."))
    if isinstance(found, Unknown):
        return StepShown(phase, row.test, tr("Not taken apart: {reason}.", reason=retold(found.reason)))
    return StepShown(phase, waterfall_title(found.value), because, _parts(found.value))


def _parts(found: Waterfall) -> tuple[StepPart, ...]:
    whole_s = max(found.step_s, sum(max(piece.seconds, 0.0) for piece in found.slices))
    parts, at_s = [], 0.0
    for piece, (name, time, share) in zip(found.slices, waterfall_rows(found), strict=True):
        length_s = max(piece.seconds, 0.0)
        kind = "ideal" if piece.part in IDEAL else "unexplained" if piece.part is Part.UNEXPLAINED else "lost"
        parts.append(StepPart(name, time, share, at_s / whole_s, length_s / whole_s, kind, piece.seconds))
        at_s += length_s
    return tuple(parts)


def spoken(step: StepShown) -> str:
    """The rows for a screen reader."""
    return "; ".join(f"{part.name}: {part.time}, {part.share}" for part in step.parts) or fmt.sentence(step.sentence)
