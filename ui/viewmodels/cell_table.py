"""A table whose cells have a text, a value to sort by and, where they are ranges, a bar."""

from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

SORT_ROLE: Final = int(Qt.ItemDataRole.UserRole)
"""Role of the value behind a cell's text."""
SPAN_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
"""Role of the ``Span`` that is drawn in a cell; None where there is none."""
KEY_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 2
"""Role of a row's key."""

_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Span:
    """A range on the column's scale, all from 0 to 1.

    Attributes:
        low, middle, high: ``low <= middle <= high``.
        mark: where a line stands (now, or the comfort line); None for none.
        phase: "prefill" or "decode", for the ink.
    """

    low: float
    middle: float
    high: float
    mark: float | None
    phase: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; ``tip`` and ``span`` may be missing."""

    text: str
    sort: str | float
    tip: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class CellRow:
    """A row with what it is called by."""

    key: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CellTable:
    """Names of the columns and the rows."""

    head: tuple[str, ...] = ()
    rows: tuple[CellRow, ...] = ()


class CellTableModel(QAbstractTableModel):
    """The table for a view; ``set_table`` replaces everything."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = CellTable()

    def set_table(self, table: CellTable) -> None:
        """Show this table."""
        if table != self._table:
            self.beginResetModel()
            self._table = table
            self.endResetModel()

    def row_of(self, key: str) -> int:
        """The row of this key; -1 where there is none."""
        return next((number for number, row in enumerate(self._table.rows) if row.key == key), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._table.head)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        if not index.isValid():
            return None
        row = self._table.rows[index.row()]
        cell = row.cells[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell.text
            case Qt.ItemDataRole.ToolTipRole:
                return cell.tip or None
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{self._table.head[index.column()]}: {cell.text}"
        if role == SORT_ROLE:
            return cell.sort
        if role == SPAN_ROLE:
            return cell.span
        return row.key if role == KEY_ROLE else None

    def headerData(  # noqa: D102
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self._table.head):
            return None
        return self._table.head[section] if role == Qt.ItemDataRole.DisplayRole else None

    def as_text(self) -> str:
        """The table with tabs between cells, for the clipboard."""
        lines = ["\t".join(self._table.head), *("\t".join(c.text for c in row.cells) for row in self._table.rows)]
        return "\n".join(lines)
