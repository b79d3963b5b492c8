"""Garbage collection on the main thread only.

Python collects reference cycles on whichever thread allocates next. A cycle that holds a Qt object, such as an
item taken out of a chart, would then be destroyed on a worker thread, which ends the process. So the automatic
collection is switched off and a timer of the main thread does it.
"""

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer

PERIOD_MS: Final = 500


class Collector(QObject):
    """Collects by Python's own thresholds, here and nowhere else; ``stop`` gives the work back."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        """Take over."""
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Give it back."""
        self._timer.stop()
        gc.enable()

    def settle(self) -> None:
        """Leave out what is there now from later collections: modules live as long as the program.

        A full collection over them takes tens of milliseconds, which a measurement's gauges would feel.
        """
        gc.freeze()

    def collect(self) -> None:
        """Collect the generations that are due."""
        counts, limits = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if counts[generation] > limits[generation]:
                gc.collect(generation)
                return
