"""The form of the page *Server*: where it is, what will be sent, what its users may feel, Measure and Stop."""

from typing import Final

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from advisor.core.translation import tr
from ui.viewmodels.server import ServerForm, ServerState
from ui.widgets.card import Card, rule
from ui.widgets.combo import roomy
from ui.widgets.form_rows import add_rows, named
from ui.widgets.text import label

MILLI: Final = 1000
MOST_USERS: Final = 64
LONGEST_PROMPT: Final = 131_072
LONGEST_S: Final = 3600
FIELD_WIDTH: Final = 112
FIELD_MARGIN: Final = 6


class FormCard(Card):
    """``changed`` with a ``ServerForm`` at each edit; the key stays in its field and goes nowhere else."""

    changed = Signal(object)
    measure_requested = Signal()
    stop_requested = Signal()

    def __init__(self, form: ServerForm, parent: QWidget | None = None) -> None:
        super().__init__(tr("Server"), parent)
        self.address = QLineEdit(form.address)
        self.address.setPlaceholderText("http://127.0.0.1:8080")
        self.model = roomy(QComboBox())
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.model.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.model.setMinimumContentsLength(8)
        self.key = QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText(tr("only if the server wants one"))
        self.key.setToolTip(tr("Kept in memory only: it is not saved and not written to any report"))
        for line in (self.address, self.key):
            line.setProperty("role", "field")
        self.insecure = QCheckBox(tr("Take any certificate"))
        self.insecure.setToolTip(tr("For a server of your own whose certificate is signed by itself"))
        self.users = _whole(form.users, 0, MOST_USERS, "", tr("none"))
        self.long_prompt = _whole(form.long_prompt_tokens, 0, LONGEST_PROMPT, tr(" tokens"), tr("none"))
        self.long_prompt.setSingleStep(512)
        self.time = _whole(form.time_s, 5, LONGEST_S, " s")
        self.stall = _whole(round(form.stall_s * MILLI), 1, 60_000, " ms")
        self.stall.setSingleStep(50)
        self.wait = _whole(round(form.wait_s), 1, LONGEST_S, " s")
        self.slowest = QDoubleSpinBox()
        self.slowest.setDecimals(1)
        self.slowest.setRange(0.1, 1000.0)
        self.slowest.setValue(form.slowest_tokens_per_s)
        self.slowest.setSuffix(tr(" tok/s"))
        _plain(self.slowest)
        self._load: QLabel = label(role="small", wrap=True)
        self._why: QLabel = label(role="small", wrap=True)
        self.measure_button = QPushButton(tr("▶ Measure"))
        self.measure_button.setProperty("role", "main")
        self.measure_button.setAccessibleName(tr("Measure the server"))
        self.stop_button = QPushButton(tr("■ Stop"))
        self.stop_button.setAccessibleName(tr("Stop measuring the server"))
        self.stop_button.setToolTip(tr("End the measurement; what was measured is kept (Esc)"))
        self.model.setEditText(form.model)
        self.key.setText(form.key)
        self.insecure.setChecked(form.insecure)
        self._build()
        self._connect()

    def _build(self) -> None:
        for words, wide in ((tr("Address"), self.address), (tr("Model"), self.model), (tr("Key"), self.key)):
            self.body.addWidget(named(words, wide))
            self.body.addWidget(wide)
        self.body.addWidget(self.insecure)
        self.body.addWidget(rule())
        add_rows(self.body, tr("WHAT IS SENT"), (
            (tr("Users, up to"), self.users), (tr("Long prompt"), self.long_prompt), (tr("Time"), self.time),
        ))  # fmt: skip
        self.body.addWidget(self._load)
        buttons = QHBoxLayout()
        buttons.addWidget(self.measure_button, 1)
        buttons.addWidget(self.stop_button)
        self.body.addLayout(buttons)
        self.body.addWidget(self._why)
        self.body.addWidget(rule())
        add_rows(self.body, tr("WHAT USERS MAY FEEL"), (
            (tr("Longest pause"), self.stall), (tr("Longest wait"), self.wait), (tr("Slowest stream"), self.slowest),
        ))  # fmt: skip

    def _connect(self) -> None:
        for line in (self.address, self.key):
            line.textEdited.connect(self._edited)
            line.returnPressed.connect(self.measure_requested)
        self.model.editTextChanged.connect(self._edited)
        self.insecure.toggled.connect(self._edited)
        for number in (self.users, self.long_prompt, self.time, self.stall, self.wait, self.slowest):
            number.valueChanged.connect(self._edited)
        self.measure_button.clicked.connect(self.measure_requested)
        self.stop_button.clicked.connect(self.stop_requested)

    @property
    def form(self) -> ServerForm:
        """What is typed now."""
        return ServerForm(
            self.address.text(), self.model.currentText(), self.key.text(), self.insecure.isChecked(),
            self.users.value(), self.long_prompt.value(), self.time.value(), self.stall.value() / MILLI,
            float(self.wait.value()), self.slowest.value(),
        )  # fmt: skip

    @Slot()
    def _edited(self) -> None:
        self.changed.emit(self.form)

    def show_state(self, state: ServerState) -> None:
        """Show what can be done now, what will be sent, and the server's models once they are known."""
        self._load.setText(state.load)
        self._why.setText("" if state.can_measure or state.can_stop else state.measure_tip)
        self._why.setVisible(bool(self._why.text()))
        # The focus goes to the button that is useful next; Qt would send it across the window.
        self.stop_button.setEnabled(state.can_stop or self.stop_button.hasFocus())
        if self.measure_button.hasFocus() and not state.can_measure and state.can_stop:
            self.stop_button.setFocus()
        self.measure_button.setEnabled(state.can_measure)
        self.measure_button.setToolTip(state.measure_tip)
        if self.stop_button.hasFocus() and not state.can_stop and state.can_measure:
            self.measure_button.setFocus()
        self.stop_button.setEnabled(state.can_stop)
        held = tuple(self.model.itemText(index) for index in range(self.model.count()))
        if held != state.models:
            typed = self.model.currentText()
            with QSignalBlocker(self.model):
                self.model.clear()
                self.model.addItems(state.models)
                self.model.setEditText(typed)
        line = self.model.lineEdit()
        if line is not None:
            line.setPlaceholderText(state.model_hint or tr("the server’s first"))


def _plain(box: QAbstractSpinBox) -> None:
    """Without arrows, which the arrow keys and the wheel stand in for."""
    box.setAccelerated(True)
    box.setProperty("role", "field")
    box.lineEdit().setTextMargins(FIELD_MARGIN, 0, 0, 0)  # a style sheet's padding does not move a spin box's number
    box.setFixedWidth(FIELD_WIDTH)


def _whole(value: int, least: int, most: int, unit: str, none: str = "") -> QSpinBox:
    box = QSpinBox()
    box.setRange(least, most)
    box.setValue(value)
    box.setSuffix(unit)
    box.setSpecialValueText(none)
    box.setGroupSeparatorShown(True)
    _plain(box)
    return box
