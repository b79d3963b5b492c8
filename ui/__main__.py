"""Composition root of the window: ``two-machines`` and ``python -m ui``.

Only the standard library is imported before it is known that a window is wanted, and nothing slow before it shows.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import socket
    from types import FrameType

    from PySide6.QtWidgets import QApplication

    from advisor.session.window_settings import WindowSettings
    from ui.bridge.doors import Doors
    from ui.bridge.notices import Notice
    from ui.desktop.run_watch import Desktop, RunWatch
    from ui.shell.main_window import MainWindow
    from ui.theme import Theme

EXIT_NO_WINDOW: Final = 2
EXIT_STOPPED: Final = 130
CHECK: Final = "--check"
NEW_WINDOW: Final = "--new-window"
LAST_WAIT_S: Final = 2.0


def main(argv: list[str] | None = None) -> int:
    """Open the window, or run a command where the first word is one; ``--check`` only builds the window.

    A first word that is neither a model nor an existing file goes to the command line, so that a mistyped command
    is answered in words and not by a window.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == [CHECK] and len(words) > 1:
        print("two-machines: --check takes nothing behind it.\n  Leave the rest out.", file=sys.stderr)
        return EXIT_NO_WINDOW
    if words[:1] in ([CHECK], [NEW_WINDOW]):
        return open_window(words)
    if words and not _is_model(words[0]):
        from advisor.__main__ import main as command_line

        return command_line(words, open_window=open_window)
    try:
        return open_window(words)
    except KeyboardInterrupt:  # before the window takes signals itself
        print("two-machines: Stopped before the window opened.", file=sys.stderr)
        return EXIT_STOPPED


def _is_model(word: str) -> bool:
    return not word.startswith("-") and (word.lower().endswith(".gguf") or Path(word).is_file())


def open_window(words: list[str]) -> int:
    """Open the window, with a model where ``words`` names one; returns when it is closed."""
    from ui.shell.start import why_no_window, why_not_loaded

    reason = why_no_window(os.environ)
    if reason is None:
        try:
            import PySide6.QtWidgets  # noqa: F401
        except ImportError as error:
            reason = why_not_loaded(str(error), "The window cannot be opened")
    if reason is not None:
        print(f"two-machines: {reason[0]}\n  {reason[1]}", file=sys.stderr)
        return EXIT_NO_WINDOW
    if words == [CHECK]:
        return _check()
    new = NEW_WINDOW in words
    files = [Path(word) for word in words if word != NEW_WINDOW]
    return _run(files[0] if files else None, new)


def _run(model: Path | None, new_window: bool = False) -> int:
    from PySide6.QtCore import QTimer

    from advisor.session.paths import user_paths
    from advisor.session.window_settings import read_settings, write_settings
    from ui.bridge.logs import configure
    from ui.bridge.notices import install_hooks
    from ui.composition import doors
    from ui.shell.single import Listener, hand_over

    qt = _application()
    folder = user_paths().data
    if not new_window and hand_over(folder, model):
        print("two-machines: the window that is open already shows it; --new-window opens another.")
        return 0
    faults = configure(user_paths().logs)
    kept_in = user_paths().window
    settings = read_settings(kept_in)
    parts = Parts(doors(), settings=settings)
    install_hooks(parts.notices)
    wake = _quit_on_signals(qt)
    if sys.platform == "darwin":
        from ui.shell.file_open import FileOpener

        qt.installEventFilter(FileOpener(qt, parts.opener.open))
    parts.window.loader.ready.connect(parts.collector.settle)
    parts.window.show()
    QTimer.singleShot(0, parts.window, parts.tell_desktop)
    # Everything slow waits until the window has been painted.
    last = Path(settings.model) if settings.model else None
    listener = Listener(folder, parts.window)
    listener.asked.connect(parts.take_over)
    QTimer.singleShot(0, parts.window, lambda: parts.begin(model, last))
    if not new_window:
        parts.window.loader.ready.connect(listener.start)
    try:
        return int(qt.exec())
    finally:
        listener.stop()
        write_settings(kept_in, parts.settings())
        parts.end()
        for one in wake:
            one.close()
        if faults is not None:
            import faulthandler

            faulthandler.disable()
            faults.close()


