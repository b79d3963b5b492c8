"""The two gauges."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from advisor.core.translation import tr
from ui.theme import Theme
from ui.viewmodels.gauges import TITLES, Gauge
from ui.widgets.card import Card
from ui.widgets.gauge import GaugeView
from ui.widgets.text import label

GAUGE_CARD_HEIGHT = 258
PILL_EDGES_PX = 56


class GaugeCard(Card):
    """One phase: its gauge, and what limits it as a pill at the top."""

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
        self._state = state
        self._pill.setToolTip("\n".join(filter(None, (state.pill, state.pill_tip))))
        self._pill.setAccessibleName(state.pill)
        self._pill.setVisible(bool(state.pill))
        self._choose_pill()
        self.gauge.show_gauge(state)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self._choose_pill()

    def _choose_pill(self) -> None:
        """The short words where the long ones would leave no room for the phase's name."""
        if self._state is None:
            return
        heading = self.heading.fontMetrics().horizontalAdvance(str(self._state.phase).upper())
        long = self._pill.fontMetrics().horizontalAdvance(self._state.pill)
        room = self.contentsRect().width() - heading - long
        self._pill.setText(self._state.pill if room > PILL_EDGES_PX else self._state.pill_short)
