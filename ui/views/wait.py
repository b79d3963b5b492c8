"""The card of bars and the page of tables that say where the wait goes."""

from typing import Final

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QFrame,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import marked, tr
from ui.charts.timeline_bar import TimelineBarView
from ui.theme import Theme
from ui.viewmodels.timeline import Table, TimelineCard
from ui.viewmodels.wait_table import WordTableModel
from ui.widgets.card import Card
from ui.widgets.copy_figures import Figures
from ui.widgets.tab_row import make_tab, widen
from ui.widgets.text import label

TABLE_NAMES: Final = (marked("Seconds of one request"), marked("Seconds of the chat"), marked("Seconds of each turn"))
REQUEST: Final = marked("One request")
ROW_HEIGHT: Final = 24


class TimelineView(Card):
    """Bars of one request, or of the whole chat where there is one, and a sentence about them."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(tr("Where did my wait go"), parent)
        self._state = TimelineCard()
        self._bars = TimelineBarView(theme)
        self._sentence: QLabel = label(role="small", wrap=True)
        self._group = QButtonGroup(self)
        self._request, self._chat = (self._tab(tr(REQUEST), True), self._tab("", False))
        self.body.addWidget(self._bars)
        self.body.addWidget(self._sentence)
        self._group.idClicked.connect(self._show)
        self.show_timeline(TimelineCard())

    def show_timeline(self, state: TimelineCard) -> None:
        """Show this state."""
        self._state = state
        self._chat.setText(state.chat_title)
        widen(self._chat, state.chat_title)
        self._chat.setAccessibleName(state.chat_title)
        for button in (self._request, self._chat):
            button.setVisible(bool(state.chat))
        if not state.chat:
            self._request.setChecked(True)
        self._sentence.setToolTip(state.basis)
        self._show()

    def _tab(self, title: str, on: bool) -> QPushButton:
        button = QPushButton(title)
        make_tab(button, title)
        button.setChecked(on)
        self._group.addButton(button)
        self.head.addWidget(button)
        return button

    @Slot()
    def _show(self) -> None:
        chat = self._chat.isChecked() and bool(self._state.chat)
        sentence = self._state.chat_sentence if chat else self._state.sentence
        self._bars.show_bars(self._state.chat if chat else self._state.request, sentence)
        self._sentence.setText(sentence)


class WaitPage(QScrollArea):
    """The same seconds as tables, with their ranges and what they assume; Ctrl+C copies the focused one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inner = QWidget()
        inner.setObjectName("column")
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(0, 0, 0, 0)
        self._empty: QLabel = label(tr("Nothing is measured yet. Benchmark fills these tables."), "muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout.addWidget(self._empty)
        self._tables = [WordTable(tr(name)) for name in TABLE_NAMES]
        for table in self._tables:
            layout.addWidget(table)
        self._notes: QLabel = label(role="small", wrap=True)
        layout.addWidget(self._notes)
        layout.addStretch(1)
        self.setWidget(inner)
        self._state = TimelineCard()
        self.show_timeline(self._state)

    def figures(self) -> Figures:
        """The tables one below the other, each with its head."""
        tables = self._state.tables
        if not tables:
            return (), ()
        rows: list[tuple[str, ...]] = [*tables[0].rows]
        for table in tables[1:]:
            rows += [(), table.head, *table.rows]
        return tables[0].head, rows

    def show_timeline(self, state: TimelineCard) -> None:
        """Show this state."""
        self._state = state
        self._empty.setVisible(not state.tables)
        for index, table in enumerate(self._tables):
            table.show_table(state.tables[index] if index < len(state.tables) else Table())
        self._notes.setText("\n".join(state.notes))
        self._notes.setVisible(bool(state.notes))


class WordTable(QTableView):
    """A table as high as its rows."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = WordTableModel(self)
        self.setModel(self._words)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(ROW_HEIGHT)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)

    def show_table(self, table: Table) -> None:
        """Show this table, or nothing where it is empty."""
        self._words.set_table(table)
        self.setVisible(bool(table.rows))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as the rows are at this width."""
        self.resizeRowsToContents()
        rows = sum(self.rowHeight(row) for row in range(self._words.rowCount()))
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth() + rows)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._words.as_text())
