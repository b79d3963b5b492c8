"""The tabs below the timeline: the roofline, and every measurement as a table. Later pages are added here."""

from typing import Any

from PySide6.QtCore import QItemSelectionModel, QSize, QSortFilterProxyModel, Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import tr
from ui.charts.loader import ChartLoader
from ui.theme import Theme
from ui.theme.metrics import GAP
from ui.viewmodels.measurements import SORT_ROLE, MeasurementsModel
from ui.viewmodels.roofline import RooflineChart
from ui.widgets.card import rule
from ui.widgets.copy_figures import CopyFigures, Figures
from ui.widgets.tab_row import TabRow
from ui.widgets.text import label

SMALLEST_HEIGHT = 290
HEADER_HEIGHT = 28


class RooflinePage(QWidget):
    """The chart, made as soon as the plot library is in; until then, and while a roof is unknown, a sentence."""

    def __init__(self, theme: Theme, loader: ChartLoader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = RooflineChart()
        self._chart: Any = None
        self._failure = ""
        self._empty: QLabel = label(role="muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._empty)
        loader.build(self._make_chart, self._fail)

    def show_roofline(self, state: RooflineChart) -> None:
        """Show this state."""
        self._state = state
        shown = self._chart is not None and not state.empty
        self._empty.setVisible(not shown)
        self._empty.setText(self._failure or state.empty)
        if self._chart is not None:
            self._chart.setVisible(shown)
            self._chart.show_roofline(state)

    def figures(self) -> Figures:
        """The points of the chart."""
        return self._state.figures

    @Slot()
    def _make_chart(self) -> None:
        from ui.charts.roofline import RooflineView

        self._chart = RooflineView(self._theme)
        self._layout.addWidget(self._chart)
        self.show_roofline(self._state)

    @Slot(str)
    def _fail(self, why: str) -> None:
        self._failure = why
        self.show_roofline(self._state)


class MeasurementsPage(QWidget):
    """The table; Ctrl+C copies it whole."""

    def __init__(self, model: MeasurementsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(model)
        self._sorted.setSortRole(SORT_ROLE)
        self._table = QTableView()
        self._table.setModel(self._sorted)
        self._table.setAccessibleName(tr("Measurements"))
        self._table.setSortingEnabled(True)
        self._table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._table.setTabKeyNavigation(False)
        self._table.setShowGrid(False)
        self._table.verticalHeader().hide()
        header = self._table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        header.setFixedHeight(HEADER_HEIGHT)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._empty: QLabel = label(tr("Nothing is measured yet. Benchmark fills this table."), "muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._empty)
        layout.addWidget(self._table)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self._table)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)
        model.modelReset.connect(self._show_or_hide)
        self._show_or_hide()

    def figures(self) -> Figures:
        """The whole table."""
        return self._model.figures()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._model.as_text())

    @Slot()
    def _show_or_hide(self) -> None:
        there = self._model.rowCount() > 0
        self._table.setVisible(there)
        self._empty.setVisible(not there)
        if there:
            self._table.selectionModel().setCurrentIndex(
                self._sorted.index(0, 0), QItemSelectionModel.SelectionFlag.NoUpdate
            )


class PageStack(QStackedWidget):
    """Pages of which the one in sight alone says how much room is needed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.currentChanged.connect(lambda _number: self.updateGeometry())

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        page = self.currentWidget()
        return page.minimumSizeHint() if page is not None else QSize()

    def sizeHint(self) -> QSize:  # noqa: D102
        page = self.currentWidget()
        return page.sizeHint() if page is not None else QSize()


class DetailTabs(QFrame):
    """Pages behind a row of tab buttons, and a button that copies what the one in sight shows."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(SMALLEST_HEIGHT)
        self._pages = PageStack()
        self._tabs = TabRow()
        self._tabs.chosen.connect(self._pages.setCurrentIndex)
        row = QHBoxLayout()
        row.setContentsMargins(GAP, 4, GAP, 0)
        row.addWidget(self._tabs, 1)
        self.copy_button = CopyFigures(theme, by_key=True)
        row.addWidget(self.copy_button)
        self._pages.currentChanged.connect(self._serve)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(rule())
        inner = QVBoxLayout()
        inner.setContentsMargins(GAP, GAP, GAP, GAP)
        inner.addWidget(self._pages)
        layout.addLayout(inner, 1)

    def add_page(self, title: str, page: QWidget, whole_title: str = "") -> None:
        """Append a page with its tab; a short title leaves the whole one to the tool tip."""
        self._pages.addWidget(page)
        self._tabs.add_tab(title, whole_title)

    @Slot(int)
    def _serve(self, _number: int) -> None:
        page = self._pages.currentWidget()
        if page is not None:
            self.copy_button.serve(page)

    @property
    def titles(self) -> tuple[str, ...]:
        """Of the tabs, in order."""
        return self._tabs.titles

    @property
    def current(self) -> int:
        """Number of the page in sight, counted from 0."""
        return self._pages.currentIndex()

    def show_page(self, number: int) -> None:
        """Turn to a page, counted from 0."""
        self._tabs.choose(number)
