"""Which labels and buttons are smaller than their words.

    QT_SCALE_FACTOR=2 python -m tests.support.clipping [de]

walks every page of a window with invented figures at its smallest size, once with its own words, in English or in the
language that is named, and in English once more with words that are longer by two fifths; prints what is cut, one line
each.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QPushButton,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from ui.widgets.combo import ElidedCombo
from ui.widgets.tab_row import TabRow, widen
from ui.widgets.text import ElidedLabel

LONGER = 0.4
Cut = tuple[str, object, object]


def cut(root: QWidget) -> list[Cut]:
    """Words, size and needed size of each label, button and choice in sight that is too small for its words.

    Labels that end in … where they do not fit are not counted, nor choices that do and whose tool tip says all.
    Columns that are wider than their place are counted as well, since nothing scrolls them.
    """
    found: list[Cut] = []
    for widget in (*root.findChildren(QLabel), *root.findChildren(QPushButton), *root.findChildren(QCheckBox)):
        if not widget.isVisible() or not widget.text() or isinstance(widget, ElidedLabel):
            continue
        needed = widget.minimumSizeHint()
        if isinstance(widget, QLabel) and widget.wordWrap():
            height = widget.heightForWidth(widget.width())
            if widget.height() < height:
                found.append((widget.text(), widget.height(), height))
        elif widget.width() < needed.width() or widget.height() < needed.height():
            found.append((widget.text(), widget.size().toTuple(), needed.toTuple()))
    for area in root.findChildren(QScrollArea):
        inner, room = area.widget(), area.viewport().width()
        still = area.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if area.isVisible() and inner is not None and still and not isinstance(area.parent(), TabRow):
            found += [(f"column {type(area).__name__}", room, inner.width())] if inner.width() > room else []
    for box in root.findChildren(QComboBox):
        if box.isVisible() and box.currentText():
            option = QStyleOptionComboBox()
            box.initStyleOption(option)
            control, field = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
            room = box.style().subControlRect(control, option, field, box).width()
            words = box.fontMetrics().horizontalAdvance(box.currentText())
            told = isinstance(box, ElidedCombo) and box.currentText() in box.toolTip()  # it ends in …
            if room < words and not told:
                found.append((box.currentText(), room, words))
    return found


def lengthen(root: QWidget) -> None:
    """Make the words of every button, and of every label that wraps, longer by two fifths."""
    for widget in (*root.findChildren(QLabel), *root.findChildren(QPushButton)):
        text = widget.text()
        if text and (isinstance(widget, QPushButton) or widget.wordWrap()):
            longer = text + " " + "lo " * round(len(text) * LONGER / 3)
            widget.setText(longer)
            if widget.property("role") == "tab":
                widen(widget, longer)


def main() -> int:
    from advisor.core.translation import ENGLISH
    from advisor.session.window_settings import WindowSettings
    from tests.support.fake_engines import FakeEngines
    from tests.support.fake_history import FakeHistory
    from tests.support.fake_pipeline import FakePipeline, answer
    from tests.support.fake_shopping import FakeShopping
    from tests.support.screenshots import wait
    from ui.__main__ import Parts, _application
    from ui.bridge.activity import Activity
    from ui.bridge.doors import Doors
    from ui.shell.main_window import SMALLEST
    from ui.shell.toolbar import CHOOSE, COMPUTER, HISTORY, SERVER, UPGRADES

    qt = _application()
    language = sys.argv[1] if len(sys.argv) > 1 else ENGLISH
    settings = WindowSettings(theme="light", language=language)
    parts = Parts(Doors(lambda: FakePipeline(), answer, {}, engines=FakeEngines().doors(), history=FakeHistory,
                        shopping=FakeShopping().doors()), settings=settings)
    window = parts.window
    window.resize(*SMALLEST)
    window.show()
    parts.begin()
    wait(lambda: window.loader.is_ready)
    parts.engine.open_model(Path("/models/m.gguf"))
    wait(lambda: parts.engine.activity is Activity.IDLE and not parts.engine.busy)
    for begin in (parts.engine.benchmark, parts.engine.measure_streams, parts.engine.measure_stutter):
        begin()
        wait(lambda: parts.engine.activity is Activity.IDLE and not parts.engine.busy)
    window.show_place(UPGRADES)
    wait(lambda: window.upgrades.table.model().rowCount() > 0)
    window.show_place(CHOOSE)
    parts.choices.measure()
    wait(lambda: window.choose.table.model().rowCount() > 0)
    window.show_place(HISTORY)
    wait(lambda: parts.runs.rowCount() > 0)
    window.history.table.selectRow(0)
    wait(lambda: window.history.card.number is not None)
    window.engines.open_beside()
    wait(lambda: bool(parts.engines.state.engines) and not parts.engines.state.looking)
    window.keys.open_beside()
    found = set()
    for words in ("own", "longer") if language == ENGLISH else ("own",):
        if words == "longer":
            places = window.page, window.server, window.upgrades, window.choose, window.history
            for root in (*places, window.engines, window.keys):
                lengthen(root)
        pages = [(COMPUTER, number) for number in range(len(window.page.middle.tabs.titles))]
        for place, tab in (*pages, (SERVER, 0), (UPGRADES, 0), (CHOOSE, 0), (HISTORY, 0)):
            window.show_place(place)
            window.page.middle.tabs.show_page(tab)
            for _ in range(20):  # a layout hears of new heights over a few turns
                qt.processEvents()
            found |= {f"{words}, place {place}, page {tab}: {one}" for one in cut(window)}
    assert round(window.devicePixelRatioF(), 2) == float(os.environ.get("QT_SCALE_FACTOR", "1"))
    print("\n".join(sorted(found)))
    for dialog in (window.engines, window.keys):
        dialog.close()
    window.close()
    wait(lambda: not window.isVisible())
    parts.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
