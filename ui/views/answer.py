"""The right column: the verdict, what to do, and what will not help."""

from dataclasses import replace
from typing import Final

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from advisor.core.translation import marked, tr
from ui.theme.metrics import GAP
from ui.viewmodels.answer import NO_TRY, AdviceCard, AdviceList, VerdictCard, WontLine
from ui.widgets.card import Card, rule
from ui.widgets.command_line import CommandLine
from ui.widgets.text import Badge, ElidedLabel, label, set_tone

SHORTENS: Final = {"prefill": marked("shortens prefill"), "decode": marked("shortens decode")}


class VerdictView(Card):
    """One sentence that says which phase is the problem."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Verdict"), parent)
        self._headline: QLabel = label(role="title", wrap=True)
        self._sentence: QLabel = label(wrap=True)
        self._partial: QLabel = label(role="small", tone="warning", wrap=True)
        self._more = QPushButton(tr("What limits each phase"))
        self._more.setProperty("role", "link")
        self._more.setCheckable(True)
        self._details: QLabel = label(role="small", wrap=True)
        for widget in (self._headline, self._sentence, self._partial):
            self.body.addWidget(widget)
        line = QHBoxLayout()
        line.addWidget(self._more)
        line.addStretch(1)
        self.body.addLayout(line)
        self.body.addWidget(self._details)
        self._more.toggled.connect(self._details.setVisible)
        self._details.hide()

    def show_verdict(self, state: VerdictCard) -> None:
        """Show this state."""
        set_tone(self, state.edge, "edge")
        self._headline.setText(state.headline)
        self._sentence.setText(state.sentence)
        self._partial.setText(f"⚠ {state.partial}" if state.partial else "")
        self._partial.setVisible(bool(state.partial))
        self._details.setText("\n\n".join(state.details))
        self._more.setVisible(bool(state.details))
        self._details.setVisible(bool(state.details) and self._more.isChecked())
        self.setAccessibleDescription(f"{state.headline} {state.sentence}")


class AdviceView(QFrame):
    """One advice; the lower part unfolds to cost, way back, evidence and every way of doing it."""

    try_requested = Signal(str)
    draft_requested = Signal(str)
    stop_requested = Signal()

    def __init__(self, state: AdviceCard, unfolded: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("subcard")
        self._id = state.id
        self.setAccessibleName(f"{state.title}, {state.saving}")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.setSpacing(3)
        top = QHBoxLayout()
        title: QLabel = label(state.title, "strong", wrap=True)
        saving: QLabel = label(state.saving, "strong", "good")
        saving.setToolTip(tr("seconds saved per request"))
        top.addWidget(title, 1)
        top.addWidget(saving)
        layout.addLayout(top)
        layout.addWidget(label(state.detail, "small", wrap=True))
        line = QHBoxLayout()
        line.addWidget(Badge(state.badge, state.badge_tip, self))  # without a parent it would be a window for a moment
        line.addWidget(ElidedLabel(tr(SHORTENS[state.phase]), "small"), 1)
        self.try_button = QPushButton()
        self.try_button.setProperty("role", "small")
        self.try_button.clicked.connect(self._pressed)
        line.addWidget(self.try_button)
        self._more = QPushButton(tr("How"))
        self._more.setProperty("role", "link")
        self._more.setCheckable(True)
        self._more.setChecked(unfolded)
        self._more.setAccessibleName(tr("How: {title}", title=state.title))
        line.addWidget(self._more)
        layout.addLayout(line)
        self.draft_button = QPushButton(tr("with a draft model…"))
        self.draft_button.setProperty("role", "link")
        self.draft_button.setAccessibleName(tr("Try it with a draft model"))
        self.draft_button.setToolTip(tr("Pick the GGUF file of a small model of the same family; it guesses, and both "
                                     "ways are measured by turns"))
        self.draft_button.clicked.connect(lambda: self.draft_requested.emit(self._id))
        draft_line = QHBoxLayout()
        draft_line.addStretch(1)
        draft_line.addWidget(self.draft_button)
        layout.addLayout(draft_line)
        self._tried: QLabel = label(role="strong", wrap=True)
        layout.addWidget(self._tried)
        if state.first_command:
            layout.addWidget(CommandLine(state.first_command))
        self._state = state
        self.show_trying(state)
        self._lower: QWidget | None = None
        self._more.toggled.connect(self._unfold)
        if unfolded:
            self._unfold(True)

    def show_trying(self, state: AdviceCard) -> None:
        """Show what of a card changes while an advice is tried; the rest must be the same."""
        self._state, trying = state, state.trying
        self.try_button.setText(trying.label)
        self.try_button.setAccessibleName(trying.spoken)
        self.try_button.setToolTip(trying.tip)
        self.try_button.setEnabled(trying.enabled)
        self.try_button.setVisible(bool(trying.label))
        self.draft_button.setEnabled(trying.enabled)
        self.draft_button.setVisible(trying.asks_draft)
        self._tried.setText(trying.result)
        set_tone(self._tried, trying.tone)
        self._tried.setVisible(bool(trying.result))
        self.setAccessibleDescription(trying.result)

    @property
    def state(self) -> AdviceCard:
        """What is shown."""
        return self._state

    @Slot()
    def _pressed(self) -> None:
        if self._state.trying.stops:
            self.stop_requested.emit()
        else:
            self.try_requested.emit(self._id)

    @property
    def unfolded(self) -> bool:
        """Whether the lower part is shown."""
        return self._more.isChecked()

    @property
    def advice_id(self) -> str:
        """Stable name of the advice."""
        return self._id

    @Slot(bool)
    def _unfold(self, on: bool) -> None:
        if self._lower is None and on:
            self._lower = self._make_lower()
            layout = self.layout()
            assert layout is not None
            layout.addWidget(self._lower)
        if self._lower is not None:
            self._lower.setVisible(on)

    def _make_lower(self) -> QWidget:
        lower = QWidget()
        layout = QVBoxLayout(lower)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(3)
        for how in self._state.how:
            layout.addWidget(label(f"{how.where}: {how.words}", "small", wrap=True))
            if how.command and how.command != self._state.first_command:
                layout.addWidget(CommandLine(how.command))
        for name, text in self._state.more:
            layout.addWidget(label(f"{name}: {text}", "small", wrap=True))
        return lower


class AdviceListView(Card):
    """Advice by seconds saved, then what will not help."""

    try_requested = Signal(str)
    draft_requested = Signal(str)
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("What to do"), parent)
        self._state: AdviceList | None = None
        self._empty: QLabel = label(role="muted", wrap=True)
        self.body.addWidget(self._empty)
        self._items = QVBoxLayout()
        self._items.setSpacing(8)
        self.body.addLayout(self._items)
        self._views: list[AdviceView] = []
        self._wont = QWidget()
        self._wont_layout = QVBoxLayout(self._wont)
        self._wont_layout.setContentsMargins(0, 4, 0, 0)
        self._wont_layout.setSpacing(4)
        self.body.addWidget(self._wont)

    def show_advice(self, state: AdviceList) -> None:
        """Show this state; what was unfolded stays so, and the focus on a card's button stays with the card."""
        if state == self._state:
            return
        self._state = state
        self.heading.set_text(tr("{heading}, most time saved first", heading=state.heading).upper())
        self.heading.set_short(state.heading.upper())
        self._empty.setText(state.empty)
        self._empty.setVisible(bool(state.empty))
        shown = [_but_trying(view.state) for view in self._views]
        if shown == [_but_trying(one) for one in state.advice]:
            for view, one in zip(self._views, state.advice, strict=True):
                view.show_trying(one)
            self._show_wont(state.wont_help)
            return
        focused = next((view.advice_id for view in self._views if view.try_button.hasFocus()), "")
        unfolded = {view.advice_id for view in self._views if view.unfolded}
        for view in self._views:
            self._items.removeWidget(view)
            view.hide()
            view.deleteLater()
        self._views = [AdviceView(one, one.id in unfolded) for one in state.advice]
        for view in self._views:
            self._items.addWidget(view)
            view.try_requested.connect(self.try_requested)
            view.draft_requested.connect(self.draft_requested)
            view.stop_requested.connect(self.stop_requested)
            if view.advice_id == focused:
                view.show()  # only what is shown can take the focus
                view.try_button.setFocus()
        self._show_wont(state.wont_help)

    def _show_wont(self, lines: tuple[WontLine, ...]) -> None:
        while (item := self._wont_layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._wont.setVisible(bool(lines))
        if not lines:
            return
        self._wont_layout.addWidget(rule())
        self._wont_layout.addWidget(label(tr("Won't help"), "strong"))
        for line in lines:
            text: QLabel = label(f"✕ {line.sentence}", "small", wrap=True)
            text.setToolTip(line.evidence)
            text.setAccessibleDescription(line.evidence)
            self._wont_layout.addWidget(text)
        self._wont.raise_()  # read after the cards, which are newer


def _but_trying(card: AdviceCard) -> AdviceCard:
    return replace(card, trying=NO_TRY)


class AnswerColumn(QWidget):
    """Verdict above advice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("column")
        self.verdict = VerdictView()
        self.advice = AdviceListView()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self.verdict)
        layout.addWidget(self.advice)
        layout.addStretch(1)
