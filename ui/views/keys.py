"""The keyboard shortcuts in a list, made of what the window has bound."""

from typing import Final

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from advisor.core.translation import marked, tr
from ui.theme.metrics import GAP, SMALL_GAP
from ui.widgets.keys import key_words
from ui.widgets.text import label

KEYS_OF_PAGES: Final = (
    (("Tab", "Shift+Tab"), marked("Next or previous control; arrow keys change tabs and sliders")),
    (("Ctrl+C",), marked("Copy the table that has the focus")),
    (("Ctrl+Shift+C",), marked("Copy the figures of the page as CSV")),
    (("Ctrl+F",), marked("User guide: search the page")),
    (("Alt+Left",), marked("User guide: back")),
    (("Del",), marked("History: delete the chosen run")),
    (("Ctrl+Z",), marked("History: bring the deleted run back")),
)
"""What works only where the focus is."""


class KeysDialog(QDialog):
    """Filled by ``add``; stays open beside the window until it is closed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self.setModal(False)
        self._lines: list[tuple[str, str]] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GAP)
        self._grid.setVerticalSpacing(SMALL_GAP)
        self._grid.setColumnStretch(1, 1)
        self.close_button = QPushButton(tr("Close"))
        self.close_button.setAutoDefault(False)
        self.close_button.clicked.connect(self.close)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GAP, 2 * GAP, 2 * GAP, GAP)
        layout.setSpacing(GAP)
        layout.addLayout(self._grid)
        layout.addStretch(1)
        layout.addLayout(buttons)

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """Keys as this system writes them, and what they do."""
        return tuple(self._lines)

    def add(self, keys: tuple[str, ...], words: str) -> None:
        """Append a line."""
        named = tr(" or ").join(key_words(key) for key in keys)
        row = len(self._lines)
        self._lines.append((named, words))
        key: QLabel = label(named, "strong")
        what: QLabel = label(words)
        what.setAccessibleName(f"{named}: {words}")
        self._grid.addWidget(key, row, 0)
        self._grid.addWidget(what, row, 1)

    @Slot()
    def open_beside(self) -> None:
        """Show it, or bring it to the front."""
        self.show()
        self.raise_()
        self.activateWindow()
        self.close_button.setFocus()
