"""Frames: the card with its small heading, the framed part inside one, and a thin rule."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ui.theme.metrics import GAP, SMALL_GAP
from ui.widgets.text import ElidedLabel


class Card(QFrame):
    """A titled box; contents go into ``body``, a badge or pill into ``head``. Its heading is shown in ``capitals``."""

    def __init__(self, heading: str = "", parent: QWidget | None = None, capitals: bool = True) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(GAP, GAP, GAP, GAP)
        outer.setSpacing(SMALL_GAP)
        self.head = QHBoxLayout()
        self.heading = ElidedLabel(heading.upper() if capitals else heading, "heading")
        self.heading.setVisible(bool(heading))
        self.head.addWidget(self.heading, 1)
        self.body = QVBoxLayout()
        self.body.setSpacing(SMALL_GAP)
        outer.addLayout(self.head)
        outer.addLayout(self.body)
        self.setAccessibleName(heading)


def rule(parent: QWidget | None = None) -> QFrame:
    """A thin horizontal line."""
    line = QFrame(parent)
    line.setObjectName("rule")
    line.setFixedHeight(1)
    return line
