"""How long the event loop was ever away: a 10 ms timer that notes the gaps."""

import time

from PySide6.QtCore import QObject, Qt, QTimer

PERIOD_MS = 10


class GapRecorder(QObject):
    """Records the time between two ticks, less the period itself.

    Attributes:
        worst_s: longest time that the loop did not get round, beyond the period.
        gaps_s: every gap above ``notable_s``, in order.
    """

    def __init__(self, parent: QObject | None = None, notable_s: float = 0.03) -> None:
        super().__init__(parent)
        self.worst_s = 0.0
        self.gaps_s: list[float] = []
        self.ticks = 0
        self._notable_s = notable_s
        self._last = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Begin to watch, with nothing recorded."""
        self.worst_s, self.gaps_s, self.ticks = 0.0, [], 0
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> float:
        """End; returns the worst gap in seconds."""
        self._timer.stop()
        return self.worst_s

    def _tick(self) -> None:
        now = time.perf_counter()
        gap = max(0.0, now - self._last - PERIOD_MS / 1000)
        self._last = now
        self.ticks += 1
        self.worst_s = max(self.worst_s, gap)
        if gap > self._notable_s:
            self.gaps_s.append(gap)
