"""The gauge: a thick arc up to the value, a tick at the ceiling, and the trace of repetitions below."""

import math
from typing import Final

from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QToolTip, QWidget

from advisor.core.numbers import digits
from advisor.core.stats import median
from advisor.core.translation import tr
from ui.theme import Theme
from ui.theme.metrics import GAUGE_NUMBER_PX, SMALL_PX, TEXT_PX, TINY_PX
from ui.viewmodels.gauges import Gauge

FRAME_MS: Final = 50
"""20 frames a second while the needle moves; smooth enough, and cheap beside a measurement."""

SAY_EVERY_MS: Final = 1000

APPROACH: Final = 0.35
"""Share of the remaining way that the arc covers per frame."""

ARC_PX: Final = 16.0
SIDE_PX: Final = 42.0
"""Room beside the arc for the ceiling's label."""

TRACE_PX: Final = 26.0
BAND_ALPHA: Final = 40
POINT_REACH_PX: Final = 12.0
"""How near the pointer must come to a repetition to be told its speed."""
CEILING_STEPS: Final = 1000
"""What the ceiling is to a screen reader, which says the share in percent."""
LINES_PX: Final = 48.0
NARROW_PX: Final = 250
"""Below this width the ceiling is named under the unit instead of beside its tick."""


def arc_fraction(value: float | None, full_scale: float) -> float:
    """Share of the half circle that a value fills, 0 to 1."""
    if value is None or full_scale <= 0 or not math.isfinite(value):
        return 0.0
    return min(1.0, max(0.0, value / full_scale))


def on_arc(centre: QPointF, radius: float, fraction: float) -> QPointF:
    """The point at a share of the half circle, from the left end over the top to the right."""
    angle = math.pi * (1.0 - fraction)
    return QPointF(centre.x() + radius * math.cos(angle), centre.y() - radius * math.sin(angle))


def _box(centre: QPointF, radius: float) -> QRectF:
    return QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)


def _number_px(radius: float) -> float:
    return GAUGE_NUMBER_PX * min(1.0, radius / 100)