def _check() -> int:
    """Build and lay out the whole window without a person; 0 when that works."""
    from ui.composition import doors

    qt = _application()
    parts = Parts(doors())
    parts.window.show()
    qt.processEvents()
    import ui.charts.roofline  # noqa: F401

    parts.window.close()
    parts.end()
    return 0


def _application() -> "QApplication":
    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QApplication

    from ui.theme.icons import FOLDER as ICONS

    present = QApplication.instance()
    qt = present if isinstance(present, QApplication) else QApplication(["two-machines"])
    qt.setApplicationName("two-machines")
    qt.setApplicationDisplayName("Two Machines")
    qt.setDesktopFileName("two-machines")
    qt.setWindowIcon(QIcon(str(ICONS / "hicolor" / "256x256" / "apps" / "two-machines.png")))
    qt.setStyle("Fusion")
    return qt


class Parts:
    """The window and all that stands behind it, put together."""

    def __init__(
        self, doors: "Doors", theme: "Theme | None" = None, settings: "WindowSettings | None" = None
    ) -> None:
        from advisor.session.window_settings import DEFAULTS
        from ui.bridge.about import AboutReader
        from ui.bridge.collector import Collector
        from ui.bridge.engine import Engine
        from ui.bridge.engines import Engines
        from ui.bridge.finder import Finder
        from ui.bridge.history import HistoryDoor
        from ui.bridge.notices import NoticeCentre
        from ui.bridge.opener import Opener
        from ui.bridge.shopping import Shopping
        from ui.shell.language import Language
        from ui.shell.main_window import MainWindow
        from ui.theme import Mode, Theme
        from ui.viewmodels.choose_screen import ChooseScreen
        from ui.viewmodels.engines_screen import EnginesScreen
        from ui.viewmodels.history import HistoryModel
        from ui.viewmodels.opened_screen import OpenedScreen
        from ui.viewmodels.screen import Screen
        from ui.viewmodels.server_screen import ServerScreen
        from ui.viewmodels.upgrades_screen import UpgradesScreen

        kept = settings or DEFAULTS
        workload = kept.workload
        self.language = Language(kept.language)  # first, since words are made with what shows them
        self._watch: RunWatch | None = None
        self.collector = Collector()
        self.collector.start()
        self.theme = theme or Theme(Mode(kept.theme) if kept.theme in list(Mode) else Mode.SYSTEM, still=kept.still)
        self.notices = NoticeCentre()
        self.finder = Finder(doors.find)
        self.engine = Engine(doors, self.notices, workload)
        self.engines = Engines(doors.engines)
        self.about = AboutReader(doors.about)
        self.engine_screen = EnginesScreen(self.engines)
        self.screen = Screen(self.engine, workload, has_sample=doors.sample is not None)
        self.servers = ServerScreen(self.engine, kept.server)
        self.opener = Opener(doors.opening, self.notices)
        self.past = Engine(doors, self.notices, workload)
        past_screen = Screen(self.past, workload, has_sample=False)
        self.opened = OpenedScreen(self.opener, self.past, past_screen, lambda: self.screen.work)
        self.history = HistoryDoor(doors.history, self.notices)
        self.runs = HistoryModel()
        self.shopping = Shopping(doors.shopping, self.engine, self.notices)
        self.upgrades = UpgradesScreen(self.shopping, self.notices)
        self.choices = ChooseScreen(self.shopping, self.engine, workload)
        self.window: MainWindow = MainWindow(
            self.screen, self.servers, self.upgrades, self.choices, self.engine_screen, self.opened, self.runs,
            self.theme, self._may_close,
        )  # fmt: skip
        self.window.place(kept.geometry)
        self._connect()
        self._connect_content()
        self.window.rebuilt.connect(self._connect_content)

    def _connect(self) -> None:
        """Wire what lives as long as the window."""
        from ui.viewmodels.comparing import present_comparison, present_past
        from ui.viewmodels.history import present_run

        window, engine, history = self.window, self.engine, self.history
        self.screen.workload.connect(lambda _state: self.choices.set_work(self.screen.work))
        self.finder.found.connect(self.screen.found.show_discovery)
        self.engines.chosen.connect(engine.use_engine)
        engine.activity_changed.connect(self.engines.follow)
        history.listed.connect(self.runs.show_runs)
        history.read.connect(lambda run: window.history.show_run(present_run(run)))
        history.earlier_found.connect(self.screen.show_earlier)
        history.past_read.connect(lambda past: window.history.card.show_past(present_past(past)))
        history.compared.connect(lambda found: window.history.comparison.show_comparison(present_comparison(found)))
        window.run_export_requested.connect(self.opener.export_run)
        self.opener.exported.connect(self.opened.tell_exported)
        engine.machine_read.connect(history.take_machine)
        engine.model_read.connect(history.take_model)
        engine.activity_changed.connect(history.follow)
        window.open_requested.connect(self.opener.open)
        window.paste_requested.connect(self.opener.read_text)
        window.window_requested.connect(start_another)
        self.opener.model_found.connect(self._open_model)
        self.opener.remembered_found.connect(self._open_first)
        window.sample_requested.connect(engine.open_sample)
        window.benchmark_requested.connect(engine.benchmark)
        window.try_requested.connect(engine.try_advice)
        window.streams_requested.connect(self.screen.measure_streams)
        window.draft_picked.connect(engine.try_advice)
        window.stop_requested.connect(engine.stop)
        window.export_requested.connect(engine.export)
        window.notice_dismissed.connect(self.notices.dismissed)
        window.close_requested.connect(engine.shut_down)
        engine.closed.connect(window.finish_closing)
        self.notices.posted.connect(self._show_notice)
        window.language_chosen.connect(self._choose_language)
        self.language.changed.connect(self._say_anew)

    def _connect_content(self) -> None:
        """Wire what is in the window, which another language replaces; the wires go with it."""
        window, page, history = self.window, self.window.history, self.history
        if self.notices.standing is not None:
            self._show_notice(self.notices.standing)
        window.page.middle.welcome.found.shown.connect(self.finder.watch_page)
        window.page.middle.stutter.measure_requested.connect(self.engine.measure_stutter)
        window.popup.shown.connect(self.finder.watch_popup)
        window.about.shown.connect(self.about.ask)
        self.about.known.connect(window.about.show_about)
        self.about.failed.connect(window.about.show_failure)
        window.engines.shown.connect(self.engines.watch)
        window.engines.check_requested.connect(self.engines.check)
        window.engines.use_requested.connect(self.engine_screen.use)
        window.engines.placement_changed.connect(self.engine_screen.change)
        window.engines.join_requested.connect(self.engine_screen.join_servers)
        window.engines.folder_picked.connect(self.engines.add)
        page.compare_wanted.connect(history.compare)
        page.open_wanted.connect(self.opener.open_run)
        page.shown.connect(history.watch)
        page.chosen.connect(history.open)
        page.label_changed.connect(history.set_label)
        page.note_changed.connect(history.set_note)
        page.deleted.connect(history.delete)
        page.restored.connect(history.restore)
        page.deleted_wanted.connect(history.show_deleted)
        window.toolbar.show_language(self.language.choice)

    def begin(self, model: Path | None = None, last: Path | None = None) -> None:
        """Start what comes after the first paint: the chart library, the machine, the model.

        A model given at the start is opened when the charts are in, so that nothing stands still while it loads; so is
        ``last``, that of the time before, where it is still there.
        """
        loader = self.window.loader
        if model is not None:
            loader.ready.connect(lambda: self._open_first(model))
            loader.failed.connect(lambda _error: self._open_first(model))
        elif last is not None:
            loader.ready.connect(lambda: self.opener.open_if_there(last))
            loader.failed.connect(lambda _error: self.opener.open_if_there(last))
        loader.start()
        self.engine.read_machine()
        self.finder.begin()

    def tell_desktop(self, desktop: "Desktop | None" = None) -> None:
        """Let the desktop hear of runs from now on; None is the one that this program runs on."""
        from ui.desktop.run_watch import RunWatch

        watch = self._watch = RunWatch(desktop or _desktop(self.window), parent=self.window)
        self.engine.activity_changed.connect(watch.follow)
        self.screen.status.connect(watch.show_status)
        self.screen.verdict.connect(watch.show_verdict)
        self.notices.posted.connect(watch.show_notice)

    def _open_first(self, model: Path) -> None:
        if not self.engine.has_model:  # else somebody was quicker than the charts, or macOS named a file
            self.engine.open_model(model)

    def _open_model(self, model: Path) -> None:
        from ui.shell.places import COMPUTER

        self.window.show_place(COMPUTER)
        self.engine.open_model(model)

    def take_over(self, file: Path | None) -> None:
        """The program was started again: come forward, with the file that was named."""
        self.window.come_forward()
        if file is not None:
            self.opener.open(file)

    def settings(self) -> "WindowSettings":
        """What the next start begins with."""
        from advisor.session.window_settings import WindowSettings

        model = self.screen.model_path
        return WindowSettings(
            str(self.theme.mode), self.window.placed, str(model.absolute()) if model else "", self.screen.work,
            self.servers.address, self.theme.still, self.language.choice,
        )

    def end(self) -> bool:
        """After the last event: end every worker; True when none is left."""
        if self._watch is not None:
            self._watch.end()
        self.window.loader.join(LAST_WAIT_S)
        found = self.finder.end(LAST_WAIT_S)
        asked = self.engines.end(LAST_WAIT_S) and self.about.end(LAST_WAIT_S)
        looked = self.opener.end(LAST_WAIT_S) and self.past.join(LAST_WAIT_S)
        bought, read = self.shopping.end(LAST_WAIT_S), self.history.end(LAST_WAIT_S)
        ended = self.engine.join(LAST_WAIT_S) and found and asked and looked and bought and read
        self.collector.stop()
        return ended

    def _choose_language(self, choice: str) -> None:
        self.language.choose(choice)
        self.window.toolbar.show_language(self.language.choice)

    def _say_anew(self) -> None:
        """The language is another one: say everything that is held once more, while whatever runs goes on."""
        self.engine.say_anew()
        self.runs.say_anew()
        self.window.rebuild()

    def _may_close(self) -> bool:
        return not self.engine.busy and not self.past.busy

    def _show_notice(self, notice: "Notice") -> None:
        from ui.viewmodels.notice import present_notice

        self.window.show_notice(present_notice(notice))


