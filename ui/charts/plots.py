"""What all charts share: a plot that only shows, its axes in the theme's inks, and a quiet label."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme import Palette
from ui.theme.metrics import TINY_PX


def quiet_plot(axes: dict[str, Any], least_height: int = 120) -> Any:
    """A plot without mouse, menu and focus, as large as its layout wants; the library would wish for 640 x 480."""
    plot = pg.PlotWidget(axisItems=axes)
    plot.setFrameShape(plot.Shape.NoFrame)
    plot.setMouseEnabled(False, False)
    plot.setMenuEnabled(False)
    plot.hideButtons()
    plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
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
