"""A number by slider on a logarithmic scale, and exactly by typing."""

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QSpinBox, QVBoxLayout, QWidget

from advisor.core.numbers import written
from advisor.core.translation import tr
from ui.viewmodels.workload import SLIDER_STEPS, Quantity
from ui.widgets.text import label

SMALLEST_NUMBER_PX = 90
FIELD_MARGIN_PX = 2
"""What Qt keeps free at either side of the words in a field."""


class _Number(QSpinBox):
    """A spin box whose whole steps may be parts of the number shown; the wheel moves it only while it has the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale = 1

    def set_scale(self, scale: int) -> None:
        """Show the value divided by that."""
        self._scale = scale

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()  # the column scrolls instead

    def textFromValue(self, value: int) -> str:
        return super().textFromValue(value) if self._scale == 1 else written(f"{value / self._scale:g}")

    def valueFromText(self, text: str) -> int:
        if self._scale == 1:
            return super().valueFromText(text)
        figure = text.removesuffix(self.suffix()).strip().replace(",", ".")
        try:
            return round(float(figure) * self._scale)
        except (ValueError, OverflowError):
            return self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        if self._scale == 1:
            return super().validate(text, position)
        figure = text.removesuffix(self.suffix()).strip()
        typed = all(sign.isdigit() or sign in ".," for sign in figure)
        return (QValidator.State.Acceptable if typed else QValidator.State.Invalid), text, position


class _Slider(QSlider):
    """The wheel scrolls the column unless the slider has the focus."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class QuantitySlider(QWidget):
    """Shows a ``Quantity``; ``changed`` carries its key and the new number."""

    changed = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._quantity: Quantity | None = None
        self._due: Quantity | None = None
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(2)
        line = QHBoxLayout()
        self._label: QLabel = label(role="muted")
        self._spin = _Number()
        self._spin.setProperty("role", "quiet")
        self._spin.setGroupSeparatorShown(True)
        self._spin.setKeyboardTracking(False)
        self._spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._spin.lineEdit().setTextMargins(0, 0, -FIELD_MARGIN_PX, 0)  # the figure ends where the slider does
        self._spin.setMinimumWidth(SMALLEST_NUMBER_PX)
        self._label.setBuddy(self._spin)
        line.addWidget(self._label)
        line.addWidget(self._spin, 1)
        self._slider = _Slider(Qt.Orientation.Horizontal)
        for control in (self._spin, self._slider):
            control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # not by the wheel
        self._slider.setRange(0, SLIDER_STEPS)
        self._slider.setSingleStep(10)
        self._slider.setPageStep(50)
        outer.addLayout(line)
        outer.addWidget(self._slider)
        self._spin.valueChanged.connect(self._typed)
        self._slider.valueChanged.connect(self._moved)
        self._slider.sliderReleased.connect(self._released)

    def show_quantity(self, quantity: Quantity) -> None:
        """Show this state without sending it back; the scale stays while the handle is held, and catches up later."""
        if self._slider.isSliderDown() and self._quantity is not None and self._quantity.key == quantity.key:
            self._due = quantity
            quantity = replace(quantity, range=self._quantity.range)
        self._quantity = quantity
        with QSignalBlocker(self._spin), QSignalBlocker(self._slider):
            self._label.setText(quantity.label)
            self._spin.set_scale(quantity.scale)
            self._spin.setRange(quantity.range.low, quantity.range.high)
            self._spin.setSuffix(quantity.unit)
            self._spin.setValue(quantity.value)
            self._slider.setEnabled(quantity.range.high > quantity.range.low)
            if quantity.range.value(self._slider.value()) != quantity.value:
                self._slider.setValue(quantity.range.position(quantity.value))
        self.setToolTip(quantity.tip)
        self._slider.setAccessibleName(tr("{quantity}, slider", quantity=quantity.label))
        self._slider.setAccessibleDescription(f"{self._spin.text()}; {quantity.tip}")
        self._spin.setAccessibleName(tr("{quantity}, exact number", quantity=quantity.label))
        self._spin.setAccessibleDescription(quantity.tip)

    def _released(self) -> None:
        due, self._due = self._due, None
        if due is not None:
            self.show_quantity(due)

    def _typed(self, value: int) -> None:
        if self._quantity is not None:
            self.changed.emit(self._quantity.key, value)

    def _moved(self, position: int) -> None:
        if self._quantity is not None:
            value = self._quantity.range.value(position)
            if value != self._quantity.value:
                self.changed.emit(self._quantity.key, value)
