"""State of the page *Server*: holds the form and what is known of the server, hears the engine, hands out states."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from advisor.servers.model import ServerResult, ServerSettings
from ui.bridge.activity import Activity
from ui.bridge.engine import Engine
from ui.viewmodels.server import ServerForm, kept_address, present_server, settings_of, verdict_of


class ServerScreen(QObject):
    """View model of the page; ``state`` carries a ``ServerState``. Lives on the main thread."""

    state = Signal(object)

    def __init__(self, engine: Engine, address: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._door = engine
        self._form = ServerForm(address=address)
        self._asked: ServerSettings | None = None
        self._result: ServerResult | None = None
        self._running = False
        engine.server_started.connect(self._on_started)
        engine.server_known.connect(self._on_known)
        engine.activity_changed.connect(self._on_activity)

    @property
    def form(self) -> ServerForm:
        """What is typed now."""
        return self._form

    @property
    def address(self) -> str:
        """What the next start begins with: the address without anything secret."""
        return kept_address(self._form)

    def show_all(self) -> None:
        """Send the state, for a view that was just made."""
        at_rest = self._door.activity is Activity.IDLE
        self.state.emit(present_server(self._form, self._result, self._running, at_rest))

    def change(self, form: ServerForm) -> None:
        """The user typed something; the lines are applied to what was measured at once."""
        self._form = form
        self.show_all()

    def measure(self) -> None:
        """Measure what the form asks for, where that is possible now."""
        if present_server(self._form, None, self._running, self._door.activity is Activity.IDLE).can_measure:
            self._door.measure_server(settings_of(self._form))

    def save(self, path: Path, kind: str) -> None:
        """Write what was measured as ``json`` or ``txt``."""
        if self._result is not None and self._asked is not None:
            self._door.save_server(self._result, self._asked, verdict_of(self._result, self._form), path, kind)

    def _on_started(self, settings: ServerSettings) -> None:
        self._asked, self._result, self._running = replace(settings, key=""), None, True
        self.show_all()

    def _on_known(self, result: ServerResult) -> None:
        self._result = result
        self.show_all()

    def _on_activity(self, activity: Activity) -> None:
        if activity not in (Activity.SERVER, Activity.STOPPING):
            self._running = False
        self.show_all()
