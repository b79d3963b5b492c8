"""The report of figures that another tool has measured: the answer first, then its device, figures and source."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from advisor.core.translation import tr
from advisor.report.exporters.files import write_atomically
from advisor.report.exporters.import_texts import made_by
from advisor.report.import_report import STAMP, ImportReport
from ui.printing import style
from ui.printing.blocks import Column, code, paragraph, section, table
from ui.printing.canvas import RIGHT, Canvas
from ui.printing.details_pages import Attached
from ui.printing.flow import Piece, space
from ui.printing.paper import Paper
from ui.printing.pdf import Around, drawn

PAIRS: Final = (Column("", 24, kind=style.SMALL_QUIET), Column("", 84))
FIGURES: Final = frozenset({2, 3})
"""Columns that hold numbers."""


def print_import(report: ImportReport, path: Path, paper: Paper | None = None) -> None:
    """Draw the report and write it; as ``pdf.print_document``, which says what is raised."""
    write_atomically(path, import_pdf_bytes(report, paper))


def import_pdf_bytes(report: ImportReport, paper: Paper | None = None) -> bytes:
    """The PDF itself. Raises CannotPrint."""
    imported = tr("imported")
    footer = f"{imported} · two-machines {report.app_version}"
    around = Around(report.model, report.created_at, report.app_version, footer)
    return drawn(around, report.data, lambda canvas, attached: _pieces(canvas, report, attached), paper)


def _pieces(canvas: Canvas, report: ImportReport, attached: Attached) -> list[Piece]:
    title = paragraph(canvas, report.model, replace(style.TITLE, size=15.0), max_lines=4)
    columns = [
        Column(tr(name), 1.0, RIGHT) if at in FIGURES else Column(tr(name), 1.0) for at, name in enumerate(report.head)
    ]
    return [
        *(replace(piece, mark=tr("The answer")) for piece in title),
        space(6),
        *paragraph(canvas, report.answer),
        space(4),
        *paragraph(canvas, tr("Stamp: {stamp}.", stamp=tr(STAMP)), style.QUIET),
        *_said(canvas, tr("The device"), report.device),
        *section(canvas, tr("What was measured")),
        *table(canvas, columns, report.rows),
        space(4),
        *(piece for words in report.remarks for piece in paragraph(canvas, words, style.QUIET)),
        *section(canvas, tr("Where it comes from")),
        *table(canvas, PAIRS, report.facts),
        *section(canvas, tr("The data")),
        *paragraph(
            canvas, tr("All of it lies in this report as the attached file {name}. Its SHA-256:", name=attached.name),
            keep_with_next=True,
        ),
        *code(canvas, attached.sha256),
        space(6),
        *paragraph(canvas, tr("Made by {program}", program=made_by(report)), style.SMALL_QUIET),
    ]  # fmt: skip


def _said(canvas: Canvas, title: str, sentences: tuple[str, ...]) -> list[Piece]:
    pieces = [piece for sentence in sentences for piece in (*paragraph(canvas, sentence), space(4))]
    return [*section(canvas, title), *pieces] if pieces else []
