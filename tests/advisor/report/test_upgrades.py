"""The report's section on other hardware: there where a phase is a problem, never where something is wrong."""

from dataclasses import replace

from advisor.core.evidence import Basis, Known
from advisor.diagnosis.model import Problem
from advisor.report.exporters.markdown import document_markdown
from advisor.report.upgrades import TITLE, upgrade_sentences, upgrade_table, upgrades_of
from tests.support import documents


def test_a_problem_gets_a_table_of_the_usual_changes() -> None:
    found = upgrades_of(documents.complete_document())
    assert found is not None
    head, rows = upgrade_table(found)
    assert all(len(row) == len(head) for row in rows)
    assert any(row[0] == "RTX 4090" for row in rows)
    assert upgrade_sentences(found)[0].startswith("Now (measured")
    assert f"## {TITLE}" in document_markdown(documents.complete_document())


def test_nothing_is_shown_where_nothing_should_be_bought() -> None:
    whole = documents.complete_document()
    assert isinstance(whole.verdict, Known)
    for problem in (Problem.FAULT, Problem.NONE):
        verdict = Known(replace(whole.verdict.value, problem=problem), Basis.COMPUTED, "test")
        other = replace(whole, verdict=verdict)
        assert upgrades_of(other) is None
        assert TITLE not in document_markdown(other)
