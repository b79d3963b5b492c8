"""The page "Where the speed goes": both phases' steps side by side, one row per part."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from advisor.core.translation import tr
from ui.theme import Theme
from ui.theme.metrics import GAP
from ui.viewmodels.waterfall import StepPart, StepShown, WaterfallPage, spoken
from ui.widgets.copy_figures import Figures
from ui.widgets.text import label

BAR_HEIGHT = 7
LEAST_PX = 2.0
"""A part that takes next to nothing still shows where it stands."""


class _Bar(QWidget):
    """One part's bar, standing where the part before it ended; hatched where the time is unexplained."""

    def __init__(self, theme: Theme, phase: str, part: StepPart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._phase, self._part = theme, phase, part
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        return QSize(120, BAR_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, part = self._theme.palette, self._part
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.line))
        painter.drawRoundedRect(QRectF(0, BAR_HEIGHT / 2 - 0.5, self.width(), 1), 0.5, 0.5)
        ink = {"ideal": getattr(palette, self._phase), "lost": palette.muted}.get(part.kind, palette.strong_line)
        unexplained = part.kind == "unexplained"
        painter.setBrush(QBrush(QColor(ink), Qt.BrushStyle.BDiagPattern if unexplained else Qt.BrushStyle.SolidPattern))
        wide = max(part.width * self.width(), LEAST_PX)
        painter.drawRoundedRect(QRectF(min(part.start * self.width(), self.width() - wide), 0, wide, BAR_HEIGHT), 2, 2)

    def _restyle(self) -> None:
        self.update()


class _Step(QWidget):
    """One phase: its title, the rows, and what the verdict reads from them."""

    def __init__(self, theme: Theme, state: StepShown, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(state.title)
        self.setAccessibleDescription(spoken(state))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(label(state.title, "strong", tone=state.phase, wrap=True))
        for part in state.parts:
            line = QHBoxLayout()
            name: QLabel = label(part.name, "small", wrap=True)
            figures: QLabel = label(f"{part.time} · {part.share}", "small")
            line.addWidget(name, 1)
            line.addWidget(figures)
            layout.addSpacing(3)
            layout.addLayout(line)
            layout.addWidget(_Bar(theme, state.phase, part))
        if state.sentence:
            layout.addSpacing(4)
            layout.addWidget(label(state.sentence, "small", wrap=True))
        layout.addStretch(1)


class WaterfallView(QScrollArea):
    """Both steps, or a sentence while there is nothing to take apart."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state: WaterfallPage | None = None
        self.setObjectName("scrolled")
        self.setAccessibleName(tr("Where the speed goes"))  # the arrow keys scroll it
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_waterfalls(WaterfallPage())

    def figures(self) -> Figures:
        """What the bars show."""
        return self._state.figures if self._state is not None else ((), ())

    def show_waterfalls(self, state: WaterfallPage) -> None:
        """Show this state."""
        if state == self._state:
            return
        self._state = state
        page = QWidget()
        page.setObjectName("page")
        layout = QHBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * GAP)
        if state.empty:
            empty: QLabel = label(state.empty, "muted", wrap=True)
            empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
            layout.addWidget(empty)
        for step in state.steps:
            layout.addWidget(_Step(self._theme, step), 1)
        self.setWidget(page)
