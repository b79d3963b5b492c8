"""What must be right before Qt starts, because Qt itself ends the process when it is not."""

import ctypes
import os
import sys
from collections.abc import Callable, Mapping
from typing import Final

XCB_CURSOR: Final = "libxcb-cursor.so.0"
XCB_PACKAGES: Final = "libxcb-cursor0 (Debian, Ubuntu), xcb-util-cursor (Fedora, Arch)"
COMMAND_HINT: Final = "Without a window: two-machines diagnose MODEL --pdf report.pdf"


def can_load(name: str) -> bool:
    """Whether the dynamic linker finds this library."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def why_no_window(
    environment: Mapping[str, str], platform: str = sys.platform, loads: Callable[[str], bool] = can_load
) -> tuple[str, str] | None:
    """A sentence and a hint when no window can be opened here, None when one can."""
    if not platform.startswith("linux"):
        return None
    chosen = environment.get("QT_QPA_PLATFORM", "")
    display, wayland = environment.get("DISPLAY"), environment.get("WAYLAND_DISPLAY")
    if not chosen and not display and not wayland:
        return "There is no display here, so no window can be opened.", COMMAND_HINT
    uses_xcb = chosen.startswith("xcb") or (not chosen and bool(display) and not wayland)
    if uses_xcb and not loads(XCB_CURSOR):
        return (
            f"The window needs the library {XCB_CURSOR}, which is missing.",
            f"Install {XCB_PACKAGES}. {COMMAND_HINT}",
        )
    return None


def environment() -> Mapping[str, str]:
    """The process's environment."""
    return os.environ
