"""The main window: toolbar, notice, page, status bar; and the ways in: dialog, drag and drop, keyboard."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QDir, Qt, Signal, Slot
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from ui.charts.loader import ChartLoader
from ui.shell.statusbar import StatusBar
from ui.shell.toolbar import COMPUTER, HISTORY, SERVER, Toolbar
from ui.theme import Mode, Theme
from ui.theme.metrics import GAP
from ui.theme.stylesheet import stylesheet
from ui.theme.theme import qt_palette
from ui.viewmodels.actions import Actions
from ui.viewmodels.history import HistoryModel
from ui.viewmodels.notice import NoticeState
from ui.viewmodels.screen import Screen
from ui.viewmodels.server_screen import ServerScreen
from ui.views.engines import EnginesDialog
from ui.views.found import FoundPopup
from ui.views.history import HistoryPage
from ui.views.keys import KEYS_OF_PAGES, KeysDialog
from ui.views.overview import OverviewPage
from ui.views.server import ServerPage
from ui.widgets.focus_order import arrange_tab_order
from ui.widgets.notice_bar import NoticeBar

SMALLEST: Final = (1024, 640)
USUAL: Final = (1360, 860)

PROMPT_FILTER: Final = "Text (*.txt *.md *.prompt);;All files (*)"
MODEL_FILTER: Final = "GGUF models (*.gguf);;All files (*)"
SERVER_FILTERS: Final = {"json": "JSON result (*.json)", "txt": "Text (*.txt)"}
REPORT_FILTERS: Final = {"pdf": "PDF report (*.pdf)", "json": "JSON result (*.json)", "md": "Markdown (*.md)"}


class MainWindow(QMainWindow):
    """Asks with signals, shows what the view model says.

    ``may_close`` tells whether nothing runs; where it does not, closing asks with ``close_requested`` and waits
    for ``finish_closing``.
    """

    open_requested = Signal(object)
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

    def __init__(
        self, screen: Screen, servers: ServerScreen, runs: HistoryModel, theme: Theme, may_close: Callable[[], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Two Machines")
        self.setAcceptDrops(True)
        self.setMinimumSize(*SMALLEST)
        self.resize(*USUAL)
        self._screen = screen
        self._servers = servers
        self._theme = theme
        self._may_close = may_close
        self._may_go = False
        self._was_shown = False
        self._last_folder = ""
        self._actions: Actions | None = None
        self.loader = ChartLoader(self)
        self.toolbar = Toolbar()
        self.notice = NoticeBar()
        self.page = OverviewPage(screen, theme, self.loader)
        self.server = ServerPage(servers.form, theme, self.loader)
        self.history = HistoryPage(runs)
        self.popup = FoundPopup(theme, screen.found, self)
        self.engines = EnginesDialog(self)
        self.keys = KeysDialog(self)
        self.status = StatusBar()
        self._build()
        self._connect()
        self._restyle()
        screen.show_all()
        servers.show_all()

    def _build(self) -> None:
        centre = QWidget()
        centre.setObjectName("ground")
        layout = QVBoxLayout(centre)
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
        self._places.addWidget(self.page)
        self._places.addWidget(self.server)
        self._places.addWidget(self.history)
        layout.addWidget(self._places, 1)
        layout.addWidget(self.status)
        self.setCentralWidget(centre)

    def _connect(self) -> None:
        self.toolbar.open_requested.connect(self.choose_model)
        self.toolbar.models_requested.connect(self.show_models)
        self.popup.file_requested.connect(self.choose_model)
        for models in (self.popup, self.page.middle.welcome.found):
            models.opened.connect(self.open_requested)
        self.toolbar.benchmark_requested.connect(self.benchmark_requested)
        self.toolbar.stop_requested.connect(self.stop_requested)
        self.toolbar.export_requested.connect(self.choose_report)
        self.toolbar.engines_requested.connect(self.engines.open_beside)
        self.status.engines_requested.connect(self.engines.open_beside)
        self._screen.engines.connect(self.engines.show_engines)
        self.toolbar.place_chosen.connect(self.show_place)
        self.page.middle.welcome.keys_requested.connect(self.keys.open_beside)
        self.page.middle.welcome.server_requested.connect(lambda: self.show_place(SERVER))
        self.open_requested.connect(lambda _path: self.show_place(COMPUTER))
        self._servers.state.connect(self.server.show_server)
        self.server.form.changed.connect(self._servers.change)
        self.server.form.measure_requested.connect(self._servers.measure)
        self.server.form.stop_requested.connect(self.stop_requested)
        self.server.save_requested.connect(self.choose_server_file)
        self.toolbar.theme_chosen.connect(self._choose_theme)
        self.toolbar.stillness_chosen.connect(self._choose_stillness)
        self.page.middle.welcome.open_requested.connect(self.choose_model)
        self.page.middle.welcome.sample_requested.connect(self.sample_requested)
        self.page.answer.advice.try_requested.connect(self.try_requested)
        self.page.answer.advice.draft_requested.connect(self.choose_draft)
        self.page.answer.advice.stop_requested.connect(self.stop_requested)
        self.page.middle.batching.measure_requested.connect(self.streams_requested)
        self.page.facts.workload.count_requested.connect(self.choose_prompt)
        self.notice.dismissed.connect(self._hide_notice)
        self._theme.changed.connect(self._restyle)
        self._screen.actions.connect(self._take_actions)
        self._screen.actions.connect(self.toolbar.show_actions)
        self._screen.plans.connect(self.toolbar.show_plans)
        self.toolbar.plan_chosen.connect(self._screen.choose_plan)
        self._screen.status.connect(self.status.show_status)
        for keys, slot, words in (
            (("Ctrl+O",), self.choose_model, "Open a model file"),
            (("Ctrl+Shift+O",), self.show_models, "Models on this computer"),
            (("Ctrl+B", "F5"), self._benchmark_by_key, "Benchmark; at a server: measure it"),
            (("Esc",), self._stop_by_key, "Stop what is measured; else close the notice"),
            (("Ctrl+E",), self.choose_report, "Export the report"),
            (("Ctrl+Shift+E",), self.engines.open_beside, "Engines"),
            (("Ctrl+Q",), self.close, "Quit"),
            (("Ctrl+1",), lambda: self.show_place(COMPUTER), "This computer"),
            (("Ctrl+2",), lambda: self.show_place(SERVER), "A server"),
            (("Ctrl+3",), lambda: self.show_place(HISTORY), "History"),
            (("F1", "Ctrl+?"), self.keys.open_beside, "This list"),
        ):
            self.keys.add(keys, words)
            for key in keys:
                QShortcut(QKeySequence(key), self).activated.connect(slot)
        for keys, words in KEYS_OF_PAGES:
            self.keys.add(keys, words)

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
        """Show this computer, a server or the history; what is measured at another place goes on."""
        self._places.setCurrentIndex(number)
        self.toolbar.show_place(number)
        if number == SERVER:
            self.server.form.address.setFocus()
        elif number == HISTORY:
            self.history.filter.setFocus()

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

    @Slot(bool)
    def _choose_stillness(self, still: bool) -> None:
        self._theme.still = still

    def _take_actions(self, state: Actions) -> None:
        self._actions = state

    # ---- asking

    @Slot()
    def choose_model(self) -> None:
        """Let the user pick a file."""
        self._ask_file("Open model", MODEL_FILTER, self._picked_model)

    @Slot()
    def choose_prompt(self) -> None:
        """Let the user pick a text file whose tokens are counted."""
        self._ask_file("Count a prompt file", PROMPT_FILTER, self._picked_prompt)

    @Slot(str)
    def choose_draft(self, advice: str) -> None:
        """Let the user pick a small model with which the advice is tried."""
        self._ask_file("Pick a draft model", MODEL_FILTER, lambda name: self.draft_picked.emit(advice, Path(name)))

    @Slot(str)
    def _picked_prompt(self, name: str) -> None:
        self._screen.count_prompt(Path(name))

    def _ask_file(self, title: str, filters: str, picked: Callable[[str], None]) -> None:
        dialog = QFileDialog(self, title, self._last_folder, filters)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._open_dialog(dialog, picked)

    def _ask_target(self, title: str, filters: dict[str, str], name: str, picked: Callable[[str], None]) -> None:
        """Ask where to write; ``filters`` holds the words of each ending, the first one is ``name``'s."""
        dialog = QFileDialog(self, title, self._last_folder or QDir.homePath(), ";;".join(filters.values()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        first = next(iter(filters))
        dialog.setDefaultSuffix(first)
        dialog.selectFile(name)
        endings = {words: ending for ending, words in filters.items()}
        dialog.filterSelected.connect(lambda words: dialog.setDefaultSuffix(endings.get(words, first)))
        self._open_dialog(dialog, picked)

    def _open_dialog(self, dialog: QFileDialog, picked: Callable[[str], None]) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(picked)
        dialog.open()

    @Slot()
    def show_models(self) -> None:
        """Let the user pick from the models on this machine."""
        self.popup.show_below(self.toolbar.open_button)

    @Slot(str)
    def _picked_model(self, name: str) -> None:
        path = Path(name)
        self._last_folder = str(path.parent)
        self.open_requested.emit(path)

    @Slot()
    def choose_report(self) -> None:
        """Let the user pick where the report goes; its ending says which kind."""
        if self.at_server:
            self.choose_server_file()
            return
        if self._actions is None or not self._actions.export:
            return
        name = f"{self._screen.suggested_name()}.pdf"
        self._ask_target("Export report", REPORT_FILTERS, name, self._picked_report)

    @Slot(str)
    def _picked_report(self, name: str) -> None:
        path = Path(name)
        kind = path.suffix.lower().lstrip(".")
        if kind not in REPORT_FILTERS:
            kind = "md" if kind == "markdown" else "pdf"
        self.export_requested.emit(path, kind)

    @Slot()
    def choose_server_file(self) -> None:
        """Let the user pick where what was measured of the server goes; its ending says which kind."""
        if not self.server.figures.save_button.isEnabled():
            return
        self._ask_target("Save what was measured", SERVER_FILTERS, "server.json", self._picked_server_file)

    @Slot(str)
    def _picked_server_file(self, name: str) -> None:
        path = Path(name)
        self._servers.save(path, "txt" if path.suffix.lower() == ".txt" else "json")

    @Slot()
    def _benchmark_by_key(self) -> None:
        if self.at_server:
            self._servers.measure()
        elif self._actions is not None and self._actions.benchmark:
            self.benchmark_requested.emit()

    @Slot()
    def _stop_by_key(self) -> None:
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
        self.engines.hide()
        self.keys.hide()
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
