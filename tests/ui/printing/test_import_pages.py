"""Figures of another tool as PDF."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from advisor.diagnosis.workload import preset
from advisor.importing.reading import read_report
from advisor.report.import_report import STAMP, ImportReport, import_report, report_text
from tests.ui.printing.test_pdf import needs_pdftotext, pages_of, text_of
from ui.printing.__main__ import main
from ui.printing.import_pages import import_pdf_bytes


def report(text: str = "Модель 模型 Q4_K_M: pp512: 812 t/s, tg128: 23.5 t/s", source: str = "post.txt") -> ImportReport:
    (run,) = read_report(text, source)
    named = replace(run, model="Модель 模型", gpus=("RTX 4090",))
    said = ["Nothing needs to be bought for this work."]
    return import_report(named, 7, preset("rag"), said, "2026-11-29T14:05:00+01:00", "0.1.0")


@needs_pdftotext
def test_its_text_says_what_the_other_reports_say(qapp: QGuiApplication, tmp_path: Path) -> None:
    made = report()
    content = import_pdf_bytes(made)
    assert pages_of(content) == 1 and content == import_pdf_bytes(made)
    text = text_of(content, tmp_path)
    for words in (made.model, made.answer, STAMP, made.device[0], "812", "23.5", *made.facts[0], made.remarks[0]):
        assert " ".join(words.split()) in text


def test_many_tests_take_more_pages(qapp: QGuiApplication) -> None:
    rows = "\n".join(f"pp{512 + number}: {800 + number} t/s" for number in range(120))
    assert pages_of(import_pdf_bytes(report(rows))) >= 2


def test_the_printing_process_takes_it(qapp: QGuiApplication, tmp_path: Path) -> None:
    source, target = tmp_path / "result.json", tmp_path / "out.pdf"
    source.write_text(report_text(report()), encoding="utf-8")
    assert main([str(source), str(target)]) == 0
    assert target.read_bytes().startswith(b"%PDF-")
