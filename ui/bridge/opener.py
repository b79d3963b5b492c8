"""Whatever is dropped, handed over, remembered or pasted: a model, a result of ours, or figures of other tools."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal, Slot

from advisor.benchmarks.reported import ReportedRun
from advisor.core.progress import CancelToken
from advisor.core.translation import marked, tr
from advisor.report.document import Document
from ui.bridge.doors import OpenDoors
from ui.bridge.jobs import Done, Ended, Failed, Jobs, Send
from ui.bridge.notices import NoticeCentre

MODEL_ENDING: Final = ".gguf"
CLIPBOARD: Final = marked("the clipboard")
LOOK: Final = "look"
REMEMBERED: Final = "remembered"
KEEP: Final = "keep"
EXPORT: Final = "export"


@dataclass(frozen=True, slots=True)
class PastRun:
    """A diagnosis that was measured some other time or elsewhere, and the file that holds it."""

    source: str
    document: Document


@dataclass(frozen=True, slots=True)
class ImportedRuns:
    """Figures that were not measured here."""

    source: str
    runs: tuple[ReportedRun, ...]


class Opener(QObject):
    """Looks into files on a worker thread and says what they are. Lives on the main thread.

    ``model_found`` carries a path, ``remembered_found`` one that is only to be opened where nothing else is,
    ``past_found`` a ``PastRun``, ``import_found`` ``ImportedRuns``, ``kept`` what ``OpenDoors.keep`` gives and
    ``exported`` the path that was written.
    """

    model_found = Signal(object)
    remembered_found = Signal(object)
    past_found = Signal(object)
    import_found = Signal(object)
    kept = Signal(object)
    exported = Signal(object)

    def __init__(
        self, doors: OpenDoors | None, notices: NoticeCentre, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._doors = doors
        self._notices = notices
        self._jobs = Jobs(self)
        self._jobs.ended.connect(self._on_ended)

    @Slot(object)
    def open(self, path: Path) -> None:
        """Find out what a file is; by its ending alone where that says so, or where only models are opened."""
        doors = self._doors
        if doors is None or path.suffix.lower() == MODEL_ENDING:
            self.model_found.emit(path)
            return
        self._look(path.name, lambda: doors.file(path))

    @Slot(str)
    def read_text(self, text: str) -> None:
        """Read the figures of a pasted text."""
        doors = self._doors
        if doors is not None:
            self._look(CLIPBOARD, lambda: doors.text(text))

    @Slot(object)
    def keep(self, runs: tuple[ReportedRun, ...]) -> None:
        """Put figures into the history."""
        doors = self._doors
        if doors is not None:
            self._jobs.start(KEEP, KEEP, lambda send, cancel: doors.keep(runs))

    @Slot(int)
    def open_run(self, number: int) -> None:
        """Show a run of the history as it was answered."""
        doors = self._doors
        if doors is not None:
            self._look(tr("run {number} of the history", number=number), lambda: doors.run(number))

    @Slot(int, object, str)
    def export_run(self, number: int, path: Path, kind: str) -> None:
        """Write a run of the history as ``pdf``, ``html``, ``md``, ``csv`` or ``json``."""
        doors = self._doors
        if doors is None:
            return

        def work(send: Send, cancel: CancelToken) -> object:
            doors.write(number, path, kind)
            return path

        self._jobs.start(EXPORT, EXPORT, work)

    def open_if_there(self, path: Path) -> None:
        """Look for a model of an earlier time, on a drive that may be slow or gone; nothing is said where it is."""
        self._jobs.start(REMEMBERED, REMEMBERED, lambda send, cancel: path if path.is_file() else None)

    def end(self, timeout_s: float) -> bool:
        """Give up for good; True when no thread is left."""
        self._doors = None
        return self._jobs.end(timeout_s)

    def _look(self, name: str, read: Callable[[], object]) -> None:
        self._jobs.start(LOOK, LOOK, lambda send, cancel: (name, read()))

    def _on_ended(self, ending: Done | Failed | Ended) -> None:
        if isinstance(ending, Failed):
            self._notices.post_error(ending.error)
        elif isinstance(ending, Done):
            self._on_done(ending.kind, ending.value)

    def _on_done(self, kind: str, value: object) -> None:
        if kind == REMEMBERED and isinstance(value, Path):
            self.remembered_found.emit(value)
        elif kind == KEEP:
            self.kept.emit(value)
        elif kind == EXPORT:
            self.exported.emit(value)
        elif kind == LOOK:
            assert isinstance(value, tuple)
            name, held = value
            if isinstance(held, Path):
                self.model_found.emit(held)
            elif isinstance(held, Document):
                self.past_found.emit(PastRun(name, held))
            else:
                self.import_found.emit(ImportedRuns(name, held))
