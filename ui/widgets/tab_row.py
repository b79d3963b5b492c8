"""A row of tab buttons that may be narrower than its tabs: two arrows then scroll it."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QPushButton, QScrollArea, QToolButton, QWidget

from advisor.core.translation import tr
from ui.theme.metrics import TEXT_PX

TAB_PADDING = 10
SPACING = 2
SHOWN_MARGIN = 24
"""Pixels of the next tab that stay in sight, so that one sees that there are more."""
LEAST_WIDTH = 160


def make_tab(tab: QPushButton, title: str) -> None:
    """Make the button one of several of which one is chosen, to screen readers too."""
    tab.setProperty("role", "tab")
    tab.setCheckable(True)
    tab.setAutoExclusive(True)  # else it is read as a box to tick
    widen(tab, title)


def widen(tab: QPushButton, title: str) -> None:
    """Room for the title in bold, which the chosen tab has."""
    bold = QFont(tab.font())
    bold.setPixelSize(TEXT_PX)
    bold.setBold(True)
    tab.setMinimumWidth(QFontMetrics(bold).horizontalAdvance(title) + TAB_PADDING)


class TabRow(QWidget):
    """Buttons of which one is chosen; the chosen one and the one with the keyboard's focus are scrolled into sight."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._group.idClicked.connect(self._choose)
        self._inner = QWidget()
        self._inner.setObjectName("column")
        self._tabs = QHBoxLayout(self._inner)
        self._tabs.setContentsMargins(0, 0, 0, 0)
        self._tabs.setSpacing(SPACING)
        self._area = QScrollArea()
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidgetResizable(True)
        self._area.setWidget(self._inner)
        self._area.setMinimumWidth(1)
        self._arrows = (self._arrow("‹", tr("Earlier pages"), -1), self._arrow("›", tr("Further pages"), 1))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._area, 1)
        for arrow in self._arrows:
            layout.addWidget(arrow)
        self._tabs.addStretch(1)
        self._area.horizontalScrollBar().valueChanged.connect(self._settle)
        self._area.horizontalScrollBar().rangeChanged.connect(self._keep_in_sight)

    def add_tab(self, title: str, whole_title: str = "") -> None:
        """Append a tab; a short title leaves the whole one to the tool tip."""
        number = len(self._group.buttons())
        tab = QPushButton(title)
        make_tab(tab, title)
        tab.setChecked(number == 0)
        tab.setAccessibleName(tr("{title}, page {number}", title=whole_title or title, number=number + 1))
        tab.setToolTip(whole_title)
        tab.installEventFilter(self)
        self._group.addButton(tab, number)
        self._tabs.insertWidget(self._tabs.count() - 1, tab)

    @property
    def titles(self) -> tuple[str, ...]:
        """In order."""
        return tuple(tab.text() for tab in self._group.buttons())

    def choose(self, number: int) -> None:
        """Turn to a tab, counted from 0."""
        self._group.button(number).setChecked(True)
        self._choose(number)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: D102
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, QWidget):
            self._area.ensureWidgetVisible(watched, SHOWN_MARGIN, 0)
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(LEAST_WIDTH, self._inner.minimumSizeHint().height())

    def sizeHint(self) -> QSize:  # noqa: D102
        return self._inner.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self._settle()

    def _keep_in_sight(self) -> None:
        """The row has more or less room, as when its arrows came: the chosen tab stays whole."""
        if (tab := self._group.checkedButton()) is not None:
            self._area.ensureWidgetVisible(tab, SHOWN_MARGIN, 0)
        self._settle()

    def _choose(self, number: int) -> None:
        self._area.ensureWidgetVisible(self._group.button(number), SHOWN_MARGIN, 0)
        self.chosen.emit(number)

    def _arrow(self, sign: str, name: str, way: int) -> QToolButton:
        arrow = QToolButton()
        arrow.setText(sign)
        arrow.setProperty("role", "arrow")
        arrow.setAccessibleName(name)
        arrow.setToolTip(name)
        arrow.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the tabs themselves are reached by keyboard
        arrow.hide()
        arrow.clicked.connect(lambda: self._scroll(way))
        return arrow

    def _scroll(self, way: int) -> None:
        bar = self._area.horizontalScrollBar()
        bar.setValue(bar.value() + way * self._area.viewport().width() // 2)

    def _settle(self) -> None:
        """Arrows where the tabs need more than the row has, each enabled where there is more on its side."""
        narrow = self._inner.minimumSizeHint().width() > self.width()
        bar = self._area.horizontalScrollBar()
        for arrow, more in zip(self._arrows, (bar.value() > 0, bar.value() < bar.maximum()), strict=True):
            arrow.setVisible(narrow)
            arrow.setEnabled(more)
