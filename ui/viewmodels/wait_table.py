"""A table in words for a view: the twin of a bar for screen readers and for copying."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ui.viewmodels.timeline import Table

_Index = QModelIndex | QPersistentModelIndex


class WordTableModel(QAbstractTableModel):
    """Shows a ``Table``; the first column stands at the left, figures at the right."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = Table()

    def set_table(self, table: Table) -> None:
        """Show this table."""
        if table != self._table:
            self.beginResetModel()
            self._table = table
            self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._table.head)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        if not index.isValid():
            return None
        text = self._table.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column():
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self._table.head[index.column()]}: {text}"
        return None

    def headerData(  # noqa: D102
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self._table.head):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._table.head[section].replace(", ", ",\n")  # two short lines fit a narrow column
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def as_text(self) -> str:
        """The table with tabs between cells, for the clipboard."""
        return "\n".join("\t".join(row) for row in (self._table.head, *self._table.rows))
