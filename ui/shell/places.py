"""The places of the window as tabs, or as one list where there is little room."""

from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QComboBox, QHBoxLayout, QPushButton, QWidget

from advisor.core.translation import marked, tr
from ui.widgets.combo import roomy
from ui.widgets.tab_row import make_tab

COMPUTER: Final = 0
SERVER: Final = 1
UPGRADES: Final = 2
CHOOSE: Final = 3
HISTORY: Final = 4
OPENED: Final = 5
PLACES: Final = (
    (marked("This computer"), marked("Measure a model file on this computer (Ctrl+1)")),
    (marked("A server"), marked("Measure a server that runs somewhere (Ctrl+2)")),
    (marked("Upgrades"), marked("What other hardware would do to this model and this work (Ctrl+3)")),
    (marked("Choose"), marked("Which models this computer could run for this work (Ctrl+4)")),
    (marked("History"), marked("What was measured before (Ctrl+5)")),
    (marked("Opened"), marked("The result that was opened")),
)


class Places(QWidget):
    """``chosen`` with the number of the place that the user goes to."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        self._tabs = QButtonGroup(self)
        self._list = roomy(QComboBox())
        self._list.setAccessibleName(tr("Page"))
        self._list.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for number, (words, tip) in enumerate(PLACES):
            tab = QPushButton(tr(words))
            make_tab(tab, tr(words))
            tab.setChecked(not number)
            tab.setToolTip(tr(tip))
            self._tabs.addButton(tab, number)
            layout.addWidget(tab)
        layout.addWidget(self._list)
        self._narrow = False
        self._offered = set(range(len(PLACES)))
        self.offer(OPENED, False)
        self._tabs.idClicked.connect(self.chosen)
        self._list.activated.connect(lambda row: self.chosen.emit(self._list.itemData(row)))

    def show_place(self, number: int) -> None:
        """Say which place is shown."""
        self._tabs.button(number).setChecked(True)
        with QSignalBlocker(self._list):
            self._list.setCurrentIndex(self._list.findData(number))

    @property
    def current(self) -> int:
        """Number of the place that is shown."""
        return self._tabs.checkedId()

    @property
    def shown(self) -> QWidget:
        """The tab of the place that is shown, or the list in its stead."""
        return self._list if self._narrow else self._tabs.button(self.current)

    def offer(self, number: int, there: bool) -> None:
        """Show or hide one place."""
        self._offered = self._offered | {number} if there else self._offered - {number}
        with QSignalBlocker(self._list):
            self._list.clear()
            for each in sorted(self._offered):
                words, tip = PLACES[each]
                self._list.addItem(tr(words), each)
                self._list.setItemData(self._list.count() - 1, tr(tip), Qt.ItemDataRole.ToolTipRole)
            self._list.setCurrentIndex(self._list.findData(self.current))
        self.set_narrow(self._narrow)

    def set_narrow(self, narrow: bool) -> None:
        """A list in place of the tabs."""
        self._narrow = narrow
        for tab in self._tabs.buttons():
            tab.setVisible(not narrow and self._tabs.id(tab) in self._offered)
        self._list.setVisible(narrow)
