"""The page of many users: the answer, the curve, its table, and the button that measures it."""

from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import tr
from ui.charts.loader import ChartLoader
from ui.theme import Theme
from ui.theme.metrics import GAP, SMALL_GAP
from ui.viewmodels.batching import BatchingState
from ui.widgets.combo import ElidedCombo
from ui.widgets.copy_figures import Figures
from ui.widgets.empty import EmptyState
from ui.widgets.plain_table import PlainTable
from ui.widgets.text import label

NARROW_PX = 520
"""Below this width the table stands under the chart, and the button under the choice."""


class BatchingPage(QWidget):
    """Sentence above, chart and table side by side; without a curve a sentence that says what to do."""

    measure_requested = Signal()
    depth_chosen = Signal(str)

    def __init__(self, theme: Theme, loader: ChartLoader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = BatchingState()
        self._chart: Any = None
        self._headline: QLabel = label(role="strong", wrap=True)
        self._again = QPushButton(tr("Measure again"))
        self._empty = EmptyState(tr("Measure"))
        for button in (self._again, self._empty.button):
            button.setAccessibleName(tr("{measure} several streams together", measure=button.text()))
            button.clicked.connect(self.measure_requested)
        self.depths = ElidedCombo(16)
        self.depths.setAccessibleName(tr("What every stream has in its cache before"))
        self.depths.set_tip(
            tr("Attention reads the whole cache at every step: the longer the chats, the fewer can share")
        )
        self.depths.activated.connect(lambda index: self.depth_chosen.emit(self.depths.itemData(index)))
        self._table = PlainTable(tr("Speed over streams"))
        self._details: QLabel = label(role="muted", wrap=True)
        begin = QHBoxLayout()
        begin.setSpacing(GAP)
        begin.addWidget(label(tr("Each stream begins with"), "muted"))
        begin.addWidget(self.depths)
        begin.addStretch(1)
        self._setting = QHBoxLayout()
        self._setting.setSpacing(GAP)
        self._setting.addLayout(begin, 1)
        self._setting.addWidget(self._again, 0, Qt.AlignmentFlag.AlignRight)
        self._middle = QHBoxLayout()
        self._middle.setSpacing(GAP)
        self._middle.addWidget(self._table, 1, Qt.AlignmentFlag.AlignTop)
        full = QWidget()
        layout = QVBoxLayout(full)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SMALL_GAP)
        layout.addWidget(self._headline)
        layout.addLayout(self._middle, 1)
        layout.addWidget(self._details)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(SMALL_GAP)
        outer.addLayout(self._setting)
        self._stack = QStackedLayout()
        outer.addLayout(self._stack, 1)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(full)
        self._no_chart: QLabel = label(role="small", wrap=True)
        self._no_chart.hide()
        layout.addWidget(self._no_chart)
        loader.build(self._make_chart, self._tell_no_chart)
        self.show_batching(self._state)

    def show_batching(self, state: BatchingState) -> None:
        """Show this state."""
        self._state = state
        self._stack.setCurrentIndex(1 if state.headline else 0)
        self._again.setVisible(bool(state.headline))
        if [self.depths.itemText(index) for index in range(self.depths.count())] != [one.text for one in state.depths]:
            self.depths.clear()
            for one in state.depths:
                self.depths.addItem(one.text, one.id)
        self.depths.setCurrentIndex(self.depths.findData(state.chosen_depth))
        self.depths.setEnabled(state.can_measure)
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
        for lane in (self._middle, self._setting):
            lane.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        super().resizeEvent(event)

    @Slot(str)
    def _tell_no_chart(self, why: str) -> None:
        self._no_chart.setText(why)
        self._no_chart.show()

    @Slot()
    def _make_chart(self) -> None:
        from ui.charts.batching import BatchingView

        self._chart = BatchingView(self._theme)
        self._middle.insertWidget(0, self._chart, 1)
        self.show_batching(self._state)
