"""The part of an engine's card that says where models go: devices, layers, experts, split, other machines."""

from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import tr
from ui.theme.metrics import GAP, SMALL_GAP
from ui.viewmodels.placing import AS_MANY_AS_FIT, PlacementForm, PlacementState
from ui.widgets.text import label

MOST_LAYERS: Final = 10_000
LAYERS_WIDTH: Final = 150
FIELD_MARGIN: Final = 6


class PlacementPanel(QWidget):
    """Shows a ``PlacementState``; ``changed`` carries a ``PlacementForm`` at each edit."""

    changed = Signal(object)
    apply_requested = Signal()
    join_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._devices: dict[str, QCheckBox] = {}
        self._note: QLabel = label("", "small", wrap=True)
        self._note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.own_choice = QCheckBox(tr("Let the engine choose its devices"))
        self._ticks = QVBoxLayout()
        self._ticks.setContentsMargins(GAP, 0, 0, 0)
        self._no_tick: QLabel = label(tr("No device is ticked: the processor computes alone."), "small")
        self.layers = QSpinBox()
        self.layers.setRange(AS_MANY_AS_FIT, MOST_LAYERS)
        self.layers.setSpecialValueText(tr("as many as fit"))
        self.layers.setProperty("role", "field")
        self.layers.setFixedWidth(LAYERS_WIDTH)
        self.layers.lineEdit().setTextMargins(FIELD_MARGIN, 0, 0, 0)
        self.layers.setValue(AS_MANY_AS_FIT)
        self.layers.setToolTip(tr("Layers of the model that go to graphics processors; 0 for none (-ngl)"))
        self.experts = QCheckBox(tr("Experts on the CPU"))
        self.experts.setToolTip(
            tr("Only a part of the experts is read for each token, so that they may lie in the "
            "computer's own memory while all else is on the card (-ot exps=CPU)")
        )
        self.split = _field("3,1", tr("Shares of the layers for the devices, in their order (-ts)"))
        self.rpc = _field("10.0.0.2:50052", tr("Addresses of llama.cpp RPC servers, with commas between them (--rpc)"))
        self.join_button = QPushButton(tr("Look for them"))
        self.apply_button = QPushButton()
        self._wrong: QLabel = label("", "small", "warning", wrap=True)
        self._build()
        self._connect()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SMALL_GAP, 0, 0)
        layout.setSpacing(SMALL_GAP)
        layout.addWidget(self._note)
        layout.addWidget(self.own_choice)
        layout.addLayout(self._ticks)
        layout.addWidget(self._no_tick)
        grid = QGridLayout()
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(SMALL_GAP)
        grid.setColumnStretch(1, 1)
        self._split_name = _named(tr("Shares"), self.split)
        servers = QHBoxLayout()
        servers.addWidget(self.rpc, 1)
        servers.addWidget(self.join_button)
        grid.addWidget(_named(tr("Layers off the CPU"), self.layers), 0, 0)
        grid.addWidget(self.layers, 0, 1, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(self._split_name, 1, 0)
        grid.addWidget(self.split, 1, 1)
        grid.addWidget(_named(tr("Other machines"), self.rpc), 2, 0)
        grid.addLayout(servers, 2, 1)
        layout.addLayout(grid)
        layout.addWidget(self.experts)
        layout.addWidget(self._wrong)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.apply_button)
        layout.addLayout(buttons)

    def _connect(self) -> None:
        self.own_choice.toggled.connect(self._edited)
        self.experts.toggled.connect(self._edited)
        self.layers.valueChanged.connect(self._edited)
        for line in (self.split, self.rpc):
            line.textEdited.connect(self._edited)
        self.rpc.returnPressed.connect(self.join_button.click)
        self.join_button.clicked.connect(self.join_requested)
        self.apply_button.clicked.connect(self.apply_requested)
        for button in (self.join_button, self.apply_button):
            button.setAutoDefault(False)

    @property
    def form(self) -> PlacementForm:
        """What is set now."""
        ticked = tuple(name for name, box in self._devices.items() if box.isChecked())
        return PlacementForm(
            self.own_choice.isChecked(), ticked, self.layers.value(), self.experts.isChecked(), self.split.text(),
            self.rpc.text(),
        )  # fmt: skip

    @property
    def controls(self) -> tuple[QWidget, ...]:
        """Everything that takes the focus, in the order of Tab."""
        return (
            self.own_choice, *self._devices.values(), self.layers, self.split, self.rpc, self.join_button,
            self.experts, self.apply_button,
        )  # fmt: skip

    def device_box(self, name: str) -> QCheckBox:
        """The tick of a device."""
        return self._devices[name]

    @Slot()
    def _edited(self) -> None:
        self.changed.emit(self.form)

    def show_placement(self, state: PlacementState, engine: str) -> None:
        """Show this state without sending it back."""
        form = state.form
        if tuple(self._devices) != tuple(one.name for one in state.devices):
            self._refill(state)
        with QSignalBlocker(self.own_choice), QSignalBlocker(self.layers), QSignalBlocker(self.experts):
            self.own_choice.setChecked(form.own_choice)
            self.layers.setValue(form.gpu_layers)
            self.experts.setChecked(form.experts_on_cpu)
        for one in state.devices:
            box = self._devices[one.name]
            with QSignalBlocker(box):
                box.setChecked(one.ticked)
            box.setText(one.words)
            box.setEnabled(not form.own_choice)
        for line, typed in ((self.split, form.split), (self.rpc, form.rpc)):
            if line.text() != typed:
                line.setText(typed)
        self._note.setText(state.note)
        self._note.setVisible(bool(state.note))
        self._no_tick.setVisible(bool(state.devices) and not form.own_choice and not form.devices)
        self._split_name.setVisible(state.can_split)
        self.split.setVisible(state.can_split)
        for control in (self.own_choice, self.layers, self.experts):
            control.setEnabled(bool(state.devices))
        self._wrong.setText(state.wrong)
        self._wrong.setVisible(bool(state.wrong))
        self.join_button.setEnabled(state.can_join)
        self.join_button.setAccessibleName(tr("Look for the RPC servers with {engine}", engine=engine))
        self.apply_button.setText(state.apply_words)
        self.apply_button.setEnabled(state.can_apply)
        self.apply_button.setToolTip(state.apply_tip)
        self.apply_button.setAccessibleName(f"{state.apply_words}: {engine}")

    def _refill(self, state: PlacementState) -> None:
        for old in self._devices.values():
            self._ticks.removeWidget(old)
            old.deleteLater()
        self._devices = {}
        for one in state.devices:
            box = QCheckBox(one.words)
            box.toggled.connect(self._edited)
            self._ticks.addWidget(box)
            self._devices[one.name] = box


def _field(example: str, tip: str) -> QLineEdit:
    line = QLineEdit()
    line.setPlaceholderText(example)
    line.setToolTip(tip)
    line.setProperty("role", "field")
    return line


def _named(words: str, one: QWidget) -> QLabel:
    named: QLabel = label(words, "muted")
    named.setBuddy(one)
    one.setAccessibleName(words)
    return named
