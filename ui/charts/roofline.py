"""The roofline: operations per byte against operations per second, both logarithmic."""

import math
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QVBoxLayout, QWidget

from advisor.core.numbers import digits, fixed
from advisor.core.translation import marked, tr
from ui.charts.plots import chart_font, put_label, quiet_plot, style_axes
from ui.theme import Palette, Theme
from ui.viewmodels.roofline import RooflineChart, RoofPoint

GIGA: Final = 1e9
POINT_PX: Final = 13
RING_PX: Final = 11
GHOST_PX: Final = 8
GHOST_ALPHA: Final = 150
EARLIER: Final = marked("small: earlier runs")
LABEL_EDGES_PX: Final = 8
ABOVE_POINTS: Final = 1.35
"""Heights of the memory roof's label above the roof, so that points on the roof stay clear of it."""

LONG_ENOUGH: Final = 1.15
"""Lengths of its label that the memory roof must have."""
ROOMY: Final = 1.4
"""Lengths with which the label may stand in the roof's middle, and the axis cuts nothing off."""

BEHIND_ROOF: Final = -1
BEHIND_LABELS: Final = -2
STREAMS: Final = "×"
"""How labels of several streams begin; they give way to those of the phases."""


FEW_DECADES: Final = 2.2
"""An axis that spans less is too bare with decades alone; 2 and 5 join them."""


