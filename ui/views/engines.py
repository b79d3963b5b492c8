"""The engines to choose from: a window beside the main one, with a card for each."""

from itertools import pairwise
from pathlib import Path
from typing import Final

from PySide6.QtCore import QDir, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import marked, tr
from ui.theme.metrics import GAP, SMALL_GAP
from ui.viewmodels.engines import EngineRow, EnginesState
from ui.views.placing import PlacementPanel
from ui.widgets.text import ElidedLabel, label, set_tone

WIDTH: Final = 640
HEIGHT: Final = 560
ABOUT: Final = marked(
    "The engine is the llama.cpp that measures. A build for your graphics card in another Python environment, or "
    "llama.cpp's own programs, can measure here without being installed again."
)


class EngineCard(QFrame):
    """One engine; its widgets stay while what they say changes, so that the focus does too."""

    check_requested = Signal(str)
    use_requested = Signal(str)
    join_requested = Signal(str)
    placement_changed = Signal(str, object)

    def __init__(self, row: EngineRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._row = row
        self._title: QLabel = label("", "strong")
        self._used: QLabel = label(tr("In use"), "pill", "decode")
        self._kind = ElidedLabel("", "small")
        self._what: QLabel = label("", wrap=True)
        self._devices: QLabel = label("", "small", wrap=True)
        self._check: QLabel = label("", wrap=True)
        self._path = ElidedLabel("", "small")
        self.more_button = QPushButton(tr("Where models go"))
        self.more_button.setProperty("role", "link")
        self.more_button.setCheckable(True)
        self.panel = PlacementPanel()
        self.panel.hide()
        self.check_button = QPushButton(tr("Check"))
        self.use_button = QPushButton(tr("Use"))
        head = QHBoxLayout()
        head.setSpacing(SMALL_GAP)
        head.addWidget(self._title)
        head.addWidget(self._kind, 1)
        head.addWidget(self._used, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self.check_button)
        head.addWidget(self.use_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, GAP, GAP)
        layout.setSpacing(3)
        layout.addLayout(head)
        for widget in (self._what, self._devices, self._path, self._check):
            layout.addWidget(widget)
        line = QHBoxLayout()
        line.addWidget(self.more_button)
        line.addStretch(1)
        layout.addLayout(line)
        layout.addWidget(self.panel)
        self.more_button.toggled.connect(self.panel.setVisible)
        self.panel.changed.connect(lambda form: self.placement_changed.emit(self._row.id, form))
        self.panel.apply_requested.connect(lambda: self.use_requested.emit(self._row.id))
        self.panel.join_requested.connect(lambda: self.join_requested.emit(self._row.id))
        self.check_button.clicked.connect(lambda: self.check_requested.emit(self._row.id))
        self.use_button.clicked.connect(lambda: self.use_requested.emit(self._row.id))
        self.show_row(row)

    def show_row(self, row: EngineRow) -> None:
        """Show this state."""
        self._row = row
        self.setAccessibleName(row.title)
        self.setAccessibleDescription(row.spoken)
        set_tone(self, "decode" if row.used else "", "edge")
        self._title.setText(row.title)
        self._used.setVisible(row.used)
        self._kind.set_text(row.kind)
        self._what.setText(row.what)
        set_tone(self._what, row.tone)
        self._devices.setText("\n".join(row.devices))
        self._devices.setVisible(bool(row.devices))
        self._path.set_text(row.path)
        self._check.setText(row.check)
        self._check.setVisible(bool(row.check))
        set_tone(self._check, row.check_tone)
        self.check_button.setText(tr("Stop") if row.checking else tr("Check"))
        self.check_button.setEnabled(row.can_check)
        self.check_button.setToolTip(row.check_tip)
        self.check_button.setAccessibleName(tr("{check} {engine}", check=self.check_button.text(), engine=row.title))
        self.check_button.setAccessibleDescription(f"{row.check_tip}. {row.check}".strip())
        if row.used and self.use_button.hasFocus():
            self.check_button.setFocus()  # Qt would send it to another card
        self.use_button.setVisible(not row.used)
        self.use_button.setEnabled(row.can_use)
        self.use_button.setToolTip(row.use_tip)
        self.use_button.setAccessibleName(tr("Use {engine}", engine=row.title))
        self.more_button.setAccessibleName(tr("Where models go with {engine}", engine=row.title))
        self.more_button.setVisible(row.placement is not None)
        self.panel.setVisible(row.placement is not None and self.more_button.isChecked())
        if row.placement is not None:
            self.panel.show_placement(row.placement, row.title)

    @property
    def controls(self) -> tuple[QWidget, ...]:
        """Everything that takes the focus, in the order of Tab."""
        return self.check_button, self.use_button, self.more_button, *self.panel.controls


class EnginesDialog(QDialog):
    """The list; ``shown`` tells when it comes and goes, since engines are asked only while someone looks.

    Escape closes it, and with it ends a check.
    """

    shown = Signal(bool)
    check_requested = Signal(str)
    use_requested = Signal(str)
    join_requested = Signal(str)
    placement_changed = Signal(str, object)
    folder_picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Engines"))
        self.setModal(False)
        self.resize(WIDTH, HEIGHT)
        self._cards: dict[str, EngineCard] = {}
        self._heading = ElidedLabel("", "strong")
        self._remark: QLabel = label("", tone="warning", wrap=True)
        self._remark.hide()
        self._list = QVBoxLayout()
        self._list.setSpacing(GAP)
        column = QWidget()
        column.setObjectName("column")
        inner = QVBoxLayout(column)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addLayout(self._list)
        inner.addStretch(1)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(column)
        self.add_button = QPushButton(tr("Add a folder…"))
        self.add_button.setToolTip(
            tr("A virtual or conda environment with llama_cpp, or the folder of a llama.cpp build")
        )
        self.close_button = QPushButton(tr("Close"))
        for button in (self.add_button, self.close_button):
            button.setAutoDefault(False)
        buttons = QHBoxLayout()
        buttons.addWidget(self.add_button)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, GAP, GAP)
        layout.setSpacing(GAP)
        layout.addWidget(label(tr(ABOUT), "muted", wrap=True))
        layout.addWidget(self._heading)
        layout.addWidget(self._area, 1)
        layout.addWidget(self._remark)
        layout.addLayout(buttons)
        self.add_button.clicked.connect(self._choose_folder)
        self.close_button.clicked.connect(self.close)

    @Slot()
    def open_beside(self) -> None:
        """Show it, or bring it to the front."""
        self.show()
        self.raise_()
        self.activateWindow()

    @Slot(object)
    def show_engines(self, state: EnginesState) -> None:
        """Show these engines."""
        self._heading.set_text(state.heading)
        self._remark.setText(state.remark)
        self._remark.setVisible(bool(state.remark))
        for gone in self._cards.keys() - {row.id for row in state.rows}:
            card = self._cards.pop(gone)
            self._list.removeWidget(card)
            card.deleteLater()
        before, new = len(self._cards), None
        controls = [control for card in self._cards.values() for control in card.controls]
        for place, row in enumerate(state.rows):
            if row.id in self._cards:
                self._cards[row.id].show_row(row)
            else:
                new = self._cards[row.id] = self._card(row, place)
        if controls != [control for row in state.rows for control in self._cards[row.id].controls]:
            self._order([self._cards[row.id] for row in state.rows])
        if new is not None and before:
            self._bring_in(new)

    def _bring_in(self, card: EngineCard) -> None:
        # It has its place only when the layout has been done.
        QTimer.singleShot(0, card, lambda: self._area.ensureWidgetVisible(card))

    def card(self, chosen: str) -> EngineCard:
        """The card of the engine of that id."""
        return self._cards[chosen]

    def _card(self, row: EngineRow, place: int) -> EngineCard:
        card = EngineCard(row)
        card.check_requested.connect(self.check_requested)
        card.use_requested.connect(self.use_requested)
        card.join_requested.connect(self.join_requested)
        card.placement_changed.connect(self.placement_changed)
        card.more_button.toggled.connect(lambda on: self._bring_in(card) if on else None)
        for button in (card.check_button, card.use_button, card.more_button):
            button.setAutoDefault(False)
        self._list.insertWidget(place, card)
        return card

    def _order(self, cards: list[EngineCard]) -> None:
        """Tab goes down the list and then to the buttons, although the cards were made after these."""
        chain: list[QWidget] = [control for card in cards for control in card.controls]
        chain += [self.add_button, self.close_button]
        for one, following in pairwise(chain):
            QWidget.setTabOrder(one, following)

    @Slot()
    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, tr("Add an engine's folder"), QDir.homePath())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._picked)
        dialog.open()

    @Slot(str)
    def _picked(self, name: str) -> None:
        self.folder_picked.emit(Path(name))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        super().showEvent(event)
        self.close_button.setFocus()
        self.shown.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: D102
        super().hideEvent(event)
        self.shown.emit(False)
