"""Where the speed goes, and what passed its ceiling, in words and rows."""

from advisor.benchmarks.model import Phase
from advisor.ceilings.model import Falsified
from advisor.core.evidence import Known
from advisor.diagnosis.waterfall import Part, Slice, Waterfall
from advisor.report import formatting as f
from advisor.report.document import Document

TITLE = "Where the speed goes"
HEAD = ("Part of the step", "Time", "Share")


def waterfall_title(found: Waterfall) -> str:
    """The step that is taken apart: "One token of tg128, 86 ms"."""
    step = "One token" if found.phase is Phase.DECODE else "The whole prompt"
    return f"{step} of {found.test}: {f.milliseconds(found.step_s)}"


def waterfall_rows(found: Waterfall) -> list[tuple[str, str, str]]:
    """Part, time and share of the step, the ideal first."""
    return [
        (_part(piece), f.milliseconds(piece.seconds), f.percent(piece.seconds / found.step_s))
        for piece in found.slices
    ]


def _part(piece: Slice) -> str:
    if piece.part is Part.UNEXPLAINED and piece.seconds < 0:
        return "Unexplained: the parts took longer alone than together"
    return f.capital(str(piece.part))


def falsified_sentences(document: Document) -> list[str]:
    """One sentence for each speed that stood above its ceiling during this run."""
    if not isinstance(document.ceilings, Known):
        return []
    return [_falsified(event) for event in document.ceilings.value.falsified]


def _falsified(event: Falsified) -> str:
    first = (
        f"{event.test} ran at {f.tokens_per_s(event.measured_tokens_per_s)}, above its ceiling of "
        f"{f.tokens_per_s(event.ceiling_tokens_per_s)}, so the ceiling was measured again"
    )
    if event.stands:
        return f"{first}; the speed stands above the new one, too, which therefore reads “at least”."
    return f"{first} and is now {f.tokens_per_s(event.again_tokens_per_s)}."
