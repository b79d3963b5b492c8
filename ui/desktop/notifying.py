"""A notification of the desktop, sent by a tool that the desktop has."""

import logging
import os
import shutil
import sys
from collections.abc import Callable
from html import escape
from typing import Final

from PySide6.QtCore import QProcess, QProcessEnvironment

from advisor.core.processes import foreign_variables
from ui.desktop.bus import bus_address

log = logging.getLogger(__name__)

NAME: Final = "Two Machines"
ICON: Final = "two-machines"
SHOWN_MS: Final = 10_000
Which = Callable[[str], str | None]


def command(title: str, words: str, which: Which = shutil.which, platform: str = sys.platform) -> tuple[str, ...]:
    """The argument vector that shows a notification; empty where no tool for it is there.

    Qt's own D-Bus module cannot send one from Python: the call wants unsigned numbers.
    """
    if platform == "darwin" and (tool := which("osascript")):
        return (tool, "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)",
                "-e", "end run", title, words)
    if not platform.startswith("linux"):
        return ()
    if tool := which("notify-send"):
        return (tool, f"--app-name={NAME}", f"--icon={ICON}", f"--expire-time={SHOWN_MS}", "--", title, escape(words))
    if tool := which("gdbus"):
        place = "org.freedesktop.Notifications"
        return (tool, "call", "--session", f"--dest={place}", "--object-path=/org/freedesktop/Notifications",
                f"--method={place}.Notify", "--", _quoted(NAME), "0", _quoted(ICON), _quoted(title),
                _quoted(escape(words)), "[]", "{}", str(SHOWN_MS))
    return ()


def notify(title: str, words: str) -> bool:
    """Show a notification; False where that cannot be done here. Waits for nothing."""
    if sys.platform.startswith("linux") and not bus_address(os.environ):
        return False
    vector = command(title, words)
    if not vector:
        return False
    process = QProcess()
    environment = QProcessEnvironment()
    for name, value in foreign_variables(os.environ).items():
        environment.insert(name, value)
    process.setProcessEnvironment(environment)
    process.setProgram(vector[0])
    process.setArguments(vector[1:])
    process.setStandardOutputFile(QProcess.nullDevice())
    process.setStandardErrorFile(QProcess.nullDevice())
    started = process.startDetached()
    return bool(started[0] if isinstance(started, tuple) else started)


def _quoted(text: str) -> str:
    """A string as GVariant writes it; without quotes a number would become another type."""
    inner = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{inner}'"
