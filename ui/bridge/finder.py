"""Looks for models on this machine, on a worker thread, and only while someone looks at the list."""

import logging
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from advisor.core.progress import CancelToken
from advisor.core.translation import marked
from advisor.gguf.discover.model import Discovery
from ui.bridge.jobs import Done, Ended, Failed, Jobs, Send

log = logging.getLogger(__name__)

PERIOD_MS: Final = 20_000
"""Between the end of one search and the next while a list is shown; nothing watches the disk in between."""

LANE: Final = "find"
FAILED: Final = marked("The search for models on this computer failed; models can be opened as files.")

Find = Callable[[CancelToken], Discovery]


class Finder(QObject):
    """Gives a new ``Discovery`` with ``found`` whenever what is found has changed.

    Lives on the main thread. ``find`` runs on a worker thread; None finds nothing.
    """

    found = Signal(object)

    def __init__(self, find: Find | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._find = find
        self._begun = False
        self._page_shown = False
        self._popup_shown = False
        self._last: Discovery | None = None
        self._jobs = Jobs(self)
        self._jobs.ended.connect(self._on_ended)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self._settle)

    def begin(self) -> None:
        """Search from now on where a list is shown; before this nothing slow happens."""
        self._begun = True
        self._settle()

    @Slot(bool)
    def watch_page(self, shown: bool) -> None:
        """The page that lists models has come or gone."""
        self._page_shown = shown
        self._settle()

    @Slot(bool)
    def watch_popup(self, shown: bool) -> None:
        """The list under the button has come or gone."""
        self._popup_shown = shown
        self._settle()

    @property
    def searching(self) -> bool:
        """Whether a search runs."""
        return bool(self._jobs.running(LANE))

    @property
    def waiting(self) -> bool:
        """Whether another search will follow by itself."""
        return self._timer.isActive()

    def end(self, timeout_s: float) -> bool:
        """Give up for good; True when no thread is left."""
        self._find = None
        self._timer.stop()
        return self._jobs.end(timeout_s)

    def _settle(self) -> None:
        self._timer.stop()
        find = self._find
        if find is None or not self._begun or not (self._page_shown or self._popup_shown):
            self._jobs.cancel(LANE)
        elif not self.searching:

            last = self._last

            def work(send: Send, cancel: CancelToken) -> object:
                discovery = find(cancel)
                return last if discovery == last else discovery  # compared here, where it takes nobody's time

            self._jobs.start(LANE, "find", work)

    def _on_ended(self, ending: Done | Failed | Ended) -> None:
        if isinstance(ending, Failed):
            log.error("the search for models failed", exc_info=ending.error)
            self._take(Discovery(self._last.models if self._last else (), (FAILED,)))
        elif isinstance(ending, Done) and isinstance(ending.value, Discovery):
            self._take(ending.value)
        if self._find is not None and (self._page_shown or self._popup_shown):
            if isinstance(ending, Ended):
                self._settle()  # it was hidden and shown again before the search had noticed
            else:
                self._timer.start()

    def _take(self, discovery: Discovery) -> None:
        if discovery is not self._last:
            self._last = discovery
            self.found.emit(discovery)
