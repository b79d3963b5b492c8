"""A result is English and a report speaks one language, whichever of them the run was made or is read in.

The catalogue itself is the measure: no piece of a sentence that it has in one language only may stand in a report in
the other.
"""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.core.translation import use
from advisor.recommendations.evidence import Evidence
from advisor.report.answering import answer, answered_again, spoken
from advisor.report.codec import json_text
from advisor.report.document import Document
from advisor.report.exporters.as_csv import document_csv
from advisor.report.exporters.as_html import document_html
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.markdown import document_markdown
from advisor.report.loader import load_document
from tests.support.catalogue import said_in
from tests.support.evidence import laptop
from tests.support.situations import situations
from tests.support.stutters import stuttering_document
from tests.support.trials import EXAMPLES

INVENTED = {**EXAMPLES, "stuttering": stuttering_document}
RENDERINGS = (document_markdown, document_html)
OTHER = {"en": "de", "de": "en"}


@pytest.fixture(autouse=True)
def _english_afterwards() -> Iterator[None]:
    yield
    use("en")


def anew(build: Callable[[], Document]) -> Callable[[], Document]:
    """The invented document with sentences that the catalogue has."""
    return lambda: answered_again(build(), build().trials, build().ledger)


DOCUMENTS = {name: anew(build) for name, build in INVENTED.items()}


def answered(evidence: Evidence) -> Document:
    """What a window that speaks this language makes of what was measured."""
    bounds = Known(evidence.ceilings, Basis.COMPUTED, "probes of this machine and the model's traffic")
    engine = Known(evidence.engine, Basis.READ, "llama-cpp-python") if evidence.engine else (
        Unknown("not measured yet", Missing.NOT_YET)
    )
    return answer(
        evidence.machine, engine, evidence.model, bounds, tuple(evidence.tests), evidence.workload,
        "2026-11-29T14:05:00+01:00",
    )  # fmt: skip


def read_in(language: str, document: Document) -> Document:
    """The stored result as somebody opens it who speaks that language."""
    use(language)
    return load_document(document_json(document))


@pytest.mark.parametrize("target", ["de", "en"])
@pytest.mark.parametrize("build", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_report_of_a_stored_run_speaks_one_language(build: Callable[[], Document], target: str) -> None:
    use(OTHER[target])
    made = spoken(build())
    opened = read_in(target, made)
    for render in RENDERINGS:
        assert said_in(OTHER[target], render(opened)) == []
        assert said_in(OTHER[target], render(made)) == []  # whatever it is given


@settings(max_examples=8, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(evidence=situations())
def test_whatever_was_measured_reads_the_same_as_if_it_had_been_answered_in_the_language(evidence: Evidence) -> None:
    try:
        use("de")
        german = answered(evidence)
        use("en")
        english = answered(evidence)
        opened = read_in("de", english)
        assert opened.verdict == spoken(german).verdict
        assert opened.advice == spoken(german).advice
        assert said_in("en", document_markdown(opened)) == []
        assert json_text(document_json(german)) == json_text(document_json(english))
        assert said_in("de", document_markdown(read_in("en", german))) == []
    finally:
        use("en")


@pytest.mark.parametrize("build", DOCUMENTS.values(), ids=DOCUMENTS)
def test_files_for_programs_are_english(build: Callable[[], Document]) -> None:
    english = build()
    text, table = json_text(document_json(english)), document_csv(english)
    use("de")
    german = spoken(english)
    assert said_in("de", json_text(document_json(german))) == []
    assert said_in("de", document_csv(german)) == []
    assert json_text(document_json(english)) == text
    assert document_csv(english) == table


def test_a_page_says_its_language() -> None:
    document = DOCUMENTS["complete"]()
    assert '<html lang="en">' in document_html(document)
    use("de")
    assert '<html lang="de">' in document_html(document)


def test_an_answer_of_other_rules_is_told_again_and_not_replaced() -> None:
    document = answered(laptop())
    older = Document(**{  # an older version advised less
        name: getattr(document, name) for name in document.__slots__
    } | {"advice": document.advice[:1], "app_version": "0.0.9"})
    use("de")
    told = spoken(older)
    assert [item.id for item in told.advice] == [item.id for item in older.advice]
    assert told.app_version == "0.0.9"
    assert said_in("en", document_markdown(told)) == []


def test_what_is_in_the_language_already_stays_as_it_is() -> None:
    document = answered(laptop())
    assert spoken(document) is document
