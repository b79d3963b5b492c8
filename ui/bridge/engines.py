"""The engines to choose from: looked for, asked and checked on a worker thread, while their list is shown.

Everything runs in one lane, so that a check never shares the machine with a question to another engine; and while the
window itself measures, nothing runs here at all.
"""

import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal, Slot

from advisor.benchmarks.engines.listed import EMBEDDED, NOT_CHECKED, FoundEngine, ListedEngine, free_id
from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import EngineFacts
from advisor.core.errors import AdvisorError
from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.numbers import sentence
from advisor.core.progress import CancelToken
from advisor.core.translation import marked, tr
from ui.bridge.activity import Activity
from ui.bridge.doors import EngineDoors
from ui.bridge.jobs import Done, Ended, Failed, JobEvent, Jobs, Send

log = logging.getLogger(__name__)

LANE: Final = "engines"
ASK: Final = "ask"
CHECK: Final = "check"
ADD: Final = "add"
JOIN: Final = "join"
NOT_ASKED: Final = Unknown(marked("not asked yet"), Missing.NOT_YET)
STOPPED: Final = Unknown(marked("stopped, since the window began to measure"), Missing.NOT_YET)
FAILED: Final = marked("this failed in a way that was not expected; the log has more")


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The engine that the window measures with, and where it puts models."""

    found: FoundEngine
    placement: Placement = OWN_CHOICE


@dataclass(frozen=True, slots=True)
class EngineList:
    """What is known of the engines.

    Attributes:
        chosen: id of the one that the window measures with.
        checking: id of the one that is being checked, empty for none.
        looking: whether engines are being looked for or asked.
        activity: what the window is at.
        remark: a sentence about the last addition.
        placement: where the chosen one puts models.
        joined: the RPC servers that each engine was asked with, by id; none for those that are not named.
    """

    engines: tuple[ListedEngine, ...] = ()
    chosen: str = EMBEDDED
    checking: str = ""
    looking: bool = False
    activity: Activity = Activity.IDLE
    remark: str = ""
    placement: Placement = OWN_CHOICE
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def find(self, chosen: str) -> ListedEngine | None:
        """The engine of that id."""
        return next((each for each in self.engines if each.found.id == chosen), None)


class Engines(QObject):
    """Gives a new ``EngineList`` with ``changed``, and the engine that the user takes with ``chosen``.

    Lives on the main thread. Without doors the list stays empty.
    """

    changed = Signal(object)
    chosen = Signal(object)

    def __init__(self, doors: EngineDoors | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._doors = doors
        self._shown = False
        self._fresh = False
        self._added: tuple[FoundEngine, ...] = ()
        self._state = EngineList()
        self._jobs = Jobs(self)
        self._jobs.sent.connect(self._on_event)
        self._jobs.ended.connect(self._on_ended)

    @property
    def state(self) -> EngineList:
        """What is known now."""
        return self._state

    @Slot(bool)
    def watch(self, shown: bool) -> None:
        """The list has come or gone; what comes is looked for anew, with it goes what still runs."""
        self._shown, self._fresh = shown, False
        self._change(remark="")
        self._settle()

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """The window's own work goes first."""
        self._change(activity=activity)
        self._settle()

    @Slot(str)
    def check(self, chosen: str) -> None:
        """Let an engine measure the sample for about two seconds; asked again meanwhile, end that."""
        if chosen and chosen == self._state.checking:
            self._jobs.cancel(LANE)
            return
        listed, doors = self._state.find(chosen), self._doors
        if listed is None or doors is None or not self._may_run:
            return
        found, facts = listed.found, listed.facts

        def work(send: Send, cancel: CancelToken) -> object:
            return replace(listed, check=doors.check(found, facts, cancel))

        self._jobs.start(LANE, CHECK, work)
        self._take(replace(listed, check=NOT_CHECKED))
        self._change(checking=chosen, looking=False)

    def use(self, chosen: str, placement: Placement = OWN_CHOICE) -> None:
        """Measure with that engine from now on, and put models there."""
        listed = self._state.find(chosen)
        if listed is not None and (chosen, placement) != (self._state.chosen, self._state.placement):
            self._change(chosen=chosen, placement=placement)
            self.chosen.emit(EngineChoice(listed.found, placement))

    def join_servers(self, chosen: str, rpc_servers: tuple[str, ...]) -> None:
        """Ask an engine again what it can compute on, with the devices of these servers."""
        listed, doors = self._state.find(chosen), self._doors
        if listed is None or doors is None or not self._may_run or rpc_servers == self._state.joined.get(chosen, ()):
            return

        def work(send: Send, cancel: CancelToken) -> object:
            return replace(listed, facts=_asked(doors, listed.found, cancel, rpc_servers))

        self._jobs.start(LANE, JOIN, work)
        self._change(checking="", looking=True, remark="", joined={**self._state.joined, chosen: rpc_servers})

    @Slot(object)
    def add(self, folder: Path) -> None:
        """Put the engine of a folder into the list, or say why there is none."""
        doors = self._doors
        if doors is not None:
            self._jobs.start(LANE, ADD, lambda send, cancel: doors.add(folder))
            self._change(checking="", looking=True, remark="")

    def end(self, timeout_s: float) -> bool:
        """Give up for good; True when no thread is left."""
        self._doors = None
        return self._jobs.end(timeout_s)

    # ---- what runs

    @property
    def _may_run(self) -> bool:
        return self._shown and self._state.activity is Activity.IDLE

    def _settle(self) -> None:
        """Ask what has not been asked yet, while it is looked at and nothing else is at work."""
        doors = self._doors
        if doors is None or not self._may_run:
            self._jobs.cancel(LANE)
            return
        if self._jobs.running(LANE) or (self._fresh and not self._unasked()):
            return
        known, added, fresh, joined = self._state.engines, self._added, self._fresh, self._state.joined

        def work(send: Send, cancel: CancelToken) -> object:
            engines = known if fresh else _merged(doors.find(), added, known)
            send(engines)
            for each in engines:
                if each.facts == NOT_ASKED:
                    facts = _asked(doors, each.found, cancel, joined.get(each.found.id, ()))
                    cancel.raise_if_cancelled()
                    send(replace(each, facts=facts))
            return None

        self._jobs.start(LANE, ASK, work)
        self._change(looking=True)

    def _unasked(self) -> bool:
        return any(each.facts == NOT_ASKED for each in self._state.engines)

    # ---- what comes back, on the main thread

    def _on_event(self, message: JobEvent) -> None:
        if isinstance(message.event, ListedEngine):
            self._take(message.event)
        elif isinstance(message.event, tuple):
            self._fresh = True
            # Names may have moved to other places since the engine was taken.
            old = self._state.find(self._state.chosen)
            same = [each.found.id for each in message.event if old is None or _same(each.found, old.found)]
            self._change(engines=message.event, chosen=same[0] if same else "")

    def _on_ended(self, ending: Done | Failed | Ended) -> None:
        if ending.kind == CHECK:
            self._take_check(ending)
        elif ending.kind == ADD:
            self._take_added(ending)
        elif ending.kind == JOIN:
            self._take_joined(ending)
        elif isinstance(ending, Failed):
            log.error("looking for engines failed", exc_info=ending.error)
            self._fresh = True  # not again until the list is opened again
            self._change(remark=tr("The engines could not be looked for: {why}.", why=tr(FAILED)))
        if isinstance(ending, Ended) and ending.replaced:
            return  # what replaced it says how it goes on
        self._change(checking="", looking=False)
        self._settle()

    def _take_check(self, ending: Done | Failed | Ended) -> None:
        if isinstance(ending, Done) and isinstance(ending.value, ListedEngine):
            self._take(ending.value)
            return
        listed = self._state.find(self._state.checking)
        if listed is None:
            return
        if isinstance(ending, Failed):
            known = isinstance(ending.error, AdvisorError)
            if not known:
                log.error("the check of an engine failed", exc_info=ending.error)
            self._take(replace(listed, check=Unknown(str(ending.error) if known else FAILED)))
        elif self._shown and self._state.activity is not Activity.IDLE:
            self._take(replace(listed, check=STOPPED))

    def _take_joined(self, ending: Done | Failed | Ended) -> None:
        """The engine with the devices of others; where they do not answer, what is known of it stays."""
        if isinstance(ending, Done) and isinstance(ending.value, ListedEngine):
            listed = ending.value
            if isinstance(listed.facts, Known):
                self._take(listed)
                return
            self._leave(listed.found.id)
            self._change(remark=sentence(tr(listed.facts.reason)))
        elif isinstance(ending, Failed):
            log.error("asking an engine for other machines failed", exc_info=ending.error)
            self._change(remark=tr("The RPC servers could not be asked: {why}.", why=tr(FAILED)))

    def _leave(self, chosen: str) -> None:
        self._change(joined={each: servers for each, servers in self._state.joined.items() if each != chosen})

    def _take_added(self, ending: Done | Failed | Ended) -> None:
        if isinstance(ending, Failed):
            known = isinstance(ending.error, AdvisorError)
            if not known:
                log.error("adding an engine failed", exc_info=ending.error)
            unexpected = tr("The engine could not be added: {why}.", why=tr(FAILED))
            self._change(remark=str(ending.error) if known else unexpected)
        elif isinstance(ending, Done) and isinstance(ending.value, FoundEngine):
            same = [each.found.id for each in self._state.engines if _same(each.found, ending.value)]
            if same:
                self._change(remark=tr("This engine is in the list already, as {name}.", name=same[0]))
                return
            found = replace(ending.value, id=free_id(ending.value.id, {each.found.id for each in self._state.engines}))
            self._added = (*self._added, found)
            self._change(engines=(*self._state.engines, ListedEngine(found, NOT_ASKED)))

    def _take(self, listed: ListedEngine) -> None:
        engines = self._state.engines
        self._change(engines=tuple(listed if each.found == listed.found else each for each in engines))

    def _change(self, **what: object) -> None:
        state = replace(self._state, **what)  # type: ignore[arg-type]
        if state != self._state:
            self._state = state
            self.changed.emit(state)


def _asked(
    doors: EngineDoors, found: FoundEngine, cancel: CancelToken, rpc_servers: tuple[str, ...] = ()
) -> Fact[EngineFacts]:
    try:
        return doors.ask(found, cancel, rpc_servers)
    except AdvisorError as error:
        return Unknown(str(error))


def _merged(
    found: Iterable[FoundEngine], added: Iterable[FoundEngine], known: Iterable[ListedEngine]
) -> tuple[ListedEngine, ...]:
    """What is there now, with what is known of it; an engine that did not work is asked again."""
    before = {each.found: each for each in known if not isinstance(each.facts, Unknown)}
    places = tuple(found)
    taken = {place.id for place in places}
    others = [
        replace(each, id=free_id(each.id, taken)) for each in added if not any(_same(each, place) for place in places)
    ]
    return tuple(before.get(each, ListedEngine(each, NOT_ASKED)) for each in (*places, *others))


def _same(one: FoundEngine, other: FoundEngine) -> bool:
    """By the place of the interpreter or program; links stay, since environments are told apart by them."""
    return os.path.abspath(one.path) == os.path.abspath(other.path)  # noqa: PTH100
