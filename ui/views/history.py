"""The page *History*: every run that was kept, filtered as one types, and the chosen one with label and note."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import marked, tr
from ui.theme.metrics import GAP, RIGHT_WIDTH, SMALL_GAP, column_width
from ui.viewmodels.actions import EXPORTS
from ui.viewmodels.comparing import PastState
from ui.viewmodels.history import NUMBER_ROLE, WIDEST, HistoryModel, HistoryState, RunDetail
from ui.views.comparing import CompareCard
from ui.views.overview import ColumnScroll
from ui.widgets.card import Card
from ui.widgets.pairs import Pairs
from ui.widgets.plain_table import PlainTable
from ui.widgets.text import label
from ui.widgets.watched_page import WatchedPage

ROW_HEIGHT = 26
CELL_PADDING = 18
"""Beside the words of a cell, both sides together."""
HEAD_PADDING = 26
"""The same of a title, with the arrow of the order."""
SHARES = {2: (0.5, 110), 5: (0.2, 60), 6: (0.3, 76)}
"""Columns whose texts have any length: share of what the others leave, and least width."""
NOTE_HEIGHT = 74
NOTE_MARGIN = 7
NAME_WIDTH = 92
LEAST_ROWS = 6
"""Of the list, its head counted, beside a comparison in a small window."""
COMPARE = marked("Compare…")
CHOOSE_OTHER = marked("Choose the other run…")
SINCE = marked("Since the run before")
CHOOSE = marked("Choose a run in the list to see all that was measured in it.")


class NoteEdit(QPlainTextEdit):
    """A few lines of text; ``left`` when the user turns to something else."""

    left = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: D102
        super().focusOutEvent(event)
        self.left.emit()


class RunTable(QTableView):
    """The list; Delete deletes, Enter goes to the label."""

    delete_requested = Signal()
    entered = Signal()

    def __init__(self, model: HistoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._titles = model
        self.setModel(model)
        self.setObjectName("runs")
        self.setAccessibleName(tr("Runs"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSortingEnabled(True)
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)  # ten thousand rows are not measured one by one
        rows.setDefaultSectionSize(ROW_HEIGHT)
        columns.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        columns.setStretchLastSection(True)
        columns.setHighlightSections(False)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._share(event.size().width())

    def _share(self, room: int) -> None:
        """Numbers and dates are never cut; names share what is left, and their tips say them whole."""
        metrics = self.fontMetrics()
        for column, text in enumerate(WIDEST):
            if text:
                title = str(self._titles.headerData(column, Qt.Orientation.Horizontal)).splitlines()
                named = max(map(metrics.horizontalAdvance, title)) + HEAD_PADDING
                wide = max(metrics.horizontalAdvance(text) + CELL_PADDING, named)
                self.setColumnWidth(column, wide)
                room -= wide
        for column, (share, least) in SHARES.items():
            self.setColumnWidth(column, max(least, int(room * share)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: D102
        if event.key() == Qt.Key.Key_Delete:
            self.delete_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        else:
            super().keyPressEvent(event)


class RunCard(Card):
    """The chosen run, with its label and note to write."""

    label_changed = Signal(int, str)
    note_changed = Signal(int, str)
    delete_requested = Signal()
    restore_requested = Signal()
    compare_requested = Signal(int, int)
    open_requested = Signal(int)
    export_requested = Signal(int, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Run"), parent)
        # A card's greatest height comes from texts as wide as they like; in a column they break into more lines.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._first: int | None = None
        self._run: RunDetail | None = None
        self._empty: QLabel = label(tr(CHOOSE), "muted", wrap=True)
        self._title: QLabel = label(role="strong", wrap=True)
        self.label_field = QLineEdit()
        self.label_field.setProperty("role", "field")
        self.label_field.setPlaceholderText(tr("a name of your own"))
        self.label_field.setAccessibleName(tr("Label"))
        self.note_field = NoteEdit()
        self.note_field.setFixedHeight(NOTE_HEIGHT)
        self.note_field.setTabChangesFocus(True)
        self.note_field.document().setDocumentMargin(NOTE_MARGIN)
        self.note_field.setPlaceholderText(tr("what was different, what it was for"))
        self.note_field.setAccessibleName(tr("Note"))
        self._pairs = Pairs(NAME_WIDTH, 3)
        self._table = PlainTable(tr("What was measured in this run"))
        self._sentences: QLabel = label(role="small", tone="warning", wrap=True)
        self._past: QLabel = label(wrap=True)
        self._past.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._series = PlainTable(tr("Runs with the same settings"))
        self.compare_button = QPushButton(tr(COMPARE))
        self.open_button = QPushButton(tr("Open"))
        self.open_button.setToolTip(tr("Show the whole result as it was answered, with charts, verdict and advice"))
        self.export_button = QPushButton(tr("Export"))
        self.export_button.setToolTip(tr("Write the whole result as a report"))
        exports = QMenu(self.export_button)
        for kind, words in EXPORTS.items():
            exports.addAction(tr(words)).setData(kind)
        exports.triggered.connect(self._export)
        self.export_button.setMenu(exports)
        self.delete_button = QPushButton(tr("Delete"))
        self.delete_button.setToolTip(tr("Take the run out of the list; it can be brought back (Delete)"))
        self.restore_button = QPushButton(tr("Restore"))
        self.restore_button.setToolTip(tr("Bring the run back into the list"))
        buttons = QVBoxLayout()
        # In two rows: the words of a comparison are long, and the column is narrow.
        for lane in (
            (self.open_button, self.export_button, self.delete_button, self.restore_button), (self.compare_button,)
        ):  # fmt: skip
            held = QHBoxLayout()
            for button in lane:
                button.setProperty("role", "small")
                held.addWidget(button)
            held.addStretch(1)
            buttons.addLayout(held)
        fields = QGridLayout()
        fields.setColumnStretch(1, 1)
        for row, (words, field) in enumerate(((tr("Label"), self.label_field), (tr("Note"), self.note_field))):
            named: QLabel = label(words, "muted")
            named.setBuddy(field)
            named.setFixedWidth(NAME_WIDTH)
            fields.addWidget(named, row, 0, Qt.AlignmentFlag.AlignTop)
            fields.addWidget(field, row, 1)
        self._inner = QWidget()
        inner = QVBoxLayout(self._inner)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(SMALL_GAP)
        inner.addWidget(self._title)
        inner.addLayout(fields)
        inner.addLayout(self._pairs)
        inner.addWidget(self._table)
        inner.addWidget(self._sentences)
        inner.addWidget(self._past)
        inner.addWidget(self._series)
        inner.addLayout(buttons)
        self.body.addWidget(self._empty)
        self.body.addWidget(self._inner)
        self.label_field.editingFinished.connect(self._label_left)
        self.note_field.left.connect(self._note_left)
        self.open_button.clicked.connect(self._open)
        self.compare_button.clicked.connect(self._compare)
        self.delete_button.clicked.connect(self.delete_requested)
        self.restore_button.clicked.connect(self.restore_requested)
        self.show_run(None)

    @property
    def number(self) -> int | None:
        """Of the run that is shown."""
        return self._run.number if self._run is not None else None

    def show_run(self, run: RunDetail | None) -> None:
        """Show this run, or what to do while none is chosen; what is just being written is kept."""
        same = run is not None and self._run is not None and run.number == self._run.number
        self._run = run
        self._empty.setVisible(run is None)
        self._inner.setVisible(run is not None)
        if not same:
            self.show_past(None)
        if run is None:
            return
        self._show_compare()
        self._title.setText(run.title)
        if not (same and self.label_field.hasFocus()):
            self.label_field.setText(run.label)
            self.label_field.setCursorPosition(0)  # a long one is read from its beginning
        if not (same and self.note_field.hasFocus()):
            self.note_field.setPlainText(run.note)
        self._pairs.show_pairs(run.pairs)
        self._table.show_table(run.head, run.rows)
        self._sentences.setText("\n".join(run.sentences))
        self._sentences.setVisible(bool(run.sentences))
        for button in (self.open_button, self.export_button, self.delete_button, self.compare_button):
            button.setVisible(not run.deleted)
        self.restore_button.setVisible(run.deleted)
        for field in (self.label_field, self.note_field):
            field.setReadOnly(run.deleted)

    def forget(self, number: int) -> None:
        """That run is deleted, so nothing is held against it any more."""
        if self._first == number:
            self._first = None
            self._show_compare()

    def show_past(self, past: PastState | None) -> None:
        """Show what changed since the run before, unless another run was chosen meanwhile."""
        if past is not None and past.number != self.number:
            return
        sentences = past.sentences if past is not None else ()
        self._past.setText("\n\n".join((tr(SINCE), *sentences)) if sentences else "")
        self._past.setVisible(bool(sentences))
        self._series.show_table(past.head if past else (), past.rows if past else ())

    def _show_compare(self) -> None:
        number, first = self.number, self._first
        chosen = first is not None and first == number
        words = tr(COMPARE if first is None else CHOOSE_OTHER)
        if first is not None and not chosen:
            words = tr("Compare with run {number}", number=first)
        self.compare_button.setText(words)
        tip = tr("Hold this run against run {number}", number=first)
        if first is None or chosen:
            tip = tr("Give up comparing") if chosen else tr("Hold this run against another one: choose it next")
        self.compare_button.setToolTip(tip)

    @Slot()
    def _open(self) -> None:
        if self.number is not None:
            self.open_requested.emit(self.number)

    @Slot(object)
    def _export(self, action: QAction) -> None:
        if self.number is not None:
            self.export_requested.emit(self.number, action.data())

    @Slot()
    def _compare(self) -> None:
        number, first = self.number, self._first
        if number is None:
            return
        if first is None or first == number:
            self._first = None if first == number else number
        else:
            self.compare_requested.emit(first, number)
            self._first = None
        self._show_compare()

    @Slot()
    def _label_left(self) -> None:
        if self._run is not None and self.label_field.text() != self._run.label:
            self.label_changed.emit(self._run.number, self.label_field.text())

    @Slot()
    def _note_left(self) -> None:
        if self._run is not None and self.note_field.toPlainText() != self._run.note:
            self.note_changed.emit(self._run.number, self.note_field.toPlainText())


class HistoryPage(WatchedPage):
    """List at the left, the chosen run at the right. ``shown`` tells when the page comes and goes."""

    shown = Signal(bool)
    chosen = Signal(int)
    label_changed = Signal(int, str)
    note_changed = Signal(int, str)
    deleted = Signal(int)
    restored = Signal(int)
    deleted_wanted = Signal(bool)
    compare_wanted = Signal(int, int)
    open_wanted = Signal(int)
    export_wanted = Signal(int, str)

    def __init__(self, model: HistoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self._model = model
        self._number: int | None = None
        self._gone: int | None = None
        self.filter = QLineEdit()
        self.filter.setProperty("role", "field")
        self.filter.setClearButtonEnabled(True)
        self.filter.setPlaceholderText(tr("Filter by model, machine, label, note or work"))
        self.filter.setAccessibleName(tr("Filter the runs"))
        self._count: QLabel = label(role="muted")
        self.deleted_box = QCheckBox(tr("Deleted runs"))
        self.table = RunTable(model)
        self.table.setMinimumHeight(LEAST_ROWS * ROW_HEIGHT)
        self._empty: QLabel = label(role="muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._undo = QWidget()
        self._undo_words: QLabel = label()
        self.undo_button = QPushButton(tr("Undo"))
        self.undo_button.setProperty("role", "small")
        self.undo_button.setToolTip(tr("Bring the run back (Ctrl+Z)"))
        line = QHBoxLayout(self._undo)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self._undo_words)
        line.addWidget(self.undo_button)
        line.addStretch(1)
        self._undo.hide()
        self.card = RunCard()
        self.comparison = CompareCard()
        self._lay_out()
        self._connect(model)
        self._show_state(model.state)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(GAP)
        top.addWidget(self.filter, 1)
        top.addWidget(self._count)
        top.addWidget(self.deleted_box)
        runs = Card(tr("What was measured"))
        runs.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        runs.body.addLayout(top)
        runs.body.addWidget(self._undo)
        runs.body.addWidget(self.table, 1)
        runs.body.addWidget(self._empty, 1)
        column = QWidget()
        inner = QVBoxLayout(column)
        inner.addWidget(self.card)
        inner.addStretch(1)
        self._right = ColumnScroll(column)
        self.comparison.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        left = QVBoxLayout()
        left.setSpacing(GAP)
        left.addWidget(runs, 1)
        left.addWidget(self.comparison, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, 0, GAP)
        layout.setSpacing(0)
        layout.addLayout(left, 1)
        layout.addSpacing(GAP)
        layout.addWidget(self._right)

    def _connect(self, model: HistoryModel) -> None:
        self.filter.textChanged.connect(model.set_filter)
        self.deleted_box.toggled.connect(self.deleted_wanted)
        model.state_changed.connect(self._show_state)
        model.modelReset.connect(self._choose_again)
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.table.delete_requested.connect(self._delete)
        self.table.entered.connect(self.card.label_field.setFocus)
        self.undo_button.clicked.connect(self.undo)
        self.card.delete_requested.connect(self._delete)
        self.card.restore_requested.connect(self._restore)
        self.card.label_changed.connect(self.label_changed)
        self.card.note_changed.connect(self.note_changed)
        self.card.compare_requested.connect(self.compare_wanted)
        self.card.open_requested.connect(self.open_wanted)
        self.card.export_requested.connect(self.export_wanted)
        undo = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self)
        undo.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        undo.activated.connect(self.undo)

    @property
    def number(self) -> int | None:
        """Of the chosen run."""
        return self._number

    def choose(self, number: int) -> None:
        """Choose a run, where it is in the list; else as soon as it is."""
        self._number = number
        if self._model.row_of(number) is not None:
            self._choose_again()

    @Slot(object)
    def show_run(self, run: RunDetail) -> None:
        """Show a run that was read, unless another one was chosen meanwhile."""
        if run.number == self._number:
            self.card.show_run(run)

    @Slot()
    def undo(self) -> None:
        """Bring the run back that was deleted last."""
        if self._gone is not None:
            self._number = self._gone
            self.restored.emit(self._gone)
            self._gone = None
            self._undo.hide()
            self.table.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._right.setFixedWidth(column_width(RIGHT_WIDTH, event.size().width()) + GAP)
        super().resizeEvent(event)

    @Slot(object)
    def _show_state(self, state: HistoryState) -> None:
        self._count.setText(state.count)
        self._empty.setText(state.empty)
        self._empty.setVisible(bool(state.empty))
        self.table.setVisible(not state.empty)

    @Slot()
    def _choose_again(self) -> None:
        """The chosen run stays chosen where it is still in the list; its facts may be new."""
        row = self._model.row_of(self._number) if self._number is not None else None
        if row is None:
            self._number = None
            self.card.show_run(None)
            return
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.table.selectionModel().setCurrentIndex(self._model.index(row, 0), flags)

    @Slot(QModelIndex, QModelIndex)
    def _row_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        number = self._model.data(current, NUMBER_ROLE)
        if number is not None:
            self._number = number
            self.chosen.emit(number)

    @Slot()
    def _delete(self) -> None:
        if self._number is None or self.deleted_box.isChecked():
            return
        number, row = self._number, self.table.currentIndex().row()
        following = self._model.index(row + 1 if row + 1 < self._model.rowCount() else row - 1, 0)
        self._number = self._model.data(following, NUMBER_ROLE) if following.isValid() else None
        self._gone = number
        self.card.forget(number)
        self._undo_words.setText(tr("Run {number} is deleted.", number=number))
        self._undo.show()
        self.deleted.emit(number)

    @Slot()
    def _restore(self) -> None:
        if self._number is not None:
            self.restored.emit(self._number)
