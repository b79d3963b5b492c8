"""A small table as tall as its rows, to be read and copied by keyboard."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QSizePolicy, QTableWidget, QTableWidgetItem, QWidget

from advisor.core.translation import tr

ROW_HEIGHT = 24
HEAD_HEIGHT = 38
"""Of two lines."""
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

Rows = tuple[tuple[str, ...], ...]


class PlainTable(QTableWidget):
    """Hidden while it has no rows; columns share its width, or are as wide as their words where that is too narrow."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows_px = 0
        self._held: tuple[tuple[str, ...], Rows] = ((), ())
        self.setAccessibleName(name)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)

    def show_table(self, head: tuple[str, ...], rows: Rows, words: bool = False) -> None:
        """Show these cells; ``head`` has as many as each row. Figures stand at the right, ``words`` at the left."""
        self.setVisible(bool(rows))
        if (head, rows) == self._held:
            return
        self._held = head, rows
        self.setColumnCount(len(head))
        self.setRowCount(len(rows))
        unit = tr("tokens/s")
        for x, title in enumerate(head):
            named = QTableWidgetItem(title.replace(f", {unit}", f"\n{unit}"))
            named.setTextAlignment(RIGHT if x and not words else LEFT)
            self.setHorizontalHeaderItem(x, named)
        for y, cells in enumerate(rows):
            for x, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setTextAlignment(RIGHT if x and not words else LEFT)
                self.setItem(y, x, item)
        above = HEAD_HEIGHT if any(f", {unit}" in title for title in head) else ROW_HEIGHT
        self.horizontalHeader().setFixedHeight(above)
        self._rows_px = above + ROW_HEIGHT * len(rows) + 2
        self._share()

    @property
    def held(self) -> tuple[tuple[str, ...], Rows]:
        """Head and rows."""
        return self._held

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        header, room = self.horizontalHeader(), self.viewport().width()
        needed = [max(self.sizeHintForColumn(x), header.sectionSizeHint(x)) for x in range(self.columnCount())]
        shared = max(needed, default=0) * len(needed) <= room
        header.setSectionResizeMode(
            QHeaderView.ResizeMode.Stretch if shared else QHeaderView.ResizeMode.ResizeToContents
        )
        # The bar would lie on the last row.
        bar = self.horizontalScrollBar().sizeHint().height() if sum(needed) > room else 0
        self.setFixedHeight(self._rows_px + bar)
