"""What must be right before Qt starts, because Qt itself ends the process when it is not."""

import ctypes
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

COMMAND_HINT: Final = "Without a window: two-machines diagnose MODEL --pdf report.pdf"

DEBIAN_PACKAGES: Final = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
}
"""Library -> Debian and Ubuntu package, of what Qt's X11 plug-in needs and a small system may lack."""


def why_no_window(
    environment: Mapping[str, str],
    platform: str = sys.platform,
    plugin_error: Callable[[], str] | None = None,
    answers: Callable[[], bool] | None = None,
) -> tuple[str, str] | None:
    """A sentence and a hint when no window can be opened here, None when one can.

    Args:
        environment: the process's variables.
        platform: as ``sys.platform``.
        plugin_error: what the dynamic linker says to Qt's X11 plug-in, empty when it loads; None asks it.
        answers: whether the X server that DISPLAY names can be reached; None asks it.
    """
    if not platform.startswith("linux"):
        return None
    chosen = environment.get("QT_QPA_PLATFORM", "")
    display, wayland = environment.get("DISPLAY"), environment.get("WAYLAND_DISPLAY")
    if not chosen and not display and not wayland:
        return "There is no display here, so no window can be opened.", COMMAND_HINT
    if not (chosen.startswith("xcb") or (not chosen and display and not wayland)):
        return None
    error = (plugin_error or x11_plugin_error)()
    if error:
        return why_not_loaded(error, "Qt's X11 plug-in does not load")
    if not (answers or x_server_answers)():
        return f"The display {display or '(none named)'} does not answer, so no window can be opened.", COMMAND_HINT
    return None


def why_not_loaded(error: str, otherwise: str) -> tuple[str, str]:
    """A sentence and a hint from the linker's words, which name the library that is missing; else ``otherwise``."""
    found = re.match(r"(\S+\.so[.\d]*): cannot open shared object file", error)
    if found is None:
        return f"{otherwise}: {error}.", f"Reinstall PySide6-Essentials. {COMMAND_HINT}"
    library = found.group(1)
    package = DEBIAN_PACKAGES.get(library)
    install = f"On Debian and Ubuntu: apt install {package}." if package else "Install the package that holds it."
    return f"The window needs the library {library}, which is missing.", f"{install} {COMMAND_HINT}"


def x11_plugin_error() -> str:
    """What the dynamic linker says when it loads Qt's X11 plug-in; empty when it loads or is not where it should be."""
    spec = importlib.util.find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        return ""
    plugin = Path(next(iter(spec.submodule_search_locations))) / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    if not plugin.exists():
        return ""
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return str(error.__cause__ or error)  # a bundle's importer puts its own words before the linker's
    return ""


def x_server_answers() -> bool:
    """Whether the X server that DISPLAY names takes a connection; True where that cannot be asked."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    answered = xcb.xcb_connection_has_error(connection) == 0
    xcb.xcb_disconnect(connection)
    return bool(answered)
