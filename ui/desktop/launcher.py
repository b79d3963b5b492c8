"""How far a run is, on the program's icon in the dock or task bar."""

from typing import Final, Protocol
from zlib import crc32

from ui.desktop.bus import SessionBus

APPLICATION: Final = "application://two-machines.desktop"
INTERFACE: Final = "com.canonical.Unity.LauncherEntry"
PATH: Final = f"/com/canonical/unity/launcherentry/{crc32(APPLICATION.encode())}"
STEP: Final = 0.01
"""Smaller changes are not worth a message."""


class Sends(Protocol):
    """What is needed of ``SessionBus``."""

    def signal(self, path: str, interface: str, name: str, *arguments: object) -> bool: ...  # noqa: D102


class Launcher:
    """Progress in the way that Unity's launcher began and KDE's and GNOME's docks took over; other docks ignore it."""

    def __init__(self, bus: Sends | None = None) -> None:
        self._bus = bus or SessionBus()
        self._shown: float | None = None

    def show(self, fraction: float | None) -> None:
        """Show a share from 0 to 1; None takes the bar away."""
        if fraction == self._shown:
            return
        if fraction is not None and self._shown is not None and abs(fraction - self._shown) < STEP:
            return
        self._shown = fraction
        values = {"progress": float(fraction or 0.0), "progress-visible": fraction is not None}
        self._bus.signal(PATH, INTERFACE, "Update", APPLICATION, values)
