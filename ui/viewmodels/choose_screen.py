"""State of the page *Choose a model*: holds the order and the list, asks, hands out states."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from advisor.core.evidence import Known, Unknown
from advisor.core.translation import language, tr
from advisor.diagnosis.model import Workload
from advisor.report import formatting as fmt
from ui.bridge.activity import Activity
from ui.bridge.engine import Engine
from ui.bridge.shopping import Shopping
from ui.viewmodels.choose_state import waiting_state

if TYPE_CHECKING:
    from advisor.rehearsal.model import Rehearsal
    from advisor.shortlist.model import Shortlist


class ChooseScreen(QObject):
    """View model of the page; ``state`` carries a ``ChooseState``. Lives on the main thread.

    What reckons with the catalogue is imported by the worker that reckons first: the window starts without.
    """

    state = Signal(object)

    def __init__(self, shopping: Shopping, engine: Engine, work: Workload, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._door = shopping
        self._engine = engine
        self._work = work
        self._priority = "quality"
        self._every = False
        self._found: Shortlist | None = None
        self._selected = ""
        self._said_in = language()
        self._rehearsed: dict[str, Rehearsal] = {}
        self._shown = False
        self._stale = False
        self._wanted = False
        shopping.placed.connect(self._list)
        shopping.listed.connect(self._on_listed)
        shopping.rehearsed.connect(self._on_rehearsed)
        engine.activity_changed.connect(self._on_activity)

    def show_all(self) -> None:
        """Send the state, for a view that was just made; in another language the list is made anew."""
        if not self._shown:
            return
        if self._found is not None and self._said_in != language():
            self._list()
        at_rest = self._engine.activity is Activity.IDLE
        if self._found is None:
            self.state.emit(waiting_state(at_rest, self._wanted and self._engine.activity is Activity.LENT))
            return
        from ui.viewmodels.choose import present_choices

        rehearsal = self._rehearsed.get(self._selected)
        self.state.emit(
            present_choices(
                self._found,
                self._selected,
                "" if rehearsal is None else rehearsed_words(rehearsal),
                at_rest=at_rest,
                can_rehearse=self._door.can_rehearse,
            )
        )

    def watch(self, shown: bool) -> None:
        """The page has come or gone."""
        self._shown = shown
        self.show_all()
        if shown and self._stale:
            self._list()

    def set_work(self, work: Workload) -> None:
        """The work has changed."""
        if work != self._work:
            self._work = work
            self._rehearsed = {}
            self._list()

    def measure(self) -> None:
        """Measure this machine in every quantisation."""
        self._wanted = self._door.measure()
        self.show_all()

    def sort(self, priority: str) -> None:
        """The user wants most of quality, speed or size."""
        self._priority = priority
        self._list()

    def list_all(self, every: bool) -> None:
        """Every quantisation, or the best of each model."""
        self._every = every
        self._list()

    def select(self, key: str) -> None:
        """Show this choice's details."""
        if key != self._selected:
            self._selected = key
            self.show_all()

    def rehearse(self) -> None:
        """Measure a stand-in of the chosen one."""
        chosen = self._chosen()
        if chosen is not None:
            self._door.rehearse(chosen[0], chosen[1], self._work)

    def _chosen(self) -> tuple[str, str] | None:
        from ui.viewmodels.choose import key_of

        choices = self._found.choices if self._found else ()
        held = next((one for one in choices if key_of(one) == self._selected), choices[0] if choices else None)
        return None if held is None else (held.name, held.recipe)

    def _list(self, _place: object = None) -> None:
        self._stale = not self._shown
        if self._shown:
            self._said_in = language()
            self._door.list_choices(self._work, self._priority, self._every)

    def _on_listed(self, found: "Shortlist") -> None:
        self._found = found
        self.show_all()

    def _on_rehearsed(self, rehearsal: "Rehearsal") -> None:
        self._rehearsed[f"{rehearsal.candidate.name} {rehearsal.candidate.recipe}"] = rehearsal
        self.show_all()

    def _on_activity(self, _activity: Activity) -> None:
        self.show_all()


def rehearsed_words(rehearsal: "Rehearsal") -> str:
    """What a rehearsal showed, in a sentence."""
    wait, stream = rehearsal.wait, rehearsal.stream
    if isinstance(wait, Known) and isinstance(stream, Known):
        return tr(
            "Rehearsed just now: the first word after {wait}, the answer in {stream}.",
            wait=fmt.seconds_range(wait.value.low_s, wait.value.high_s),
            stream=fmt.seconds_range(stream.value.low_s, stream.value.high_s),
        )
    why = next((fact.reason for fact in (wait, stream) if isinstance(fact, Unknown)), "")
    return tr("The rehearsal showed no seconds: {why}.", why=tr(why))
