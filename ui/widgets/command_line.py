"""A command that can be copied, shortened where it does not fit."""

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from advisor.core.translation import tr
from ui.widgets.text import ElidedLabel

COPIED_MS = 1500


class CopyButton(QToolButton):
    """Puts a text on the clipboard and says so for a moment."""

    def __init__(self, text: str = "", what: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._what = what or tr("Copy")
        self.setText(self._what)
        self.setProperty("role", "link")
        self.setAutoRaise(True)
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.setInterval(COPIED_MS)
        self._back.timeout.connect(self._restore)
        self.clicked.connect(self._copy)

    def set_content(self, text: str) -> None:
        """What will be copied."""
        self._text = text
        self.setAccessibleDescription(text)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self.setText(tr("Copied"))
        self._back.start()

    @Slot()
    def _restore(self) -> None:
        self.setText(self._what)


class CommandLine(QWidget):
    """One command in monospace with its copy button."""

    def __init__(self, command: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 2, 0, 0)
        line.setSpacing(4)
        text = ElidedLabel(role="code")
        text.set_text(command)
        copy = CopyButton()
        copy.set_content(command)
        copy.setAccessibleName(tr("Copy the command"))
        line.addWidget(text, 1)
        line.addWidget(copy)
