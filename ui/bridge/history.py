"""Earlier runs, read and marked on a worker thread while somebody looks at them."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QObject, Signal, Slot

from advisor.benchmarks.store.model import StoredRun
from advisor.benchmarks.store.overview import RunLine
from advisor.comparison.model import Comparison
from advisor.comparison.trend import RunPast
from advisor.core.errors import AdvisorError
from advisor.core.progress import CancelToken
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from ui.bridge.activity import Activity
from ui.bridge.doors import HistoryLike
from ui.bridge.jobs import Done, Ended, Failed, Jobs, Send
from ui.bridge.notices import NoticeCentre

log = logging.getLogger(__name__)

LIST, RUN, PAST, COMPARE, EARLIER, MARK = "list", "run", "past", "compare", "earlier", "mark"
"""Lanes: a newer question takes the place of an older one of its kind, marks wait for each other."""


@dataclass(frozen=True, slots=True)
class RunList:
    """The runs of the history; ``reading`` until they are there for the first time."""

    lines: tuple[RunLine, ...] = ()
    deleted: bool = False
    reading: bool = True


class HistoryDoor(QObject):
    """Gives a ``RunList`` with ``listed``, a ``StoredRun`` with ``read`` and with ``earlier_found`` a tuple of them.

    After a run was read its ``RunPast`` follows with ``past_read``; ``compared`` carries a ``Comparison``.

    Lives on the main thread. Without a history every list is empty.
    """

    listed = Signal(object)
    read = Signal(object)
    past_read = Signal(object)
    compared = Signal(object)
    earlier_found = Signal(object)

    def __init__(
        self, history: Callable[[], HistoryLike] | None, notices: NoticeCentre, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._history = None if history is None else cache(history)
        self._notices = notices
        self._shown = False
        self._deleted = False
        self._model: ModelFacts | None = None
        self._machine: Machine | None = None
        self._waiting: list[Callable[[HistoryLike], None]] = []
        self._jobs = Jobs(self)
        self._jobs.ended.connect(self._on_ended)

    # ---- what the page asks

    @Slot(bool)
    def watch(self, shown: bool) -> None:
        """The page has come or gone; what others have measured since then is seen when it comes."""
        self._shown = shown
        if shown:
            self.look()

    @Slot(bool)
    def show_deleted(self, deleted: bool) -> None:
        """List the deleted runs instead of the others."""
        self._deleted = deleted
        self.look()

    @Slot()
    def look(self) -> None:
        """Read the list anew."""
        deleted, history = self._deleted, self._history
        if history is None:
            self.listed.emit(RunList(deleted=deleted, reading=False))
            return

        def work(send: Send, cancel: CancelToken) -> object:
            return RunList(history().overview(deleted), deleted, reading=False)

        self._jobs.start(LIST, LIST, work)

    @Slot(int)
    def open(self, number: int) -> None:
        """Read one run whole."""
        history = self._history
        if history is not None:
            self._jobs.start(RUN, RUN, lambda send, cancel: history().run(number))

    @Slot(int, int)
    def compare(self, base: int, other: int) -> None:
        """Hold one run against another."""
        history = self._history
        if history is not None:
            self._jobs.start(COMPARE, COMPARE, lambda send, cancel: history().compare(base, other))

    @Slot(int, str)
    def set_label(self, number: int, text: str) -> None:
        """Give a run a name."""
        self._mark(lambda history: history.set_label(number, text))

    @Slot(int, str)
    def set_note(self, number: int, text: str) -> None:
        """Write a note to a run."""
        self._mark(lambda history: history.set_note(number, text))

    @Slot(int)
    def delete(self, number: int) -> None:
        """Hide a run."""
        self._mark(lambda history: history.delete(number))

    @Slot(int)
    def restore(self, number: int) -> None:
        """Show a deleted run again."""
        self._mark(lambda history: history.restore(number))

    # ---- what the engine says: which earlier runs stand beside the present one

    @Slot(object)
    def take_machine(self, machine: Machine) -> None:
        """The machine was read."""
        self._machine = machine
        self._look_for_earlier()

    @Slot(object)
    def take_model(self, model: ModelFacts) -> None:
        """A model was opened."""
        self._model = model
        self.earlier_found.emit(())
        self._look_for_earlier()

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """What goes on has changed: after a run there is one more."""
        if activity is Activity.IDLE and self._model is not None:
            self._look_for_earlier()
            if self._shown:
                self.look()

    def end(self, timeout_s: float) -> bool:
        """Give up for good, but for the marks that somebody made; True when no thread is left."""
        history, self._history = self._history, None
        waiting, self._waiting = self._waiting, []
        ended = self._jobs.end(timeout_s, unless=MARK)
        if history is not None and ended:
            for write in waiting:
                try:
                    write(history())
                except AdvisorError as error:
                    log.warning("a mark was not written: %s", error)
        return ended

    # ---- how

    def _look_for_earlier(self) -> None:
        history, model, machine = self._history, self._model, self._machine
        if history is not None and model is not None and machine is not None:
            self._jobs.start(EARLIER, EARLIER, lambda send, cancel: history().earlier(model, machine))

    def _look_back(self, number: int) -> None:
        history = self._history
        if history is not None:
            self._jobs.start(PAST, PAST, lambda send, cancel: history().past(number))

    def _mark(self, write: Callable[[HistoryLike], None]) -> None:
        self._waiting.append(write)
        self._mark_next()

    def _mark_next(self) -> None:
        history = self._history
        if history is None or not self._waiting or self._jobs.running(MARK):
            return
        write = self._waiting.pop(0)
        self._jobs.start(MARK, MARK, lambda send, cancel: write(history()))

    def _on_ended(self, ending: Done | Failed | Ended) -> None:
        if isinstance(ending, Failed):
            if ending.kind in (EARLIER, PAST):
                log.warning("earlier runs were not read: %s", ending.error)  # the chart does without them
            else:
                self._notices.post_error(ending.error)
                if ending.kind == LIST:
                    self.listed.emit(RunList(deleted=self._deleted, reading=False))
                elif ending.kind == MARK:
                    self.look()  # as it is in the file
        elif isinstance(ending, Done):
            self._on_done(ending)
        self._mark_next()

    def _on_done(self, ending: Done) -> None:
        value = ending.value
        if ending.kind == MARK:
            if not self._waiting:
                self.look()
        elif isinstance(value, RunList):
            self.listed.emit(value)
        elif isinstance(value, StoredRun):
            self.read.emit(value)
            self._look_back(value.number)
        elif isinstance(value, RunPast):
            self.past_read.emit(value)
        elif isinstance(value, Comparison):
            self.compared.emit(value)
        elif isinstance(value, tuple):
            self.earlier_found.emit(value)
