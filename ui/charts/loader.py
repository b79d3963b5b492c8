"""Brings the plot library in once the window is there."""

import importlib
import logging
import threading

from PySide6.QtCore import QObject, Signal

log = logging.getLogger(__name__)


class ChartLoader(QObject):
    """Imports the plot library once, then says ``ready``.

    numpy comes in on a thread. What touches Qt comes in on the main thread, one gap of about a third of a second
    before any model is open: Qt's Python types are made when they are first named, and making them on a thread while
    the window makes others ends the process now and then.
    """

    ready = Signal()
    failed = Signal(object)
    _numpy_is_in = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self.is_ready = False
        self._numpy_is_in.connect(self._take)

    def start(self) -> None:
        """Begin, unless it has begun."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="numpy import", daemon=True)
            self._thread.start()

    def join(self, timeout_s: float) -> None:
        """Wait for the thread to end."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _work(self) -> None:
        error: Exception | None = None
        try:
            importlib.import_module("numpy")
        except Exception as caught:  # a broken library must not take the window with it
            error = caught
        try:
            self._numpy_is_in.emit(error)
        except RuntimeError:
            log.debug("the window was gone before the charts were in")

    def _take(self, error: object) -> None:
        if error is None:
            try:
                importlib.import_module("ui.charts.roofline")
            except Exception as caught:
                error = caught
        if error is None:
            self.is_ready = True
            self.ready.emit()
        else:
            log.error("charts cannot be drawn: %s", error)
            self.failed.emit(error)
