"""A stutter experiment in every form of the report: JSON and back, Markdown, and the schema of its own command."""

import json

import pytest

from advisor.report.codec import json_text
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.markdown import document_markdown
from advisor.report.exporters.stutter_json import chunk_json
from advisor.report.loader import load_document
from tests.advisor.report.schema_check import problems
from tests.support import documents
from tests.support.stutters import stutter, stuttering_document


def test_a_document_with_it_keeps_to_the_schema_and_loads_again() -> None:
    made = json.loads(json_text(document_json(stuttering_document())))
    assert problems(made, "diagnose") == []
    again = load_document(made)
    assert again.stutter == stuttering_document().stutter
    assert document_json(again) == made


@pytest.mark.parametrize("predicted", [True, False])
@pytest.mark.parametrize("budget_s", [0.01, 0.2])
def test_the_command_s_json(predicted: bool, budget_s: float) -> None:
    made = chunk_json(
        stutter(predicted=predicted), budget_s, documents.machine(), documents.engine(), documents.model()
    )
    assert problems(json.loads(json_text(made)), "chunk") == []
    assert made["largest_chunk_tokens"] == (None if budget_s < 0.1 else 160)
    assert made["stutter"]["sizes"][0]["clocks"][0]["during_s"]


def test_markdown_has_a_section_only_where_it_was_measured() -> None:
    assert "## Stutter" not in document_markdown(documents.complete_document())
    text = document_markdown(stuttering_document())
    section = text[text.index("## Stutter") :]
    assert "2,048 (in one go)" in section
    assert "160" in section.replace("\u00a0", " ").split("per step keep")[0]
