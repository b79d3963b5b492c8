"""A table whose cells have a text, a value to sort by and, where they are ranges, a bar."""

from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QObject, Qt

from ui.viewmodels.text_table import Index, TextTableModel

SORT_ROLE: Final = int(Qt.ItemDataRole.UserRole)
"""Role of the value behind a cell's text."""
SPAN_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
"""Role of the ``Span`` that is drawn in a cell; None where there is none."""
KEY_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 2
"""Role of a row's key."""


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


class CellTableModel(TextTableModel[CellTable]):
    """The table for a view, with what stands behind the texts."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(CellTable(), parent)

    def text(self, row: int, column: int) -> str:  # noqa: D102
        return self._table.rows[row].cells[column].text

    def row_of(self, key: str) -> int:
        """The row of this key; -1 where there is none."""
        return next((number for number, row in enumerate(self._table.rows) if row.key == key), -1)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        if not index.isValid():
            return None
        row = self._table.rows[index.row()]
        cell = row.cells[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell.tip or None
        if role == SORT_ROLE:
            return cell.sort
        if role == SPAN_ROLE:
            return cell.span
        return row.key if role == KEY_ROLE else super().data(index, role)
