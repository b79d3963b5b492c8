"""Where Tab goes: as one reads, whenever a control was made.

Qt's own order is that in which the controls were made, and much here is made late, such as sliders and cards of advice.
"""

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QGraphicsView,
    QLayout,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

WHOLE = (QAbstractItemView, QAbstractSpinBox, QComboBox, QGraphicsView)
"""What lies inside them is no stop of its own."""


def in_reading_order(root: QWidget) -> list[QWidget]:
    """Stops of Tab that are in sight: by the layouts, so down each column before the next begins."""
    return list(_within(root))


def arrange_tab_order(root: QWidget) -> None:
    """Let Tab go as one reads, from now until something is made or shown."""
    for one, following in pairwise(in_reading_order(root)):
        QWidget.setTabOrder(one, following)


def _within(widget: QWidget) -> Iterator[QWidget]:
    if widget.isHidden():
        return
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
        yield widget
    if isinstance(widget, WHOLE):
        return
    if isinstance(widget, QScrollArea):
        inside = widget.widget()
        held: list[QWidget] = [inside] if inside is not None else []
    elif isinstance(widget, QStackedWidget):
        page = widget.currentWidget()
        held = [page] if page is not None else []
    else:
        held = list(_laid_out(widget.layout()))
        placed = set(held)
        held += [child for child in widget.children()
                 if isinstance(child, QWidget) and not child.isWindow() and child not in placed]
    for child in held:
        yield from _within(child)


def _laid_out(layout: QLayout | None) -> Iterator[QWidget]:
    for number in range(layout.count() if layout is not None else 0):
        assert layout is not None
        item = layout.itemAt(number)
        widget = item.widget() if item is not None else None
        if widget is not None:
            yield widget
        elif item is not None:
            yield from _laid_out(item.layout())
