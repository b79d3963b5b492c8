"""State of the page *Upgrades*: holds the form and the prices, asks, hands out states."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from advisor.core.errors import AdvisorError
from advisor.core.evidence import Fact, Unknown
from ui.bridge.notices import NoticeCentre
from ui.bridge.shopping import NO_MODEL, UPGRADES, Shopping
from ui.viewmodels.upgrades_state import UpgradesForm, waiting_state

if TYPE_CHECKING:
    from advisor.whatif.model import Considered


class UpgradesScreen(QObject):
    """View model of the page; ``state`` carries an ``UpgradesState``. Lives on the main thread.

    What reckons with hardware is imported by the worker that reckons first: the window starts without.
    """

    state = Signal(object)

    def __init__(self, shopping: Shopping, notices: NoticeCentre, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._door = shopping
        self._notices = notices
        self._form = UpgradesForm()
        self._shown = False
        self._found: Fact[Considered] = NO_MODEL
        self._prices: dict[str, float] = {}
        self._selected = ""
        shopping.considered.connect(self._on_considered)

    @property
    def form(self) -> UpgradesForm:
        """What is typed now."""
        return self._form

    def show_all(self) -> None:
        """Send the state, for a view that was just made."""
        if not self._shown:
            return
        if isinstance(self._found, Unknown):
            self.state.emit(waiting_state(self._found))
            return
        from ui.viewmodels.upgrades import present_upgrades

        self.state.emit(present_upgrades(self._found.value, self._form, self._prices, self._selected))

    def watch(self, shown: bool) -> None:
        """The page has come or gone."""
        self._shown = shown
        self.show_all()
        self._door.watch(UPGRADES, shown)

    def change(self, form: UpgradesForm) -> None:
        """The user changed a field; what only concerns money is answered at once."""
        from ui.viewmodels.upgrades import question_of, slot_rate

        try:
            question = question_of(form, slot_rate(form.slot))
        except AdvisorError as error:
            self._notices.post_error(error)
            return
        if question != question_of(self._form, slot_rate(self._form.slot)):
            self._form = form
            self._door.ask(question)
            return
        self._form = form
        self.show_all()

    def select(self, name: str) -> None:
        """Show this change's details."""
        if name != self._selected:
            self._selected = name
            self.show_all()

    def set_price(self, name: str, price: float) -> None:
        """What a change costs; 0 takes the price away."""
        if name and price != self._prices.get(name, 0.0):
            self._prices[name] = price
            self.show_all()

    def _on_considered(self, found: "Fact[Considered]") -> None:
        self._found = found
        self.show_all()
