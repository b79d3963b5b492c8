"""Where the speed goes, and what passed its ceiling, in words and rows."""

from advisor.benchmarks.model import Phase
from advisor.ceilings.model import Falsified
from advisor.core.evidence import Known
from advisor.core.translation import marked, tr
from advisor.diagnosis.waterfall import Part, Slice, Waterfall
from advisor.report import formatting as f
from advisor.report.document import Document

TITLE = marked("Where the speed goes")
HEAD = (marked("Part of the step"), marked("Time"), marked("Share"))


def waterfall_title(found: Waterfall) -> str:
    """The step that is taken apart: "One token of tg128, 86 ms"."""
    time = f.milliseconds(found.step_s)
    if found.phase is Phase.DECODE:
        return tr("One token of {test}: {time}", test=found.test, time=time)
    return tr("The whole prompt of {test}: {time}", test=found.test, time=time)


def waterfall_rows(found: Waterfall) -> list[tuple[str, str, str]]:
    """Part, time and share of the step, the ideal first."""
    return [
        (_part(piece), f.milliseconds(piece.seconds), f.percent(piece.seconds / found.step_s))
        for piece in found.slices
    ]


def _part(piece: Slice) -> str:
    if piece.part is Part.UNEXPLAINED and piece.seconds < 0:
        return tr("Unexplained: the parts took longer alone than together")
    return f.capital(tr(piece.part))


def falsified_sentences(document: Document) -> list[str]:
    """One sentence for each speed that stood above its ceiling during this run."""
    if not isinstance(document.ceilings, Known):
        return []
    return [_falsified(event) for event in document.ceilings.value.falsified]


def _falsified(event: Falsified) -> str:
    values = {
        "test": event.test, "speed": f.tokens_per_s(event.measured_tokens_per_s),
        "ceiling": f.tokens_per_s(event.ceiling_tokens_per_s),
    }  # fmt: skip
    if event.stands:
        return tr(
            "{test} ran at {speed}, above its ceiling of {ceiling}, so the ceiling was measured again; the speed "
            "stands above the new one, too, which therefore reads “at least”.",
            **values,
        )
    return tr(
        "{test} ran at {speed}, above its ceiling of {ceiling}, so the ceiling was measured again and is now {again}.",
        again=f.tokens_per_s(event.again_tokens_per_s), **values,
    )  # fmt: skip
