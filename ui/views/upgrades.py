"""The page *Upgrades*: assumptions at the left, answers in the middle, everything about one at the right."""

from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import tr, trc
from ui.theme import Theme
from ui.theme.metrics import GAP, LEFT_WIDTH, RIGHT_WIDTH, SMALL_GAP, column_width
from ui.viewmodels.upgrades_state import NETWORKS, SLOTS, UpgradesForm, UpgradesState
from ui.views.overview import ColumnScroll
from ui.widgets.answers_table import AnswersTable
from ui.widgets.card import Card, rule
from ui.widgets.combo import roomy
from ui.widgets.form_rows import add_rows, named
from ui.widgets.text import label
from ui.widgets.watched_page import WatchedPage

FIELD_WIDTH: Final = 112
FIELD_MARGIN: Final = 6
MOST_PRICE: Final = 1_000_000.0


class UpgradesPage(WatchedPage):
    """Shows an ``UpgradesState``; ``changed`` carries an ``UpgradesForm``."""

    changed = Signal(object)
    chosen = Signal(str)
    priced = Signal(str, float)

    def __init__(self, theme: Theme, form: UpgradesForm, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self.form = UpgradesFormCard(form)
        self.table = AnswersTable(tr("Changes and what they do"), theme)
        self.details = UpgradeDetails()
        self._now: QLabel = label(role="strong", wrap=True)
        self._notes: QLabel = label(role="small", tone="warning", wrap=True)
        self._empty: QLabel = label(role="muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.form.changed.connect(self.changed)
        self.table.chosen.connect(self.chosen)
        self.details.priced.connect(self.priced)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, GAP, 0)
        column.addWidget(self.form)
        column.addStretch(1)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, GAP, 0)
        column.addWidget(self.details)
        column.addStretch(1)
        answers = QFrame()
        answers.setObjectName("card")
        column = QVBoxLayout(answers)
        column.setContentsMargins(1, GAP, 1, SMALL_GAP)  # the table may be as wide as the card
        column.setSpacing(SMALL_GAP)
        for words in (self._now, self._notes):
            words.setContentsMargins(GAP, 0, GAP, 0)
        column.addWidget(self._now)
        column.addWidget(self._notes)
        column.addWidget(self.table, 1)
        self._left, self._right = ColumnScroll(left), ColumnScroll(right)
        full = QWidget()
        layout = QHBoxLayout(full)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._left)
        layout.addWidget(answers, 1)
        layout.addSpacing(GAP)
        layout.addWidget(self._right)
        self._stack = QStackedLayout()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(full)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(GAP, GAP, 0, GAP)
        outer.addLayout(self._stack)
        self.show_upgrades(UpgradesState())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        width = event.size().width()
        self._left.setFixedWidth(column_width(LEFT_WIDTH, width) + GAP)
        self._right.setFixedWidth(column_width(RIGHT_WIDTH, width) + GAP)
        super().resizeEvent(event)

    @property
    def first(self) -> QWidget:
        """What the keyboard begins with: the list that the page is for; while it is empty, the question."""
        return self.table if self.table.model().rowCount() else self.form.device

    @Slot(object)
    def show_upgrades(self, state: UpgradesState) -> None:
        """Show this state."""
        self._stack.setCurrentIndex(0 if state.empty else 1)
        self._empty.setText(state.empty)
        self._now.setText(state.now)
        self._notes.setText(" ".join(state.notes))
        self._notes.setVisible(bool(state.notes))
        self.table.show_table(state.table, state.selected)
        self.details.show_state(state)


