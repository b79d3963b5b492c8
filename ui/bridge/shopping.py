"""Other hardware and other models: reckoned on worker threads, measured in the lane of the benchmark."""

import logging
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal, Slot

from advisor.core.evidence import Missing, Unknown
from advisor.core.translation import marked
from advisor.diagnosis.model import Workload
from advisor.report.document import Document
from ui.bridge.doors import ShoppingDoors
from ui.bridge.engine import Engine
from ui.bridge.jobs import Done, Ended, Failed, Jobs, Send
from ui.bridge.notices import NoticeCentre

if TYPE_CHECKING:
    from advisor.core.progress import CancelToken
    from advisor.session.events import Listener
    from advisor.shortlist.choosing import Place
    from advisor.whatif.model import Question
    from ui.bridge.doors import PipelineLike

log = logging.getLogger(__name__)

UPGRADES: Final = "upgrades"
CHOOSE: Final = "choose"
NO_MODEL: Final = Unknown(marked("open a model first"), Missing.NOT_YET)


class Shopping(QObject):
    """Gives ``considered`` (a fact of ``Considered``), ``listed`` (a ``Shortlist``) and ``rehearsed``.

    Lives on the main thread. Nothing is reckoned while its page is not shown.
    """

    considered = Signal(object)
    listed = Signal(object)
    rehearsed = Signal(object)
    placed = Signal(object)

    def __init__(
        self, doors: ShoppingDoors | None, engine: Engine, notices: NoticeCentre, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._doors = doors
        self._engine = engine
        self._notices = notices
        self._document: Document | None = None
        self._question: Question | None = None
        self._shown: set[str] = set()
        self._place: Place | None = None
        self._jobs = Jobs(self)
        self._jobs.ended.connect(self._on_ended)
        engine.answered.connect(self._on_answer)
        engine.model_read.connect(self._on_model)
        engine.lent.connect(self._on_lent)

    @Slot(str, bool)
    def watch(self, page: str, shown: bool) -> None:
        """A page has come or gone."""
        if shown:
            self._shown.add(page)
        else:
            self._shown.discard(page)
        if page == UPGRADES:
            self._consider()

    def ask(self, question: "Question") -> None:
        """Other hardware, as the form says."""
        self._question = question
        self._consider()

    @property
    def place(self) -> "Place | None":
        """This machine's kernels, once they are measured."""
        return self._place

    def measure(self) -> bool:
        """Measure this machine's kernels in every quantisation; False while anything else is measured."""
        doors = self._doors
        return doors is not None and self._engine.lend(doors.place)

    def rehearse(self, name: str, recipe: str, work: Workload) -> bool:
        """Measure a stand-in of a model; False where that cannot be done now."""
        make = None if self._doors is None else self._doors.rehearse
        if make is None:
            return False

        def lent(pipeline: "PipelineLike", listener: "Listener", cancel: "CancelToken") -> object:
            return make(pipeline, name, recipe, work, listener, cancel)

        return self._engine.lend(lent)

    @property
    def can_rehearse(self) -> bool:
        """Whether stand-ins can be measured at all."""
        return self._doors is not None and self._doors.rehearse is not None

    def list_choices(self, work: Workload, priority: str, every: bool) -> None:
        """The catalogue in this order, once the kernels are known."""
        doors, place = self._doors, self._place
        if doors is None or place is None:
            return

        def reckon(send: Send, cancel: "CancelToken") -> object:
            from advisor.shortlist.model import Priority

            return doors.shortlist(place, work, Priority(priority), every)

        self._jobs.start(CHOOSE, CHOOSE, reckon)

    def end(self, timeout_s: float) -> bool:
        """Give up for good; True when no thread is left."""
        return self._jobs.end(timeout_s)

    def _consider(self) -> None:
        doors, document, question = self._doors, self._document, self._question
        if doors is None or UPGRADES not in self._shown:
            return
        if document is None:
            self.considered.emit(NO_MODEL)
            return

        def reckon(send: Send, cancel: "CancelToken") -> object:
            from advisor.whatif.model import Question

            return doors.consider(document, question or Question())

        self._jobs.start(UPGRADES, UPGRADES, reckon)

    def _on_answer(self, document: Document) -> None:
        self._document = document
        self._consider()

    def _on_model(self, _model: object) -> None:
        self._document = None
        self._consider()

    def _on_lent(self, value: object) -> None:
        from advisor.rehearsal.model import Rehearsal  # what was measured has imported them
        from advisor.shortlist.choosing import Place

        if isinstance(value, Place):
            self._place = value
            self.placed.emit(value)
        elif isinstance(value, Rehearsal):
            self.rehearsed.emit(value)

    def _on_ended(self, ending: Done | Failed | Ended) -> None:
        if isinstance(ending, Failed):
            self._notices.post_error(ending.error)
        elif isinstance(ending, Done):
            (self.considered if ending.kind == UPGRADES else self.listed).emit(ending.value)
