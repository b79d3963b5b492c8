"""Charts of a measured server: speeds and first token over users; token clock and gaps around a long prompt."""

import math
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt

from advisor.core.numbers import seconds
from advisor.core.translation import marked, tr
from ui.charts.batching import BatchingView, OctaveAxis
from ui.charts.plots import ChartPair, put_label, quiet_plot, style_axes
from ui.charts.roofline import DecadeAxis
from ui.charts.stutter import TokenClock
from ui.theme import Theme
from ui.viewmodels.batching import BatchingState
from ui.viewmodels.server import GapsChart, WaitsChart
from ui.viewmodels.stutter import ClockChart

USERS: Final = marked("users at once")
ROW_PX: Final = 210
POINT_PX: Final = 10
DOT_PX: Final = 6
SPREAD: Final = 0.3
"""Half the width over which the gaps of one column are laid out in their order."""
ROOM_Y: Final = 0.15
SHARE_Y: Final = 0.1
"""Decades free above and below, and the share of the range beside them, for the words beside the curves."""


class UsersCharts(ChartPair):
    """Speeds and waits over users; the table is their twin."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._state = WaitsChart()
        self._speeds = BatchingView(theme, tr(USERS))
        self._waits: Any = quiet_plot({"bottom": OctaveAxis("bottom"), "left": DecadeAxis("left")})
        super().__init__(self._speeds, self._waits, row_px=ROW_PX)
        theme.changed.connect(self._draw)

    def show_users(self, speeds: BatchingState, waits: WaitsChart) -> None:
        """Show both."""
        self.show_speeds(speeds)
        self.show_waits(waits)

    def show_speeds(self, speeds: BatchingState) -> None:
        """Show this state; it goes away where the users did not write together at all."""
        self._speeds.setVisible(len(speeds.dots) > 1)
        self.arrange()
        self._speeds.show_batching(speeds)

    def show_waits(self, waits: WaitsChart) -> None:
        """Show this state."""
        if waits != self._state:
            self._state = waits
            self._draw()

    def _draw(self) -> None:
        palette, state, plot = self._theme.palette, self._state, self._waits
        plot.clear()
        plot.setBackground(palette.surface)
        style_axes(plot, palette, tr("first token, seconds"), tr(USERS))
        if not state.points:
            return
        plot.setAccessibleName(tr("First token over users: {points}", points=state.spoken))
        x = [math.log2(point.users) for point in state.points]
        median = [math.log10(point.median_s) for point in state.points]
        worst = [math.log10(point.worst_s) for point in state.points]
        ink, line = palette.prefill, math.log10(state.line_s)
        low, high = min(x) - 0.35, max(x) + 0.35
        plot.plot([low, high], [line, line], pen=pg.mkPen(palette.muted, width=1.4, style=Qt.PenStyle.DotLine))
        put_label(plot, tr("your line: {limit}", limit=seconds(state.line_s)), (low, line), palette.muted, (0.0, 0.0))
        for y, name, filled in ((median, tr("median"), True), (worst, tr("the last one"), False)):
            plot.plot(
                x, y, pen=pg.mkPen(ink, width=1.6, style=Qt.PenStyle.SolidLine if filled else Qt.PenStyle.DashLine),
                symbol="o" if filled else "s", symbolSize=POINT_PX, symbolPen=pg.mkPen(ink, width=2),
                symbolBrush=pg.mkBrush(ink if filled else palette.surface),
            )
            put_label(plot, name, (x[-1], y[-1]), ink, (1.0, -0.2 if filled else 1.2), bold=True)
        every = [*median, *worst, line]
        room = ROOM_Y + SHARE_Y * (max(every) - min(every))
        plot.setRange(xRange=(low, high), yRange=(min(every) - room, max(every) + room), padding=0.0)
        plot.showGrid(x=True, y=True, alpha=0.12)


class StutterPair(ChartPair):
    """The token clock, and every gap before and while the long prompt is read."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._state = GapsChart()
        self._clock = TokenClock(theme)
        self._gaps: Any = quiet_plot({"bottom": pg.AxisItem("bottom"), "left": DecadeAxis("left")})
        super().__init__(self._clock, self._gaps, (3, 2), ROW_PX)
        theme.changed.connect(self._draw)

    def show_stutter(self, clock: ClockChart | None, gaps: GapsChart) -> None:
        """Show both."""
        self.show_clock(clock)
        self.show_gaps(gaps)

    def show_clock(self, clock: ClockChart | None) -> None:
        """Show this state; it goes away where there is none."""
        self._clock.setVisible(clock is not None)
        self.arrange()
        self._clock.show_clock(clock)

    def show_gaps(self, gaps: GapsChart) -> None:
        """Show this state."""
        if gaps != self._state:
            self._state = gaps
            self._draw()

    def _draw(self) -> None:
        palette, state, plot = self._theme.palette, self._state, self._gaps
        plot.clear()
        plot.setBackground(palette.surface)
        style_axes(plot, palette, tr("gap, seconds"), "")
        if not state.before_s and not state.during_s:
            return
        plot.setAccessibleName(tr("Gaps of the running streams: {gaps}", gaps=state.spoken))
        columns = ((0.0, state.before_s, palette.decode, "o"), (1.0, state.during_s, palette.prefill, "d"))
        for middle, gaps, ink, symbol in columns:
            step = 2 * SPREAD / max(len(gaps) - 1, 1)
            x = [middle - SPREAD + number * step for number in range(len(gaps))] if len(gaps) > 1 else [middle]
            plot.addItem(pg.ScatterPlotItem(
                x[: len(gaps)], [math.log10(gap) for gap in gaps], size=DOT_PX, symbol=symbol, pen=pg.mkPen(ink),
                brush=pg.mkBrush(ink),
            ))
        line = math.log10(state.line_s)
        plot.plot([-0.5, 1.5], [line, line], pen=pg.mkPen(palette.muted, width=1.2, style=Qt.PenStyle.DashLine))
        put_label(plot, tr("your line: {limit}", limit=seconds(state.line_s)), (-0.5, line), palette.muted, (0.0, 1.0))
        plot.getAxis("bottom").setTicks([[(0.0, tr("before")), (1.0, tr("while it is read"))]])
        every = [line, *(math.log10(gap) for gap in (*state.before_s, *state.during_s))]
        room = ROOM_Y + SHARE_Y * (max(every) - min(every))
        plot.setRange(xRange=(-0.5, 1.5), yRange=(min(every) - room, max(every) + room), padding=0.0)