def start_another() -> None:
    """Start the program once more, with a window of its own."""
    from PySide6.QtCore import QProcess, QProcessEnvironment

    from advisor.core.processes import module_command, own_environment

    program, *words = module_command("ui")
    another, variables = QProcess(), QProcessEnvironment()
    for name, value in own_environment(os.environ).items():
        variables.insert(name, value)
    another.setProcessEnvironment(variables)
    another.setProgram(program)
    another.setArguments([*words, NEW_WINDOW])
    another.startDetached()


def _desktop(window: "MainWindow") -> "Desktop":
    from PySide6.QtWidgets import QApplication

    from ui.desktop.awake import awake_here
    from ui.desktop.launcher import Launcher
    from ui.desktop.notifying import notify
    from ui.desktop.run_watch import Desktop

    return Desktop(
        window.isActiveWindow, notify, lambda: QApplication.alert(window), Launcher(), awake_here()
    )


def _quit_on_signals(qt: "QApplication") -> "tuple[socket.socket, socket.socket]":
    """Close the window on SIGINT and SIGTERM; returns the sockets that carry the signal into the event loop."""
    import signal
    import socket

    from PySide6.QtCore import QSocketNotifier

    read, write = socket.socketpair()
    read.setblocking(False)
    write.setblocking(False)
    signal.set_wakeup_fd(write.fileno(), warn_on_full_buffer=False)

    def handler(number: int, frame: "FrameType | None") -> None:
        qt.closeAllWindows()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)
    # Reading is all it takes: Python runs its handlers when the interpreter is entered.
    notifier = QSocketNotifier(read.fileno(), QSocketNotifier.Type.Read, qt)
    notifier.activated.connect(lambda *_: read.recv(64))
    return read, write


if __name__ == "__main__":
    sys.exit(main())