class UpgradesFormCard(Card):
    """Every assumption that can be changed; ``changed`` with the form at each edit that is finished."""

    changed = Signal(object)

    def __init__(self, form: UpgradesForm, parent: QWidget | None = None) -> None:
        super().__init__(tr("What if"), parent)
        self.device = QLineEdit(form.device)
        self.device.setProperty("role", "field")
        self.device.setPlaceholderText("RTX 4070, Apple M4 (10-core GPU), …")
        self.device.setToolTip(tr("A card or a unified-memory machine beside those in the table; Enter asks for it"))
        self.device_memory = _decimal(4096.0, " GB", tr("as sold"))
        self.device_rate = _decimal(20_000.0, " GB/s", tr("as sold"))
        self.layers = QSpinBox()
        self.layers.setRange(-1, 999)
        self.layers.setSpecialValueText(tr("what fits"))
        self.slot = _choice(SLOTS)
        self.memory_rate = _decimal(2000.0, " GB/s", trc("what if", "unchanged"))
        self.memory_rate.setToolTip(
            tr("Rated: channels × 8 bytes × transfers; DDR5-6000 in two channels is 96 GB/s, DDR4-3200 is 51.2")
        )
        self.cores = QSpinBox()
        self.cores.setRange(0, 512)
        self.cores.setSpecialValueText(trc("what if", "unchanged"))
        self.ghz = _decimal(10.0, " GHz", trc("what if", "unchanged"))
        self.network = _choice(NETWORKS)
        self.requests = QSpinBox()
        self.requests.setRange(0, 1_000_000)
        self.requests.setSpecialValueText(tr("not said"))
        self.requests.setGroupSeparatorShown(True)
        self.years = QSpinBox()
        self.years.setRange(1, 20)
        for box in (self.layers, self.cores, self.requests, self.years):
            _plain(box)
        self._show(form)
        self.body.addWidget(named(tr("Another device"), self.device))
        self.body.addWidget(self.device)
        add_rows(self.body, "", ((tr("Its memory"), self.device_memory), (tr("Its bandwidth"), self.device_rate),
                         (tr("Layers on it"), self.layers), (tr("PCIe slot"), self.slot)))  # fmt: skip
        self.body.addWidget(rule())
        add_rows(self.body, tr("THIS MACHINE"), ((tr("Memory at"), self.memory_rate), (tr("Other cores"), self.cores),
                                     (tr("Their clock"), self.ghz)))  # fmt: skip
        self.body.addWidget(rule())
        add_rows(self.body, tr("A SECOND MACHINE"), ((tr("Network"), self.network),))
        self.body.addWidget(rule())
        add_rows(self.body, tr("MONEY"), ((tr("Requests a day"), self.requests), (tr("Years of use"), self.years)))
        self.device.editingFinished.connect(self._edited)
        for number in (self.device_memory, self.device_rate, self.memory_rate, self.ghz):
            number.valueChanged.connect(self._edited)
        for whole in (self.layers, self.cores, self.requests, self.years):
            whole.valueChanged.connect(self._edited)
        for choice in (self.slot, self.network):
            choice.currentIndexChanged.connect(self._edited)

    def _show(self, form: UpgradesForm) -> None:
        for box, figure in (
            (self.device_memory, form.device_memory_gb), (self.device_rate, form.device_gb_per_s),
            (self.memory_rate, form.memory_gb_per_s), (self.ghz, form.ghz),
        ):  # fmt: skip
            box.setValue(figure)
        for whole, number in (
            (self.layers, form.gpu_layers), (self.cores, form.cores), (self.requests, form.requests_per_day),
            (self.years, form.years),
        ):  # fmt: skip
            whole.setValue(number)
        for choice, key in ((self.slot, form.slot), (self.network, form.network)):
            choice.setCurrentIndex(max(0, choice.findData(key)))

    @property
    def form(self) -> UpgradesForm:
        """What is typed now."""
        return UpgradesForm(
            device=self.device.text(),
            device_memory_gb=self.device_memory.value(),
            device_gb_per_s=self.device_rate.value(),
            gpu_layers=self.layers.value(),
            slot=self.slot.currentData(),
            memory_gb_per_s=self.memory_rate.value(),
            cores=self.cores.value(),
            ghz=self.ghz.value(),
            network=self.network.currentData(),
            requests_per_day=self.requests.value(),
            years=self.years.value(),
        )

    @Slot()
    def _edited(self) -> None:
        self.changed.emit(self.form)


class UpgradeDetails(Card):
    """Everything about the chosen change, and the field for its price."""

    priced = Signal(str, float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(" ", parent)
        self._name = ""
        self.price = _decimal(MOST_PRICE, "", tr("price"))
        self.price.setDecimals(0)
        self.price.setGroupSeparatorShown(True)
        self.price.setAccessibleName(tr("Price of the chosen change"))
        self.price.setToolTip(tr("In whatever you pay with; prices are not known here"))
        self.head.addWidget(self.price)
        self._said: QLabel = label(wrap=True)
        self._assumed: QLabel = label(role="small", wrap=True)
        self._limits: QLabel = label(role="small", wrap=True)
        for text in (self._said, self._assumed, self._limits):
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.body.addWidget(self._said)
        self.body.addWidget(label(tr("ASSUMED"), "heading"))
        self.body.addWidget(self._assumed)
        self.body.addWidget(label(tr("WHAT THIS DOES NOT KNOW"), "heading"))
        self.body.addWidget(self._limits)
        self.price.valueChanged.connect(self._edited)

    def show_state(self, state: UpgradesState) -> None:
        """Show the chosen change."""
        self._name = state.selected
        self.heading.set_text(state.title.upper())
        self.setAccessibleName(state.title)
        self._said.setText("\n\n".join(state.sentences))
        self._assumed.setText("\n".join(f"• {name}: {value} ({source})" for name, value, source in state.assumptions))
        self._limits.setText("\n\n".join(state.limits))
        if self.price.value() != state.price:
            with QSignalBlocker(self.price):
                self.price.setValue(state.price)

    @Slot(float)
    def _edited(self, price: float) -> None:
        self.priced.emit(self._name, price)


def _decimal(most: float, unit: str, none: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setDecimals(1)
    box.setRange(0.0, most)
    box.setSuffix(unit)
    box.setSpecialValueText(none)
    box.setKeyboardTracking(False)
    _plain(box)
    return box


def _plain(box: QSpinBox | QDoubleSpinBox) -> None:
    """Without arrows, which the arrow keys and the wheel stand in for."""
    box.setAccelerated(True)
    box.setKeyboardTracking(False)
    box.setProperty("role", "field")
    box.lineEdit().setTextMargins(FIELD_MARGIN, 0, 0, 0)
    box.setFixedWidth(FIELD_WIDTH)


def _choice(words: tuple[str, ...]) -> QComboBox:
    box = roomy(QComboBox())
    box.addItem(tr("usual"), "")
    for each in words:
        box.addItem(each, each)
    box.setFixedWidth(FIELD_WIDTH)
    return box
