"""Where the speed goes: one step of each phase taken apart, as rows of bars that begin where the last one ended."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact, Known, Unknown
from advisor.diagnosis.model import Verdict
from advisor.diagnosis.waterfall import Part, Waterfall, waterfall
from advisor.gguf.model import ModelFacts
from advisor.report import formatting as fmt
from advisor.report.waterfall_words import waterfall_rows, waterfall_title

IDEAL: Final = frozenset({Part.RATED, Part.READING, Part.ARITHMETIC})
"""What the hardware needs in any case; the rest is lost on the way."""

EMPTY: Final = "After a benchmark, each token's time is taken apart here: what the hardware needs, and what is lost."


@dataclass(frozen=True, slots=True)
class StepPart:
    """One row.

    Attributes:
        start, width: of its bar as shares of the step, 0 to 1; parts that are longer alone than together make the
            bars shrink so that all fit.
        kind: "ideal", "lost" or "unexplained".
    """

    name: str
    time: str
    share: str
    start: float
    width: float
    kind: str


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
    empty: str = EMPTY


def present_waterfalls(
    model: ModelFacts | None, ceilings: Ceilings | None, tests: tuple[TestResult, ...], verdict: Verdict | None
) -> WaterfallPage:
    """Both phases' steps, prefill first, each from its first test without depth."""
    if model is None:
        return WaterfallPage()
    steps = []
    for phase in Phase:
        rows = [row for row in tests if row.phase is phase and row.sweep is Sweep.PHASES]
        row = min(rows, key=lambda held: held.n_depth, default=None)
        if row is not None:
            because = "" if verdict is None else (verdict.prefill if phase is Phase.PREFILL else verdict.decode).because
            steps.append(_step(phase, row, waterfall(row, model, ceilings), because))
    return WaterfallPage(tuple(steps), "" if steps else EMPTY)


def _step(phase: Phase, row: TestResult, found: Fact[Waterfall], because: str) -> StepShown:
    if row.conditions.stamp is Stamp.INVALID:
        return StepShown(str(phase), row.test, "Not taken apart: the run is not valid.")
    if isinstance(found, Unknown):
        return StepShown(str(phase), row.test, f"Not taken apart: {found.reason}.")
    assert isinstance(found, Known)
    return StepShown(str(phase), waterfall_title(found.value), because, _parts(found.value))


def _parts(found: Waterfall) -> tuple[StepPart, ...]:
    whole_s = max(found.step_s, sum(max(piece.seconds, 0.0) for piece in found.slices))
    parts, at_s = [], 0.0
    for piece, (name, time, share) in zip(found.slices, waterfall_rows(found), strict=True):
        length_s = max(piece.seconds, 0.0)
        kind = "ideal" if piece.part in IDEAL else "unexplained" if piece.part is Part.UNEXPLAINED else "lost"
        parts.append(StepPart(name, time, share, at_s / whole_s, length_s / whole_s, kind))
        at_s += length_s
    return tuple(parts)


def spoken(step: StepShown) -> str:
    """The rows for a screen reader."""
    return "; ".join(f"{part.name}: {part.time}, {part.share}" for part in step.parts) or fmt.sentence(step.sentence)
