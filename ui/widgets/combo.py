"""A choice whose words end in … where they do not fit; the tool tip then says all of them."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyledItemDelegate, QStyleOptionComboBox, QStylePainter, QWidget


def roomy(box: QComboBox) -> QComboBox:
    """Let the lines of its list be as high as the style sheet says; the delegate that Qt gives it would not hear."""
    box.setItemDelegate(QStyledItemDelegate(box))
    return box


class ElidedCombo(QComboBox):
    """Takes the width that it is given; Qt's own would cut a word in the middle.

    ``set_tip`` gives the tool tip that is said where the words fit, and after them where they do not.
    """

    def __init__(self, least_characters: int = 10, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tip = ""
        roomy(self)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(least_characters)
        self.currentTextChanged.connect(lambda _text: self._update_tip())

    def set_tip(self, tip: str) -> None:
        """What the tool tip says beside the words."""
        self._tip = tip
        self._update_tip()

    @property
    def shown_text(self) -> str:
        """The words as they are painted."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, field.width() - 2)

    def sizeHint(self) -> QSize:  # noqa: D102
        least = super().sizeHint()
        longest = max((self.fontMetrics().horizontalAdvance(self.itemText(i)) for i in range(self.count())), default=0)
        spare = least.width() - self.fontMetrics().horizontalAdvance("X") * self.minimumContentsLength()
        return QSize(max(least.width(), longest + spare), least.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown_text
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def event(self, event: QEvent) -> bool:  # noqa: D102
        if event.type() == QEvent.Type.Resize:
            self._update_tip()
        return super().event(event)

    def _update_tip(self) -> None:
        cut = self.shown_text != self.currentText()
        self.setToolTip("\n".join(([self.currentText()] if cut else []) + ([self._tip] if self._tip else [])))
