"""Draws a cell's range as a bar under its text: its ends, its middle, and a line where things stand now."""

from typing import Final

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from ui.theme import Theme
from ui.viewmodels.cell_table import SPAN_ROLE, Span

BAR_PX: Final = 5
EDGE_PX: Final = 6
ROW_PX: Final = 36
LEAST_PX: Final = 3.0


class RangeDelegate(QStyledItemDelegate):
    """For every column; cells without a range are drawn as ever."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(  # noqa: D102
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width() + 2 * EDGE_PX, ROW_PX)

    def paint(  # noqa: D102
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        span = index.data(SPAN_ROLE)
        if not isinstance(span, Span):
            super().paint(painter, option, index)
            return
        upper = QStyleOptionViewItem(option)
        super().paint(painter, upper, index)
        palette = self._theme.palette
        area = QRectF(option.rect).adjusted(EDGE_PX, 0, -EDGE_PX, -3)
        track = QRectF(area.left(), area.bottom() - BAR_PX, area.width(), BAR_PX)
        ink = QColor(palette.prefill if span.phase == "prefill" else palette.decode)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(track.left(), track.center().y() - 0.5, track.width(), 1), QColor(palette.line))
        left, right = (track.left() + end * track.width() for end in (span.low, span.high))
        width = max(LEAST_PX, right - left)
        painter.setOpacity(0.45)
        painter.fillRect(QRectF(min(left, track.right() - width), track.top(), width, BAR_PX), ink)
        painter.setOpacity(1.0)
        middle = track.left() + span.middle * track.width()
        painter.fillRect(QRectF(middle - 1.5, track.top() - 1, 3, BAR_PX + 2), ink)
        if span.mark is not None:
            painter.setPen(QPen(QColor(palette.text), 1))
            x = track.left() + span.mark * track.width()
            painter.drawLine(QPointF(x, track.top() - 3), QPointF(x, track.bottom() + 1))
        painter.restore()
