"""A small table as tall as its rows, right-aligned, to be read and copied by keyboard."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QSizePolicy, QTableWidget, QTableWidgetItem, QWidget

ROW_HEIGHT = 24

Rows = tuple[tuple[str, ...], ...]


class PlainTable(QTableWidget):
    """Hidden while it has no rows."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._held: tuple[tuple[str, ...], Rows] = ((), ())
        self.setAccessibleName(name)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setFixedHeight(ROW_HEIGHT)

    def show_table(self, head: tuple[str, ...], rows: Rows) -> None:
        """Show these cells; ``head`` has as many as each row."""
        self.setVisible(bool(rows))
        if (head, rows) == self._held:
            return
        self._held = head, rows
        self.setColumnCount(len(head))
        self.setRowCount(len(rows))
        self.setHorizontalHeaderLabels(list(head))
        for y, cells in enumerate(rows):
            for x, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.setItem(y, x, item)
        for x in range(len(head)):
            self.horizontalHeaderItem(x).setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setFixedHeight(ROW_HEIGHT * (len(rows) + 1) + 2)