def trace_scale(trace: tuple[float, ...]) -> tuple[float, float]:
    """Middle of the trace's vertical scale and how far it reaches to both sides.

    It spans 10 % around the median at least, so that noise does not look like drama.
    """
    middle = sorted(trace)[len(trace) // 2]
    reach = max(abs(value - middle) for value in trace)
    return middle, max(reach, 0.05 * abs(middle), 1e-9)


def trace_points(trace: tuple[float, ...], area: QRectF, slots: int) -> list[QPointF]:
    """The repetitions as points in an area, left to right; ``slots`` places, so that a running one grows."""
    if not trace:
        return []
    middle, reach = trace_scale(trace)
    places = max(slots, len(trace), 2) - 1
    return [
        QPointF(
            area.left() + area.width() * i / places,
            area.center().y() - (value - middle) / reach * area.height() / 2,
        )
        for i, value in enumerate(trace)
    ]


def trace_band(trace: tuple[float, ...], spread: float | None, area: QRectF) -> QRectF:
    """Where half of all repetitions lie: the median and the spread to both sides; empty while no spread is known."""
    if spread is None or len(trace) < 2:
        return QRectF()
    middle, reach = trace_scale(trace)
    half = max(spread / reach * area.height() / 2, 0.5)
    centre = area.center().y() - (median(trace) - middle) / reach * area.height() / 2
    return QRectF(area.left(), centre - half, area.width(), 2 * half)


def _around(state: Gauge) -> tuple[object, ...]:
    """What is painted outside of the moving area, and how the whole is painted."""
    return (
        state.phase, state.line, state.warning, state.ceiling_text, state.trace, state.spread_tokens_per_s, state.moving
    )  # fmt: skip


class GaugeView(QProgressBar):
    """Paints a ``Gauge``; its accessible name is the whole state as a sentence.

    It is a progress bar so that screen readers find a role and a value: the share of the ceiling. Nothing of a
    progress bar is painted.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state: Gauge | None = None
        self._shown = 0.0
        self._points: list[QPointF] = []
        self._ground = QPixmap()
        self._ground_of: object = None
        self._fonts: dict[tuple[float, bool], QFont] = {}
        # Else every frame would have the card, the column and the page below it painted anew.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setRange(0, CEILING_STEPS)
        self.setTextVisible(False)
        self._said = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._step)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self._restyle)

    def show_gauge(self, state: Gauge) -> None:
        """Show this state; the arc moves there unless motion is reduced."""
        if state == self._state:
            return
        before, self._state = self._state, state
        self._say(state, before is not None and before.moving)
        target = self._target()
        if self._theme.reduced_motion or not self.isVisible() or abs(target - self._shown) < 0.002:
            self._shown = target
        elif not self._timer.isActive():
            self._timer.start()
        if before is None or _around(before) != _around(state):
            self.update()
        elif not self._timer.isActive():  # else the next frame shows it
            self.update(self._moving_area())

    def _say(self, state: Gauge, was_moving: bool) -> None:
        """Tell screen readers, while it moves once a second at most: they would never come to the end of a sentence."""
        if state.moving and was_moving and self._said.isValid() and self._said.elapsed() < SAY_EVERY_MS:
            return
        self._said.start()
        if state.share is None:
            self.reset()  # unknown is not zero
        else:
            self.setValue(round(state.share * CEILING_STEPS))
        if self.accessibleName() == state.spoken:
            return
        self.setAccessibleName(state.spoken)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.NameChanged))

    def event(self, event: QEvent) -> bool:  # noqa: D102
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._state is not None:
            spot = QPointF(event.pos())
            near = [tip for tip, point in zip(self._state.trace_tips, self._points, strict=False)
                    if abs(point.x() - spot.x()) < POINT_REACH_PX and abs(point.y() - spot.y()) < TRACE_PX]
            QToolTip.showText(event.globalPos(), near[0] if near else self._state.warning_tip, self)
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(300, 220)

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(170, 180)

    def heightForWidth(self, width: int) -> int:  # noqa: D102
        return int(self._radius(width, 10_000) + ARC_PX + LINES_PX + TRACE_PX + 8)

    def hasHeightForWidth(self) -> bool:  # noqa: D102
        return True

    def _target(self) -> float:
        state = self._state
        return arc_fraction(state.value_tokens_per_s, state.full_scale_tokens_per_s) if state else 0.0

    def _step(self) -> None:
        target, before = self._target(), self._shown
        self._shown += (target - before) * APPROACH
        if abs(target - self._shown) < 0.002:
            self._shown = target
            self._timer.stop()
        if self._shown == target:
            self.update(self._moving_area())  # once whole, since the edges of a piece are smoothed otherwise
            return
        for area in self._frame_areas(before):
            self.update(area)

    def _frame_areas(self, before: float) -> tuple[QRect, QRect]:
        """What differs from the frame before: the piece of the arc between both ends, and the number."""
        radius = self._radius(self.width(), self.height())
        centre = QPointF(self.width() / 2, ARC_PX + radius)
        ends = [on_arc(centre, radius, share) for share in (before, (before + self._shown) / 2, self._shown)]
        left, right = min(end.x() for end in ends) - ARC_PX, max(end.x() for end in ends) + ARC_PX
        top, bottom = min(end.y() for end in ends) - ARC_PX, max(end.y() for end in ends) + ARC_PX
        room, high = radius - ARC_PX / 2, self._baseline(radius) + _number_px(radius)
        number = QRectF(centre.x() - room, centre.y() - high, 2 * room, high)
        return QRectF(left, top, right - left, bottom - top).toAlignedRect(), number.toAlignedRect()

    def _moving_area(self) -> QRect:
        """Where arc and number are: all that changes from frame to frame."""
        radius = self._radius(self.width(), self.height())
        return QRect(0, 0, self.width(), math.ceil(1.5 * ARC_PX + radius + 2))

    def _restyle(self) -> None:
        self.update()

    def _radius(self, width: float, height: float) -> float:
        side = ARC_PX if width < NARROW_PX else SIDE_PX
        return max(40.0, min(width / 2 - side, height - LINES_PX - TRACE_PX - ARC_PX - 8, 150.0))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        state = self._state
        if state is None:
            QPainter(self).fillRect(event.rect(), QColor(self._theme.palette.surface))
            return
        painter = QPainter(self)
        radius = self._radius(self.width(), self.height())
        centre = QPointF(self.width() / 2, ARC_PX + radius)
        painter.drawPixmap(0, 0, self._painted_ground(state, centre, radius))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_arc(painter, state, centre, radius)
        if state.ceiling_tokens_per_s:
            self._paint_tick(painter, state, centre, radius)
        self._paint_number(painter, state, centre, radius)
        if self._moving_area().contains(event.rect()):
            return
        bottom = self._paint_lines(painter, state, centre)
        room = max(TRACE_PX - 8, min(30.0, self.height() - bottom - 10))
        top = (bottom + 4 + self.height() - room) / 2 if self.height() - room > bottom + 4 else bottom + 4
        self._paint_trace(painter, state, QRectF(4, top, self.width() - 8, room))

    def _ink(self, state: Gauge) -> QColor:
        palette = self._theme.palette
        return QColor(palette.prefill if state.phase == "prefill" else palette.decode)

    def _painted_ground(self, state: Gauge, centre: QPointF, radius: float) -> QPixmap:
        """What stays from frame to frame, painted once: the card's surface, the empty arc, the ceiling's words."""
        ratio = self.devicePixelRatioF()
        fraction = arc_fraction(state.ceiling_tokens_per_s, state.full_scale_tokens_per_s)
        ground_of = self.size().toTuple(), ratio, self._theme.palette, self.font(), fraction, state.ceiling_text
        if ground_of != self._ground_of:
            self._ground_of = ground_of
            self._fonts.clear()
            self._ground = QPixmap(self.size() * ratio)
            self._ground.setDevicePixelRatio(ratio)
            self._ground.fill(QColor(self._theme.palette.surface))
            painter = QPainter(self._ground)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(self._arc_pen(QColor(self._theme.palette.line)))
            painter.drawArc(_box(centre, radius), 0, 180 * 16)
            if state.ceiling_tokens_per_s and self.width() >= NARROW_PX:
                self._paint_ceiling(painter, state, centre, radius)
            painter.end()
        return self._ground

    @staticmethod
    def _arc_pen(ink: QColor) -> QPen:
        return QPen(ink, ARC_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)

    def _paint_arc(self, painter: QPainter, state: Gauge, centre: QPointF, radius: float) -> None:
        if state.value_tokens_per_s is not None and self._shown > 0:
            painter.setPen(self._arc_pen(self._ink(state)))
            painter.drawArc(_box(centre, radius), 180 * 16, -round(180 * 16 * self._shown))

    def _paint_tick(self, painter: QPainter, state: Gauge, centre: QPointF, radius: float) -> None:
        painter.setPen(QPen(QColor(self._theme.palette.text), 3.0))
        painter.drawLine(*self._tick(state, centre, radius))

    def _tick(self, state: Gauge, centre: QPointF, radius: float) -> tuple[QPointF, QPointF]:
        """The inner and the outer end of the mark at the ceiling."""
        fraction = arc_fraction(state.ceiling_tokens_per_s, state.full_scale_tokens_per_s)
        return (
            on_arc(centre, radius - ARC_PX / 2 - 1, fraction), on_arc(centre, radius + ARC_PX / 2 + 6, fraction)
        )

    def _paint_ceiling(self, painter: QPainter, state: Gauge, centre: QPointF, radius: float) -> None:
        """The words beside the mark."""
        outer = self._tick(state, centre, radius)[1]
        painter.setFont(self._font(TINY_PX))
        painter.setPen(QColor(self._theme.palette.muted))
        metrics = QFontMetricsF(painter.font())
        x, height = outer.x() + 4, metrics.height()
        words = (tr("ceiling"), state.ceiling_text)
        y = outer.y() + height * 0.3
        if (wide := max(map(metrics.horizontalAdvance, words))) > self.width() - 1 - outer.x():
            # Too long to stand beside the mark: above it, clear of the arc.
            left = self.width() - 1 - wide - centre.x()
            y = max(2 * height, min(y, centre.y() - math.sqrt(max(0.0, (radius + ARC_PX) ** 2 - left**2))))
        for i, text in enumerate(words):
            x = min(x, self.width() - metrics.horizontalAdvance(text) - 1)
            painter.drawText(QPointF(x, y - height * (1 - i)), text)

    @staticmethod
    def _baseline(radius: float) -> float:
        """Of the number, above the arc's middle."""
        return 14 + 0.08 * radius

    def _paint_number(self, painter: QPainter, state: Gauge, centre: QPointF, radius: float) -> None:
        """Number and unit within the arc."""
        palette = self._theme.palette
        has_value = state.value_tokens_per_s is not None
        size = _number_px(radius)
        room = 2 * (radius - ARC_PX) * 0.92
        font = self._font(size, bold=True)
        wide = QFontMetricsF(font).horizontalAdvance(self._number(state))
        if wide > room:
            font = self._font(size * room / wide, bold=True)
        painter.setFont(font)
        painter.setPen(QColor(palette.text if has_value else palette.muted))
        self._centred(painter, self._number(state), centre.x(), centre.y() - self._baseline(radius))
        painter.setFont(self._font(SMALL_PX))
        painter.setPen(QColor(palette.muted))
        self._centred(painter, state.unit, centre.x(), centre.y() - 2)

    def _paint_lines(self, painter: QPainter, state: Gauge, centre: QPointF) -> float:
        """The words under the arc; returns where the trace may begin."""
        palette, has_value = self._theme.palette, state.value_tokens_per_s is not None
        y = centre.y() + ARC_PX / 2 + 18
        if state.ceiling_text and self.width() < NARROW_PX:
            self._centred(painter, tr("ceiling {speed}", speed=state.ceiling_text), centre.x(), y)
            y += 20
        strong = has_value and not state.moving
        painter.setFont(self._font(TEXT_PX if strong else SMALL_PX, bold=strong))
        painter.setPen(self._ink(state) if strong else QColor(palette.muted))
        y = self._centred_wrapped(painter, state.line, centre.x(), y)
        if state.warning:
            painter.setFont(self._font(TINY_PX, bold=True))
            painter.setPen(QColor(palette.warning))
            y = self._centred_wrapped(painter, state.warning, centre.x(), y + 15)
        return y + 6

    def _number(self, state: Gauge) -> str:
        """While the arc moves the number moves with it, so that both always agree."""
        if state.moving and state.value_tokens_per_s and self._timer.isActive():
            return digits(self._shown * state.full_scale_tokens_per_s)
        return state.number

    def _paint_trace(self, painter: QPainter, state: Gauge, area: QRectF) -> None:
        slots = len(state.trace) if not state.moving else max(5, len(state.trace))
        points = self._points = trace_points(state.trace, area, slots)
        if not points:
            return
        ink = self._ink(state)
        band = QColor(ink)
        band.setAlpha(BAND_ALPHA)
        painter.fillRect(trace_band(state.trace, state.spread_tokens_per_s, area), band)
        painter.setPen(QPen(ink, 1.5))
        if len(points) > 1:
            painter.drawPolyline(QPolygonF(points))
        painter.setBrush(ink)
        for point in points:
            painter.drawEllipse(point, 2.0, 2.0)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _font(self, pixels: float, bold: bool = False) -> QFont:
        found = self._fonts.get((pixels, bold))
        if found is None:
            found = self._fonts[pixels, bold] = QFont(self.font())
            found.setPixelSize(max(8, round(pixels)))
            found.setBold(bold)
        return found

    def _centred(self, painter: QPainter, text: str, x: float, y: float) -> None:
        wide = QFontMetricsF(painter.font()).horizontalAdvance(text)
        painter.drawText(QPointF(x - wide / 2, y), text)

    def _centred_wrapped(self, painter: QPainter, text: str, x: float, y: float) -> float:
        """One line, or two where one does not fit; returns the last baseline."""
        metrics = QFontMetricsF(painter.font())
        if metrics.horizontalAdvance(text) <= self.width():
            self._centred(painter, text, x, y)
            return y
        words = text.split(" ")
        half = min(range(1, len(words) + 1), key=lambda i: abs(
            metrics.horizontalAdvance(" ".join(words[:i])) - metrics.horizontalAdvance(" ".join(words[i:]))
        ))
        for i, part in enumerate((" ".join(words[:half]), " ".join(words[half:]))):
            self._centred(painter, metrics.elidedText(part, Qt.TextElideMode.ElideRight, self.width()), x,
                          y + i * metrics.height())
        return y + metrics.height()
