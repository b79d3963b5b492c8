"""The report as a PDF: pages of pieces between a header and a footer, with bookmarks and the result's JSON in it."""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from PySide6.QtCore import QBuffer, QByteArray, QHashSeed, QIODevice, QLocale, QMarginsF, QUuid
from PySide6.QtGui import QGuiApplication, QPageLayout, QPageSize, QPdfWriter

from advisor.core.errors import AdvisorError
from advisor.core.evidence import Known
from advisor.core.translation import language, marked, tr
from advisor.report import formatting as f
from advisor.report import wording
from advisor.report.answering import spoken
from advisor.report.codec import json_text
from advisor.report.document import Document
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.files import write_atomically
from advisor.report.privacy import without_personal_paths
from ui.printing import style, words_of
from ui.printing.canvas import LEFT, RIGHT, Canvas
from ui.printing.details_pages import Attached, advice_pages, machine_pages, method_pages
from ui.printing.evidence_pages import evidence_pages
from ui.printing.finishing import Bookmark, NotAsExpected, finished
from ui.printing.flow import Piece, Placed, paginate
from ui.printing.page_one import page_one
from ui.printing.paper import CONTENT_TOP, HEADER_Y, Paper, paper_of

log = logging.getLogger(__name__)

PRODUCT: Final = marked("Two Machines report")
ATTACHMENT: Final = "two-machines-result.json"
ABOVE_MARK: Final = 8.0
"""White that is left in sight above the place that a bookmark leads to, in points."""


class CannotPrint(AdvisorError):
    """The PDF could not be drawn."""

    code = "cannot_print"


def print_document(document: Document, path: Path, paper: Paper | None = None) -> None:
    """Draw the report and write it, whole or not at all.

    Needs a QGuiApplication, with any platform plug-in; may be called from any thread.

    Args:
        document: what to draw.
        path: where to.
        paper: the one of this user's country when not given.

    Raises:
        CannotPrint: no application, or Qt could not draw.
        CannotWrite: the file could not be written.
    """
    write_atomically(path, pdf_bytes(document, paper))


def pdf_bytes(document: Document, paper: Paper | None = None) -> bytes:
    """The PDF itself, the same bytes for the same result and fonts. Raises CannotPrint."""
    clean = without_personal_paths(spoken(document), model_path=document.model.path)
    around = Around(clean.model.name, clean.created_at, clean.app_version, _footer(clean))

    def pieces(canvas: Canvas, attached: Attached) -> list[Piece]:
        return [
            *page_one(canvas, clean),
            *advice_pages(canvas, clean),
            *evidence_pages(canvas, clean),
            *machine_pages(canvas, clean),
            *method_pages(canvas, clean, attached),
        ]

    return drawn(around, json_text(document_json(document)), pieces, paper)


@dataclass(frozen=True, slots=True)
class Around:
    """What stands on every page around the pieces.

    Attributes:
        subject: model or server, in the header from the second page on and in the PDF's title.
        created_at: ISO 8601.
        footer: what goes wherever the figures go.
    """

    subject: str
    created_at: str
    app_version: str
    footer: str


Pieces = Callable[[Canvas, Attached], list[Piece]]
"""Makes a report's pieces; what is attached stands in its method."""


def drawn(around: Around, result_json: str, pieces: Pieces, paper: Paper | None = None) -> bytes:
    """A report of any kind, with its JSON attached. Raises CannotPrint."""
    if QGuiApplication.instance() is None:
        raise CannotPrint(
            tr("The report cannot be drawn: Qt is not started."), tr("Use python -m ui.printing instead.")
        )
    paper = paper or paper_of(QLocale.system())
    result = result_json.encode()
    digest = hashlib.sha256(result).hexdigest()
    QHashSeed.setDeterministicGlobalSeed()  # a PDF's fonts stand in the order of a hash
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(style.RESOLUTION)
    layout = QPageLayout(QPageSize(paper.size), QPageLayout.Orientation.Portrait, QMarginsF(0.0, 0.0, 0.0, 0.0))
    writer.setPageLayout(layout)
    writer.setTitle(f"{tr(PRODUCT)}: {around.subject}"[:200])
    writer.setCreator(f"Two Machines {around.app_version}")
    writer.setDocumentId(QUuid(str(UUID(digest[:32]))))
    writer.addFileAttachment(ATTACHMENT, QByteArray(result), "application/json")
    bookmarks = _draw(Canvas(writer, paper), around, lambda canvas: pieces(canvas, Attached(ATTACHMENT, digest)))
    buffer.close()
    whole = bytes(content.data())
    try:
        return finished(whole, bookmarks, language(), _moment(around.created_at))
    except NotAsExpected:
        log.warning("the PDF has no bookmarks, since Qt has written it in an unknown way", exc_info=True)
        return whole


def _moment(iso: str) -> datetime | None:
    try:
        return datetime.fromisoformat(iso)
    except ValueError:
        return None


def _draw(canvas: Canvas, around: Around, pieces: Callable[[Canvas], list[Piece]]) -> list[Bookmark]:
    """Draw every page; where the chapters and sections are."""
    pages = paginate(pieces(canvas), canvas.paper.content_height)
    if not canvas.begin():
        raise CannotPrint(tr("The report cannot be drawn: Qt refused to start the page."))
    for index, page in enumerate(pages):
        if index and not canvas.next_page():
            canvas.end()
            raise CannotPrint(tr("The report cannot be drawn: Qt refused to start another page."))
        _page(canvas, around, page, index + 1, len(pages))
    if not canvas.end():
        raise CannotPrint(tr("The report cannot be drawn: Qt could not finish it."))
    below = canvas.paper.height - CONTENT_TOP + ABOVE_MARK
    return [
        Bookmark(placed.piece.mark, index, below - placed.y, placed.piece.level)
        for index, page in enumerate(pages)
        for placed in page
        if placed.piece.mark
    ]


def _page(canvas: Canvas, around: Around, page: list[Placed], number: int, total: int) -> None:
    paper, kind = canvas.paper, style.FURNITURE
    left, right, footer_y = paper.margin_x, paper.width - paper.margin_x, paper.footer_y
    made = f.date_time(around.created_at)
    room = style.CONTENT_WIDTH - canvas.text_width(made, kind) - 12
    title = tr(PRODUCT) if number == 1 else f"{tr(PRODUCT)} · {around.subject}"
    canvas.draw(canvas.text(title, kind, room, 1), left, HEADER_Y - 8)
    canvas.write(made, kind, right, HEADER_Y, RIGHT)
    for placed in page:
        placed.piece.draw(canvas, left, CONTENT_TOP + placed.y)
    canvas.draw(canvas.text(around.footer, kind, style.CONTENT_WIDTH - 60, 1, LEFT), left, footer_y - 8)
    canvas.write(f"{number} / {total}", kind, right, footer_y, RIGHT)


def _footer(document: Document) -> str:
    """Engine, build, version, and the stamp, which goes wherever the figures go."""
    parts = [wording.engine_words(document)]
    if isinstance(document.engine, Known) and len(document.engine.value.build) <= 40:
        parts.append(tr("build {build}", build=document.engine.value.build))
    parts.append(f"two-machines {document.app_version}")
    worst = wording.worst_conditions(document)
    if worst is not None:
        parts.append(words_of.stamp(worst.stamp))
    return " · ".join(parts)
