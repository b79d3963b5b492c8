"""Label at the left, value and badge at the right, a reason beneath: the lines of the left column."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ui.viewmodels.rows import Row
from ui.widgets.text import Badge, ElidedLabel, label, set_tone

SPACING = 6
BADGE_EDGES_PX = 10


class RowView(QWidget):
    """One line, or more where it is too long for one; the tool tip of a value that is cut says all of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(1)
        line = QHBoxLayout()
        line.setSpacing(SPACING)
        self._label = label(role="muted")
        self._value = ElidedLabel(role="strong")
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._value_below = ElidedLabel(role="strong")
        self._value_below.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._value_below.hide()
        self._badge = Badge()
        self._badge_below = Badge()
        self._row = Row("", "")
        self._standing = True, True
        line.addWidget(self._label)
        line.addWidget(self._value, 1)
        line.addWidget(self._badge)
        self._detail: QLabel = label(role="small", wrap=True)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignRight)
        outer.addLayout(line)
        outer.addWidget(self._value_below)
        below = QHBoxLayout()
        below.addWidget(self._detail, 1)
        below.addWidget(self._badge_below)
        outer.addLayout(below)

    def show_row(self, row: Row) -> None:
        """Show this state; the same one again costs nothing."""
        if row == self._row:
            return
        self._label.setText(row.label)
        for value in (self._value, self._value_below):
            value.set_text(row.value, row.tip)
            set_tone(value, row.tone)
        self._row = row
        self._detail.setText(row.detail)
        self._place()
        self.setAccessibleName(row.as_text())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        if self._standing != self._arrangement():
            # Later: a layout does not hear of a height that changes while it is at work.
            QTimer.singleShot(0, self, self._place)

    def _place(self) -> None:
        """All in one line where that fits; else the badge goes beneath, and where that is not enough the value too."""
        row = self._row
        self._standing = with_badge, alone = self._arrangement()
        self._value.setVisible(alone)
        self._value_below.setVisible(not alone)
        self._badge.set_badge(row.badge if with_badge else "", row.tip)
        self._badge_below.set_badge("" if with_badge else row.badge, row.tip)
        self._detail.setVisible(bool(row.detail) or (not with_badge and bool(row.badge)))

    def _arrangement(self) -> tuple[bool, bool]:
        """Whether label, value and badge fit beside each other, and whether label and value do."""
        row = self._row
        bold = QFont(self._value.font())
        bold.setBold(row.tone != "muted")
        words = self._label.sizeHint().width() + QFontMetrics(bold).horizontalAdvance(row.value) + 3 * SPACING
        badge = QFontMetrics(self._badge.font()).horizontalAdvance(row.badge) + BADGE_EDGES_PX if row.badge else 0
        return words + badge <= self.width(), words - SPACING <= self.width()


class Rows(QWidget):
    """A column of rows; keeps its line widgets when only the values change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(5)
        self._views: list[RowView] = []

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        """Show these rows in order."""
        while len(self._views) < len(rows):
            view = RowView(self)
            self._views.append(view)
            self._layout.addWidget(view)
        for view, row in zip(self._views, rows, strict=False):
            view.show_row(row)
            view.setVisible(True)
        for view in self._views[len(rows):]:
            view.setVisible(False)
