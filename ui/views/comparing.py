"""Two runs side by side: the card below the list of the history."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from advisor.core.translation import marked, tr
from ui.theme.metrics import SMALL_GAP
from ui.viewmodels.comparing import CompareState
from ui.widgets.card import Card
from ui.widgets.plain_table import PlainTable
from ui.widgets.text import label

TABLES = (marked("Tests"), marked("Ceilings"), marked("Gaps"))


class CompareCard(Card):
    """Hidden until there is a comparison; ``closed`` when the user has seen enough."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Comparison"), parent)
        self._title: QLabel = label(role="strong", wrap=True)
        self._sides: tuple[QLabel, QLabel] = (label(role="muted", wrap=True), label(role="muted", wrap=True))
        self._sentences: QLabel = label(wrap=True)
        self.tables = {name: PlainTable(tr(name)) for name in TABLES}
        self.close_button = QPushButton(tr("Close"))
        self.close_button.setProperty("role", "small")
        self.close_button.setToolTip(tr("Put the comparison away"))
        top = QHBoxLayout()
        top.addWidget(self._title, 1)
        top.addWidget(self.close_button)
        inner = QWidget()
        inner.setObjectName("column")
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, SMALL_GAP, 0)
        column.setSpacing(SMALL_GAP)
        for words in (*self._sides, self._sentences):
            column.addWidget(words)
        for table in self.tables.values():
            column.addWidget(table)
        column.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(inner)
        area.setAccessibleName(tr("Comparison"))
        self.body.addLayout(top)
        self.body.addWidget(area, 1)
        self.close_button.clicked.connect(self._close)
        self.hide()

    @Slot(object)
    def show_comparison(self, state: CompareState) -> None:
        """Show it in the place of the one before."""
        self._title.setText(state.title)
        for line, words in zip(self._sides, state.sides, strict=True):
            line.setText(words)
        self._sentences.setText("\n".join(state.sentences))
        held = {table.name: table for table in state.tables}
        for name, view in self.tables.items():
            table = held.get(name)
            view.show_table(table.head if table else (), table.rows if table else ())
        self.show()

    @Slot()
    def _close(self) -> None:
        self.hide()
        self.closed.emit()
