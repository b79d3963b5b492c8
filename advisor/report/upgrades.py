"""The report's section about other hardware: the usual changes for this model and this work; pure."""

from typing import Final

from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Problem
from advisor.recommendations.evidence import Evidence
from advisor.report.document import Document
from advisor.report.evidence_of import evidence_of
from advisor.report.formatting import date_time
from advisor.report.whatif_words import HEAD, limits, present_words, whatif_rows
from advisor.whatif.base import from_evidence
from advisor.whatif.consider import consider
from advisor.whatif.model import Base, Considered, Question

TITLE: Final = marked("Other hardware, before it is bought")
MORE: Final = marked(
    "Speed-ups over now, as ranges. Any other device, its assumptions and what it is worth for its price: two-machines "
    "what-if MODEL."
)


def upgrades_of(document: Document) -> Considered | None:
    """The usual changes; None where nothing is a problem, something is wrong, or the figures are not to be believed."""
    evidence = evidence_of(document)
    if evidence is None or evidence.verdict.problem not in (Problem.PREFILL, Problem.DECODE):
        return None
    base = present_of(evidence, document)
    return None if base is None or base.doubt else consider(base, Question())


def present_of(evidence: Evidence, document: Document) -> Base | None:
    """The present as this diagnosis measured it; None where a phase or the model's traffic is not known."""
    return from_evidence(evidence, tr("measured here on {date}", date=date_time(document.created_at))).or_none()


def upgrade_table(found: Considered) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows."""
    return tuple(map(tr, HEAD)), whatif_rows(found.answers)


def upgrade_sentences(found: Considered) -> tuple[str, ...]:
    """What it is compared with, what should be known first, and what is not known."""
    return (present_words(found.base), *found.notes, tr(MORE), *limits(found))
