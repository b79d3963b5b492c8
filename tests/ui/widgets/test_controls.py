from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSlider, QSpinBox, QToolButton
from pytestqt.qtbot import QtBot

from advisor.diagnosis.workload import preset
from ui.theme import LIGHT
from ui.theme.stylesheet import stylesheet
from ui.viewmodels.notice import NoticeState
from ui.viewmodels.rows import Row
from ui.viewmodels.workload import present_workload
from ui.widgets.command_line import CommandLine
from ui.widgets.notice_bar import NoticeBar
from ui.widgets.rows import Rows, RowView
from ui.widgets.sliders import QuantitySlider
from ui.widgets.text import Badge, ElidedLabel


def test_a_long_text_is_shortened_and_kept_whole_for_those_who_ask(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(60, 20)
    label.set_text("a name that is much too long for sixty pixels", "where it is from")
    label.show()
    assert label.toolTip().startswith("a name that is much too long")
    assert "where it is from" in label.toolTip()
    assert label.accessibleName().startswith("a name")


def test_rows_are_kept_and_hidden(qtbot: QtBot) -> None:
    rows = Rows()
    qtbot.addWidget(rows)
    rows.show_rows((Row("CPU", "x"), Row("Memory", "y", "measured")))
    first = rows.findChildren(RowView)
    rows.show_rows((Row("CPU", "z"),))
    assert rows.findChildren(RowView) == first
    assert [view.isHidden() for view in first] == [False, True]
    assert first[0].accessibleName() == "CPU: z"


def test_a_badge_that_does_not_fit_beside_goes_beneath(qtbot: QtBot) -> None:
    view = RowView()
    qtbot.addWidget(view)
    view.show_row(Row("Compute", "0.74 TFLOP/s", "measured"))
    view.resize(400, 40)
    view.show()
    badges = view.findChildren(Badge)
    assert [badge.text() for badge in badges] == ["measured", ""]
    view.resize(140, 40)
    qtbot.waitUntil(lambda: [badge.text() for badge in badges] == ["", "measured"])


def test_slider_and_number_say_the_same(qtbot: QtBot) -> None:
    quantity = present_workload(preset("rag")).quantities[0]
    control = QuantitySlider()
    qtbot.addWidget(control)
    control.show_quantity(quantity)
    spin, slider = control.findChild(QSpinBox), control.findChild(QSlider)
    assert isinstance(spin, QSpinBox)
    assert isinstance(slider, QSlider)
    assert spin.value() == 4000
    heard: list[tuple[str, int]] = []
    control.changed.connect(lambda key, value: heard.append((key, value)))
    slider.setValue(slider.maximum())
    spin.setValue(1234)
    assert heard == [("prompt", quantity.range.high), ("prompt", 1234)]
    assert slider.accessibleName() == "Prompt, slider"
    assert spin.accessibleName() == "Prompt, exact number"


def test_the_typed_number_has_room(qtbot: QtBot) -> None:
    control = QuantitySlider()
    qtbot.addWidget(control)
    control.setStyleSheet(stylesheet(LIGHT))
    control.show_quantity(present_workload(preset("rag")).quantities[0])
    control.resize(224, 44)
    control.show()
    spin = control.findChild(QSpinBox)
    assert isinstance(spin, QSpinBox)
    assert spin.lineEdit().width() >= spin.fontMetrics().horizontalAdvance(spin.text())


def test_copy_puts_the_command_on_the_clipboard(qtbot: QtBot) -> None:
    line = CommandLine("llama-server -ngl 99")
    qtbot.addWidget(line)
    button = line.findChild(QToolButton)
    assert isinstance(button, QToolButton)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "llama-server -ngl 99"
    assert button.text() == "Copied"


def test_a_notice_shows_hides_and_unfolds(qtbot: QtBot) -> None:
    bar = NoticeBar()
    qtbot.addWidget(bar)
    assert bar.text == ""
    bar.show_notice(NoticeState("error", "✕ It broke.", "Try again.", "a traceback", "all of it", "error: It broke."))
    assert bar.text == "✕ It broke."
    assert bar.accessibleName() == "error: It broke."
    assert bar._details.isHidden()
    bar._more.setChecked(True)
    assert not bar._details.isHidden()
    with qtbot.waitSignal(bar.dismissed):
        bar.dismiss()
    assert bar.text == ""


def test_a_value_that_does_not_fit_beside_its_label_goes_beneath_whole(qtbot: QtBot) -> None:
    view = RowView()
    qtbot.addWidget(view)
    view.show_row(Row("Rechenleistung", "noch nicht gemessen", tone="muted"))
    view.resize(400, 60)
    view.show()
    beside, beneath = view._value, view._value_below
    assert (beside.isVisible(), beneath.isVisible()) == (True, False)
    view.resize(190, 60)
    qtbot.waitUntil(lambda: (beside.isVisible(), beneath.isVisible()) == (False, True))
    assert beneath.fontMetrics().horizontalAdvance(beneath.text()) <= beneath.width()
