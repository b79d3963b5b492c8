"""The page of many users: the answer, the curve, its table, and the button that measures it."""

from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from ui.charts.loader import ChartLoader
from ui.theme import Theme
from ui.theme.metrics import GAP, SMALL_GAP
from ui.viewmodels.batching import BatchingState
from ui.widgets.copy_figures import Figures
from ui.widgets.empty import EmptyState
from ui.widgets.plain_table import PlainTable
from ui.widgets.text import label

NARROW_PX = 520
"""Below this width the table stands under the chart."""


class BatchingPage(QWidget):
    """Sentence above, chart and table side by side; without a curve a sentence that says what to do."""

    measure_requested = Signal()

    def __init__(self, theme: Theme, loader: ChartLoader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = BatchingState()
        self._chart: Any = None
        self._headline: QLabel = label(role="strong", wrap=True)
        self._again = QPushButton("Measure again")
        self._empty = EmptyState("Measure")
        for button in (self._again, self._empty.button):
            button.setAccessibleName(f"{button.text()} several streams together")
            button.clicked.connect(self.measure_requested)
        self._table = PlainTable("Speed over streams")
        self._details: QLabel = label(role="muted", wrap=True)
        top = QHBoxLayout()
        top.setSpacing(GAP)
        top.addWidget(self._headline, 1)
        top.addWidget(self._again, 0, Qt.AlignmentFlag.AlignTop)
        self._middle = QHBoxLayout()
        self._middle.setSpacing(GAP)
        self._middle.addWidget(self._table, 1, Qt.AlignmentFlag.AlignTop)
        full = QWidget()
        layout = QVBoxLayout(full)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SMALL_GAP)
        layout.addLayout(top)
        layout.addLayout(self._middle, 1)
        layout.addWidget(self._details)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(full)
        loader.build(self._make_chart)
        self.show_batching(self._state)

    def show_batching(self, state: BatchingState) -> None:
        """Show this state."""
        self._state = state
        self._stack.setCurrentIndex(1 if state.headline else 0)
        self._empty.text.setText(state.empty)
        self._headline.setText(state.headline)
        self._details.setText(state.details)
        self._details.setVisible(bool(state.details))
        for button in (self._again, self._empty.button):
            button.setEnabled(state.can_measure)
            button.setToolTip(state.measure_tip)
        self._table.show_table(state.head, state.rows)
        if self._chart is not None:
            self._chart.setVisible(bool(state.dots))
            self._chart.show_batching(state)

    def figures(self) -> Figures:
        """What the chart shows."""
        return self._state.figures

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        narrow = event.size().width() < NARROW_PX
        self._middle.setDirection(
            QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        )
        super().resizeEvent(event)

    @Slot()
    def _make_chart(self) -> None:
        from ui.charts.batching import BatchingView

        self._chart = BatchingView(self._theme)
        self._middle.insertWidget(0, self._chart, 1)
        self.show_batching(self._state)
