"""A table in words for a view: the twin of a bar for screen readers and for copying."""

from typing import Any

from PySide6.QtCore import QObject, Qt

from ui.viewmodels.text_table import Index, TextTableModel
from ui.viewmodels.timeline import Table


class WordTableModel(TextTableModel[Table]):
    """Shows a ``Table``; the first column stands at the left, figures at the right."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(Table(), parent)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        if role == Qt.ItemDataRole.TextAlignmentRole and index.isValid() and index.column():
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return super().data(index, role)

    def headerData(  # noqa: D102
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        shown = super().headerData(section, orientation, Qt.ItemDataRole.DisplayRole)
        if shown is not None and role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return shown.replace(", ", ",\n") if shown and role == Qt.ItemDataRole.DisplayRole else None  # narrow columns
