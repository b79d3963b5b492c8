"""The token clock of every stream, and the worst gap over the sizes of the pieces."""

import math
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from advisor.core.numbers import count, seconds
from ui.charts.roofline import DecadeAxis
from ui.theme import Palette, Theme
from ui.theme.metrics import TINY_PX
from ui.viewmodels.stutter import ClockChart, StutterPage

TICK_HALF: Final = 0.32
POINT_PX: Final = 10
SHADE_ALPHA: Final = 60
NARROW_PX: Final = 520
"""Below this width one chart stands under the other."""
LABEL_PX: Final = 34
"""Room of one size on the axis."""


class StutterCharts(QWidget):
    """Both charts beside each other; the page's table is their twin."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = StutterPage()
        self._chosen = 0
        self._clock: Any = _plot({"bottom": pg.AxisItem("bottom"), "left": pg.AxisItem("left")})
        self._gaps: Any = _plot({"bottom": pg.AxisItem("bottom"), "left": DecadeAxis("left")})
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._clock, 3)
        self._row.addWidget(self._gaps, 2)
        theme.changed.connect(self._draw)

    def show_stutter(self, state: StutterPage, chosen: int) -> None:
        """Show this state, with the clock of the size with that number."""
        if (state, chosen) != (self._state, self._chosen):
            self._state, self._chosen = state, chosen
            self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        narrow = event.size().width() < NARROW_PX
        self._row.setDirection(QHBoxLayout.Direction.TopToBottom if narrow else QHBoxLayout.Direction.LeftToRight)
        super().resizeEvent(event)
        self._name_sizes()

    def _draw(self) -> None:
        palette = self._theme.palette
        for plot in (self._clock, self._gaps):
            plot.clear()
            plot.setBackground(palette.surface)
        if not self._state.clocks:
            return
        clock = self._state.clocks[min(self._chosen, len(self._state.clocks) - 1)]
        self._draw_clock(clock, palette)
        self._draw_gaps(palette)
        self._clock.setAccessibleName(f"Token clock. {clock.spoken}")
        self._gaps.setAccessibleName(f"Worst gap by size. {self._state.spoken}")

    def _draw_clock(self, clock: ClockChart, palette: Palette) -> None:
        plot, many = self._clock, len(clock.rows)
        self._style(plot, palette, "", "seconds; each tick is a token")
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
        label = pg.TextItem("the prompt is read", color=palette.prefill, anchor=(0.0, 0.0))
        label.setFont(self._font(bold=True))
        label.setPos(clock.prompt_from_s, many + 0.3)
        plot.addItem(label, ignoreBounds=True)
        plot.setRange(xRange=(0.0, clock.rows[0].at_s[-1]), yRange=(-0.6, many + 0.3), padding=0.01)

    def _draw_gaps(self, palette: Palette) -> None:
        plot, state = self._gaps, self._state
        self._style(plot, palette, "worst gap, seconds", "prompt tokens per step")
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
        self._words(f"budget {seconds(state.budget_s)}", high, budget, (1.0, 0.0 if budget < lowest else 1.0))
        top = max(*y, budget, *(math.log10(point.high_s) for point in state.points)) + 0.1
        if guessed:
            self._words("○ predicted", low, top, (0.0, 0.0))
        every = [*y, budget, *(gap for _, gap in guessed), *(math.log10(point.high_s) for point in state.points)]
        plot.setRange(xRange=(low, high), yRange=(min(every) - 0.15, max(every) + 0.1), padding=0.0)
        self._name_sizes()

    def _words(self, text: str, x: float, y: float, anchor: tuple[float, float]) -> None:
        label = pg.TextItem(text, color=self._theme.palette.muted, anchor=anchor)
        label.setFont(self._font())
        label.setPos(x, y)
        self._gaps.addItem(label, ignoreBounds=True)

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

    def _font(self, bold: bool = False) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(TINY_PX)
        font.setBold(bold)
        return font

    def _style(self, plot: Any, palette: Palette, left: str, bottom: str) -> None:
        for side, text in (("left", left), ("bottom", bottom)):
            axis = plot.getAxis(side)
            axis.setPen(pg.mkPen(palette.line))
            axis.setTextPen(pg.mkPen(palette.muted))
            axis.setTickFont(self._font())
            axis.setLabel(text, color=palette.muted, **{"font-size": f"{TINY_PX}px"})
            axis.setStyle(tickLength=0)
            axis.enableAutoSIPrefix(False)


def _plot(axes: dict[str, Any]) -> Any:
    plot = pg.PlotWidget(axisItems=axes)
    plot.setFrameShape(plot.Shape.NoFrame)
    plot.setMouseEnabled(False, False)
    plot.setMenuEnabled(False)
    plot.hideButtons()
    plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    plot.setMinimumHeight(120)
    plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
    return plot
