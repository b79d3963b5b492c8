"""What the middle shows while no model is open: what to do, and what this program does with it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from advisor.core.translation import marked, tr
from ui.viewmodels.actions import Actions
from ui.views.found import FoundPanel
from ui.widgets.card import Card
from ui.widgets.text import label

STEPS = (
    marked("Open a model. Its facts and both ceilings appear within seconds, before anything is run."),
    marked("Say what the work is. Pick a preset on the left, or move the sliders."),
    marked(
        "Press Benchmark. About a minute later you know which half is slow, what to do, and what not to buy."
    ),
)


class WelcomeView(Card):
    """The first thing anyone sees."""

    open_requested = Signal()
    sample_requested = Signal()
    server_requested = Signal()
    keys_requested = Signal()

    def __init__(self, found: FoundPanel, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.found = found
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.body.addStretch(2)
        title: QLabel = label(tr("Which half of your model is slow?"), "title", wrap=True)
        words: QLabel = label(
            tr("One request is two workloads. First the model reads your whole prompt: that is prefill, and it needs "
            "arithmetic. Then it writes one token at a time: that is decode, and it needs memory bandwidth. "
            "Open a GGUF model file, or try the sample model, to see which of the two is your problem."),
            "muted", wrap=True,
        )
        for text in (title, words):
            text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            self._centred(text)
        self.body.addSpacing(12)
        buttons = QHBoxLayout()
        open_button = QPushButton(tr("Open model…"))
        open_button.setProperty("role", "main")
        open_button.clicked.connect(self.open_requested)
        self._sample = QPushButton(tr("Try the sample"))
        self._sample.clicked.connect(self.sample_requested)
        buttons.addStretch(1)
        buttons.addWidget(open_button)
        buttons.addWidget(self._sample)
        server = QPushButton(tr("Or measure a server that runs a model"))
        server.setProperty("role", "link")
        server.setToolTip(tr("vLLM, llama-server, Ollama and others: what their users wait for (Ctrl+2)"))
        server.clicked.connect(self.server_requested)
        buttons.addStretch(1)
        self.body.addLayout(buttons)
        self._note: QLabel = label(role="small", wrap=True)
        self._note.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._centred(self._note)
        self.body.addWidget(server, 0, Qt.AlignmentFlag.AlignHCenter)
        self.body.addSpacing(18)
        self.body.setStretchFactor(self._centred(found), 20)
        self.body.addSpacing(18)
        for number, step_words in enumerate(STEPS, 1):
            step: QLabel = label(f"{number}.  {tr(step_words)}", "small", wrap=True)
            self._centred(step)
        keys = QPushButton(tr("Keyboard shortcuts"))
        keys.setProperty("role", "link")
        keys.setToolTip(tr("Everything can be done by keyboard (Ctrl+? lists the keys)"))
        keys.clicked.connect(self.keys_requested)
        self.body.addWidget(keys, 0, Qt.AlignmentFlag.AlignHCenter)
        self.body.addStretch(3)

    def show_actions(self, state: Actions) -> None:
        """Show whether the sample can be tried."""
        self._sample.setEnabled(state.sample)
        self._sample.setToolTip(state.sample_tip)
        self._note.setText(tr("or drop a file anywhere in this window. {tip}.", tip=state.sample_tip))

    def _centred(self, text: QWidget) -> QHBoxLayout:
        """In a column narrow enough to be read."""
        text.setMaximumWidth(520)
        text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        line = QHBoxLayout()
        line.addStretch(1)
        line.addWidget(text, 8)
        line.addStretch(1)
        self.body.addLayout(line)
        return line
