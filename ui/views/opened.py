"""The place *Opened*: a run of the past as it was shown when it was measured, or figures of other tools."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from advisor.core.translation import tr
from ui.charts.loader import ChartLoader
from ui.theme import Theme
from ui.theme.metrics import GAP, SMALL_GAP
from ui.viewmodels.opened import Banner, ImportedCard
from ui.viewmodels.screen import Screen
from ui.views.overview import ColumnScroll, OverviewPage
from ui.widgets.card import Card
from ui.widgets.device_choice import DeviceChoice
from ui.widgets.plain_table import PlainTable
from ui.widgets.text import label

FACT_WIDTH = 110
WIDEST = 900


class OpenedPlace(QWidget):
    """A banner with what can be done, and below it the run or the figures; both are built when they are needed."""

    close_requested = Signal()
    export_requested = Signal()
    keep_requested = Signal()
    device_chosen = Signal(str)

    def __init__(self, screen: Screen, theme: Theme, loader: ChartLoader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self._screen, self._theme, self._loader = screen, theme, loader
        self.page: OverviewPage | None = None
        self._title: QLabel = label(role="title", wrap=True)
        self._sentence: QLabel = label(role="muted", wrap=True)
        self.export_button = QPushButton(tr("Export report…"))
        self.keep_button = QPushButton(tr("Keep in the history"))
        self.keep_button.setToolTip(
            tr("Put these figures into the history, marked as imported, to be compared")
        )
        self.close_button = QPushButton(tr("Close"))
        self.close_button.setToolTip(tr("Back to this computer; the file stays as it is"))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._title)
        words.addWidget(self._sentence)
        banner = QHBoxLayout()
        banner.setContentsMargins(GAP, GAP, GAP, 0)
        banner.setSpacing(SMALL_GAP)
        banner.addLayout(words, 1)
        self.device = DeviceChoice()
        banner.addWidget(self.device, 0, Qt.AlignmentFlag.AlignTop)
        for button in (self.export_button, self.keep_button, self.close_button):
            banner.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self.figures = ImportedFigures()
        self._stack = QStackedWidget()
        framed = QWidget()
        lane = QHBoxLayout(framed)
        lane.setContentsMargins(GAP, GAP, 0, GAP)
        lane.addWidget(ColumnScroll(self.figures))
        self._stack.addWidget(framed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(banner)
        layout.addWidget(self._stack, 1)
        self.export_button.clicked.connect(self.export_requested)
        self.keep_button.clicked.connect(self.keep_requested)
        self.close_button.clicked.connect(self.close_requested)
        self.device.chosen.connect(self.device_chosen)

    @property
    def title(self) -> str:
        """What is opened."""
        return self._title.text()

    @Slot(object)
    def show_past(self, banner: Banner) -> None:
        """Make room for a run of the past, whose states come from its own view model."""
        self._show_banner(banner)
        if self.page is None:
            self.page = OverviewPage(self._screen, self._theme, self._loader)
            self._stack.addWidget(self.page)
            self._screen.show_all()
        self._stack.setCurrentWidget(self.page)

    @Slot(object)
    def show_import(self, banner: Banner) -> None:
        """Make room for figures of other tools."""
        self._show_banner(banner)
        self._stack.setCurrentIndex(0)

    def _show_banner(self, banner: Banner) -> None:
        self._title.setText(banner.title)
        self._sentence.setText(banner.sentence)
        self.export_button.setVisible(banner.can_export)
        self.keep_button.setVisible(banner.can_keep)
        self.device.offer(banner.devices)


class ImportedFigures(QWidget):
    """A card for each run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards: list[QWidget] = []
        self._layout = QVBoxLayout(self)
        self._layout.setSpacing(GAP)
        self._layout.addStretch(1)

    @Slot(object)
    def show_cards(self, cards: tuple[ImportedCard, ...]) -> None:
        """Show these runs."""
        for old in self._cards:
            self._layout.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._cards = [_card(one) for one in cards]
        for number, card in enumerate(self._cards):
            self._layout.insertWidget(number, card)


def _card(state: ImportedCard) -> Card:
    card = Card(state.title, capitals=False)
    card.setMaximumWidth(WIDEST)
    card.body.addWidget(label(state.verdict, "strong", wrap=True))
    for name, words in state.facts:
        line = QHBoxLayout()
        named = label(name, "muted")
        named.setFixedWidth(FACT_WIDTH)
        line.addWidget(named, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(label(words, wrap=True), 1)
        card.body.addLayout(line)
    table = PlainTable(tr("Figures of {run}", run=state.title))
    table.show_table(state.head, state.rows)
    card.body.addWidget(table)
    for words in state.notes:
        card.body.addWidget(label(words, "small", wrap=True))
    return card
