"""The page *Server*: the form at the left, figures and charts in the middle, verdict and settings at the right."""

from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import marked, tr
from ui.charts.loader import ChartLoader
from ui.theme import Theme
from ui.theme.metrics import GAP, LEFT_WIDTH, RIGHT_WIDTH, SMALL_GAP, column_width
from ui.viewmodels.server import AdviceCard, ServerForm, ServerState
from ui.views.overview import ColumnScroll
from ui.views.server_form import FormCard
from ui.widgets.card import Card
from ui.widgets.command_line import CommandLine
from ui.widgets.copy_figures import CopyFigures
from ui.widgets.pairs import Pairs
from ui.widgets.plain_table import PlainTable
from ui.widgets.text import label, set_tone
from ui.widgets.turns import Turns

LABEL_WIDTH = 140
FIRST_WORDS = marked("Which phase is the problem of its users is said after the first requests.")


class ServerPage(QWidget):
    """Shows a ``ServerState``; asks with the signals of its form and ``save_requested``."""

    save_requested = Signal()

    def __init__(self, form: ServerForm, theme: Theme, loader: ChartLoader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self.form = FormCard(form)
        self.figures = FiguresColumn(theme, loader)
        self.answer = AnswerCards()
        self.figures.save_button.clicked.connect(self.save_requested)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, GAP, 0)
        column.addWidget(self.form)
        column.addStretch(1)
        self._left, self._right = ColumnScroll(left), ColumnScroll(self.answer)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, 0, GAP)
        layout.setSpacing(0)
        layout.addWidget(self._left)
        layout.addWidget(ColumnScroll(self.figures), 1)
        layout.addWidget(self._right)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        width = event.size().width()
        self._left.setFixedWidth(column_width(LEFT_WIDTH, width) + GAP)
        self._right.setFixedWidth(column_width(RIGHT_WIDTH, width) + GAP)
        super().resizeEvent(event)

    @Slot(object)
    def show_server(self, state: ServerState) -> None:
        """Show this state."""
        self.form.show_state(state)
        self.figures.show_state(state)
        self.answer.show_state(state)


class FiguresColumn(QWidget):
    """What the server is and how one request runs, then users, stutter and prompts as they come."""

    def __init__(self, theme: Theme, loader: ChartLoader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = ServerState()
        self._turns = Turns(self)
        self._users_charts: Any = None
        self._stutter_charts: Any = None
        self._empty = Card()
        self._empty.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self._empty_words: QLabel = label(role="muted", wrap=True)
        self._empty_words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.body.addWidget(self._empty_words)
        self._one = Card(tr("One request"))
        self.save_button = QPushButton(tr("Save…"))
        self.save_button.setProperty("role", "small")
        self.save_button.setToolTip(tr("Write what was measured as JSON or text (Ctrl+E)"))
        self._one.head.addWidget(self.save_button)
        self._pairs = Pairs(LABEL_WIDTH, 4)
        self._one.body.addLayout(self._pairs)
        self._users, self._users_table = Card(tr("Users at once")), PlainTable(tr("Users at once"))
        self._stutter, self._stutter_table = Card(tr("A long prompt comes")), PlainTable(tr("Gaps between tokens"))
        self._prompts, self._prompts_table = Card(tr("First token")), PlainTable(tr("Time to first token by prompt"))
        self._copy = {card: CopyFigures(theme) for card in (self._users, self._stutter)}
        for card, copy in self._copy.items():
            card.head.addWidget(copy)
        self._words = {card: label(role="muted", wrap=True) for card in (self._users, self._stutter, self._prompts)}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, GAP, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self._empty, 1)
        layout.addWidget(self._one)
        for card, table in (
            (self._users, self._users_table), (self._stutter, self._stutter_table), (self._prompts, self._prompts_table)
        ):  # fmt: skip
            card.body.addWidget(table)
            card.body.addWidget(self._words[card])
            layout.addWidget(card)
        self._rest = QWidget()
        layout.addWidget(self._rest, 1)
        self.show_state(self._state)
        loader.build(self._make_users_charts, lambda why: self._tell_no_chart(self._users, why))
        loader.build(self._make_stutter_charts, lambda why: self._tell_no_chart(self._stutter, why))

    def show_state(self, state: ServerState) -> None:
        """Show this state."""
        self._state = state
        self._empty_words.setText(state.empty)
        self._empty.setVisible(bool(state.empty))
        self._rest.setVisible(not state.empty)
        self._one.setVisible(not state.empty)
        self._one.heading.set_text(tr("ONE REQUEST TO {server}", server=state.title))
        self.save_button.setEnabled(state.can_save)
        self._pairs.show_pairs(state.pairs)
        for card, shown, found in (
            (self._users, self._users_table, state.users), (self._stutter, self._stutter_table, state.stutter),
            (self._prompts, self._prompts_table, state.prompts),
        ):  # fmt: skip
            card.setVisible(found is not None)
            if found is not None:
                card.heading.set_text(found.title.upper())
                shown.show_table(found.head, found.rows)
                self._words[card].setText(" ".join(found.sentences))
                self._words[card].setVisible(bool(found.sentences))
        self._show_charts()

    def _show_charts(self) -> None:
        state = self._state
        if self._users_charts is not None:
            self._users_charts.setVisible(len(state.waits.points) > 1)  # one point is no curve
            self._turns.later("speeds", lambda: self._users_charts.show_speeds(self._state.speeds))
            self._turns.later("waits", lambda: self._users_charts.show_waits(self._state.waits))
            self._copy[self._users].setVisible(not self._users_charts.isHidden())
        if self._stutter_charts is not None:
            self._stutter_charts.setVisible(bool(state.clock or state.gaps.during_s))
            self._turns.later("clock", lambda: self._stutter_charts.show_clock(self._state.clock))
            self._turns.later("gaps", lambda: self._stutter_charts.show_gaps(self._state.gaps))
            self._copy[self._stutter].setVisible(not self._stutter_charts.isHidden())

    def _tell_no_chart(self, card: Card, why: str) -> None:
        card.body.addWidget(label(why, "small", wrap=True))

    @Slot()
    def _make_users_charts(self) -> None:
        from ui.charts.server import UsersCharts

        self._users_charts = UsersCharts(self._theme)
        self._users.body.insertWidget(0, self._users_charts)
        self._copy[self._users].serve(self._users_charts, lambda: self._users_table.held)
        self._show_charts()

    @Slot()
    def _make_stutter_charts(self) -> None:
        from ui.charts.server import StutterPair

        self._stutter_charts = StutterPair(self._theme)
        self._stutter.body.insertWidget(0, self._stutter_charts)
        self._copy[self._stutter].serve(self._stutter_charts, lambda: self._stutter_table.held)
        self._show_charts()


