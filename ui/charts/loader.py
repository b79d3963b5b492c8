"""Brings the plot library in once the window is there."""

import importlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from advisor.core.translation import marked, tr

log = logging.getLogger(__name__)

LIBRARY: Final = "pyqtgraph"
WITHOUT_QT: Final = ("numpy", "xml.etree.ElementTree", "pydoc", "ui.viewmodels.roofline")
"""What the charts import and what does not touch Qt: it may come in on a thread."""
SLICE_S: Final = 0.010
"""Work after which the event loop has its turn."""
PAUSE_MS: Final = 15
"""Between two charts, which take 30 to 50 ms each; a timer of 0 would come again before anything else has its turn."""


COULD_NOT: Final = marked("The chart could not be drawn, because: {reason}. The table has the same figures.")


class ChartLoader(QObject):
    """Imports the plot library once, then says ``ready``.

    What does not touch Qt comes in on a thread. The rest comes in on the main thread, since Qt's Python types are made
    when they are first named, and making them on a thread while the window makes others ends the process now and then.
    So that the window is not away for a third of a second, it comes in slices: first the library's dearest part, which
    is to name every type of Qt, then its modules, with the event loop's turn between two of them.
    """

    ready = Signal()
    failed = Signal(object)
    _rest_is_in = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._names = _all_names()
        self._makers: list[tuple[Callable[[], object], Callable[[str], object] | None]] = []
        self.is_ready = False
        self.error = ""
        self._rest_is_in.connect(self._take)

    def start(self) -> None:
        """Begin, unless it has begun."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="chart import", daemon=True)
            self._thread.start()

    def build(self, make: Callable[[], object], tell: Callable[[str], object] | None = None) -> None:
        """Call ``make``, which makes a chart, once the library is in: each in a turn of its own, before ``ready``.

        What goes wrong there, or with the library, is told to ``tell`` in a sentence; the other charts are made all the
        same.
        """
        if self.error:
            self._tell(tell)
            return
        self._makers.append((make, tell))
        if self.is_ready and len(self._makers) == 1:
            QTimer.singleShot(0, self, self._build_late)

    def forget(self) -> None:
        """Make none of the charts that wait: the pages that asked for them are going."""
        self._makers = []

    @property
    def waiting(self) -> bool:
        """Whether charts are still to be made."""
        return bool(self._makers)

    def join(self, timeout_s: float) -> None:
        """Wait for the thread to end."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _work(self) -> None:
        error: Exception | None = None
        try:
            for name in WITHOUT_QT:
                importlib.import_module(name)
        except Exception as caught:  # a broken library must not take the window with it
            error = caught
        try:
            self._rest_is_in.emit(error)
        except RuntimeError:
            log.debug("the window was gone before the charts were in")

    def _take(self, error: object) -> None:
        if error is None:
            self._name_types()
        else:
            self._fail(error)

    def _name_types(self) -> None:
        end = time.perf_counter() + SLICE_S
        for module, name in self._names:
            getattr(module, name, None)
            if time.perf_counter() > end:
                QTimer.singleShot(0, self, self._name_types)
                return
        self._import_library()

    def _import_library(self) -> None:
        if any(isinstance(finder, _Turns) for finder in sys.meta_path):
            # This is a turn within another window's import; the library is not whole before that has ended.
            QTimer.singleShot(PAUSE_MS, self, self._import_library)
            return
        try:
            with _turns_between_modules():
                importlib.import_module("ui.charts.roofline")
        except Exception as error:
            self._fail(error)
        else:
            QTimer.singleShot(PAUSE_MS, self, self._build_next)

    def _build_next(self) -> None:
        if self._makers:
            self._make(*self._makers.pop(0))
            QTimer.singleShot(PAUSE_MS, self, self._build_next)
        else:
            self.is_ready = True
            self.ready.emit()

    def _build_late(self) -> None:
        """Charts of pages that come later, likewise each in a turn of its own."""
        if self._makers:
            self._make(*self._makers.pop(0))
        if self._makers:
            QTimer.singleShot(PAUSE_MS, self, self._build_late)

    def _make(self, make: Callable[[], object], tell: Callable[[str], object] | None) -> None:
        try:
            make()
        except Exception as error:  # one chart must not take the others and the model of the start with it
            log.error("a chart cannot be drawn", exc_info=error)
            if tell is not None:
                tell(tr(COULD_NOT, reason=error))

    def _tell(self, tell: Callable[[str], object] | None) -> None:
        if tell is not None:
            tell(tr(COULD_NOT, reason=self.error))

    def _fail(self, error: object) -> None:
        log.error("charts cannot be drawn: %s", error)
        self.error = str(error) or type(error).__name__
        waiting, self._makers = self._makers, []
        for _make, tell in waiting:
            self._tell(tell)
        self.failed.emit(error)


def _all_names() -> Iterator[tuple[ModuleType, str]]:
    return ((module, name) for module in (QtCore, QtGui, QtWidgets) for name in dir(module))


class _Turns(MetaPathFinder):
    """Finds nothing, and gives the event loop its turn where a slice is over before a module of the library."""

    def __init__(self) -> None:
        self._end = time.perf_counter() + SLICE_S

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.startswith(LIBRARY) and time.perf_counter() > self._end:
            QCoreApplication.processEvents()
            self._end = time.perf_counter() + SLICE_S
        return None


@contextmanager
def _turns_between_modules() -> Iterator[None]:
    # New lists: another thread's import walks along the old one, and would miss a finder if that grew shorter.
    turns = _Turns()
    sys.meta_path = [turns, *sys.meta_path]
    try:
        yield
    finally:
        sys.meta_path = [finder for finder in sys.meta_path if finder is not turns]
