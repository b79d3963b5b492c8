"""Buttons that look like tabs."""

from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QPushButton

from ui.theme.metrics import TEXT_PX

TAB_PADDING = 10


def widen(tab: QPushButton, title: str) -> None:
    """Room for the title in bold, which the chosen tab has."""
    bold = QFont(tab.font())
    bold.setPixelSize(TEXT_PX)
    bold.setBold(True)
    tab.setMinimumWidth(QFontMetrics(bold).horizontalAdvance(title) + TAB_PADDING)
