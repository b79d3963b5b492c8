"""Labels: plain ones by role, one that shortens itself, the evidence badge and the pill."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


def label(text: str = "", role: str = "", tone: str = "", wrap: bool = False) -> QLabel:
    """A label styled by its role ("heading", "title", "strong", "small", …) and tone ("good", "warning", …)."""
    result = QLabel(text)
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setProperty("role", role)
    result.setProperty("tone", tone)
    result.setWordWrap(wrap)
    if wrap:
        result.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        result.setMinimumWidth(1)
    return result


def set_tone(widget: QWidget, tone: str, name: str = "tone") -> None:
    """Change a styled property and let the style sheet look again."""
    if widget.property(name) != tone:
        widget.setProperty(name, tone)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class Badge(QLabel):
    """Where a figure comes from, as a small framed word; hidden while empty."""

    def __init__(self, text: str = "", tip: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "badge")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.set_badge(text, tip)

    def set_badge(self, text: str, tip: str = "") -> None:
        """Show this word with this tool tip."""
        self.setText(text)
        self.setToolTip(tip)
        self.setVisible(bool(text))


class ElidedLabel(QLabel):
    """One line that ends in … where it does not fit; the whole text is its tool tip and accessible name."""

    def __init__(self, text: str = "", role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mode = Qt.TextElideMode.ElideRight
        self._tip = ""
        self._short = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def set_text(self, text: str, tip: str = "") -> None:
        """Show this text; ``tip`` is what the tool tip says instead of it."""
        self._tip = tip
        self.setText(text)
        self.setAccessibleName(text)
        self._update_tip()
        self.updateGeometry()

    def set_short(self, text: str) -> None:
        """What is said instead where the whole does not fit."""
        self._short = text

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(QFontMetrics(self.font()).horizontalAdvance("mm…"), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        painter = QPainter(self)
        area = self.contentsRect()
        text = self.text()
        if self._short and self.fontMetrics().horizontalAdvance(text) > area.width():
            text = self._short
        text = self.fontMetrics().elidedText(text, self._mode, area.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(area, int(self.alignment()) | int(Qt.TextFlag.TextSingleLine), text)

    def event(self, event: QEvent) -> bool:  # noqa: D102
        if event.type() == QEvent.Type.Resize:
            self._update_tip()
        return super().event(event)

    def _update_tip(self) -> None:
        cut = self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()
        parts = ([self.text()] if cut else []) + ([self._tip] if self._tip else [])
        self.setToolTip("\n".join(parts))
