"""Words of buttons and fields without a frame stand on the edge that the text beside them keeps."""

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from advisor.diagnosis.workload import preset
from ui.theme import LIGHT
from ui.theme.stylesheet import stylesheet
from ui.viewmodels.workload import present_workload
from ui.widgets.sliders import QuantitySlider

CLOSE_PX = 2


def margins(page: QWidget, inside: QRect) -> tuple[int, int]:
    """Pixels without ink at the left and right of a part of the page."""
    image = page.grab().toImage()
    ground = QColor(LIGHT.surface).lightness()
    inked = [
        x
        for x in range(inside.left(), inside.right() + 1)
        if any(image.pixelColor(x, y).lightness() < ground - 60 for y in range(inside.top() + 2, inside.bottom() - 1))
    ]
    return inked[0] - inside.left(), inside.right() - inked[-1]


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    page = QWidget()
    qtbot.addWidget(page)
    page.setObjectName("page")
    page.setStyleSheet(stylesheet(LIGHT) + f"#page {{ background: {LIGHT.surface}; }}")
    page.resize(300, 120)
    return page


def test_a_link_begins_where_the_text_above_it_begins(page: QWidget) -> None:
    link = QPushButton("HHH", page)
    link.setProperty("role", "link")
    link.setGeometry(20, 10, 120, 24)
    page.show()
    assert margins(page, link.geometry())[0] <= CLOSE_PX


def test_the_figure_of_a_slider_ends_where_the_slider_ends(page: QWidget) -> None:
    quantity = QuantitySlider(page)
    quantity.show_quantity(present_workload(preset("rag")).quantities[0])
    quantity.setGeometry(20, 60, 240, 50)
    page.show()
    figure = quantity.findChildren(QSpinBox)[0]
    assert margins(page, QRect(figure.mapTo(page, QPoint(0, 0)), figure.size()))[1] <= CLOSE_PX + 1
