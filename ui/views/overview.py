"""The overview page: three columns, each of which scrolls when the window is small."""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from advisor.core.translation import tr, trc
from ui.charts.loader import ChartLoader
from ui.theme import Theme
from ui.theme.metrics import GAP, LEFT_WIDTH, RIGHT_WIDTH, column_width
from ui.viewmodels.actions import Actions
from ui.viewmodels.screen import Screen
from ui.views.answer import AnswerColumn
from ui.views.batching import BatchingPage
from ui.views.details import DetailTabs, MeasurementsPage, RooflinePage
from ui.views.facts import FactsColumn
from ui.views.found import FoundPanel
from ui.views.phases import Gauges
from ui.views.stutter import StutterView
from ui.views.wait import TimelineView, WaitPage
from ui.views.waterfall import WaterfallView
from ui.views.welcome import WelcomeView

SCROLLBAR_PX = 10


class ColumnScroll(QScrollArea):
    """A column that scrolls up and down only; its bar has its own lane, so that contents never jump."""

    def __init__(self, column: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column.setObjectName("column")
        self._column = column
        self.setWidget(column)
        self.verticalScrollBar().rangeChanged.connect(self._make_lane)
        self._make_lane(0, 0)

    @Slot(int, int)
    def _make_lane(self, first: int, last: int) -> None:
        layout = self._column.layout()
        if layout is not None:
            layout.setContentsMargins(0, 0, GAP - SCROLLBAR_PX if last > first else GAP, 0)

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(120, 120)


class MiddleColumn(QWidget):
    """Gauges, timeline and tabs; or the welcome while no model is open.

    ``left`` when the welcome goes while one of its buttons has the focus, which Qt would send to some other one.
    """

    left = Signal()

    def __init__(self, theme: Theme, loader: ChartLoader, screen: Screen, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.welcome = WelcomeView(FoundPanel(theme, screen.found))
        gauges = Gauges(theme)
        self.prefill, self.decode = gauges.prefill, gauges.decode
        self.show_gauge = gauges.show_gauge
        self.timeline = TimelineView(theme)
        self.roofline = RooflinePage(theme, loader)
        self.waterfall = WaterfallView(theme)
        self.tabs = DetailTabs(theme)
        self.tabs.add_page(tr("Roofline"), self.roofline)
        self.tabs.add_page(tr("Speed"), self.waterfall, tr("Where the speed goes"))
        self.wait = WaitPage()
        self.tabs.add_page(tr("Seconds"), self.wait)
        self.batching = BatchingPage(theme, loader)
        self.tabs.add_page(tr("Batching"), self.batching, tr("Many users at once"))
        self.stutter = StutterView(theme, loader)
        self.tabs.add_page(tr("Stutter"), self.stutter, tr("What others feel while a prompt is read"))
        self.tabs.add_page(trc("tab", "Table"), MeasurementsPage(screen.measurements), tr("Every measurement"))
        measured = QWidget()
        layout = QVBoxLayout(measured)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(gauges)
        layout.addWidget(self.timeline)
        layout.addWidget(self.tabs, 1)
        outer = QVBoxLayout(self)
        self._stack = QStackedLayout()
        outer.addLayout(self._stack)
        self._stack.addWidget(self.welcome)
        self._stack.addWidget(measured)

    def show_actions(self, state: Actions) -> None:
        """Welcome or measurements, by whether a model is open."""
        was_used = self.welcome.isAncestorOf(self.focusWidget() or self)
        self._stack.setCurrentIndex(0 if state.empty else 1)
        if was_used and not state.empty:
            self.left.emit()
        self.welcome.show_actions(state)


class OverviewPage(QWidget):
    """Wires the view model's states to the cards."""

    def __init__(self, screen: Screen, theme: Theme, loader: ChartLoader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self.facts = FactsColumn(theme)
        self.middle = MiddleColumn(theme, loader, screen)
        self.answer = AnswerColumn()
        self._left = ColumnScroll(self.facts)
        self._centre = ColumnScroll(self.middle)
        self._right = ColumnScroll(self.answer)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, 0, GAP)
        layout.setSpacing(0)
        layout.addWidget(self._left)
        layout.addWidget(self._centre, 1)
        layout.addWidget(self._right)
        self._connect(screen)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        width = event.size().width()
        self._left.setFixedWidth(column_width(LEFT_WIDTH, width) + GAP)
        self._right.setFixedWidth(column_width(RIGHT_WIDTH, width) + GAP)
        super().resizeEvent(event)

    def _connect(self, screen: Screen) -> None:
        screen.machine.connect(self.facts.machine.show_machine)
        screen.model.connect(self.facts.model.show_model)
        screen.workload.connect(self.facts.workload.show_workload)
        screen.gauge.connect(self.middle.show_gauge)
        screen.timeline.connect(self.middle.timeline.show_timeline)
        screen.timeline.connect(self.middle.wait.show_timeline)
        screen.roofline.connect(self.middle.roofline.show_roofline)
        screen.waterfall.connect(self.middle.waterfall.show_waterfalls)
        screen.batching.connect(self.middle.batching.show_batching)
        screen.stutter.connect(self.middle.stutter.show_stutter)
        screen.actions.connect(self.middle.show_actions)
        screen.verdict.connect(self.answer.verdict.show_verdict)
        screen.advice.connect(self.answer.advice.show_advice)
        self.facts.workload.preset_chosen.connect(screen.choose_preset)
        self.facts.workload.quantity_changed.connect(screen.change_quantity)
        self.facts.workload.kept_changed.connect(screen.change_kept)
