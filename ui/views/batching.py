"""The page of many users: the answer, the curve, its table, and the button that measures it."""

from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QStackedLayout,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ui.charts.loader import ChartLoader
from ui.theme import Theme
from ui.theme.metrics import GAP, SMALL_GAP
from ui.viewmodels.batching import BatchingState
from ui.widgets.empty import EmptyState
from ui.widgets.text import label

ROW_HEIGHT = 22
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
        self._table = QTableWidget(0, 0)
        self._table.setAccessibleName("Speed over streams")
        self._table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._table.setTabKeyNavigation(False)
        self._table.setShowGrid(False)
        self._table.verticalHeader().hide()
        self._table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self._table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._details: QLabel = label(role="muted", wrap=True)
        top = QHBoxLayout()
        top.setSpacing(GAP)
        top.addWidget(self._headline, 1)
        top.addWidget(self._again, 0, Qt.AlignmentFlag.AlignTop)
        self._middle = QHBoxLayout()
        self._middle.setSpacing(GAP)
        self._middle.addWidget(self._table, 1)
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
        self._table.setVisible(bool(state.rows))
        self._fill(state)
        if self._chart is not None:
            self._chart.setVisible(bool(state.dots))
            self._chart.show_batching(state)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        narrow = event.size().width() < NARROW_PX
        self._middle.setDirection(
            QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        )
        super().resizeEvent(event)

    def _fill(self, state: BatchingState) -> None:
        self._table.setColumnCount(len(state.head))
        self._table.setRowCount(len(state.rows))
        self._table.setHorizontalHeaderLabels([title.replace(", tokens/s", "\ntokens/s") for title in state.head])
        for row, cells in enumerate(state.rows):
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self._table.setItem(row, column, item)
        header = self._table.horizontalHeader().sizeHint().height()
        self._table.setMinimumHeight(header + len(state.rows) * ROW_HEIGHT + SMALL_GAP)

    @Slot()
    def _make_chart(self) -> None:
        from ui.charts.batching import BatchingView

        self._chart = BatchingView(self._theme)
        self._middle.insertWidget(0, self._chart, 1)
        self.show_batching(self._state)
