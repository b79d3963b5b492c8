"""The main window: toolbar, notice, page, status bar; and the ways in: dialog, drag and drop, keyboard."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import shiboken6
from PySide6.QtCore import QByteArray, QLocale, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from advisor.core.translation import tr
from ui.charts.loader import ChartLoader
from ui.shell import report_files as filters
from ui.shell.addresses import open_address
from ui.shell.file_dialogs import FileDialogs
from ui.shell.shopping_wires import connect_choose, connect_upgrades
from ui.shell.shortcuts import bind_keys
from ui.shell.standing import beginning, bring_back, stand, standing
from ui.shell.statusbar import StatusBar
from ui.shell.toolbar import COMPUTER, HISTORY, OPENED, SERVER, Toolbar
from ui.shell.toolbar_wires import connect_toolbar
from ui.theme import Mode, Theme
from ui.theme.metrics import GAP
from ui.theme.stylesheet import stylesheet
from ui.theme.theme import qt_palette
from ui.viewmodels.actions import Actions
from ui.viewmodels.choose_screen import ChooseScreen
from ui.viewmodels.engines_screen import EnginesScreen
from ui.viewmodels.history import HistoryModel
from ui.viewmodels.notice import NoticeState
from ui.viewmodels.opened_screen import OpenedScreen
from ui.viewmodels.screen import Screen
from ui.viewmodels.server_screen import ServerScreen
from ui.viewmodels.upgrades_screen import UpgradesScreen
from ui.views.about import AboutDialog
from ui.views.choose import ChoosePage
from ui.views.engines import EnginesDialog
from ui.views.found import FoundPopup
from ui.views.guide import GuideDialog
from ui.views.history import HistoryPage
from ui.views.keys import KeysDialog
from ui.views.opened import OpenedPlace
from ui.views.overview import OverviewPage
from ui.views.server import ServerPage
from ui.views.upgrades import UpgradesPage
from ui.widgets.focus_order import arrange_tab_order
from ui.widgets.notice_bar import NoticeBar

SMALLEST: Final = (1024, 640)
USUAL: Final = (1360, 860)


class MainWindow(QMainWindow):
    """Asks with signals, shows what the view model says.

    ``may_close`` tells whether nothing runs; where it does not, closing asks with ``close_requested`` and waits
    for ``finish_closing``. After ``rebuild`` all that is in the window is new, and ``rebuilt`` asks for its wires.
    """

    open_requested = Signal(object)
    paste_requested = Signal(str)
    window_requested = Signal()
    run_export_requested = Signal(int, object, str)
    sample_requested = Signal()
    benchmark_requested = Signal()
    try_requested = Signal(str)
    streams_requested = Signal()
    draft_picked = Signal(str, object)
    stop_requested = Signal()
    export_requested = Signal(object, str)
    notice_dismissed = Signal()
    close_requested = Signal()
    first_shown = Signal()
    language_chosen = Signal(str)
    rebuilt = Signal()

    def __init__(
        self,
        screen: Screen,
        servers: ServerScreen,
        upgrades: UpgradesScreen,
        choices: ChooseScreen,
        engines: EnginesScreen,
        opened: OpenedScreen,
        runs: HistoryModel,
        theme: Theme,
        may_close: Callable[[], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Two Machines")
        self.setAcceptDrops(True)
        self.setMinimumSize(*SMALLEST)
        self.resize(*USUAL)
        self._screen = screen
        self._servers = servers
        self._upgrades = upgrades
        self._choices = choices
        self._engines = engines
        self._opened = opened
        self._runs = runs
        self._theme = theme
        self._may_close = may_close
        self._may_go = False
        self._was_shown = False
        self.files = FileDialogs(self)
        self._actions: Actions | None = None
        self.loader = ChartLoader(self)
        theme.changed.connect(self._restyle)
        screen.actions.connect(self._take_actions)
        opened.said.connect(screen.say)
        for found in (opened.past_opened, opened.import_opened):
            found.connect(self._show_opened)
        self._fill()

    def _fill(self) -> None:
        """Make what is in the window, and show in it what the view models hold."""
        self.toolbar = Toolbar()
        self.notice = NoticeBar()
        self.page = OverviewPage(self._screen, self._theme, self.loader)
        self.server = ServerPage(self._servers.form, self._theme, self.loader)
        self.upgrades = UpgradesPage(self._theme, self._upgrades.form)
        self.choose = ChoosePage(self._theme)
        self.history = HistoryPage(self._runs)
        self.opened = OpenedPlace(self._opened.screen, self._theme, self.loader)
        self.popup = FoundPopup(self._theme, self._screen.found, self)
        self.engines = EnginesDialog(self)
        self.keys = KeysDialog(self)
        self.about = AboutDialog(self)
        self.guide = GuideDialog(self._theme, self)
        self.status = StatusBar()
        self._build()
        self._connect()
        self._restyle()
        self._screen.show_all()
        self._servers.show_all()
        self._engines.show_all()

    # ---- made anew

    @Slot()
    def rebuild(self) -> None:
        """Make everything in the window anew, for another language; what runs goes on, the user stays where they are.

        Not to be called from a signal of something in the window, which is gone afterwards.
        """
        held = standing(self)
        self.setUpdatesEnabled(False)
        self.loader.forget()
        self.takeCentralWidget()
        for old in (self._content, self.popup, *self.beside.values()):
            old.hide()  # pages tell that they are out of sight, and fields that they were left
            shiboken6.delete(old)  # at once, so that no state is shown in them as well
        self.setLocale(QLocale())
        self._fill()
        self.rebuilt.emit()
        self._content.show()
        self._opened.show_all()
        stand(self, held)
        self.setUpdatesEnabled(True)
        QTimer.singleShot(0, self._content, lambda: bring_back(self, held))

    @property
    def beside(self) -> dict[str, QDialog]:
        """Windows beside the main one, each of which may stay open."""
        return {"engines": self.engines, "keys": self.keys, "about": self.about, "guide": self.guide}

    @property
    def place_shown(self) -> int:
        """Number of the place that is shown."""
        return self._places.currentIndex()

    def _build(self) -> None:
        self._content = QWidget()
        self._content.setObjectName("ground")
        layout = QVBoxLayout(self._content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.toolbar)
        lane = QVBoxLayout()
        lane.setContentsMargins(GAP, GAP, GAP, 0)
        lane.addWidget(self.notice)
        self._notice_lane = QWidget()
        self._notice_lane.setLayout(lane)
        self._notice_lane.hide()
        layout.addWidget(self._notice_lane)
        self._places = QStackedWidget()
        for page in (self.page, self.server, self.upgrades, self.choose, self.history, self.opened):
            self._places.addWidget(page)
        layout.addWidget(self._places, 1)
        layout.addWidget(self.status)
        self.setCentralWidget(self._content)

    def _connect(self) -> None:
        connect_toolbar(self.toolbar, self)
        self.popup.file_requested.connect(self.choose_model)
        for models in (self.popup, self.page.middle.welcome.found):
            models.opened.connect(self.open_requested)
        self.status.engines_requested.connect(self.engines.open_beside)
        self.page.middle.welcome.keys_requested.connect(self.keys.open_beside)
        self.page.middle.welcome.server_requested.connect(lambda: self.show_place(SERVER))
        self._connect_opened()
        self._servers.state.connect(self.server.show_server)
        self.server.form.changed.connect(self._servers.change)
        self.server.form.measure_requested.connect(self._servers.measure)
        self.server.form.stop_requested.connect(self.stop_requested)
        self.server.save_requested.connect(self.choose_server_file)
        connect_upgrades(self.upgrades, self._upgrades)
        connect_choose(self.choose, self._choices)
        self._engines.state.connect(self.engines.show_engines)
        self.toolbar.language_chosen.connect(self._choose_language)
        self.toolbar.theme_chosen.connect(self._choose_theme)
        self.toolbar.stillness_chosen.connect(self._choose_stillness)
        self.guide.address_chosen.connect(open_address)
        self.page.middle.welcome.open_requested.connect(self.choose_model)
        self.page.middle.welcome.sample_requested.connect(self.sample_requested)
        self.page.answer.advice.try_requested.connect(self.try_requested)
        self.page.answer.advice.draft_requested.connect(self.choose_draft)
        self.page.answer.advice.stop_requested.connect(self.stop_requested)
        self.page.middle.batching.measure_requested.connect(self.streams_requested)
        self.page.middle.batching.depth_chosen.connect(self._screen.choose_depth)
        self.page.facts.workload.count_requested.connect(self.choose_prompt)
        self.notice.dismissed.connect(self._hide_notice)
        self._screen.actions.connect(self.toolbar.show_actions)
        self._screen.plans.connect(self.toolbar.show_plans)
        self.toolbar.plan_chosen.connect(self._screen.choose_plan)
        self._screen.status.connect(self.status.show_status)
        bind_keys(self, self._content)

    def _connect_opened(self) -> None:
        opened = self._opened
        opened.past_opened.connect(self.opened.show_past)
        opened.import_opened.connect(self.opened.show_import)
        opened.imported.connect(self.opened.figures.show_cards)
        self.history.export_wanted.connect(self._choose_run_report)
        self.opened.export_requested.connect(self.choose_report)
        self.opened.keep_requested.connect(opened.keep)
        self.opened.device_chosen.connect(opened.choose_device)
        self.opened.close_requested.connect(self._close_opened)

    @Slot()
    def _show_opened(self) -> None:
        self.toolbar.offer_opened(True)
        self.show_place(OPENED)

    @Slot()
    def _close_opened(self) -> None:
        self._opened.close()
        self.toolbar.offer_opened(False)
        self.show_place(COMPUTER)

    # ---- where it stands

    def place(self, geometry: str) -> None:
        """Stand where ``placed`` said; Qt brings a place that is off the screens back. Anything else is passed over."""
        self.restoreGeometry(QByteArray.fromHex(geometry.encode("ascii", "replace")))

    @property
    def placed(self) -> str:
        """Place and size, for ``place``."""
        return bytes(self.saveGeometry().toHex().data()).decode("ascii")

    # ---- showing

    @Slot(int)
    def show_place(self, number: int) -> None:
        """Go to one of the places; what is measured at another goes on."""
        if number != self.place_shown:
            self._screen.forget_outcome()  # how something ended was said where the user was
        self.turn_to(number)

    def turn_to(self, number: int) -> None:
        """Show a place, with the focus on what it begins with: what had it is hidden now."""
        moved = number != self.place_shown
        self._places.setCurrentIndex(number)
        self.toolbar.show_place(number)
        if number == OPENED:
            self._opened.judge()
        if moved or number in (SERVER, HISTORY):
            beginning(self).setFocus()

    @Slot()
    def come_forward(self) -> None:
        """Stand before the other windows, since somebody started the program again."""
        if self.isMinimized():
            self.showNormal()
        self.raise_()
        self.activateWindow()

    @Slot()
    @Slot(str)
    def show_guide(self, page: str = "") -> None:
        """Show a page of the user guide; that of the place that is shown where none is named."""
        self.guide.open_at(page or ("server" if self.at_server else self.guide.shown_page or "index"))

    @property
    def at_server(self) -> bool:
        """Whether the page *Server* is shown."""
        return self._places.currentIndex() == SERVER

    def show_notice(self, state: NoticeState) -> None:
        """Show a notice above the page."""
        self.notice.show_notice(state)
        self._notice_lane.show()

    @Slot()
    def _hide_notice(self) -> None:
        self._notice_lane.hide()
        self.notice_dismissed.emit()

    @Slot()
    def _restyle(self) -> None:
        palette = self._theme.palette
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.setPalette(qt_palette(palette))
        self.setStyleSheet(stylesheet(palette))
        self.toolbar.show_mode(self._theme.mode, self._theme.still)

    @Slot(object)
    def _choose_theme(self, mode: Mode) -> None:
        self._theme.set_mode(mode)
        self.toolbar.show_mode(self._theme.mode, self._theme.still)

    @Slot(str)
    def _choose_language(self, choice: str) -> None:
        # Later, when the menu has closed: it belongs to what a new language replaces.
        QTimer.singleShot(0, self, lambda: self.language_chosen.emit(choice))

    @Slot(bool)
    def _choose_stillness(self, still: bool) -> None:
        self._theme.still = still

    def _take_actions(self, state: Actions) -> None:
        self._actions = state

    # ---- asking

    @Slot()
    def choose_model(self) -> None:
        """Let the user pick a file."""
        self.files.ask_file(tr("Open model"), tr(filters.MODEL_FILTER), self._picked_model)

    @Slot()
    def choose_result(self) -> None:
        """Let the user pick a run of the past, or a file with other tools' figures."""
        self.files.ask_file(tr("Open a result"), tr(filters.RESULT_FILTER), self._picked_model)

    @Slot()
    def paste_figures(self) -> None:
        """Take the figures in the clipboard, such as those of a post in a forum."""
        self.paste_requested.emit(QGuiApplication.clipboard().text())

    @Slot()
    def choose_prompt(self) -> None:
        """Let the user pick a text file whose tokens are counted."""
        self.files.ask_file(tr("Count a prompt file"), tr(filters.PROMPT_FILTER), self._picked_prompt)

    @Slot(str)
    def choose_draft(self, advice: str) -> None:
        """Let the user pick a small model with which the advice is tried."""
        def picked(name: str) -> None:
            self.draft_picked.emit(advice, Path(name))

        self.files.ask_file(tr("Pick a draft model"), tr(filters.MODEL_FILTER), picked)

    @Slot(str)
    def _picked_prompt(self, name: str) -> None:
        self._screen.count_prompt(Path(name))

    @Slot()
    def show_models(self) -> None:
        """Let the user pick from the models on this machine."""
        self.popup.show_below(self.toolbar.open_button)

    @Slot(str)
    def _picked_model(self, name: str) -> None:
        path = Path(name)
        self.files.remember(path)
        self.open_requested.emit(path)

    @Slot()
    def choose_report(self) -> None:
        """Let the user pick where the report goes; its ending says which kind."""
        self.choose_report_as("")

    @Slot(str)
    def choose_report_as(self, kind: str) -> None:
        """The same with a kind chosen at first; the report is that of the place that is shown."""
        place = self._places.currentIndex()
        if place == SERVER:
            self.choose_server_file()
        elif place == OPENED and self._opened.holds_run:
            self._ask_report(self._opened.suggested_name(), kind, self._picked_past_report)
        elif place == COMPUTER and self._actions is not None and self._actions.export:
            self._ask_report(self._screen.suggested_name(), kind, self._picked_report)

    def _ask_report(self, name: str, kind: str, picked: Callable[[str], None]) -> None:
        self.files.ask_target(tr("Export report"), filters.said(filters.REPORT_FILTERS), name, picked, kind)

    @Slot(str)
    def _picked_report(self, name: str) -> None:
        self.export_requested.emit(Path(name), filters.report_kind(Path(name)))

    @Slot(int, str)
    def _choose_run_report(self, number: int, kind: str) -> None:
        def picked(name: str) -> None:
            self.run_export_requested.emit(number, Path(name), filters.report_kind(Path(name)))

        self._ask_report(tr("run {number}", number=number), kind, picked)

    @Slot(str)
    def _picked_past_report(self, name: str) -> None:
        self._opened.export(Path(name), filters.report_kind(Path(name)))

    @Slot()
    def choose_server_file(self) -> None:
        """Let the user pick where what was measured of the server goes; its ending says which kind."""
        if not self.server.figures.save_button.isEnabled():
            return
        kinds = filters.said(filters.SERVER_FILTERS)
        self.files.ask_target(tr("Save what was measured"), kinds, tr("server"), self._picked_server_file)

    @Slot(str)
    def _picked_server_file(self, name: str) -> None:
        path = Path(name)
        self._servers.save(path, "txt" if path.suffix.lower() == ".txt" else "json")

    @Slot()
    def benchmark_by_key(self) -> None:
        """Measure what the place in sight is for, where that is possible now."""
        if self.at_server:
            self._servers.measure()
        elif self.place_shown != OPENED and self._actions is not None and self._actions.benchmark:
            self.benchmark_requested.emit()

    @Slot()
    def stop_by_key(self) -> None:
        """Stop what is measured; else close the notice."""
        if self._actions is not None and self._actions.stop:
            self.stop_requested.emit()
        elif not self.notice.isHidden():
            self.notice.dismiss()

    # ---- events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: D102
        if event.mimeData().hasUrls() and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self._show_drop(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: D102
        self._show_drop(False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: D102
        self._show_drop(False)
        for url in event.mimeData().urls():
            if url.isLocalFile():
                event.acceptProposedAction()
                self.open_requested.emit(Path(url.toLocalFile()))
                return

    def _show_drop(self, on: bool) -> None:
        self.page.middle.welcome.setProperty("edge", "decode" if on else "")
        self.page.middle.welcome.style().polish(self.page.middle.welcome)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: D102
        arrange_tab_order(self)
        return super().focusNextPrevChild(forward)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            self.toolbar.open_button.setFocus()  # what comes first; Qt would take the tabs
            self.first_shown.emit()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: D102
        for beside in self.beside.values():
            beside.hide()
        if self._may_go or self._may_close():
            self._may_go = True
            event.accept()
            return
        event.ignore()
        self.setEnabled(False)
        self.close_requested.emit()

    @Slot()
    def finish_closing(self) -> None:
        """Close now; what ran has ended."""
        self._may_go = True
        self.close()
