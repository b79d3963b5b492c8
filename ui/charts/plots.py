"""What all charts share: a plot that only shows, its axes in the theme's inks, and a quiet label."""

from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QWidget

from advisor.core.numbers import written
from ui.theme import Palette
from ui.theme.metrics import TINY_PX

pg.setConfigOptions(antialias=True)  # a chart has few lines; a slanting one has steps without

NARROW_PX: Final = 520
"""Below this width one chart stands under the other."""


class ChartPair(QWidget):
    """Two charts beside each other, or one under the other where that is too narrow.

    With ``row_px`` the pair is as tall as its rows of that many pixels, else as its place lets it be.
    """

    def __init__(self, first: QWidget, second: QWidget, shares: tuple[int, int] = (1, 1), row_px: int = 0) -> None:
        super().__init__()
        self._charts = first, second
        self._row_px = row_px
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for chart, share in zip(self._charts, shares, strict=True):
            self._row.addWidget(chart, share)

    def arrange(self) -> None:
        """Lay the charts out; to be called when one of them was hidden or shown."""
        narrow = self.width() < NARROW_PX
        down, along = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._row.setDirection(down if narrow else along)
        if self._row_px:
            shown = sum(not chart.isHidden() for chart in self._charts)
            self.setFixedHeight(self._row_px * max(1, shown if narrow else 1))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self.arrange()


class PlainAxis(pg.AxisItem):  # type: ignore[misc]
    """Evenly spaced numbers, written as the user's language writes them."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: D102
        return [written(words) for words in super().tickStrings(values, scale, spacing)]


def quiet_plot(axes: dict[str, Any], least_height: int = 120) -> Any:
    """A plot without mouse, menu and focus, as large as its layout wants; the library would wish for 640 x 480."""
    plot = pg.PlotWidget(axisItems=axes)
    plot.setFrameShape(plot.Shape.NoFrame)
    plot.setMouseEnabled(False, False)
    plot.setMenuEnabled(False)
    plot.hideButtons()
    for part in (plot, plot.viewport()):
        part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    plot.setMinimumHeight(least_height)
    plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
    return plot


def chart_font(widget: QWidget, bold: bool = False) -> QFont:
    """The widget's font at the size of axes and labels."""
    font = QFont(widget.font())
    font.setPixelSize(TINY_PX)
    font.setBold(bold)
    return font


def style_axes(plot: Any, palette: Palette, left: str, bottom: str) -> None:
    """Inks, fonts and names of both axes."""
    for side, text in (("left", left), ("bottom", bottom)):
        axis = plot.getAxis(side)
        axis.setPen(pg.mkPen(palette.line))
        axis.setTextPen(pg.mkPen(palette.muted))
        axis.setTickFont(chart_font(plot))
        axis.setLabel(text, color=palette.muted, **{"font-size": f"{TINY_PX}px"})
        axis.setStyle(tickLength=0)
        axis.enableAutoSIPrefix(False)


def put_label(
    plot: Any, text: str, at: tuple[float, float], ink: str, anchor: tuple[float, float], bold: bool = False,
    fill: Any = None,
) -> Any:
    """A word beside what it names, on ``fill`` where one is given; returns the item."""
    item = pg.TextItem(text, color=ink, anchor=anchor, fill=fill)
    item.setFont(chart_font(plot, bold))
    item.setPos(*at)
    plot.addItem(item, ignoreBounds=True)
    return item
