"""The toolbar: this computer or a server; open, measure, stop, export, the theme, and help."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QComboBox, QHBoxLayout, QLabel, QMenu, QPushButton, QWidget

from ui.theme import Mode
from ui.theme.metrics import TOOLBAR_HEIGHT
from ui.viewmodels.actions import Actions
from ui.viewmodels.plans import PlanChoice
from ui.widgets.tab_row import widen
from ui.widgets.text import label

THEMES = {
    Mode.SYSTEM: "As the system", Mode.LIGHT: "Light", Mode.DARK: "Dark", Mode.CONTRAST: "High contrast",
}  # fmt: skip


WITH_BRAND = 1140
ICON_WIDTH = 36
COMPUTER = 0
SERVER = 1
PLACES = (
    ("This computer", "Measure a model file on this computer (Ctrl+1)"),
    ("A server", "Measure a server that runs somewhere (Ctrl+2)"),
)
HELP = (
    ("User guide…\tF1", ""),
    ("How to get a GPU engine…", "gpu"),
    ("Command line…", "command-line"),
    ("When something is wrong…", "troubleshooting"),
)
"""Title and page of the guide; "" is the page that belongs to what is shown."""


class Toolbar(QWidget):
    """Buttons only; what they do is wired by the main window."""

    open_requested = Signal()
    models_requested = Signal()
    benchmark_requested = Signal()
    plan_chosen = Signal(str)
    stop_requested = Signal()
    engines_requested = Signal()
    export_requested = Signal()
    theme_chosen = Signal(object)
    place_chosen = Signal(int)
    guide_requested = Signal(str)
    about_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("toolbar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(TOOLBAR_HEIGHT)
        self._brand: QLabel = label("Two Machines", "brand")
        self._places = QButtonGroup(self)
        places = []
        for number, (words, tip) in enumerate(PLACES):
            place = QPushButton(words)
            place.setProperty("role", "tab")
            place.setCheckable(True)
            place.setChecked(not number)
            place.setToolTip(tip)
            widen(place, words)
            self._places.addButton(place, number)
            places.append(place)
        self._places.idClicked.connect(self.place_chosen)
        self.open_button = QPushButton("Open model…")
        self.models_button = QPushButton("▾")
        self.models_button.setFixedWidth(32)
        self.models_button.setAccessibleName("Models on this computer")
        self.models_button.setToolTip("Models on this computer (Ctrl+Shift+O)")
        self.benchmark_button = QPushButton("▶ Benchmark")
        self.benchmark_button.setProperty("role", "main")
        self.benchmark_button.setAccessibleName("Benchmark")
        self.plans = QComboBox()
        self.plans.setAccessibleName("How much to measure")
        self.plans.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.stop_button = QPushButton("■ Stop")
        self.stop_button.setAccessibleName("Stop")
        self.engines_button = QPushButton("Engine…")
        self.engines_button.setToolTip("See the engines on this computer, and choose one (Ctrl+Shift+E)")
        self.export_button = QPushButton("Export report…")
        self.theme_button = QPushButton("◐")
        self.theme_button.setProperty("role", "icon")
        self.theme_button.setFixedWidth(ICON_WIDTH)
        self.theme_menu = QMenu(self.theme_button)
        choice = QActionGroup(self.theme_menu)
        for mode, title in THEMES.items():
            action = self.theme_menu.addAction(title)
            action.setCheckable(True)
            action.setData(mode)
            choice.addAction(action)
        choice.triggered.connect(self._picked_theme)
        self.theme_button.setMenu(self.theme_menu)
        self.help_button = QPushButton("?")
        self.help_button.setProperty("role", "icon")
        self.help_button.setFixedWidth(ICON_WIDTH)
        self.help_button.setAccessibleName("Help")
        self.help_button.setToolTip("User guide (F1), GPU engines, licences")
        self.help_menu = QMenu(self.help_button)
        for title, page in HELP:
            action = self.help_menu.addAction(title)
            action.setData(page)
        self.help_menu.addSeparator()
        self.help_menu.addAction("About Two Machines…").triggered.connect(self.about_requested)
        self.help_menu.triggered.connect(self._picked_help)
        self.help_button.setMenu(self.help_menu)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 0, 14, 0)
        layout.setSpacing(8)
        layout.addWidget(self._brand)
        layout.addSpacing(8)
        for one in places:
            layout.addWidget(one)
        layout.addSpacing(8)
        ways_in = QHBoxLayout()
        ways_in.setSpacing(2)
        ways_in.addWidget(self.open_button)
        ways_in.addWidget(self.models_button)
        layout.addLayout(ways_in)
        layout.addWidget(self.benchmark_button)
        layout.addWidget(self.plans)
        layout.addWidget(self.stop_button)
        layout.addStretch(1)
        layout.addWidget(self.engines_button)
        layout.addWidget(self.export_button)
        layout.addWidget(self.theme_button)
        layout.addWidget(self.help_button)
        self.open_button.clicked.connect(self.open_requested)
        self.models_button.clicked.connect(self.models_requested)
        self.benchmark_button.clicked.connect(self.benchmark_requested)
        self.plans.activated.connect(self._chosen)
        self.stop_button.clicked.connect(self.stop_requested)
        self.engines_button.clicked.connect(self.engines_requested)
        self.export_button.clicked.connect(self.export_requested)
        self.open_button.setToolTip("Open a GGUF model file (Ctrl+O)")
        self.stop_button.setToolTip("End the measurement; what was measured is kept (Esc)")
        self.show_mode(Mode.SYSTEM)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._brand.setVisible(event.size().width() >= WITH_BRAND)  # the window's title says it as well
        super().resizeEvent(event)

    def show_place(self, number: int) -> None:
        """Say which place is shown, and hide what belongs to the other."""
        self._places.button(number).setChecked(True)
        for widget in (
            self.open_button, self.models_button, self.benchmark_button, self.plans, self.stop_button,
            self.engines_button, self.export_button,
        ):
            widget.setVisible(number == COMPUTER)

    def show_actions(self, state: Actions) -> None:
        """Enable what can be used now."""
        # The focus goes to the button that is useful next; Qt would send it across the window.
        self.stop_button.setEnabled(state.stop or self.stop_button.hasFocus())
        if self.benchmark_button.hasFocus() and not state.benchmark and state.stop:
            self.stop_button.setFocus()
        self.benchmark_button.setEnabled(state.benchmark)
        if self.stop_button.hasFocus() and not state.stop and state.benchmark:
            self.benchmark_button.setFocus()
        self.benchmark_button.setToolTip(state.benchmark_tip)
        self.stop_button.setEnabled(state.stop)
        self.export_button.setEnabled(state.export)
        self.export_button.setToolTip(state.export_tip)

    def show_plans(self, state: PlanChoice) -> None:
        """Show the plans and which one is chosen, without sending it back."""
        with QSignalBlocker(self.plans):
            while self.plans.count() < len(state.options):
                self.plans.addItem("")
            for index, option in enumerate(state.options):
                self.plans.setItemText(index, option.text)
                self.plans.setItemData(index, option.id)
                self.plans.setItemData(index, option.tip, Qt.ItemDataRole.ToolTipRole)
                if option.id == state.chosen:
                    self.plans.setCurrentIndex(index)
                    self.plans.setToolTip(option.tip)

    def _chosen(self, index: int) -> None:
        self.plan_chosen.emit(self.plans.itemData(index))

    def show_mode(self, mode: Mode) -> None:
        """Say which theme is chosen."""
        self.theme_button.setToolTip(f"Colours: {THEMES[mode].lower()}")
        self.theme_button.setAccessibleName(f"Theme: {THEMES[mode].lower()}")
        for action in self.theme_menu.actions():
            action.setChecked(Mode(action.data()) is mode)

    def _picked_help(self, action: QAction) -> None:
        if isinstance(action.data(), str):
            self.guide_requested.emit(action.data())

    def _picked_theme(self, action: QAction) -> None:
        self.theme_chosen.emit(Mode(action.data()))
