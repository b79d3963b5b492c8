"""Follows the status bar, and tells the desktop what goes on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from PySide6.QtCore import QElapsedTimer, QObject, Slot

from advisor.core.translation import marked, tr
from ui.bridge.activity import Activity
from ui.bridge.notices import Notice, Severity
from ui.desktop.awake import Awake
from ui.viewmodels.answer import VerdictCard
from ui.viewmodels.status import Status

LONG_MS: Final = 10_000
"""A run that is shorter has not been left alone."""
TITLE: Final = "Two Machines"

RUNS: Final = (Activity.CEILINGS, Activity.BENCHMARK, Activity.TRIAL, Activity.CURVE, Activity.SERVER)
DONE: Final = {
    Activity.CEILINGS: marked("Both ceilings are measured."),
    Activity.BENCHMARK: marked("The benchmark is done."),
    Activity.TRIAL: marked("The experiment is done."),
    Activity.CURVE: marked("The streams are measured."),
    Activity.SERVER: marked("The server is measured."),
}


class ShowsProgress(Protocol):
    """What is needed of ``launcher.Launcher``."""

    def show(self, fraction: float | None) -> None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Desktop:
    """The desktop's parts.

    Attributes:
        is_looking: whether the user has the window before them.
        notify: shows title and words; False where it cannot.
        alert: marks the window in the task bar.
    """

    is_looking: Callable[[], bool]
    notify: Callable[[str, str], bool]
    alert: Callable[[], None]
    launcher: ShowsProgress
    awake: Awake


class RunWatch(QObject):
    """Keeps the computer awake during a run, shows its progress, and tells its end to who looks elsewhere."""

    def __init__(self, desktop: Desktop, long_ms: int = LONG_MS, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desktop = desktop
        self._long_ms = long_ms
        self._clock = QElapsedTimer()
        self._run: Activity | None = None
        self._stopped = False
        self._headline = ""
        self._failure = ""

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """What goes on has changed."""
        if activity in RUNS:
            if self._run is None:
                self._clock.start()
                self._stopped, self._failure = False, ""
                self._desktop.awake.hold()
            self._run = activity
        elif activity in (Activity.STOPPING, Activity.CLOSING):
            self._stopped = True
            if activity is Activity.CLOSING:
                self._end()
        elif activity is Activity.IDLE:
            self._end()

    @Slot(object)
    def show_status(self, status: Status) -> None:
        """The run went on."""
        if self._run is not None:
            self._desktop.launcher.show(status.fraction)

    @Slot(object)
    def show_verdict(self, verdict: VerdictCard) -> None:
        """There is another verdict."""
        self._headline = verdict.headline if verdict.edge else ""

    @Slot(object)
    def show_notice(self, notice: Notice) -> None:
        """The user is told something; an error is how the run ends."""
        if self._run is not None and notice.severity is Severity.ERROR:
            self._failure = notice.sentence

    def end(self) -> None:
        """The program ends."""
        self._stopped = True
        self._end()

    def _end(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        desktop = self._desktop
        desktop.launcher.show(None)
        desktop.awake.release()
        if self._stopped or self._clock.elapsed() < self._long_ms or desktop.is_looking():
            return
        headline = self._headline if run is Activity.BENCHMARK else ""
        if not desktop.notify(TITLE, self._failure or headline or tr(DONE[run])):
            desktop.alert()
