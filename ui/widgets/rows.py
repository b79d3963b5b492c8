"""Label at the left, value and badge at the right, a reason beneath: the lines of the left column."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ui.viewmodels.rows import Row
from ui.widgets.text import Badge, ElidedLabel, label, set_tone

SPACING = 6
BADGE_EDGES_PX = 10


class RowView(QWidget):
    """One line; a long value shortens itself, its tool tip says all of it."""

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
        self._badge = Badge()
        self._badge_below = Badge()
        self._row = Row("", "")
        line.addWidget(self._label)
        line.addWidget(self._value, 1)
        line.addWidget(self._badge)
        self._detail: QLabel = label(role="small", wrap=True)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignRight)
        outer.addLayout(line)
        below = QHBoxLayout()
        below.addWidget(self._detail, 1)
        below.addWidget(self._badge_below)
        outer.addLayout(below)

    def show_row(self, row: Row) -> None:
        """Show this state."""
        self._label.setText(row.label)
        self._value.set_text(row.value, row.tip)
        set_tone(self._value, row.tone)
        self._row = row
        self._detail.setText(row.detail)
        self._place_badge()
        self.setAccessibleName(row.as_text())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        if self._row.badge and self._fits_beside() != bool(self._badge.text()):
            # Later: a layout does not hear of a height that changes while it is at work.
            QTimer.singleShot(0, self, self._place_badge)

    def _place_badge(self) -> None:
        """Beside the value where both fit, else beneath it: a figure is worth more than its badge's place."""
        row, beside = self._row, self._fits_beside()
        self._badge.set_badge(row.badge if beside else "", row.tip)
        self._badge_below.set_badge("" if beside else row.badge, row.tip)
        self._detail.setVisible(bool(row.detail) or (not beside and bool(row.badge)))

    def _fits_beside(self) -> bool:
        row = self._row
        bold = QFont(self._value.font())
        bold.setBold(True)
        needed = (
            self._label.sizeHint().width() + QFontMetrics(bold).horizontalAdvance(row.value)
            + (QFontMetrics(self._badge.font()).horizontalAdvance(row.badge) + BADGE_EDGES_PX if row.badge else 0)
            + 3 * SPACING
        )
        return needed <= self.width()


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
