"""The PDF in German: its words, its numbers, its language mark; and the same pages whole."""

import io
from collections.abc import Callable
from pathlib import Path

import pypdf
import pytest
from PySide6.QtGui import QGuiApplication

from advisor.core.translation import use
from advisor.report.codec import json_text
from advisor.report.document import Document
from advisor.report.exporters.as_json import document_json
from tests.support import documents as d
from tests.support.trials import EXAMPLES
from ui.printing.__main__ import main
from ui.printing.paper import PAPERS
from ui.printing.pdf import pdf_bytes


def written(tmp_path: Path, *wishes: str) -> pypdf.PdfReader:
    source, target = tmp_path / "result.json", tmp_path / "out.pdf"
    source.write_text(json_text(document_json(d.complete_document())), encoding="utf-8")
    assert main([str(source), str(target), *wishes]) == 0
    return pypdf.PdfReader(target)


def first_page(reader: pypdf.PdfReader) -> str:
    """Its words, one space between two."""
    return " ".join(reader.pages[0].extract_text().split())


def test_words_numbers_and_mark_are_german(qapp: QGuiApplication, tmp_path: Path) -> None:
    reader = written(tmp_path, "a4", "de")
    assert reader.root_object["/Lang"] == "de"
    first = first_page(reader)
    for words in ("DIE ZWEI MASCHINEN", "EINE ANFRAGE", "Tokens/s", "WIE SICHER"):
        assert words in first
    assert "THE TWO MACHINES" not in first
    titles = [mark["/Title"] for mark in reader.outline if isinstance(mark, dict)]
    assert titles[0] == "Die Antwort"


def test_without_a_wish_it_is_english(qapp: QGuiApplication, tmp_path: Path) -> None:
    reader = written(tmp_path)
    assert reader.root_object["/Lang"] == "en"
    assert "THE TWO MACHINES" in first_page(reader)


@pytest.mark.parametrize("build", EXAMPLES.values(), ids=EXAMPLES)
def test_every_document_has_one_first_page(qapp: QGuiApplication, build: Callable[[], Document]) -> None:
    use("de")
    reader = pypdf.PdfReader(io.BytesIO(pdf_bytes(build(), PAPERS["letter"])))
    assert "WIE SICHER" in first_page(reader)
