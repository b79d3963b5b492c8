"""The computer does not fall asleep by itself while a measurement runs."""

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from advisor.core.translation import marked, tr
from ui.desktop.bus import SessionBus

log = logging.getLogger(__name__)

WHY: Final = marked("a measurement is running")
NAME: Final = "Two Machines"

CONTINUOUS: Final = 0x80000000
SYSTEM_REQUIRED: Final = 0x00000001
"""Of Windows' SetThreadExecutionState; they hold for the thread that sets them."""


class Awake(Protocol):
    """Keeps the computer awake from ``hold`` to ``release``; both may be called twice, and neither fails."""

    def hold(self) -> None: ...  # noqa: D102
    def release(self) -> None: ...  # noqa: D102


class BusAwake:
    """Linux: the screen saver's interface, which GNOME, KDE, Xfce and others serve.

    A connection of its own: the desktop lets go when it is closed, also when this program dies. (Letting go by the
    cookie would need the type ``uint32``, which Python's integers do not become.)
    """

    def __init__(self, bus: SessionBus | None = None) -> None:
        self._bus = bus or SessionBus("two-machines awake")

    def hold(self) -> None:
        """Ask the desktop."""
        service, path = "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"
        self._bus.call(service, path, service, "Inhibit", NAME, tr(WHY))

    def release(self) -> None:
        """Close the connection."""
        self._bus.close()


class ThreadAwake:
    """Windows: a flag of the calling thread, which must be the same for both calls."""

    def __init__(self, set_state: Callable[[int], object]) -> None:
        self._set_state = set_state

    def hold(self) -> None:
        """Set the flag."""
        self._set_state(CONTINUOUS | SYSTEM_REQUIRED)

    def release(self) -> None:
        """Clear it."""
        self._set_state(CONTINUOUS)


class ChildAwake:
    """macOS: ``caffeinate`` for as long as this process lives, or until it is ended."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._command = command
        self._child: subprocess.Popen[bytes] | None = None

    def hold(self) -> None:
        """Start it."""
        if self._child is None:
            try:
                self._child = subprocess.Popen(
                    self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            except OSError as error:
                log.info("the computer may fall asleep: %s", error)

    def release(self) -> None:
        """End it."""
        child, self._child = self._child, None
        if child is not None:
            child.terminate()
            with suppress(subprocess.TimeoutExpired):
                child.wait(1)


def awake_here(platform: str = sys.platform) -> Awake:
    """The way of this system."""
    if platform == "win32":
        import ctypes

        return ThreadAwake(ctypes.windll.kernel32.SetThreadExecutionState)  # type: ignore[attr-defined,unused-ignore]
    if platform == "darwin":
        return ChildAwake(("/usr/bin/caffeinate", "-i", "-w", str(os.getpid())))
    return BusAwake()
