"""A button that copies what a page shows: as a picture, or its figures as CSV."""

import csv
import io
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QMargins, QPoint, QTimer, Slot
from PySide6.QtGui import QColor, QGuiApplication, QKeySequence, QPixmap, QRegion, QShortcut
from PySide6.QtWidgets import QMenu, QPushButton, QScrollArea, QWidget

from advisor.core.translation import marked, tr
from ui.theme import Theme
from ui.theme.metrics import GAP
from ui.widgets.keys import key_words

COPIED_MS = 1500
WORDS = marked("Copy")
Figure = str | float | None
Figures = tuple[tuple[str, ...], Sequence[tuple[Figure, ...]]]
"""Head and rows; empty rows where there is nothing to copy, None in a cell for what is unknown."""


@runtime_checkable
class HasFigures(Protocol):
    """A page whose figures can be copied."""

    def figures(self) -> Figures:
        """What the page shows, as numbers without units where it can; the head names the units."""


def as_csv(figures: Figures) -> str:
    """Comma-separated values as RFC 4180 has them, with a decimal point whatever the language."""
    head, rows = figures
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(head)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return written.getvalue()


def picture_of(widget: QWidget, ground: str) -> QPixmap:
    """The widget on its ground with a margin; of what scrolls all of it, not just what is in sight."""
    shown = widget.widget() if isinstance(widget, QScrollArea) else widget
    assert shown is not None
    scale = widget.devicePixelRatioF()
    size = shown.size().grownBy(_margins())
    picture = QPixmap(size * scale)
    picture.setDevicePixelRatio(scale)
    picture.fill(QColor(ground))
    shown.render(picture, QPoint(GAP, GAP), QRegion(), QWidget.RenderFlag.DrawChildren)
    return picture


class CopyFigures(QPushButton):
    """Serves the page that was given last with ``serve``; with ``by_key`` Ctrl+Shift+C copies the figures."""

    def __init__(self, theme: Theme, by_key: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(tr(WORDS), parent)
        self._theme = theme
        self._page: QWidget | None = None
        self._table: Callable[[], Figures] | None = None
        self.setProperty("role", "small")
        self.setAccessibleName(tr("Copy this page"))
        self.setToolTip(tr("Copy what this page shows"))
        menu = QMenu(self)
        menu.addAction(tr("as a picture")).triggered.connect(self.copy_picture)
        self._csv = menu.addAction(tr("figures as CSV") + ("\t" + key_words("Ctrl+Shift+C") if by_key else ""))
        self._csv.triggered.connect(self.copy_figures)
        menu.aboutToShow.connect(self._look)
        self.setMenu(menu)
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.setInterval(COPIED_MS)
        self._back.timeout.connect(lambda: self.setText(tr(WORDS)))
        if by_key:
            QShortcut(QKeySequence("Ctrl+Shift+C"), self).activated.connect(self.copy_figures)

    def serve(self, page: QWidget, table: Callable[[], Figures] | None = None) -> None:
        """Copy from this page from now on; ``table`` gives its figures where the page does not."""
        self._page, self._table = page, table

    @Slot()
    def copy_picture(self) -> None:
        """Put the page on the clipboard as a picture."""
        if self._page is not None:
            QGuiApplication.clipboard().setPixmap(picture_of(self._page, self._theme.palette.surface))
            self._say()

    @Slot()
    def copy_figures(self) -> None:
        """Put the page's figures on the clipboard, where it has some."""
        figures = self._figures()
        if figures[1]:
            QGuiApplication.clipboard().setText(as_csv(figures))
            self._say()

    def _figures(self) -> Figures:
        if self._table is not None:
            return self._table()
        return self._page.figures() if isinstance(self._page, HasFigures) else ((), ())

    @Slot()
    def _look(self) -> None:
        self._csv.setEnabled(bool(self._figures()[1]))

    def _say(self) -> None:
        self.setText(tr("Copied"))
        self._back.start()


def _cell(cell: Figure) -> str:
    if cell is None:
        return ""
    return cell.replace("\u00a0", " ") if isinstance(cell, str) else f"{cell:.6g}"


def _margins() -> QMargins:
    return QMargins(GAP, GAP, GAP, GAP)
