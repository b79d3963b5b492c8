"""State of the place *Opened*: a run of the past behind an engine of its own, or figures of other tools."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from advisor.benchmarks.reported import ReportedRun
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Workload
from advisor.hardware.catalog import Accelerator, find
from advisor.report.device_words import placed
from ui.bridge.engine import Engine
from ui.bridge.opener import ImportedRuns, Opener, PastRun
from ui.viewmodels.opened import kept_words, present_import, present_imported, present_past
from ui.viewmodels.screen import Screen


class OpenedScreen(QObject):
    """``past_opened`` and ``import_opened`` carry a ``Banner``, ``imported`` the cards.

    ``said`` carries what makes a line for the status bar.

    Lives on the main thread. ``screen`` is the view model of the run of the past; its engine measures nothing.
    """

    past_opened = Signal(object)
    import_opened = Signal(object)
    imported = Signal(object)
    said = Signal(object)

    def __init__(
        self, opener: Opener, past: Engine, screen: Screen, work: Callable[[], Workload], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.screen = screen
        self._opener = opener
        self._past = past
        self._work = work
        self._found: PastRun | ImportedRuns | None = None
        self._device: Accelerator | None = None
        opener.past_found.connect(self._on_past)
        opener.import_found.connect(self._on_import)
        opener.kept.connect(self._on_kept)
        past.exported.connect(self.tell_exported)

    def show_all(self) -> None:
        """Send what is held once more, for views that were just made."""
        if isinstance(self._found, PastRun):
            self.past_opened.emit(present_past(retold(self._found.source), self._found.document))
            self.screen.show_all()
        elif self._found is not None:
            self._device = None  # the choice begins anew with its view
            self.import_opened.emit(present_import(retold(self._found.source), self._found.runs))
            self.judge()

    @property
    def holds_run(self) -> bool:
        """Whether a run of the past is there, which can be exported."""
        return self._past.document is not None and not self._runs

    @property
    def _runs(self) -> tuple[ReportedRun, ...]:
        return self._found.runs if isinstance(self._found, ImportedRuns) else ()

    def export(self, path: Path, kind: str) -> None:
        """Write the run of the past."""
        self._past.export(path, kind)

    def suggested_name(self) -> str:
        """File name for an export, without folder and ending."""
        return self.screen.suggested_name()

    @Slot()
    def judge(self) -> None:
        """Judge imported figures for the work as it is set now."""
        if self._runs:
            self.imported.emit(present_imported(self._runs, self._work(), self._device))

    @Slot(str)
    def choose_device(self, name: str) -> None:
        """Judge imported figures as measured on this device of the table; "" takes what their source says."""
        self._device = find(name) if name else None
        self.judge()

    @Slot()
    def keep(self) -> None:
        """Put imported figures into the history."""
        if self._runs:
            self._opener.keep(placed(self._runs, self._device))

    @Slot()
    def close(self) -> None:
        """Hold what was opened no longer."""
        self._found = None

    def _on_past(self, found: PastRun) -> None:
        self._found = found
        self.past_opened.emit(present_past(found.source, found.document))
        self.screen.take_past(found.document)
        self._past.show_past(found.document)

    def _on_import(self, found: ImportedRuns) -> None:
        self._found, self._device = found, None
        self.import_opened.emit(present_import(found.source, found.runs))
        self.judge()

    def _on_kept(self, kept: object) -> None:
        assert isinstance(kept, tuple)
        self.said.emit(partial(kept_words, kept))

    @Slot(object)
    def tell_exported(self, path: object) -> None:
        """Say where a report was written."""
        self.said.emit(partial(tr, marked("Report written: {path}"), path=path))
