"""Speed over streams: all together and each, both logarithmic, with ceiling, comfort line and balance point."""

import math
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from advisor.core.numbers import count
from advisor.core.translation import tr
from ui.charts.plots import put_label, quiet_plot, style_axes
from ui.charts.roofline import DecadeAxis
from ui.theme import Theme
from ui.viewmodels.batching import BatchingState

DOT_PX: Final = 10
ROOM_X: Final = 0.35
"""Octaves free on both sides."""
ROOM_Y: Final = 0.12
SHARE_Y: Final = 0.1
"""Decades free above and below, and the share of the range beside them, so that the roof's words are whole."""


class OctaveAxis(pg.AxisItem):  # type: ignore[misc]
    """1, 2, 4, 8 … streams at their binary logarithms."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803, D102
        return [(1.0, [float(tick) for tick in range(math.ceil(minVal - 1e-9), math.floor(maxVal + 1e-9) + 1)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: D102
        return [count(2**value) if value > -1e-9 else "" for value in values]


class BatchingView(QWidget):
    """Draws a ``BatchingState``; the table beside it is its twin, the accessible name says the points."""

    def __init__(self, theme: Theme, over: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._over = over or tr("streams decoded together")
        self._state = BatchingState()
        self._plot: Any = quiet_plot({"bottom": OctaveAxis("bottom"), "left": DecadeAxis("left")}, 150)
        self._plot.getPlotItem().getViewBox().setDefaultPadding(0.0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._plot)
        theme.changed.connect(self._draw)

    def show_batching(self, state: BatchingState) -> None:
        """Show this state."""
        points = state.spoken or state.empty
        self.setAccessibleName(tr("Speed over {number}: {points}", number=self._over, points=points))
        changed, self._state = _drawn(state) != _drawn(self._state), state
        if changed:
            self._draw()

    def _draw(self) -> None:
        state, palette = self._state, self._theme.palette
        self._plot.clear()
        self._plot.setBackground(palette.surface)
        style_axes(self._plot, palette, tr("tokens/s"), self._over)
        self._plot.showGrid(x=True, y=True, alpha=0.12)
        if not state.dots:
            return
        x = [math.log2(dot.streams) for dot in state.dots]
        speeds = [speed for dot in state.dots for speed in (dot.together, dot.each)]
        speeds += [speed for _, speed in state.ceiling] + [state.comfort_tokens_per_s]
        x_low, x_high = min(x) - ROOM_X, max(x) + ROOM_X
        y_low, y_high = math.log10(min(speeds)), math.log10(max(speeds))
        room = ROOM_Y + SHARE_Y * (y_high - y_low)
        y_low, y_high = y_low - room, y_high + room
        self._plot.setRange(xRange=(x_low, x_high), yRange=(y_low, y_high), padding=0.0)
        if state.ceiling:
            roof = [math.log2(streams) for streams, _ in state.ceiling], [math.log10(s) for _, s in state.ceiling]
            self._plot.plot(*roof, pen=pg.mkPen(palette.text, width=2))
            put_label(self._plot, tr("at most"), (roof[0][-1], roof[1][-1]), palette.text, (1.0, 1.0))
        comfort = math.log10(state.comfort_tokens_per_s)
        dots = pg.mkPen(palette.muted, width=1.4, style=Qt.PenStyle.DotLine)
        self._plot.plot([x_low, x_high], [comfort, comfort], pen=dots)
        put_label(self._plot, state.comfort_label, (x_low, comfort), palette.muted, (0.0, 1.0))
        if state.balance_streams and x_low <= math.log2(state.balance_streams) <= x_high:
            at = math.log2(state.balance_streams)
            dashes = pg.mkPen(palette.muted, width=1.2, style=Qt.PenStyle.DashLine)
            self._plot.plot([at, at], [y_low, y_high], pen=dashes)
            put_label(self._plot, tr("balance point"), (at, y_low), palette.muted, (0.0, 1.0))
        self._curve(x, [(dot.together, dot.together_spread) for dot in state.dots], tr("together"), filled=True)
        self._curve(x, [(dot.each, dot.each_spread) for dot in state.dots], tr("each"), filled=False)

    def _curve(self, x: list[float], speeds: list[tuple[float, float]], name: str, filled: bool) -> None:
        """Filled circles and a line for all together, hollow squares and dashes for each."""
        ink = self._theme.palette.decode
        y = [math.log10(speed) for speed, _ in speeds]
        top = [math.log10((speed + spread) / speed) for speed, spread in speeds]
        style = Qt.PenStyle.SolidLine if filled else Qt.PenStyle.DashLine
        self._plot.addItem(pg.ErrorBarItem(
            x=_array(x), y=_array(y), top=_array(top), bottom=_array(top), beam=0.06, pen=pg.mkPen(ink)
        ))
        self._plot.plot(
            x, y, pen=pg.mkPen(ink, width=1.6, style=style), symbol="o" if filled else "s", symbolSize=DOT_PX,
            symbolPen=pg.mkPen(ink, width=2),
            symbolBrush=pg.mkBrush(ink if filled else self._theme.palette.surface),
        )
        # The sum rises and each one's share falls: below the one's end and above the other's there is room.
        put_label(self._plot, name, (x[-1], y[-1]), ink, (1.0, -0.4 if filled else 1.4), bold=True)


def _drawn(state: BatchingState) -> tuple[object, ...]:
    """What of a state is in the chart; its words change with every move of a slider."""
    return state.dots, state.ceiling, state.comfort_label, state.balance_streams


def _array(values: list[float]) -> Any:
    import numpy as np  # comes with pyqtgraph

    return np.array(values)
