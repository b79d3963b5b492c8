"""Help > About: version, engine, and the licences of everything that is inside."""

from typing import Final

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import marked, tr
from ui.theme.metrics import GAP, SMALL_GAP
from ui.viewmodels.about import AboutState
from ui.views.overview import ColumnScroll
from ui.widgets.command_line import CopyButton
from ui.widgets.plain_table import PlainTable
from ui.widgets.text import label

WIDTH: Final = 680
HEIGHT: Final = 620
LABEL_WIDTH: Final = 70
NOTICES_HEIGHT: Final = 220
READING: Final = marked("Reading what is installed …")


class AboutDialog(QDialog):
    """Empty until it is first shown; ``shown`` then asks for the state."""

    shown = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About Two Machines"))
        self.setModal(False)
        self.resize(WIDTH, HEIGHT)
        self._title: QLabel = label("Two Machines", "title")
        self._remark: QLabel = label(tr(READING), "muted", wrap=True)
        self._facts = QGridLayout()
        self._facts.setHorizontalSpacing(GAP)
        self._facts.setVerticalSpacing(SMALL_GAP)
        self._facts.setColumnMinimumWidth(0, LABEL_WIDTH)
        self._facts.setColumnStretch(1, 1)
        self.parts = PlainTable(tr("Parts and their licences"))
        self.notices = QPlainTextEdit()
        self.notices.setReadOnly(True)
        self.notices.setMinimumHeight(NOTICES_HEIGHT)
        self.notices.setAccessibleName(tr("All licences in full"))
        self.copy_versions = CopyButton(what=tr("Copy versions"))
        self.copy_notices = CopyButton(what=tr("Copy all licences"))
        self.close_button = QPushButton(tr("Close"))
        self.close_button.setAutoDefault(False)
        self.close_button.clicked.connect(self.close)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setSpacing(GAP)
        for widget in (
            label(tr("MADE WITH"), "heading"),
            self.parts,
            label(tr("ALL LICENCES IN FULL"), "heading"),
            self.notices,
        ):
            column.addWidget(widget)
        buttons = QHBoxLayout()
        buttons.addWidget(self.copy_versions)
        buttons.addWidget(self.copy_notices)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, GAP, GAP)
        layout.setSpacing(GAP)
        layout.addWidget(self._title)
        layout.addWidget(self._remark)
        layout.addLayout(self._facts)
        layout.addWidget(ColumnScroll(page), 1)
        layout.addLayout(buttons)
        self._show_buttons(False)

    @Slot()
    def open_beside(self) -> None:
        """Show it, or bring it to the front."""
        self.show()
        self.raise_()
        self.activateWindow()

    @Slot(object)
    def show_about(self, state: AboutState) -> None:
        """Show this state; it never changes while the program runs."""
        self._remark.hide()
        self._title.setText(state.title)
        if not self._facts.count():
            for row, (name, value) in enumerate(state.facts):
                self._facts.addWidget(label(name, "muted"), row, 0)
                self._facts.addWidget(label(value, wrap=True), row, 1)
            self.notices.setPlainText(state.notices)
        self.parts.show_table((tr("Part"), tr("Version"), tr("Licence")), state.parts, words=True)
        self.copy_versions.set_content(state.summary)
        self.copy_notices.set_content(state.notices)
        self._show_buttons(True)

    @Slot(str)
    def show_failure(self, reason: str) -> None:
        """Say why nothing can be shown."""
        self._remark.setText(tr("What is installed cannot be read: {reason}", reason=reason))

    def _show_buttons(self, on: bool) -> None:
        for button in (self.copy_versions, self.copy_notices):
            button.setVisible(on)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        super().showEvent(event)
        self.close_button.setFocus()
        self.shown.emit()
