"""A device of a long list, found by a part of its name."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QCompleter, QWidget

from advisor.core.translation import tr
from ui.widgets.combo import roomy

WIDTH = 230


class DeviceChoice(QComboBox):
    """Its first entry leaves it to the source; ``chosen`` carries a name of the list, or "" for that entry.

    What is typed and is no name of the list gives way to the last choice.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        roomy(self)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setFixedWidth(WIDTH)
        self.setAccessibleName(tr("Device that the figures were measured on"))
        self.setToolTip(
            tr("Name the device that these figures were measured on: then it is said whether it should be that fast")
        )
        self.setVisible(False)
        self._last = 0
        self.currentIndexChanged.connect(self._choose)
        line = self.lineEdit()
        assert line is not None
        line.editingFinished.connect(self._restore)

    def offer(self, names: Sequence[str]) -> None:
        """Show these, with nothing chosen; hidden where there are none."""
        self.blockSignals(True)
        self.clear()
        self.addItem(tr("Device: as the source says"), "")
        for name in names:
            self.addItem(name, name)
        self.setCurrentIndex(0)
        self._last = 0
        self.blockSignals(False)
        finder = self.completer()
        if finder is not None:
            finder.setFilterMode(Qt.MatchFlag.MatchContains)
            finder.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.setVisible(bool(names))

    def _choose(self, index: int) -> None:
        if index < 0 or index == self._last:
            return
        self._last = index
        self.chosen.emit(self.itemData(index))

    def _restore(self) -> None:
        found = self.findText(self.currentText().strip(), Qt.MatchFlag.MatchFixedString)
        self.setCurrentIndex(found if found >= 0 else self._last)
        self.setEditText(self.itemText(self.currentIndex()))
