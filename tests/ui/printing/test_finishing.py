"""What is in the PDF beside its pages: bookmarks, language, dates, the result itself; checked with other programs."""

import hashlib
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QGuiApplication

from advisor.report.codec import json_text
from advisor.report.exporters.as_json import document_json
from advisor.report.loader import load_document
from tests.support import documents as d
from ui.printing.finishing import Bookmark, NotAsExpected, finished
from ui.printing.paper import A4, LETTER, PAPERS, paper_of
from ui.printing.pdf import ATTACHMENT, pdf_bytes

each_paper = pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)


def opened(content: bytes) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(content), strict=True)


def titles(outline: list, level: int = 0) -> list[tuple[int, str]]:  # type: ignore[type-arg]
    found = []
    for item in outline:
        found += titles(item, level + 1) if isinstance(item, list) else [(level, item.title)]
    return found


@each_paper
def test_chapters_and_sections_are_bookmarks_that_lead_to_their_words(qapp: QGuiApplication, paper) -> None:
    reader = opened(pdf_bytes(d.swept_document(), paper))
    found = titles(reader.outline)
    assert [title for level, title in found if level == 0] == [
        "The answer", "What to do, and what not", "For the sceptic", "Machine, engine and model",
        "Method, and how to repeat it",
    ]  # fmt: skip
    assert {(1, "Roofline"), (1, "Every measurement"), (1, "The data")} <= set(found)

    def follow(outline) -> None:
        for item in outline:
            if isinstance(item, list):
                follow(item)
            elif item.title != "The answer":  # page one is headed by the answer itself
                page = reader.pages[reader.get_destination_page_number(item)]
                assert item.title.casefold() in re.sub(r"\s+", " ", page.extract_text()).casefold()
                assert 0 < item.top <= paper.height

    follow(reader.outline)


def test_title_language_and_date_are_those_of_the_result(qapp: QGuiApplication) -> None:
    content = pdf_bytes(replace(d.complete_document(), created_at="2026-11-29T14:05:00+01:00"))
    reader = opened(content)
    assert reader.root_object["/Lang"] == "en"
    assert reader.root_object["/ViewerPreferences"]["/DisplayDocTitle"]
    assert reader.metadata is not None
    assert reader.metadata.title == "Two Machines report: Llama-3.1-8B-Instruct"
    assert str(reader.metadata.creation_date) == "2026-11-29 13:05:00+00:00"
    dates = re.findall(rb'(?:\(D:|Date=")(20[-T:\d]+?)(?:Z|\+00:00)', content)
    assert len(dates) >= 2
    assert {re.sub(rb"\D", b"", date) for date in dates} == {b"20261129130500"}, "nothing tells when it was printed"


def test_the_same_result_gives_the_same_bytes_and_another_one_another_identity(qapp: QGuiApplication) -> None:
    one, other = d.complete_document(), d.suspect_document()
    assert pdf_bytes(one) == pdf_bytes(one)
    assert opened(pdf_bytes(one)).trailer["/ID"] != opened(pdf_bytes(other)).trailer["/ID"]


def test_the_result_is_attached_and_its_checksum_printed(qapp: QGuiApplication) -> None:
    document = d.complete_document()
    reader = opened(pdf_bytes(document))
    (content,) = reader.attachments[ATTACHMENT]
    assert content.decode() == json_text(document_json(document))
    assert json_text(document_json(load_document(json.loads(content)))).encode() == content
    assert hashlib.sha256(content).hexdigest() in re.sub(r"\s", "", reader.pages[-1].extract_text())
    for private in (b"maria", b"GPU-1b2c3d4e-serial"):
        assert private not in content


@each_paper
def test_pages_have_the_papers_size_and_nothing_leaves_them(qapp: QGuiApplication, paper) -> None:
    reader = opened(pdf_bytes(d.swept_document(), paper))
    for page in reader.pages:
        assert (round(page.mediabox.width), round(page.mediabox.height)) == (paper.width, paper.height)
    assert f"1/{len(reader.pages)}" in re.sub(r"\s", "", reader.pages[0].extract_text())


@pytest.mark.skipif(not shutil.which("qpdf"), reason="qpdf is not installed")
@pytest.mark.parametrize("build", d.EXAMPLES.values(), ids=d.EXAMPLES)
def test_qpdf_finds_nothing_wrong(qapp: QGuiApplication, build, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(pdf_bytes(build()))
    done = subprocess.run(["qpdf", "--check", str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_no_pdf_of_qts_is_refused() -> None:
    for content in (b"", b"%PDF-1.7\nnothing", b"%PDF-1.5\nstartxref\n3\n%%EOF"):
        with pytest.raises(NotAsExpected):
            finished(content, [Bookmark("x", 0, 0.0)], "en", None)


def test_an_unknown_structure_costs_the_bookmarks_only(
    qapp: QGuiApplication, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> bytes:
        raise NotAsExpected("another structure")

    monkeypatch.setattr("ui.printing.pdf.finished", refuse)
    reader = opened(pdf_bytes(d.complete_document()))
    assert ATTACHMENT in reader.attachments
    assert [record.levelname for record in caplog.records] == ["WARNING"]


@pytest.mark.parametrize(
    ("locale", "paper"), [("en_US", LETTER), ("en_GB", A4), ("fr_CA", LETTER), ("de_DE", A4), ("C", A4)]
)
def test_each_country_has_its_paper(locale: str, paper) -> None:
    assert paper_of(QLocale(locale)) == paper


def test_what_changed_since_the_last_run_has_its_bookmark(qapp: QGuiApplication) -> None:
    from tests.advisor.report.test_changes import SLOWER

    document = replace(d.complete_document(), changes=(SLOWER,))
    assert (1, "Since last time") in titles(opened(pdf_bytes(document)).outline)
