"""The toolbar: which place; open, measure, stop, export, the theme, and help."""

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, SignalInstance, Slot
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QSizePolicy, QWidget

from advisor.core.numbers import capital
from advisor.core.translation import marked, tr
from ui.shell.language import NAMES, SYSTEM
from ui.shell.places import CHOOSE, COMPUTER, HISTORY, OPENED, SERVER, UPGRADES, Places
from ui.theme import Mode
from ui.theme.metrics import TOOLBAR_HEIGHT
from ui.viewmodels.actions import EXPORTS, Actions
from ui.viewmodels.plans import PlanChoice
from ui.widgets.combo import ElidedCombo
from ui.widgets.keys import key_words
from ui.widgets.text import label

__all__ = ["CHOOSE", "COMPUTER", "HISTORY", "OPENED", "SERVER", "UPGRADES", "Toolbar"]

THEMES = {
    Mode.SYSTEM: marked("as the system"), Mode.LIGHT: marked("light"), Mode.DARK: marked("dark"),
    Mode.CONTRAST: marked("high contrast"),
}  # fmt: skip


STOP = marked("■ Stop")
"""In a narrow window its sign alone."""
HELP = (
    (marked("User guide…"), ""),
    (marked("How to get a GPU engine…"), "gpu"),
    (marked("Command line…"), "command-line"),
    (marked("When something is wrong…"), "troubleshooting"),
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
    export_requested = Signal(str)
    result_requested = Signal()
    paste_requested = Signal()
    window_requested = Signal()
    quit_requested = Signal()
    theme_chosen = Signal(object)
    language_chosen = Signal(str)
    stillness_chosen = Signal(bool)
    place_chosen = Signal(int)
    guide_requested = Signal(str)
    about_requested = Signal()
    keys_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("toolbar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(TOOLBAR_HEIGHT)
        self._brand: QLabel = label("Two Machines", "brand")
        self._whole_width = 0
        self._can_export = False
        self.places = Places()
        self.places.chosen.connect(self.place_chosen)
        self.open_button = QPushButton(tr("Open model…"))
        self.models_button = QPushButton("▾")
        self.models_button.setFixedWidth(32)
        self.models_button.setAccessibleName(tr("Models on this computer"))
        self.models_button.setToolTip(tr("Models on this computer (Ctrl+Shift+O)"))
        self.benchmark_button = QPushButton(tr("▶ Benchmark"))
        self.benchmark_button.setProperty("role", "main")
        self.benchmark_button.setAccessibleName(tr("Benchmark"))
        self.plans = ElidedCombo(9)
        self.plans.setAccessibleName(tr("How much to measure"))
        self.plans.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.stop_button = QPushButton(tr(STOP))
        self.stop_button.setAccessibleName(tr("Stop"))
        self.engines_button = QPushButton(tr("Engine…"))
        self.engines_button.setToolTip(tr("See the engines on this computer, and choose one (Ctrl+Shift+E)"))
        self.export_button = QPushButton(tr("Export"))
        self.export_menu = QMenu(tr("Export as"), self.export_button)
        for kind, words in EXPORTS.items():
            action = self.export_menu.addAction(tr(words))
            action.setData(kind)
        self.export_menu.triggered.connect(lambda action: self.export_requested.emit(action.data()))
        self.export_button.setMenu(self.export_menu)
        self.menu_button = QPushButton("☰")
        self.menu_button.setFixedWidth(52)
        self.menu_button.setAccessibleName(tr("Menu"))
        self.menu_button.setToolTip(tr("Open, paste, export, help and more"))
        self.theme_button = QPushButton("◐")
        self.theme_button.setFixedWidth(52)
        self.theme_menu = QMenu(tr("Colours"), self.theme_button)
        choice = QActionGroup(self.theme_menu)
        for mode, title in THEMES.items():
            action = self.theme_menu.addAction(capital(tr(title)))
            action.setCheckable(True)
            action.setData(mode)
            choice.addAction(action)
        choice.triggered.connect(self._picked_theme)
        self.theme_menu.addSeparator()
        self._still = self.theme_menu.addAction(tr("Less motion"))
        self._still.setCheckable(True)
        self._still.toggled.connect(self.stillness_chosen)
        self.theme_button.setMenu(self.theme_menu)
        self.language_menu = self._languages()
        self.help_menu = QMenu(tr("Help"), self)
        for title, page in HELP:
            action = self.help_menu.addAction(tr(title) + ("" if page else f"\t{key_words('F1')}"))
            action.setData(page)
        self._add(self.help_menu, tr("Keyboard shortcuts…"), "Ctrl+?", self.keys_requested)
        self.help_menu.addSeparator()
        self._add(self.help_menu, tr("About Two Machines…"), "", self.about_requested)
        self.help_menu.triggered.connect(self._picked_help)
        self.menu_button.setMenu(self._main_menu())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 0, 14, 0)
        layout.setSpacing(8)
        layout.addWidget(self._brand)
        layout.addSpacing(8)
        layout.addWidget(self.places)
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
        layout.addWidget(self.menu_button)
        self.open_button.clicked.connect(self.open_requested)
        self.models_button.clicked.connect(self.models_requested)
        self.benchmark_button.clicked.connect(self.benchmark_requested)
        self.plans.activated.connect(self._chosen)
        self.stop_button.clicked.connect(self.stop_requested)
        self.engines_button.clicked.connect(self.engines_requested)
        self.open_button.setToolTip(tr("Open a GGUF model file (Ctrl+O)"))
        self.stop_button.setToolTip(tr("End the measurement; what was measured is kept (Esc)"))
        self.show_mode(Mode.SYSTEM)
        self.show_language(SYSTEM)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self._make_room()
        # Once more when what was hidden or shown has told its own layout, on which the smallest width rests.
        QTimer.singleShot(0, self, self._make_room)

    def _make_room(self) -> None:
        """Give up, one after the other, what the window's title or the menu offers as well, until the rest fits."""
        here, layout = self.places.current == COMPUTER, self.layout()
        assert layout is not None
        self.stop_button.setText(tr(STOP))
        spare = (self._brand, self.engines_button, self.theme_button, self.export_button)
        for widget in spare:
            widget.setVisible(here or widget is self.theme_button)
        # As this computer's place has it, so that the tabs stand still from one place to the next.
        self._brand.setVisible(here or self._whole_width <= self.width())
        self.places.set_narrow(False)
        give_up = [widget.hide for widget in spare]
        give_up.insert(1, lambda: self.places.set_narrow(True))
        whole = self.plans.sizeHint().width() - self.plans.minimumSizeHint().width()  # so that its words are not cut
        layout.invalidate()
        if here:
            self._whole_width = layout.minimumSize().width() + whole
        for step in give_up:
            layout.invalidate()
            if layout.minimumSize().width() + whole <= self.width():
                return
            step()
        layout.invalidate()
        if layout.minimumSize().width() > self.width():
            self.stop_button.setText(STOP[0])

    def _main_menu(self) -> QMenu:
        menu = QMenu(self.menu_button)
        for words, keys, asked in (
            (tr("Open model…"), "Ctrl+O", self.open_requested),
            (tr("Open a result…"), "", self.result_requested),
            (tr("Paste figures…"), "Ctrl+Shift+V", self.paste_requested),
        ):
            self._add(menu, words, keys, asked)
        menu.addSeparator()
        menu.addMenu(self.export_menu)
        self._add(menu, tr("Engines…"), "Ctrl+Shift+E", self.engines_requested)
        menu.addMenu(self.help_menu)
        menu.addMenu(self.theme_menu)
        menu.addMenu(self.language_menu)
        menu.addSeparator()
        self._add(menu, tr("New window"), "", self.window_requested)
        self._add(menu, tr("Quit"), "Ctrl+Q", self.quit_requested)
        menu.setToolTipsVisible(True)
        return menu

    def _languages(self) -> QMenu:
        menu = QMenu(tr("Language"), self.menu_button)
        group = QActionGroup(menu)
        for code, name in ((SYSTEM, capital(tr("as the system"))), *NAMES.items()):
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setData(code)
            group.addAction(action)
        group.triggered.connect(lambda action: self.language_chosen.emit(action.data()))
        return menu

    def show_language(self, choice: str) -> None:
        """Say which language is chosen."""
        for action in self.language_menu.actions():
            action.setChecked(action.data() == choice)

    @staticmethod
    def _add(menu: QMenu, words: str, keys: str, asked: SignalInstance) -> None:
        """An entry that says its keys, which the window itself listens to."""
        entry = menu.addAction(f"{words}\t{key_words(keys)}" if keys else words)
        entry.triggered.connect(lambda _checked: asked.emit())

    def offer_opened(self, there: bool) -> None:
        """Show or hide the place of what was opened."""
        self.places.offer(OPENED, there)
        self._make_room()

    def show_place(self, number: int) -> None:
        """Say which place is shown, and hide what belongs to others."""
        if self.places.current == COMPUTER:
            self._make_room()
        self.places.show_place(number)
        for widget in (
            self.open_button, self.models_button, self.benchmark_button, self.plans, self.stop_button,
            self.engines_button, self.export_button,
        ):
            widget.setVisible(number == COMPUTER)
        self._allow_export()
        self._make_room()

    def _allow_export(self) -> None:
        """The menu's entry is for the place in sight; a run that was opened can always be written."""
        number = self.places.current
        self.export_menu.setEnabled(number == OPENED or (number == COMPUTER and self._can_export))

    @property
    def first_button(self) -> QPushButton:
        """What one does next with this computer: measure, or open a model first."""
        return self.benchmark_button if self.benchmark_button.isEnabled() else self.open_button

    @Slot()
    def take_focus(self) -> None:
        """Let the keyboard begin here."""
        self.first_button.setFocus()

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
        self._can_export = state.export
        self._allow_export()
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
                    self.plans.set_tip(option.tip)
        self.plans.updateGeometry()

    def _chosen(self, index: int) -> None:
        self.plan_chosen.emit(self.plans.itemData(index))

    def show_mode(self, mode: Mode, still: bool = False) -> None:
        """Say which theme is chosen, and whether less moves."""
        self.theme_button.setToolTip(tr("Colours: {theme}", theme=tr(THEMES[mode])))
        self.theme_button.setAccessibleName(tr("Theme: {theme}", theme=tr(THEMES[mode])))
        for action in self.theme_menu.actions():
            if action.data() is not None:
                action.setChecked(Mode(action.data()) is mode)
        with QSignalBlocker(self._still):
            self._still.setChecked(still)

    def _picked_help(self, action: QAction) -> None:
        if isinstance(action.data(), str):
            self.guide_requested.emit(action.data())

    def _picked_theme(self, action: QAction) -> None:
        self.theme_chosen.emit(Mode(action.data()))
