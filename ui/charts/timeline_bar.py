"""What one request feels like: a bar of waiting and of streaming."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme import Theme
from ui.theme.metrics import SMALL_PX, SMALL_RADIUS
from ui.viewmodels.answer import TimelineBar

HEIGHT = 26
PADDING = 8.0
SMALLEST_PART = 4.0
"""Pixels that a part keeps however short it is, so that it is not taken for absent."""


class TimelineBarView(QWidget):
    """Paints a ``TimelineBar``; each part is named in words where there is room, else in the sentence below."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = TimelineBar()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def show_timeline(self, state: TimelineBar) -> None:
        """Show this state."""
        self._state = state
        self.setAccessibleName(state.spoken or state.sentence)
        self.setToolTip(state.basis)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(240, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        palette, state = self._theme.palette, self._state
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(0, 0, self.width(), HEIGHT), SMALL_RADIUS, SMALL_RADIUS)
        painter.setClipPath(shape)
        if state.wait_fraction is None:
            painter.fillRect(self.rect(), QColor(palette.ground))
            return
        split = min(max(state.wait_fraction * self.width(), SMALLEST_PART), self.width() - SMALLEST_PART)
        self._part(painter, QRectF(0, 0, split, HEIGHT), palette.prefill, palette.prefill_soft,
                   (state.wait_text, state.wait_short), left=True)
        self._part(painter, QRectF(split, 0, self.width() - split, HEIGHT), palette.decode, palette.decode_soft,
                   (state.stream_text, state.stream_short), left=False)

    def _part(
        self, painter: QPainter, area: QRectF, ink: str, tint: str, texts: tuple[str, str], left: bool
    ) -> None:
        painter.fillRect(area, QColor(tint))
        edge = QRectF(area.left() if left else area.right() - 3, 0, 3, HEIGHT)
        painter.fillRect(edge, QColor(ink))
        font = QFont(self.font())
        font.setPixelSize(SMALL_PX)
        font.setBold(True)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        room = area.width() - 2 * PADDING
        text = next((text for text in texts if metrics.horizontalAdvance(text) <= room), "")
        if text:
            painter.setPen(QColor(ink))
            side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
            painter.drawText(area.adjusted(PADDING, 0, -PADDING, 0), int(side | Qt.AlignmentFlag.AlignVCenter), text)

    def _restyle(self) -> None:
        self.update()
