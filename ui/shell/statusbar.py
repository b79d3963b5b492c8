"""The status bar: phase, progress and time left at the left, warnings and the engine at the right."""

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from advisor.core.translation import tr
from ui.theme.metrics import STATUS_HEIGHT
from ui.viewmodels.status import Status
from ui.widgets.text import ElidedLabel, label

PROGRESS_STEPS = 1000
PROGRESS_WIDTH = 180


class StatusBar(QWidget):
    """Shows a ``Status``; the phase is announced to screen readers when it changes."""

    engines_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusbar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(STATUS_HEIGHT)
        self._state: Status | None = None
        self._mark = label("○")
        self._phase = label()
        self._progress = QProgressBar()
        self._progress.setRange(0, PROGRESS_STEPS)
        self._progress.setTextVisible(False)
        self._progress.setFixedWidth(PROGRESS_WIDTH)
        self._progress.setAccessibleName(tr("Progress"))
        self._left = label()
        self._warning = ElidedLabel()
        self._warning.setProperty("tone", "warning")
        self._warning.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._engine = QPushButton()
        self._engine.setProperty("role", "link")
        self._engine.setAccessibleDescription(tr("See the engines on this computer, and choose one"))
        self._engine.clicked.connect(self.engines_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 0, 14, 0)
        layout.setSpacing(8)
        layout.addWidget(self._mark)
        layout.addWidget(self._phase)
        layout.addSpacing(6)
        layout.addWidget(self._progress)
        layout.addSpacing(6)
        layout.addWidget(self._left)
        layout.addWidget(self._warning, 1)
        layout.addSpacing(6)
        layout.addWidget(self._engine)

    @property
    def phase(self) -> str:
        """The words at the left."""
        return self._phase.text()

    def show_status(self, state: Status) -> None:
        """Show this state; while something runs it comes ten times a second, so what stays is left alone."""
        before, self._state = self._state, state
        changed = self._phase.text() != state.phase
        if state.fraction is not None:
            self._progress.setValue(round(state.fraction * PROGRESS_STEPS))
        shown_before = before is not None and (before.fraction is None) == (state.fraction is None)
        if before is not None and shown_before and replace(before, fraction=state.fraction) == state:
            return
        self._mark.setText("●" if state.busy else "○")
        self._phase.setText(state.phase)
        self._progress.setVisible(state.fraction is not None)
        self._progress.setAccessibleDescription(f"{state.phase}. {state.left}" if state.fraction is not None else "")
        self._left.setText(state.left)
        self._warning.set_text(state.warning)
        self._engine.setText(state.engine)
        self._engine.setToolTip(state.engine_tip)
        if changed and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleEvent(self._phase, QAccessible.Event.NameChanged))