class DecadeAxis(pg.AxisItem):  # type: ignore[misc]
    """Decades, written as people write numbers: 1, 10, 100, 1,000; on a short axis 2 and 5 as well."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803, D102
        first, last = math.ceil(minVal - 1e-9), math.floor(maxVal + 1e-9)
        ticks = [float(decade) for decade in range(first, last + 1)]
        if maxVal - minVal < FEW_DECADES:
            steps = [decade + math.log10(step) for decade in range(first - 1, last + 1) for step in (2, 5)]
            ticks = sorted([*ticks, *(tick for tick in steps if minVal <= tick <= maxVal)])
        return [(1.0, ticks)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: D102
        return [fixed(10**value, 0 if value > -1e-9 else math.ceil(-value)) for value in values]


class RooflineView(QWidget):
    """Draws a ``RooflineChart``; the table of measurements is its twin, the accessible name says the points."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = RooflineChart()
        self._plot: Any = quiet_plot({"bottom": DecadeAxis("bottom"), "left": DecadeAxis("left")}, 180)
        self._plot.getPlotItem().getViewBox().setDefaultPadding(0.0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._plot)
        theme.changed.connect(self._draw)
        self._slope_label: Any = None
        self._roof_label: Any = None
        self._slope = (0.0, 0.0), (1.0, 1.0)

    def show_roofline(self, state: RooflineChart) -> None:
        """Show this state."""
        if state != self._state:
            self._state = state
            self.setAccessibleName(tr("Roofline: {points}", points=state.spoken or state.empty))
            self._draw()

    def event(self, event: QEvent) -> bool:  # noqa: D102
        handled = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show) and self._slope_label is not None:
            self._draw()  # labels hang by their width in pixels
        return handled

    def _draw(self) -> None:
        state, palette = self._state, self._theme.palette
        self._plot.clear()
        self._slope_label = None
        self._plot.setBackground(palette.surface)
        style_axes(self._plot, palette, "GFLOP/s", tr("operations per byte read"))
        self._plot.showGrid(x=True, y=True, alpha=0.12)
        if not state.roof:
            return
        x_low, x_high = (math.log10(x) for x in state.x_range)
        y_low, y_high = (math.log10(y / GIGA) for y in state.y_range)
        self._plot.setRange(xRange=(x_low, x_high), yRange=(y_low, y_high), padding=0.0)
        roof_x = [math.log10(x) for x, _ in state.roof]
        roof_y = [math.log10(y / GIGA) for _, y in state.roof]
        balance, top = math.log10(state.balance_flop_per_byte), roof_y[-1]
        dashed = pg.mkPen(palette.muted, width=1.2, style=Qt.PenStyle.DashLine)
        self._plot.plot([balance, balance], [y_low, top], pen=dashed).setZValue(BEHIND_LABELS)
        self._plot.plot(roof_x, roof_y, pen=pg.mkPen(palette.text, width=2))
        self._roof_label = self._label(state.compute_label, x_high, top, palette.muted, anchor=(1.0, 1.0))
        right = balance > (x_low + x_high) / 2
        share = ((balance - x_low) if right else (x_high - balance)) / (x_high - x_low)
        words = self._in_lines(state.balance_label, share * self._plot.getPlotItem().getViewBox().width())
        self._label(words, balance, y_low, palette.muted, anchor=(1.0 if right else 0.0, 1.0))
        self._slope_label = self._label(
            state.memory_label, (roof_x[0] + roof_x[1]) / 2, (roof_y[0] + roof_y[1]) / 2, palette.muted, (0.5, 1.0)
        )
        self._slope = (roof_x[0], roof_y[0]), (roof_x[1], roof_y[1])
        self._turn_slope_label()
        taken = [self._above_roof(top)]
        ghosts = [self._spot_of(point) for point in state.earlier]
        for point in state.earlier:
            self._ghost(point, palette)
        if state.earlier:
            self._label(tr(EARLIER), x_low, y_high, palette.muted, (0.0, 0.0))
        for point in sorted(state.points, key=lambda point: point.label.startswith(STREAMS)):
            self._point(point, palette)
            self._point_label(point, palette, taken, ghosts)

    def _point(self, point: RoofPoint, palette: Palette) -> None:
        ink = palette.prefill if point.phase == "prefill" else palette.decode
        x, y = math.log10(point.flop_per_byte), math.log10(point.flop_per_s / GIGA)
        dot = pg.ScatterPlotItem(
            [x], [y], size=POINT_PX if point.measured else RING_PX,
            symbol="o" if point.phase == "decode" else "d",
            brush=pg.mkBrush(ink) if point.measured and point.valid else pg.mkBrush(self._theme.palette.surface),
            pen=pg.mkPen(ink, width=2), hoverable=True, tip=None, data=[point.tip],
        )
        dot.setToolTip(point.tip)
        self._plot.addItem(dot)

    def _ghost(self, point: RoofPoint, palette: Palette) -> None:
        """A point of an earlier run: small, hollow and without words; its tool tip names the run."""
        ink = pg.mkColor(palette.prefill if point.phase == "prefill" else palette.decode)
        ink.setAlpha(GHOST_ALPHA)
        dot = pg.ScatterPlotItem(
            [math.log10(point.flop_per_byte)], [math.log10(point.flop_per_s / GIGA)], size=GHOST_PX,
            symbol="o" if point.phase == "decode" else "d", brush=pg.mkBrush(None), pen=pg.mkPen(ink, width=1.5),
        )
        dot.setToolTip(point.tip)
        dot.setZValue(BEHIND_LABELS)
        self._plot.addItem(dot)

    def _above_roof(self, roof: float) -> QRectF:
        """Where the roof's own words stand, in pixels of the plot."""
        box, metrics = self._plot.getPlotItem().getViewBox(), QFontMetrics(chart_font(self))
        _, (y_low, y_high) = box.viewRange()
        wide = metrics.horizontalAdvance(self._roof_label.toPlainText()) + LABEL_EDGES_PX
        high = metrics.height() + LABEL_EDGES_PX
        return QRectF(box.width() - wide, (y_high - roof) / (y_high - y_low) * box.height() - high, wide, high)

    def _spot_of(self, point: RoofPoint) -> QRectF:
        """Where an earlier run's point is drawn, in pixels of the plot."""
        centre = self._in_pixels(point)
        return QRectF(centre.x() - GHOST_PX, centre.y() - GHOST_PX, 2 * GHOST_PX, 2 * GHOST_PX)

    def _in_pixels(self, point: RoofPoint) -> QPointF:
        box = self._plot.getPlotItem().getViewBox()
        (x_low, x_high), (y_low, y_high) = box.viewRange()
        return QPointF(
            (math.log10(point.flop_per_byte) - x_low) / (x_high - x_low) * box.width(),
            (y_high - math.log10(point.flop_per_s / GIGA)) / (y_high - y_low) * box.height(),
        )

    def _point_label(
        self, point: RoofPoint, palette: Palette, taken: list[QRectF], ghosts: list[QRectF]
    ) -> None:
        """Below the point, beside or above it, where nothing else is written; none where all places are taken.

        A place without the point of an earlier run goes before one that would cover it. What has no label still has
        its tool tip and its row in the table.
        """
        ink = palette.prefill if point.phase == "prefill" else palette.decode
        short = point.label.startswith(STREAMS) or not point.measured
        words = point.label if short else f"{point.label}: {digits(point.flop_per_s / GIGA)} GFLOP/s"
        box = self._plot.getPlotItem().getViewBox()
        (x_low, x_high), (y_low, y_high) = box.viewRange()
        if box.width() <= 0 or box.height() <= 0 or x_high <= x_low or y_high <= y_low:
            return
        metrics = QFontMetrics(chart_font(self, bold=True))
        wide, high = metrics.horizontalAdvance(words) + LABEL_EDGES_PX, metrics.height() + LABEL_EDGES_PX
        at, reach = self._in_pixels(point), POINT_PX / 2
        under, beside = (at.x() - LABEL_EDGES_PX, at.x() - wide), (at.x() + GHOST_PX + 1, at.x() - GHOST_PX - 1 - wide)
        spots = [
            *(QRectF(left, at.y() + reach, wide, high) for left in under),
            *(QRectF(left, at.y() - high / 4, wide, high) for left in beside),  # lower than the roof of memory
            *(QRectF(left, at.y() - reach - high, wide, high) for left in under),
        ]
        inside = QRectF(0, 0, box.width(), box.height())
        free = [spot for spot in spots if inside.contains(spot) and not any(spot.intersects(held) for held in taken)]
        if not free:
            return
        spot = min(free, key=lambda spot: any(spot.intersects(ghost) for ghost in ghosts))
        taken.append(spot)
        x = x_low + spot.left() * (x_high - x_low) / box.width()
        y = y_high - spot.top() * (y_high - y_low) / box.height()
        self._label(words, x, y, ink, (0.0, 0.0), bold=True)

    def _label(
        self, text: str, x: float, y: float, ink: str, anchor: tuple[float, float], bold: bool = False
    ) -> Any:
        fill = pg.mkBrush(self._theme.palette.surface) if bold else None
        item = put_label(self._plot, text, (x, y), ink, anchor, bold, fill)
        item.setZValue(BEHIND_ROOF if bold else 0)
        return item

    def _in_lines(self, text: str, room_px: float) -> str:
        """The text, broken at its marks where one line has no room."""
        if QFontMetrics(chart_font(self)).horizontalAdvance(text) + LABEL_EDGES_PX <= room_px:
            return text
        return text.replace(": ", ":\n").replace(", ", ",\n")

    def _turn_slope_label(self) -> None:
        """Lay the memory label along its roof, whatever shape the plot has."""
        box = self._plot.getPlotItem().getViewBox()
        wide, high = box.width(), box.height()
        (x_low, x_high), (y_low, y_high) = box.viewRange()
        if wide <= 0 or high <= 0 or x_high <= x_low or y_high <= y_low:
            return
        (x_0, y_0), (x_1, y_1) = self._slope
        across = (x_1 - x_0) / (x_high - x_low) * wide
        up = (y_1 - y_0) / (y_high - y_low) * high
        needed = QFontMetrics(chart_font(self)).horizontalAdvance(self._state.memory_label) + LABEL_EDGES_PX
        length = math.hypot(across, up)
        if length >= LONG_ENOUGH * needed:
            share = 0.5 if length >= ROOMY * needed else 1.0
            self._slope_label.setAnchor((share, ABOVE_POINTS))
            self._slope_label.setPos(x_0 + (x_1 - x_0) * share, y_0 + (y_1 - y_0) * share)
            self._slope_label.setAngle(math.degrees(math.atan2(up, across)))
        else:  # the roof is too short to write along
            self._slope_label.hide()
            self._roof_label.setText(f"{self._state.memory_label}; {self._state.compute_label}")
