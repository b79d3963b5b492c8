"""The two gauges."""

from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ui.theme import Theme
from ui.viewmodels.gauges import TITLES, Gauge
from ui.widgets.card import Card
from ui.widgets.gauge import GaugeView
from ui.widgets.text import label

GAUGE_CARD_HEIGHT = 258


class GaugeCard(Card):
    """One phase: its gauge, and what limits it as a pill at the top."""

    def __init__(self, theme: Theme, phase: str, parent: QWidget | None = None) -> None:
        super().__init__(next(title for key, title in TITLES.items() if key == phase), parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(GAUGE_CARD_HEIGHT)
        self.heading.set_short(phase.upper())
        self._pill: QLabel = label(role="pill", tone=phase)
        self.head.addWidget(self._pill)
        self._pill.hide()
        self.gauge = GaugeView(theme)
        self.body.addWidget(self.gauge)

    def show_gauge(self, state: Gauge) -> None:
        """Show this state."""
        self._pill.setText(state.pill)
        self._pill.setToolTip(state.pill_tip)
        self._pill.setVisible(bool(state.pill))
        self.gauge.show_gauge(state)
