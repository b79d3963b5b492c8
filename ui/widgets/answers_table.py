"""A sortable table of answers with their ranges drawn; the chosen row is told by its key."""

from typing import Final

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from ui.theme import Theme
from ui.viewmodels.cell_table import KEY_ROLE, SORT_ROLE, CellTable, CellTableModel
from ui.widgets.range_delegate import ROW_PX, RangeDelegate

HEADER_PX: Final = 28
NAME_SHARE: Final = 0.3
LEAST_NAME_PX: Final = 130


class AnswersTable(QTableView):
    """``chosen`` with the key of the row that the user goes to; Ctrl+C copies the whole table."""

    chosen = Signal(str)

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells = CellTableModel(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self._cells)
        self._sorted.setSortRole(SORT_ROLE)
        self.setModel(self._sorted)
        self.setItemDelegate(RangeDelegate(theme, self))
        self.setAccessibleName(name)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_PX)
        header = self.horizontalHeader()
        header.setFixedHeight(HEADER_PX)
        header.setStretchLastSection(True)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)
        self.selectionModel().currentRowChanged.connect(self._go)
        theme.changed.connect(self.viewport().update)

    def show_table(self, table: CellTable, selected: str) -> None:
        """Show this table with this row chosen, in the order that the user has clicked."""
        widths = self.horizontalHeader().count()
        self._cells.set_table(table)
        if self.horizontalHeader().count() != widths:
            self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._fit_names()
        row = self._cells.row_of(selected)
        if row >= 0 and self.chosen_key != selected:
            index = self._sorted.mapFromSource(self._cells.index(row, 0))
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(index, flags)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self._fit_names()

    def _fit_names(self) -> None:
        """The first column may be cut where there is little room; its tool tip says all of it."""
        header = self.horizontalHeader()
        if not header.count():
            return
        wanted = self.sizeHintForColumn(0)
        most = max(LEAST_NAME_PX, self.viewport().width() * NAME_SHARE)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(0, round(min(wanted, most)))

    @property
    def chosen_key(self) -> str:
        """Key of the chosen row; empty for none."""
        index = self.selectionModel().currentIndex()
        return str(index.data(KEY_ROLE)) if index.isValid() else ""

    @Slot(QModelIndex, QModelIndex)
    def _go(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.chosen.emit(str(now.data(KEY_ROLE)))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._cells.as_text())
