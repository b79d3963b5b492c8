"""Where the wait goes: bars of loading, reading, writing and the rest, one scale for all of them."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ui.theme import Theme
from ui.theme.metrics import SMALL_PX, SMALL_RADIUS
from ui.viewmodels.timeline import Bar, Segment

HEIGHT = 26
GAP = 6
PADDING = 8.0
SMALLEST_PART = 4.0
"""Pixels that a part keeps however short it is, so that it is not taken for absent."""
EDGE = 3.0
NEUTRAL_EDGE = 1.0
TITLE_GAP = 10.0


class TimelineBarView(QWidget):
    """Paints bars; each part is named in words where there is room, and whole in its tool tip."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bars: tuple[Bar, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def show_bars(self, bars: tuple[Bar, ...], spoken: str) -> None:
        """Show these bars; ``spoken`` is said where there are none."""
        if len(bars) != len(self._bars):
            self.updateGeometry()
        self._bars = bars
        self.setAccessibleName("; ".join(bar.spoken for bar in bars) or spoken)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: D102
        rows = max(1, len(self._bars))
        return QSize(240, rows * HEIGHT + (rows - 1) * GAP)

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(160, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:  # noqa: D102
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            spot = event.pos()
            tip = next((s.tip for area, s in self._areas() if area.contains(spot.x(), spot.y())), "")
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font())
        if not self._bars:
            painter.setClipPath(_rounded(QRectF(0, 0, self.width(), HEIGHT)))
            painter.fillRect(self.rect(), QColor(self._theme.palette.ground))
            return
        painter.setPen(QColor(self._theme.palette.muted))
        for row, bar in enumerate(self._bars):
            if bar.title:
                place = QRectF(0, row * (HEIGHT + GAP), self._title_room(), HEIGHT)
                painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), bar.title)
            shape = self._row_areas(row)
            if shape:
                painter.setClipPath(_rounded(shape[0][0].united(shape[-1][0])))
                for area, segment in shape:
                    self._part(painter, area, segment)
                painter.setClipping(False)
            painter.setPen(QColor(self._theme.palette.muted))

    def _areas(self) -> list[tuple[QRectF, Segment]]:
        return [pair for row in range(len(self._bars)) for pair in self._row_areas(row)]

    def _row_areas(self, row: int) -> list[tuple[QRectF, Segment]]:
        """Where each part of a bar lies; parts that are too short to be seen take from the longest one."""
        bar = self._bars[row]
        left = self._title_room()
        room = self.width() - left
        widths = [max(segment.fraction * room, SMALLEST_PART) for segment in bar.segments]
        if widths:
            longest = widths.index(max(widths))
            widths[longest] = max(SMALLEST_PART, widths[longest] - max(0.0, sum(widths) - room))
        areas, x, y = [], left, float(row * (HEIGHT + GAP))
        for width, segment in zip(widths, bar.segments, strict=True):
            areas.append((QRectF(x, y, width, HEIGHT), segment))
            x += width
        return areas

    def _title_room(self) -> float:
        """Left of the bars, for their titles; none where there is one bar without a title."""
        metrics = QFontMetricsF(self._font())
        widest = max(metrics.horizontalAdvance(bar.title) for bar in self._bars)
        return widest + TITLE_GAP if widest else 0.0

    def _part(self, painter: QPainter, area: QRectF, segment: Segment) -> None:
        ink, tint = self._colours(segment.tone)
        painter.fillRect(area, QColor(tint))
        edge = NEUTRAL_EDGE if segment.tone == "neutral" else EDGE
        painter.fillRect(QRectF(area.left(), area.top(), edge, HEIGHT), QColor(ink))
        metrics = QFontMetricsF(painter.font())
        room = area.width() - 2 * PADDING
        text = next((text for text in segment.texts if metrics.horizontalAdvance(text) <= room), "")
        if text:
            painter.setPen(QColor(ink))
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(area.adjusted(PADDING, 0, -PADDING, 0), int(side), text)

    def _colours(self, tone: str) -> tuple[str, str]:
        palette = self._theme.palette
        if tone == "prefill":
            return palette.prefill, palette.prefill_soft
        if tone == "decode":
            return palette.decode, palette.decode_soft
        return palette.muted, palette.line

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(SMALL_PX)
        font.setBold(True)
        return font

    def _restyle(self) -> None:
        self.update()


def _rounded(area: QRectF) -> QPainterPath:
    shape = QPainterPath()
    shape.addRoundedRect(area, SMALL_RADIUS, SMALL_RADIUS)
    return shape
