"""What every table of texts for a view has in common: its size, its texts, its head, and how it is copied."""

from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex


class TableValue(Protocol):
    """A frozen table: names of the columns and as many cells in each row."""

    @property
    def head(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def rows(self) -> tuple[Any, ...]: ...  # noqa: D102


T = TypeVar("T", bound=TableValue)


class TextTableModel(QAbstractTableModel, Generic[T]):
    """The table for a view; ``set_table`` replaces everything."""

    def __init__(self, table: T, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table

    def set_table(self, table: T) -> None:
        """Show this table."""
        if table != self._table:
            self.beginResetModel()
            self._table = table
            self.endResetModel()

    def text(self, row: int, column: int) -> str:
        """What stands in a cell."""
        return str(self._table.rows[row][column])

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._table.head)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(index.row(), index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self._table.head[index.column()]}: {self.text(index.row(), index.column())}"
        return None

    def headerData(  # noqa: D102
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self._table.head):
            return None
        return self._table.head[section] if role == Qt.ItemDataRole.DisplayRole else None

    def as_text(self) -> str:
        """The table with tabs between cells, for the clipboard."""
        columns = range(len(self._table.head))
        rows = [[self.text(row, column) for column in columns] for row in range(len(self._table.rows))]
        return "\n".join("\t".join(cells) for cells in (self._table.head, *rows))
