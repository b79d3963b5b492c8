"""The page *Choose a model*: order at the top, the list with its comfort lines, details and rehearsal at the right."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import marked, tr
from ui.theme import Theme
from ui.theme.metrics import GAP, RIGHT_WIDTH, SMALL_GAP, column_width
from ui.viewmodels.choose_state import ChooseState
from ui.views.overview import ColumnScroll
from ui.widgets.answers_table import AnswersTable
from ui.widgets.card import Card
from ui.widgets.empty import EmptyState
from ui.widgets.tab_row import make_tab
from ui.widgets.text import label
from ui.widgets.watched_page import WatchedPage

ORDERS = (("quality", marked("Best answers")), ("speed", marked("Fastest")), ("size", marked("Smallest")))


class ChoosePage(WatchedPage):
    """Shows a ``ChooseState``; asks with signals."""

    measure_requested = Signal()
    rehearse_requested = Signal()
    sorted_by = Signal(str)
    all_wanted = Signal(bool)
    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self.empty = EmptyState(tr("Measure this machine"))
        self.empty.clicked.connect(self._ask)
        self._asked = False
        self.table = AnswersTable(tr("Models that fit this machine"), theme)
        self.table.chosen.connect(self.chosen)
        self.every = QCheckBox(tr("Every quantisation"))
        self.every.setToolTip(tr("All that fit, not the best of each model"))
        self.every.toggled.connect(self.all_wanted)
        self._headline: QLabel = label(role="strong", wrap=True)
        self.again_button = QPushButton(tr("Measure again"))
        self.again_button.setAccessibleName(tr("Measure this machine again"))
        self.again_button.clicked.connect(self._ask)
        self.again_button.hide()
        self._notes: QLabel = label(role="small", wrap=True)
        self.card = Card(" ")
        self._said: QLabel = label(wrap=True)
        self._said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._rehearsed: QLabel = label(role="strong", wrap=True)
        self.rehearse_button = QPushButton(tr("Rehearse"))
        self.rehearse_button.setAccessibleName(tr("Rehearse the chosen model"))
        self.rehearse_button.clicked.connect(self.rehearse_requested)
        self.card.body.addWidget(self.rehearse_button)
        self.card.body.addWidget(self._rehearsed)
        self.card.body.addWidget(self._said)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._full())
        outer = QVBoxLayout(self)
        outer.setContentsMargins(GAP, GAP, 0, GAP)
        outer.addLayout(self._stack)

    def _full(self) -> QWidget:
        orders = QHBoxLayout()
        self._group = QButtonGroup(self)
        for number, (word, title) in enumerate(ORDERS):
            button = QPushButton(tr(title))
            make_tab(button, tr(title))
            button.setChecked(number == 0)
            button.setAccessibleName(tr("Sort by: {order}", order=tr(title)))
            button.clicked.connect(lambda _on, word=word: self.sorted_by.emit(word))
            self._group.addButton(button)
            orders.addWidget(button)
        orders.addStretch(1)
        orders.addWidget(self.again_button)
        orders.addWidget(self.every)
        answers = QFrame()
        answers.setObjectName("card")
        column = QVBoxLayout(answers)
        column.setContentsMargins(1, GAP, 1, SMALL_GAP)  # the table may be as wide as the card
        column.setSpacing(SMALL_GAP)
        self._headline.setContentsMargins(GAP, 0, GAP, 0)
        orders.setContentsMargins(GAP, 0, GAP, 0)
        column.addWidget(self._headline)
        column.addLayout(orders)
        column.addWidget(self.table, 1)
        right = QWidget()
        side = QVBoxLayout(right)
        side.setContentsMargins(0, 0, GAP, 0)
        side.addWidget(self.card)
        side.addWidget(self._notes)
        side.addStretch(1)
        self._right = ColumnScroll(right)
        full = QWidget()
        layout = QHBoxLayout(full)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(answers, 1)
        layout.addSpacing(GAP)
        layout.addWidget(self._right)
        return full

    @Slot()
    def _ask(self) -> None:
        self._asked = True
        self.measure_requested.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._right.setFixedWidth(column_width(RIGHT_WIDTH, event.size().width()) + GAP)
        super().resizeEvent(event)

    @property
    def first(self) -> QWidget:
        """What the keyboard begins with: the list, or the button that fills it."""
        return self.table if self._stack.currentIndex() else self.empty.button

    @Slot(object)
    def show_choices(self, state: ChooseState) -> None:
        """Show this state."""
        self._stack.setCurrentIndex(0 if state.empty else 1)
        if self._asked and not state.empty:
            self._asked = False
            if self.isVisible():
                self.table.setFocus()  # the button has done its work; Qt went to the end of the window from it
        self.empty.text.setText(state.empty)
        self.empty.button.setEnabled(state.can_measure)
        self.empty.button.setToolTip(state.measure_tip)
        self._headline.setText(state.headline)
        self.again_button.setVisible(state.again)
        self.again_button.setEnabled(state.can_measure)
        self.again_button.setToolTip(state.measure_tip)
        self._notes.setText("\n\n".join(state.notes))
        self.table.show_table(state.table, state.selected)
        self.card.heading.set_text(state.title.upper())
        self.card.setAccessibleName(state.title)
        self._said.setText("\n\n".join(state.sentences))
        self._rehearsed.setText(state.rehearsed)
        self._rehearsed.setVisible(bool(state.rehearsed))
        self.rehearse_button.setEnabled(state.can_rehearse)
        self.rehearse_button.setToolTip(state.rehearse_tip)
