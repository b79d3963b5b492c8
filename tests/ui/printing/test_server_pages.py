"""A measured server as PDF."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from advisor.report.server_document import document_text
from advisor.servers.model import ServerResult
from tests.advisor.report.test_server_report import document
from tests.support.server_results import FACTS, some_result
from tests.ui.printing.test_pdf import needs_pdftotext, pages_of, text_of
from ui.printing.__main__ import main
from ui.printing.paper import PAPERS
from ui.printing.server_pages import server_pdf_bytes


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_a_measured_server_prints(qapp: QGuiApplication, paper: object) -> None:
    content = server_pdf_bytes(document(), paper)  # type: ignore[arg-type]
    assert content.startswith(b"%PDF-") and 1 <= pages_of(content) <= 4
    assert len(content) < 1_000_000
    assert content == server_pdf_bytes(document(), paper)  # type: ignore[arg-type]


@needs_pdftotext
def test_its_text_says_what_the_other_reports_say(qapp: QGuiApplication, tmp_path: Path) -> None:
    made = document()
    text = text_of(server_pdf_bytes(made), tmp_path)
    for words in (
        made.verdict.sentence, "served by llama-server b1", "the prompt is read: 1.0", "TIME TO FIRST TOKEN",
        "users at once", made.verdict.advice[0].command, "two-machines server http://127.0.0.1:8080/v1",
        "two-machines-result.json", "Stamp: valid.",
    ):  # fmt: skip
        assert " ".join(words.split()) in text


def test_nothing_measured_and_everything_long_prints(qapp: QGuiApplication) -> None:
    assert server_pdf_bytes(document(ServerResult(FACTS, interrupted="The time given was up."))).startswith(b"%PDF-")
    long = replace(FACTS, model="a model with a very long name " * 20, because="because of this and that " * 40)
    left_out = tuple(f"Part {number} would take too long for the time given." for number in range(60))
    assert pages_of(server_pdf_bytes(document(replace(some_result(), facts=long, left_out=left_out)))) >= 2


def test_the_printing_process_takes_it(qapp: QGuiApplication, tmp_path: Path) -> None:
    source, target = tmp_path / "result.json", tmp_path / "out.pdf"
    source.write_text(document_text(document()), encoding="utf-8")
    assert main([str(source), str(target)]) == 0
    assert target.read_bytes().startswith(b"%PDF-")
