"""The token clock of every stream, and the worst gap over the sizes of the pieces."""

import math
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from advisor.core.numbers import count, seconds
from advisor.core.translation import marked, tr
from ui.charts.plots import ChartPair, PlainAxis, put_label, quiet_plot, style_axes
from ui.charts.roofline import DecadeAxis
from ui.theme import Palette, Theme
from ui.viewmodels.stutter import ClockChart, StutterPage

TICK_HALF: Final = 0.32
POINT_PX: Final = 10
LEAST_HEIGHT: Final = 170
"""Pixels in which the name of the gaps' axis is whole."""
SHADE_ALPHA: Final = 60
LABEL_PX: Final = 34
"""Room of one size on the axis."""


TICKS: Final = {
    "token": marked("seconds; each tick is a token"), "chunk": marked("seconds; each tick is a chunk"),
}  # fmt: skip


class TokenClock(QWidget):
    """A row of ticks per stream, with the time shaded in which the prompt is read."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state: ClockChart | None = None
        self._plot: Any = quiet_plot({"bottom": PlainAxis("bottom"), "left": pg.AxisItem("left")})
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._plot)
        theme.changed.connect(self._draw)

    def show_clock(self, state: ClockChart | None) -> None:
        """Show this state."""
        if state != self._state:
            self._state = state
            self._draw()

    def _draw(self) -> None:
        palette, clock = self._theme.palette, self._state
        self._plot.clear()
        self._plot.setBackground(palette.surface)
        if clock is None:
            return
        self.setAccessibleName(tr("Token clock. {rows}", rows=clock.spoken))
        plot, many = self._plot, len(clock.rows)
        style_axes(plot, palette, "", tr(TICKS[clock.tick]))
        shade = pg.mkColor(palette.prefill)
        shade.setAlpha(SHADE_ALPHA)
        region = pg.LinearRegionItem(
            (clock.prompt_from_s, clock.prompt_to_s), movable=False, brush=shade, pen=pg.mkPen(palette.prefill)
        )
        region.setZValue(-1)
        plot.addItem(region)
        for index, row in enumerate(clock.rows):
            level = many - 1 - index
            x = [at_s for at_s in row.at_s for _ in (0, 1)]
            y = [level - TICK_HALF, level + TICK_HALF] * len(row.at_s)
            plot.plot(x, y, connect="pairs", pen=pg.mkPen(palette.decode, width=1.5))
        names = [(many - 1 - index, row.name) for index, row in enumerate(clock.rows)]
        plot.getAxis("left").setTicks([names])
        top = clock.prompt_from_s, many + 0.3
        put_label(plot, tr("the prompt is read"), top, palette.prefill, (0.0, 0.0), bold=True)
        last_s = max(row.at_s[-1] for row in clock.rows)
        plot.setRange(xRange=(0.0, last_s), yRange=(-0.6, many + 0.3), padding=0.01)


class StutterCharts(ChartPair):
    """Both charts; the page's table is their twin."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._state = StutterPage()
        self._chosen = 0
        self._clock = TokenClock(theme)
        self._gaps: Any = quiet_plot({"bottom": PlainAxis("bottom"), "left": DecadeAxis("left")}, LEAST_HEIGHT)
        super().__init__(self._clock, self._gaps, (3, 2))
        theme.changed.connect(self._draw)

    def show_stutter(self, state: StutterPage, chosen: int) -> None:
        """Show this state, with the clock of the size with that number."""
        if (state, chosen) != (self._state, self._chosen):
            self._state, self._chosen = state, chosen
            self._draw()

    def _draw(self) -> None:
        palette = self._theme.palette
        self._gaps.clear()
        self._gaps.setBackground(palette.surface)
        if not self._state.clocks:
            self._clock.show_clock(None)
            return
        self._clock.show_clock(self._state.clocks[min(self._chosen, len(self._state.clocks) - 1)])
        self._draw_gaps(palette)
        self._gaps.setAccessibleName(tr("Worst gap by size. {gaps}", gaps=self._state.spoken))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self._name_sizes()

    def _draw_gaps(self, palette: Palette) -> None:
        plot, state = self._gaps, self._state
        style_axes(plot, palette, tr("worst gap, seconds"), tr("prompt tokens per step"))
        x = [math.log10(point.tokens) for point in state.points]
        y = [math.log10(point.worst_s) for point in state.points]
        for at, point in zip(x, state.points, strict=True):
            plot.plot([at, at], [math.log10(point.low_s), math.log10(point.high_s)], pen=pg.mkPen(palette.prefill))
        plot.plot(
            x, y, pen=pg.mkPen(palette.prefill, width=2), symbol="d", symbolSize=POINT_PX,
            symbolBrush=pg.mkBrush(palette.prefill), symbolPen=pg.mkPen(palette.prefill),
        )
        guessed = [(at, math.log10(point.predicted_s)) for at, point in zip(x, state.points, strict=True)
                   if point.predicted_s]
        if guessed:
            plot.addItem(pg.ScatterPlotItem(
                [at for at, _ in guessed], [gap for _, gap in guessed], size=POINT_PX + 3, symbol="o",
                brush=pg.mkBrush(None), pen=pg.mkPen(palette.text, width=1.5),
            ))
        budget = math.log10(state.budget_s)
        low, high = min(x) - 0.1, max(x) + 0.25
        plot.plot([low, high], [budget, budget], pen=pg.mkPen(palette.muted, width=1.2, style=Qt.PenStyle.DashLine))
        lowest = min(*y, *(gap for _, gap in guessed), *(math.log10(point.low_s) for point in state.points))
        # Below everything that is drawn the words stand under the line, else above it and on the side of the low gaps.
        side = 1.0, 0.0 if budget < lowest else 1.0
        put_label(plot, tr("budget {limit}", limit=seconds(state.budget_s)), (high, budget), palette.muted, side)
        highs = (*y, *(gap for _, gap in guessed), *(math.log10(point.high_s) for point in state.points))
        top = max(budget, *highs) + 0.1
        if guessed:
            put_label(plot, tr("○ predicted"), (low, top), palette.muted, (0.0, 0.0))
        plot.setRange(xRange=(low, high), yRange=(min(lowest, budget) - 0.15, top), padding=0.0)
        self._name_sizes()

    def _name_sizes(self) -> None:
        """The sizes under their points, from the right; one that would stand on its neighbour is left to the table."""
        points = self._state.points
        if not points:
            return
        (low, high), _ = self._gaps.getPlotItem().getViewBox().viewRange()
        room = (high - low) * LABEL_PX / max(1, self._gaps.width() - LABEL_PX)
        named: list[tuple[float, str]] = []
        for point in sorted(points, key=lambda point: -point.tokens):
            at = math.log10(point.tokens)
            if not named or named[-1][0] - at >= room:
                named.append((at, count(point.tokens)))
        self._gaps.getAxis("bottom").setTicks([named])
