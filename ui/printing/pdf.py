"""The report as a PDF: pages of pieces between a header and a footer."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF
from PySide6.QtGui import QGuiApplication, QPageLayout, QPageSize, QPdfWriter

from advisor.core.errors import AdvisorError
from advisor.core.evidence import Known
from advisor.report import formatting as f
from advisor.report import wording
from advisor.report.document import Document
from advisor.report.exporters.files import write_atomically
from advisor.report.privacy import without_personal_paths
from ui.printing import style
from ui.printing.canvas import LEFT, RIGHT, Canvas
from ui.printing.details_pages import advice_pages, machine_pages, method_pages
from ui.printing.evidence_pages import evidence_pages
from ui.printing.flow import Placed, paginate
from ui.printing.page_one import page_one

PRODUCT: Final = "Two Machines report"


class CannotPrint(AdvisorError):
    """The PDF could not be drawn."""

    code = "cannot_print"


def print_document(document: Document, path: Path) -> None:
    """Draw the report and write it, whole or not at all.

    Needs a QGuiApplication, with any platform plug-in; may be called from any thread.

    Raises:
        CannotPrint: no application, or Qt could not draw.
        CannotWrite: the file could not be written.
    """
    write_atomically(path, pdf_bytes(document))


def pdf_bytes(document: Document) -> bytes:
    """The PDF itself. Raises CannotPrint."""
    if QGuiApplication.instance() is None:
        raise CannotPrint("The report cannot be drawn: Qt is not started.", "Use python -m ui.printing instead.")
    clean = without_personal_paths(document, model_path=document.model.path)
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(style.RESOLUTION)
    layout = QPageLayout(
        QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, QMarginsF(0.0, 0.0, 0.0, 0.0)
    )
    writer.setPageLayout(layout)
    writer.setTitle(f"{PRODUCT}: {clean.model.name}"[:200])
    writer.setCreator(f"Two Machines {clean.app_version}")
    _draw(Canvas(writer), clean)
    buffer.close()
    return bytes(content.data())


def _draw(canvas: Canvas, document: Document) -> None:
    pieces = [
        *page_one(canvas, document),
        *advice_pages(canvas, document),
        *evidence_pages(canvas, document),
        *machine_pages(canvas, document),
        *method_pages(canvas, document),
    ]
    pages = paginate(pieces, style.CONTENT_HEIGHT)
    if not canvas.begin():
        raise CannotPrint("The report cannot be drawn: Qt refused to start the page.")
    for index, page in enumerate(pages):
        if index and not canvas.next_page():
            canvas.end()
            raise CannotPrint("The report cannot be drawn: Qt refused to start another page.")
        _page(canvas, document, page, index + 1, len(pages))
    if not canvas.end():
        raise CannotPrint("The report cannot be drawn: Qt could not finish it.")


def _page(canvas: Canvas, document: Document, page: list[Placed], number: int, total: int) -> None:
    kind, left, right = style.FURNITURE, style.MARGIN_X, style.PAGE_WIDTH - style.MARGIN_X
    made = f.date_time(document.created_at)
    room = style.CONTENT_WIDTH - canvas.text_width(made, kind) - 12
    title = PRODUCT if number == 1 else f"{PRODUCT} · {document.model.name}"
    canvas.draw(canvas.text(title, kind, room, 1), left, style.HEADER_Y - 8)
    canvas.write(made, kind, right, style.HEADER_Y, RIGHT)
    for placed in page:
        placed.piece.draw(canvas, left, style.CONTENT_TOP + placed.y)
    canvas.draw(canvas.text(_footer(document), kind, style.CONTENT_WIDTH - 60, 1, LEFT), left, style.FOOTER_Y - 8)
    canvas.write(f"{number} / {total}", kind, right, style.FOOTER_Y, RIGHT)


def _footer(document: Document) -> str:
    """Engine, build, version, and the stamp, which goes wherever the figures go."""
    parts = [wording.engine_words(document)]
    if isinstance(document.engine, Known) and len(document.engine.value.build) <= 40:
        parts.append(f"build {document.engine.value.build}")
    parts.append(f"two-machines {document.app_version}")
    worst = wording.worst_conditions(document)
    if worst is not None:
        parts.append(f"{wording.STAMP_SIGN[worst.stamp]} {worst.stamp}")
    return " · ".join(parts)
