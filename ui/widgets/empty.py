"""What a page shows while there is nothing on it yet: a sentence, and the button that changes that."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from ui.widgets.text import label


class EmptyState(QWidget):
    """Sentence and button in the middle of the page."""

    clicked = Signal()

    def __init__(self, action: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = label(role="muted", wrap=True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button = QPushButton(action)
        self.button.clicked.connect(self.clicked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addStretch(1)
        layout.addWidget(self.text)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignCenter)
        layout.addStretch(1)
