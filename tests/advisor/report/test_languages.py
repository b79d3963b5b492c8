"""Reports in another language: nothing English of our own is left, figures are written as Germans write them.

What a document holds (its verdict, an advice) was said when it was made, and stays as it is.
"""

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from advisor.benchmarks.model import Phase
from advisor.comparison.compare import compare
from advisor.comparison.model import Comparison
from advisor.report import upgrades
from advisor.report.document import Document
from advisor.report.exporters.as_csv import document_csv
from advisor.report.exporters.as_html import document_html
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.compare_markdown import compare_markdown
from advisor.report.exporters.llama_bench import document_rows
from advisor.report.exporters.markdown import document_markdown
from advisor.report.exporters.server_html import server_html
from advisor.report.exporters.server_markdown import server_markdown
from advisor.report.exporters.server_text import server_text
from advisor.report.server_document import ServerDocument, server_document
from advisor.servers.advice import Comfort
from advisor.servers.model import ServerSettings
from tests.advisor.comparison.test_compare import row, side
from tests.support.languages import own_words, spoken, words_of
from tests.support.server_results import some_result
from tests.support.stutters import stuttering_document
from tests.support.trials import EXAMPLES

DOCUMENTS = {**EXAMPLES, "stuttering": stuttering_document}
NAMES = frozenset({"Two", "Machines", "Prefill", "Decode", "CPU", "GPU", "min", "GFLOP", "TFLOP", "GiB", "Ollama"})
"""Names and units, which are the same everywhere."""
ENGLISH_DECIMAL = re.compile(r"\d\.\d{1,2}\u00a0(?:s|ms|min|GB|MB|GB/s|TFLOP|GFLOP|%|tokens/s|Tokens/s)")
HIDDEN = ("style", "pre")
MADE = "2026-11-30T12:00:00+01:00"


class Shown(HTMLParser):
    """What a reader of a page sees or is told: no tags, no style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self._hidden = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden = self._hidden or tag in HIDDEN

    def handle_endtag(self, tag: str) -> None:
        self._hidden = self._hidden and tag not in HIDDEN

    def handle_data(self, data: str) -> None:
        self.text += "" if self._hidden else f" {data} "


def prose(markdown: str) -> str:
    """Markdown without its commands."""
    return re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)


def held(document: Document) -> set[str]:
    """The words that the document itself brings, and those of its tests' settings."""
    return own_words(document) | own_words(tuple(test.spec.setting for test in document.tests)) | NAMES


def a_server() -> ServerDocument:
    return server_document(MADE, "0.1.0", some_result(), ServerSettings("http://127.0.0.1:8080"), Comfort())


def a_comparison() -> Comparison:
    base = side(row(Phase.PREFILL, 100), row(Phase.DECODE, 10), row(Phase.DECODE, 9, n_depth=512))
    return compare(base, side(row(Phase.PREFILL, 300), row(Phase.DECODE, 10.05), name="b", machine="two"))


@pytest.fixture(autouse=True)
def _no_upgrades(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their sentences are made anew by ``advisor.whatif``, whose own tests they have."""
    monkeypatch.setattr(upgrades, "upgrades_of", lambda document: None)


@pytest.mark.parametrize("build", DOCUMENTS.values(), ids=DOCUMENTS)
def test_every_word_of_a_report_can_be_translated(build: Callable[[], Document]) -> None:
    document = build()
    english = document_markdown(document)
    with spoken("veiled"):
        markdown, html = document_markdown(document), document_html(document)
    assert words_of(prose(markdown)) - held(document) == set()
    assert words_of(Shown(html).text) - held(document) == set()
    assert document_markdown(document) == english


@pytest.mark.parametrize("build", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_german_report_has_german_figures_and_every_chart(build: Callable[[], Document]) -> None:
    document = build()
    english = document_html(document)
    with spoken("de"):
        markdown, html = document_markdown(document), document_html(document)
    for text in (prose(markdown), Shown(html).text):
        # Sentences of the document were made before, with English figures.
        own = "\n".join(_texts(document))
        assert [figure for figure in ENGLISH_DECIMAL.findall(text) if figure not in own] == []
    assert '<html lang="de">' in html
    assert html.count("<figure>") == english.count("<figure>")
    assert html.count("<tr>") == english.count("<tr>")
    for name in ("x", "y", "width", "height"):  # coordinates have points in every language
        assert re.findall(rf' {name}="([^"]*,[^"]*)"', html) == []


def _texts(value: object) -> list[str]:
    """Every sentence of a document's JSON."""
    if isinstance(value, Document):
        return _texts(document_json(value))
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []


def test_what_a_german_report_says() -> None:
    document = DOCUMENTS["complete"]()
    with spoken("de"):
        markdown = document_markdown(document)
    for words in (
        "## Eine Anfrage", "## Was zu tun ist", "## Die zwei Maschinen", "## Messungen", "## Rechner und Engine",
        "| Test | Kurve | Tokens/s | ± MAD | Läufe | Threads | Gerät | Stempel |", "✓ gültig",
        "11,6\u00a0Tokens/s", "durch den Speicher begrenzt", "**Wie sicher:** ✓ Gültiger Lauf: keine Störung gefunden.",
        "8,03\u00a0Mrd. Parameter", "29. November 2026",
    ):  # fmt: skip
        assert words in markdown, words


def test_programs_read_the_same_figures_in_every_language() -> None:
    for build in DOCUMENTS.values():
        document = build()
        csv, rows, json = document_csv(document), document_rows(document), document_json(document)
        with spoken("de"):
            assert document_csv(document) == csv
            assert document_rows(document) == rows
            assert _figures(document_json(document)) == _figures(json)


def _figures(value: object) -> object:
    """JSON without its texts, which people read: names, figures, and what is missing."""
    if isinstance(value, dict):
        return {name: _figures(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_figures(each) for each in value]
    return None if isinstance(value, str) else value


def test_every_word_about_a_server_can_be_translated() -> None:
    document = a_server()
    own = own_words(document) | NAMES
    with spoken("veiled"):
        markdown, html = server_markdown(document), server_html(document)
        text = server_text(document.result, document.verdict)
    assert words_of(prose(markdown)) - own == set()
    assert words_of(Shown(html).text) - own == set()
    assert words_of(text) - own == set()


def test_a_german_server_report_keeps_its_charts() -> None:
    document = a_server()
    english = server_html(document)
    with spoken("de"):
        german = server_html(document)
    assert german.count("<figure>") == english.count("<figure>") == 3
    assert "## " not in german
    assert "Zeit bis zum ersten Token" in german


def test_every_word_of_a_comparison_can_be_translated() -> None:
    found = a_comparison()
    with spoken("veiled"):
        text = compare_markdown([found])
    assert words_of(text) - own_words(found) - NAMES == set()
    with spoken("de"):
        assert "| Test | Erster, Tokens/s | Dieser, Tokens/s | Verhältnis |" in compare_markdown([found])
