"""The left column: machine, model and workload."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from advisor.core.translation import tr
from ui.theme import Theme
from ui.theme.metrics import GAP
from ui.viewmodels.machine_card import MachineCard
from ui.viewmodels.model_card import ModelCard
from ui.viewmodels.workload import Quantity, WorkloadCard
from ui.widgets.card import Card
from ui.widgets.combo import ElidedCombo
from ui.widgets.rows import Rows
from ui.widgets.share_bar import ShareBar
from ui.widgets.sliders import QuantitySlider
from ui.widgets.text import ElidedLabel, label


class MachineView(Card):
    """What this computer is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("This machine"), parent)
        self._waiting = label(role="muted", wrap=True)
        self._rows = Rows()
        self.body.addWidget(self._waiting)
        self.body.addWidget(self._rows)

    def show_machine(self, state: MachineCard) -> None:
        """Show this state."""
        self._waiting.setText(state.waiting)
        self._waiting.setVisible(bool(state.waiting))
        self._rows.show_rows(state.rows)


class ModelView(Card):
    """What the file holds and what a token costs."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(tr("Model"), parent)
        self._empty: QLabel = label(tr("No model is open. Open a GGUF file, drop one here, or try the sample."),
                                    "muted", wrap=True)
        self._name = ElidedLabel(role="strong")
        self._summary: QLabel = label(role="small", wrap=True)
        self._bar = ShareBar(theme)
        self._types: QLabel = label(role="small", wrap=True)
        self._rows = Rows()
        self._notes: QLabel = label(role="small", wrap=True)
        for widget in (self._empty, self._name, self._summary, self._bar, self._types, self._rows, self._notes):
            self.body.addWidget(widget)
        self.show_model(ModelCard())

    def show_model(self, state: ModelCard) -> None:
        """Show this state."""
        there = bool(state.name)
        self._empty.setVisible(not there)
        for widget in (self._name, self._summary, self._bar, self._rows):
            widget.setVisible(there)
        self._types.setVisible(bool(state.shares_text))
        self._bar.setVisible(bool(state.shares))
        self._notes.setVisible(bool(state.notes))
        self._name.set_text(state.name, state.path)
        self._summary.setText(state.summary)
        self._bar.show_shares(state.shares, state.shares_text)
        self._types.setText(state.shares_text)
        self._rows.show_rows(state.rows)
        self._notes.setText("\n".join(f"• {note}" for note in state.notes))


class WorkloadView(Card):
    """What the work is: a preset, or one's own numbers; below them the comfort line, which unfolds to its two."""

    preset_chosen = Signal(str)
    quantity_changed = Signal(str, int)
    kept_changed = Signal(bool)
    count_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Your workload"), parent)
        self._presets = ElidedCombo()
        self._presets.setAccessibleName(tr("Workload preset"))
        self.body.addWidget(self._presets)
        self._sliders: dict[str, QuantitySlider] = {}
        self._numbers = QVBoxLayout()
        self._numbers.setSpacing(self.body.spacing())
        self.body.addLayout(self._numbers)
        self._kept = QCheckBox(tr("My program keeps the chat"))
        self._kept.setToolTip(tr("What was read in one turn is not read again in the next"))
        self.body.addWidget(self._kept)
        self._count = QPushButton(tr("Count a prompt file…"))
        self._count.setProperty("role", "link")
        line = QHBoxLayout()
        line.addWidget(self._count)
        line.addStretch(1)
        self.body.addLayout(line)
        self._comfort: QLabel = label(role="small", wrap=True)
        self.body.addWidget(self._comfort)
        self._change = QPushButton(tr("Change the comfort line"))
        self._change.setProperty("role", "link")
        self._change.setCheckable(True)
        line = QHBoxLayout()
        line.addWidget(self._change)
        line.addStretch(1)
        self.body.addLayout(line)
        self._line = QWidget()
        self._line_numbers = QVBoxLayout(self._line)
        self._line_numbers.setContentsMargins(0, 0, 0, 0)
        self.body.addWidget(self._line)
        self._line.hide()
        self._presets.activated.connect(self._chosen)
        self._kept.toggled.connect(self.kept_changed)
        self._count.clicked.connect(self.count_requested)
        self._change.toggled.connect(self._line.setVisible)

    def show_workload(self, state: WorkloadCard) -> None:
        """Show this state without sending it back."""
        with QSignalBlocker(self._presets):
            if self._presets.count() != len(state.presets):
                self._presets.clear()
                for key, title in state.presets:
                    self._presets.addItem(title, key)
            self._presets.setCurrentIndex(self._presets.findData(state.preset))
        for quantity in state.quantities:
            self._show(quantity, self._numbers)
        for quantity in state.comfort_quantities:
            self._show(quantity, self._line_numbers)
        with QSignalBlocker(self._kept):
            self._kept.setChecked(state.kept)
        self._kept.setVisible(state.kept_matters)
        self._count.setEnabled(state.can_count)
        self._count.setToolTip(state.count_tip)
        self._comfort.setText(state.comfort)

    def _show(self, quantity: Quantity, place: QVBoxLayout) -> None:
        slider = self._sliders.get(quantity.key)
        if slider is None:
            slider = self._sliders[quantity.key] = QuantitySlider()
            slider.changed.connect(self.quantity_changed)
            place.addWidget(slider)
        slider.show_quantity(quantity)

    def _chosen(self, index: int) -> None:
        self.preset_chosen.emit(self._presets.itemData(index))


class FactsColumn(QWidget):
    """Machine, model and workload, one below the other."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("column")
        self.machine = MachineView()
        self.model = ModelView(theme)
        self.workload = WorkloadView()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        for card in (self.machine, self.model, self.workload):
            layout.addWidget(card)
        layout.addStretch(1)
