"""The HTML report: Markdown's words, charts that parse, no network, nothing unescaped, the same bytes again."""

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from advisor.benchmarks.model import Phase
from advisor.benchmarks.store.model import identity_of
from advisor.diagnosis.waterfall import Part, Slice, Waterfall
from advisor.report.document import Document
from advisor.report.exporters import svg
from advisor.report.exporters.as_csv import document_csv
from advisor.report.exporters.as_html import STYLE, document_html
from advisor.report.exporters.markdown import document_markdown
from advisor.report.waterfall_words import waterfall_rows
from tests.support import documents as d
from tests.support.trials import EXAMPLES
from ui.theme.palette import DARK, LIGHT

VOID = frozenset({"meta", "br"})
HOSTILE = "<script>alert(1)</script> \"a\" 'b' & `c` **d** | e \\ <img src=http://x>"


class Page(HTMLParser):
    """Collects text and refuses tags that do not close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.words: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"svg", "style", "title"} & set(self.open):
            self.words.append(data)


def plain(text: str) -> str:
    """Words alone: no Markdown signs, one space between."""
    text = re.sub(r"(?m)^(\| ?(---|--:) ?)+\|$|^```+$|^#+ |^ *- ", " ", text)
    text = re.sub(r"(?<!\\)[|*`]", " ", text)
    return re.sub(r"\s+", "", re.sub(r"\\(.)", r"\1", text))


@pytest.mark.parametrize("build", EXAMPLES.values(), ids=EXAMPLES)
def test_it_says_what_markdown_says(build: Callable[[], Document]) -> None:
    page = Page(document_html(build()))
    words = re.sub(r"\s+", "", re.sub(r"[|*`]", " ", "".join(page.words)))
    assert words == re.sub(r"[|*`]", "", plain(document_markdown(build())))


@pytest.mark.parametrize("build", EXAMPLES.values(), ids=EXAMPLES)
def test_charts_are_well_formed_and_have_words(build: Callable[[], Document]) -> None:
    charts = re.findall(r"<svg.*?</svg>", document_html(build()), re.DOTALL)
    assert charts
    for chart in charts:
        root = ET.fromstring(chart)
        first, second = list(root)[:2]
        assert first.tag.endswith("title")
        assert first.text
        assert second.tag.endswith("desc")
        assert second.text
        assert "nan" not in chart
        assert "inf" not in re.sub(r">[^<]*<", "><", chart)


@pytest.mark.parametrize("unexplained_s", [0.1, -0.1])
def test_bars_of_a_step_stand_beside_their_whole_names(unexplained_s: float) -> None:
    pieces = [Slice(part, 0.1) for part in Part if part is not Part.UNEXPLAINED]
    step_s = 0.1 * len(pieces) + unexplained_s
    found = Waterfall(Phase.PREFILL, "pp512", step_s, (*pieces, Slice(Part.UNEXPLAINED, unexplained_s)))
    shapes = list(ET.fromstring(svg.waterfall(found)))[2:]
    assert [each.text for each in shapes[::3]] == [name for name, _, _ in waterfall_rows(found)]
    names_end = max(len(name) for name, _, _ in waterfall_rows(found)) * svg.GLYPH
    assert all(float(bar.attrib["x"]) >= names_end for bar in shapes[1::3])
    assert all(float(took.attrib["x"]) + len(took.text or "") * svg.GLYPH <= svg.WIDTH for took in shapes[2::3])


def test_nothing_is_fetched_and_nothing_escapes() -> None:
    document = replace(d.swept_document(), model=d.model(HOSTILE))
    text = document_html(document)
    page = Page(text)
    assert not {"script", "img", "link", "iframe"} & page.tags
    assert HOSTILE in "".join(page.words).replace("\u00a0", " ")
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "").replace("src=http://x", "")


def test_the_same_document_gives_the_same_bytes_without_personal_paths() -> None:
    text = document_html(d.complete_document())
    assert text == document_html(d.complete_document())
    assert "maria" not in text


def test_light_and_dark_are_the_windows_colours() -> None:
    for palette in (LIGHT, DARK):
        for name in ("ground", "surface", "line", "text", "muted", "prefill", "decode"):
            assert f"--{name}: {getattr(palette, name)}" in STYLE
    assert "@media print" in STYLE


def test_csv_holds_every_test_with_its_figures() -> None:
    document = d.swept_document()
    rows = list(csv.DictReader(io.StringIO(document_csv(document))))
    assert len(rows) == len(document.tests)
    for row, test in zip(rows, document.tests, strict=True):
        assert (row["test"], float(row["tokens_per_s"])) == (test.test, test.tokens_per_s)
        assert [float(sample) for sample in row["samples_s"].split()] == list(test.samples_s)
        assert row["threads"] == str(test.n_threads)
    assert {row["phase"] for row in rows} == {str(phase) for phase in Phase}


def test_csv_names_the_machine_as_the_list_of_runs_does(german: None) -> None:
    document = d.complete_document()
    (first, *_) = csv.DictReader(io.StringIO(document_csv(document)))
    identity = identity_of(document.machine)
    assert first["machine"] == identity.english == identity.words.replace("logische", "logical")
    assert "logical CPUs" in first["machine"]


def test_csv_leaves_unknowns_empty_and_formulas_as_text() -> None:
    single = replace(d.decode_test(), samples_s=(1.0,))
    document = replace(d.complete_document(), tests=(single,), model=d.model("=1+1"))
    (row,) = csv.DictReader(io.StringIO(document_csv(document)))
    assert row["mad_tokens_per_s"] == row["interval_low_tokens_per_s"] == ""
    assert row["model"] == "'=1+1"
