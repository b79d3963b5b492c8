"""Names at the left and what is said of each at the right, as many as there are."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel

from ui.theme.metrics import GAP
from ui.widgets.text import label


class Pairs(QGridLayout):
    """``name_width`` in pixels; values can be selected, and are read out with their names."""

    def __init__(self, name_width: int, spacing: int) -> None:
        super().__init__()
        self.setHorizontalSpacing(GAP)
        self.setVerticalSpacing(spacing)
        self.setColumnStretch(1, 1)
        self._name_width = name_width
        self._lines: list[tuple[QLabel, QLabel]] = []

    def show_pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Show these; lines that are not needed are hidden."""
        while len(self._lines) < len(pairs):
            name, value = label(role="muted"), label(wrap=True)
            name.setFixedWidth(self._name_width)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self.addWidget(name, len(self._lines), 0, Qt.AlignmentFlag.AlignTop)
            self.addWidget(value, len(self._lines), 1)
            self._lines.append((name, value))
        for index, (name, value) in enumerate(self._lines):
            there = index < len(pairs)
            name.setVisible(there)
            value.setVisible(there)
            if there:
                name.setText(pairs[index][0])
                value.setText(pairs[index][1])
                value.setAccessibleName(": ".join(pairs[index]))