class AnswerCards(QWidget):
    """Verdict, settings with their exact words, and what failed or was left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[AdviceCard, ...] = ()
        self._verdict = Card(tr("Verdict"))
        self._headline: QLabel = label(role="strong", wrap=True)
        self._findings: QLabel = label(wrap=True)
        self._verdict.body.addWidget(self._headline)
        self._verdict.body.addWidget(self._findings)
        self._advice = Card(tr("What to set"))
        self._none: QLabel = label("", "muted", wrap=True)
        self._advice.body.addWidget(self._none)
        self._problems = Card(tr("What did not work"))
        self._problem_words: QLabel = label(wrap=True)
        self._problems.body.addWidget(self._problem_words)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, GAP, 0)
        layout.setSpacing(GAP)
        for card in (self._verdict, self._problems, self._advice):
            layout.addWidget(card)
        layout.addStretch(1)

    def show_state(self, state: ServerState) -> None:
        """Show this state."""
        set_tone(self._verdict, state.edge, "edge")
        self._headline.setText(state.headline or tr(FIRST_WORDS))
        self._findings.setText("\n\n".join(state.findings))
        self._findings.setVisible(bool(state.findings))
        self._none.setText("\n\n".join(state.will_not_help))
        self._none.setVisible(bool(state.will_not_help))
        self._advice.setVisible(bool(state.advice or state.will_not_help))
        self._problem_words.setText("\n\n".join(f"{sentence} {hint}".strip() for sentence, hint in state.problems))
        self._problems.setVisible(bool(state.problems))
        if state.advice != self._shown:
            self._shown = state.advice
            self._refill(state.advice)

    def _refill(self, cards: tuple[AdviceCard, ...]) -> None:
        body = self._advice.body
        while body.count() > 1:
            item = body.takeAt(0)
            old = item.widget() if item is not None else None
            if old is not None:
                old.deleteLater()
        for number, card in enumerate(cards):
            body.insertWidget(number, _advice_frame(number + 1, card))


def _advice_frame(number: int, card: AdviceCard) -> QWidget:
    frame = QFrame()
    frame.setObjectName("subcard")
    frame.setAccessibleName(card.title)
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(GAP, SMALL_GAP, GAP, SMALL_GAP)
    layout.setSpacing(4)
    layout.addWidget(label(f"{number}. {card.title}", "strong", wrap=True))
    if card.command:
        layout.addWidget(CommandLine(card.command))
    for line in card.lines:
        layout.addWidget(label(line, "small", wrap=True))
    return frame
