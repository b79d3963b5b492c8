"""The page "Stutter": its sentence, the token clock, worst gaps, and the table; or a button to measure it."""

from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from advisor.core.translation import tr
from ui.charts.loader import ChartLoader
from ui.theme import Theme
from ui.theme.metrics import GAP
from ui.viewmodels.stutter import StutterPage
from ui.widgets.combo import roomy
from ui.widgets.copy_figures import Figures
from ui.widgets.empty import EmptyState
from ui.widgets.plain_table import PlainTable
from ui.widgets.text import label


class StutterView(QWidget):
    """Asks with ``measure_requested``; Stop is the toolbar's, as for every measurement."""

    measure_requested = Signal()

    def __init__(self, theme: Theme, loader: ChartLoader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = StutterPage()
        self._charts: Any = None
        self._sentence = label(role="muted", wrap=True)
        self._notes = label(role="muted", wrap=True)
        self._empty = EmptyState(tr("Measure"))
        self._empty.clicked.connect(self.measure_requested)
        self._sizes = roomy(QComboBox())
        self._sizes.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._sizes.setAccessibleName(tr("Size of the pieces whose token clock is shown"))
        self._sizes.currentIndexChanged.connect(self._redraw)
        self._table = PlainTable(tr("Pauses by size of the pieces"))
        self._again = QPushButton(tr("Measure again"))
        self._again.clicked.connect(self.measure_requested)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._full_page())
        loader.build(self._make_charts, self._tell_no_chart)
        self.show_stutter(self._state)

    def _full_page(self) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP // 2)
        layout.addWidget(self._sentence)
        row = QHBoxLayout()
        row.addWidget(label(tr("Pieces of"), "muted"))
        row.addWidget(self._sizes)
        row.addStretch(1)
        row.addWidget(self._again)
        layout.addLayout(row)
        self._chart_lane = QVBoxLayout()
        layout.addLayout(self._chart_lane, 3)
        layout.addWidget(self._table)
        layout.addWidget(self._notes)
        self._no_chart = label(role="small", wrap=True)
        self._no_chart.hide()
        layout.addWidget(self._no_chart)
        return page

    @Slot(object)
    def show_stutter(self, state: StutterPage) -> None:
        """Show this state."""
        changed, self._state = state.clocks != self._state.clocks, state
        self._empty.text.setText(state.empty)
        for button in (self._empty.button, self._again):
            button.setEnabled(state.can_measure)
            button.setToolTip(state.measure_tip)
        self._stack.setCurrentIndex(0 if state.empty else 1)
        self._sentence.setText(state.sentence)
        self._notes.setText(state.notes)
        self._notes.setVisible(bool(state.notes))
        if changed:
            chosen = self._sizes.currentIndex()
            self._sizes.blockSignals(True)
            self._sizes.clear()
            self._sizes.addItems([clock.chunk for clock in state.clocks])
            last = len(state.clocks) - 1
            self._sizes.setCurrentIndex(chosen if 0 <= chosen <= last else last)
            self._sizes.blockSignals(False)
        self._table.show_table(state.head, state.rows)
        self._redraw()

    def figures(self) -> Figures:
        """What the chart shows."""
        return self._state.figures

    @Slot()
    def _redraw(self) -> None:
        if self._charts is not None:
            self._charts.show_stutter(self._state, max(0, self._sizes.currentIndex()))

    @Slot(str)
    def _tell_no_chart(self, why: str) -> None:
        self._no_chart.setText(why)
        self._no_chart.show()

    @Slot()
    def _make_charts(self) -> None:
        from ui.charts.stutter import StutterCharts

        self._charts = StutterCharts(self._theme)
        self._chart_lane.addWidget(self._charts)
        self._redraw()
