"""One thing to tell the user, above the page and never in its way: close it, look closer, copy it."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from advisor.core.translation import tr
from ui.theme.metrics import GAP
from ui.viewmodels.notice import NoticeState
from ui.widgets.command_line import CopyButton
from ui.widgets.text import label, set_tone

DETAILS_HEIGHT = 140


class NoticeBar(QFrame):
    """Hidden until there is something to say; ``dismissed`` when the user closes it."""

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setProperty("severity", "info")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(GAP, 8, 8, 8)
        line = QHBoxLayout()
        texts = QVBoxLayout()
        texts.setSpacing(2)
        self._sentence: QLabel = label(role="strong", wrap=True)
        self._hint: QLabel = label(role="small", wrap=True)
        texts.addWidget(self._sentence)
        texts.addWidget(self._hint)
        line.addLayout(texts, 1)
        self._more = QPushButton(tr("Details"))
        self._more.setCheckable(True)
        self._copy = CopyButton()
        self._close = QPushButton(tr("Close"))
        for button in (self._more, self._close):
            button.setProperty("role", "link")
        for widget in (self._more, self._copy, self._close):
            line.addWidget(widget)
        outer.addLayout(line)
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setTabChangesFocus(True)
        self._details.setFixedHeight(DETAILS_HEIGHT)
        self._details.setAccessibleName(tr("Details"))
        outer.addWidget(self._details)
        self._more.toggled.connect(self._details.setVisible)
        self._close.clicked.connect(self.dismiss)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown, empty while hidden."""
        return "" if self.isHidden() else self._sentence.text()

    def show_notice(self, state: NoticeState) -> None:
        """Show this state in place of the one before."""
        set_tone(self, state.severity, "severity")
        self._sentence.setText(state.sentence)
        self._hint.setText(state.hint)
        self._hint.setVisible(bool(state.hint))
        self._details.setPlainText(state.details)
        self._more.setChecked(False)
        self._more.setVisible(bool(state.details))
        self._details.setVisible(False)
        self._copy.set_content(state.copied)
        self.setAccessibleName(state.spoken)
        self.show()

    @Slot()
    def dismiss(self) -> None:
        """Close it."""
        self.hide()
        self.dismissed.emit()
