"""The two gauges, side by side."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from advisor.core.translation import tr
from ui.theme import Theme
from ui.theme.metrics import GAP
from ui.viewmodels.gauges import TITLES, Gauge
from ui.widgets.card import Card
from ui.widgets.gauge import GaugeView
from ui.widgets.text import label

GAUGE_CARD_HEIGHT = 258
PILL_EDGES_PX = 56


class GaugeCard(Card):
    """One phase: its gauge, and what limits it as a pill at the top."""

    pill_changed = Signal()

    def __init__(self, theme: Theme, phase: str, parent: QWidget | None = None) -> None:
        title = tr(next(title for key, title in TITLES.items() if key == phase))
        super().__init__(title, parent)
        self.setAccessibleName(title.capitalize())
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(GAUGE_CARD_HEIGHT)
        self.heading.set_short(phase.upper())
        self._pill: QLabel = label(role="pill", tone=phase)
        self.head.addWidget(self._pill)
        self._pill.hide()
        self._state: Gauge | None = None
        self.gauge = GaugeView(theme)
        self.body.addWidget(self.gauge)

    def show_gauge(self, state: Gauge) -> None:
        """Show this state."""
        before, self._state = self._state, state
        self.gauge.show_gauge(state)
        if before is not None and (before.pill, before.pill_tip) == (state.pill, state.pill_tip):
            return  # while it is measured the gauge alone moves, ten times a second
        self._pill.setToolTip("\n".join(filter(None, (state.pill, state.pill_tip))))
        self._pill.setAccessibleName(state.pill)
        self._pill.setVisible(bool(state.pill))
        self.pill_changed.emit()

    @property
    def has_room(self) -> bool:
        """Whether the long words of the pill leave room for the phase's name."""
        if self._state is None:
            return True
        heading = self.heading.fontMetrics().horizontalAdvance(str(self._state.phase).upper())
        long = self._pill.fontMetrics().horizontalAdvance(self._state.pill)
        return self.contentsRect().width() - heading - long > PILL_EDGES_PX

    def show_pill(self, long: bool) -> None:
        """Say what limits the phase, in many words or in few."""
        if self._state is not None:
            self._pill.setText(self._state.pill if long else self._state.pill_short)


class Gauges(QWidget):
    """Both phases beside each other; their pills say as many words as both have room for."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.prefill = GaugeCard(theme, "prefill")
        self.decode = GaugeCard(theme, "decode")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(self.prefill, 1)
        row.addWidget(self.decode, 1)
        for card in (self.prefill, self.decode):
            card.pill_changed.connect(self._choose_pills)

    def show_gauge(self, state: Gauge) -> None:
        """Show a gauge's state in the card of its phase."""
        (self.prefill if state.phase == "prefill" else self.decode).show_gauge(state)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        # Later: a layout that is at work does not hear of a pill that is narrower now, and squeezes the name away.
        QTimer.singleShot(0, self, self._choose_pills)

    def _choose_pills(self) -> None:
        cards = (self.prefill, self.decode)
        long = all(card.has_room for card in cards)
        for card in cards:
            card.show_pill(long)
