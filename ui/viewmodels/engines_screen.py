"""State of the engines' window: holds what is set for each engine, hears the bridge, hands out states."""

from PySide6.QtCore import QObject, Signal, Slot

from advisor.core.errors import UsageError
from ui.bridge.engines import EngineList, Engines
from ui.viewmodels.engines import present_engines
from ui.viewmodels.placing import PlacementForm, placement_of


class EnginesScreen(QObject):
    """View model of the list; ``state`` carries an ``EnginesState``. Lives on the main thread."""

    state = Signal(object)

    def __init__(self, engines: Engines, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._door = engines
        self._list = EngineList()
        self._forms: dict[str, PlacementForm] = {}
        engines.changed.connect(self._on_list)

    def show_all(self) -> None:
        """Send the state, for a view that was just made."""
        self.state.emit(present_engines(self._list, self._forms))

    @Slot(str, object)
    def change(self, engine: str, form: PlacementForm) -> None:
        """The user set where an engine puts models; nothing happens before it is applied."""
        self._forms[engine] = form
        self.show_all()

    @Slot(str)
    def use(self, engine: str) -> None:
        """Measure with that engine, models put where its form says; what cannot be understood is left undone."""
        try:
            self._door.use(engine, placement_of(self._forms.get(engine, PlacementForm())))
        except UsageError:
            self.show_all()  # the form says what is the matter

    @Slot(str)
    def join_servers(self, engine: str) -> None:
        """Look for the devices of the RPC servers that are typed."""
        try:
            self._door.join_servers(engine, placement_of(self._forms.get(engine, PlacementForm())).rpc_servers)
        except UsageError:
            self.show_all()

    def _on_list(self, state: EngineList) -> None:
        self._list = state
        self.show_all()
