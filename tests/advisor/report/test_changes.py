"""What changed since the last run, in every report and back from its JSON."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Phase
from advisor.comparison.model import Outcome
from advisor.comparison.trend import Change
from advisor.report.document import Document
from advisor.report.exporters.as_html import document_html
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.markdown import document_markdown
from advisor.report.loader import load_document
from tests.advisor.report.schema_check import problems
from tests.support import documents as d

SLOWER = Change(
    Phase.DECODE, "tg128", 4, "2026-11-04T10:00:00+01:00", 40.0, 30.0, (0.74, 0.76), Outcome.SLOWER,
    ("on mains → on battery",), ("driver of Iris Xe",), 0.04, 5,
)  # fmt: skip
UNKNOWN = replace(
    SLOWER, phase=Phase.PREFILL, test="pp512", interval=None, outcome=Outcome.UNKNOWN, spread=None, run=None
)


@pytest.fixture
def document() -> Document:
    return replace(d.complete_document(), changes=(UNKNOWN, SLOWER))


def test_they_come_back_from_json_and_fit_the_schema(document: Document) -> None:
    value = document_json(document)
    assert problems(value, "diagnose") == []
    assert load_document(value).changes == document.changes
    assert "changes" in value
    del value["changes"]
    assert load_document(value).changes == (), "a result of an earlier version has none"


@pytest.mark.parametrize("render", [document_markdown, document_html])
def test_they_stand_in_the_texts(document: Document, render) -> None:
    text = render(document).replace("\u00a0", " ")
    assert "Since last time" in text
    assert "Decode (tg128) is 25 % slower than in run 4 of 4 November 2026, 10:00" in text
    assert "on mains → on battery" in text
    assert "whether that is chance is unknown" in text
    assert "Since last time" not in render(d.complete_document())
