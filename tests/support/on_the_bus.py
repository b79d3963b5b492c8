"""``python -m tests.support.on_the_bus [--language de] [--all]``: the window through the eyes of a screen reader.

Starts a screen, a session bus and the accessibility bus of its own, shows every page before and after an invented run,
and has ``screen_reader.py`` ask on the real bus what is there. Printed is what Orca could not tell: things to use that
have no name or no role, gauges without a value, a run that announces nothing. Exit code 1 where there is any, 77 where
a program for it is missing.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

READER: Final = str(Path(__file__).with_name("screen_reader.py"))
SYSTEM_PYTHON: Final = "/usr/bin/python3"
LAUNCHER: Final = "/usr/libexec/at-spi-bus-launcher"
MISSING: Final = 77
INSIDE: Final = "TWO_MACHINES_ON_THE_BUS"
LIMIT_S: Final = 300
PATIENCE_S: Final = 60
SAYS_NOTHING: Final = frozenset({"unknown", "panel", "invalid", ""})
"""A filler with a name is a page that scrolls: Qt has no role for one, and the name is read."""
OF_CEILING: Final = ("percent of", "Prozent")

Element = dict[str, object]


def missing() -> str:
    """What is not here of all that is needed; empty for nothing."""
    for program in ("Xvfb", "dbus-run-session", SYSTEM_PYTHON, LAUNCHER):
        if shutil.which(program) is None:
            return program
    bindings = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
    asked = subprocess.run([SYSTEM_PYTHON, "-c", bindings], capture_output=True, check=False)
    return "the Python bindings of AT-SPI (python3-gi, gir1.2-atspi-2.0)" if asked.returncode else ""


def outside(words: list[str]) -> int:
    """Start this program once more, with a screen and busses of its own."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24"]
    screen = subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as told:
            display = told.readline().strip()
        variables = {
            **os.environ, INSIDE: "1", "DISPLAY": f":{display}", "QT_QPA_PLATFORM": "xcb",
            "QT_ACCESSIBILITY": "1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        }  # fmt: skip
        session = ["dbus-run-session", "--", sys.executable, "-m", "tests.support.on_the_bus", *words]
        return subprocess.run(session, env=variables, check=False, timeout=LIMIT_S).returncode
    finally:
        screen.terminate()
        screen.wait()


def faults(page: str, found: list[Element]) -> Iterator[str]:
    """What a screen reader could not tell of the elements of a page."""
    if not any(one["focusable"] for one in found):
        yield f"{page}: nothing to use is on the bus"
    for one in found:
        words = f"{page}: {one['role']} “{one['name']}” {one['description']}"
        if one["focusable"] and not str(one["name"]).strip():
            yield f"no name: {words}"
        if one["focusable"] and one["role"] in SAYS_NOTHING:
            yield f"no role: {words}"
        if one["role"] in ("slider", "spin button", "progress bar") and one["value"] is None:
            yield f"no value: {words}"


def inside(language: str, show_all: bool) -> int:
    """Show every page and have it read; to be called within the session."""
    from PySide6.QtCore import QProcess
    from PySide6.QtWidgets import QApplication

    from advisor.session.window_settings import WindowSettings
    from tests.support.fake_engines import FakeEngines
    from tests.support.fake_history import FakeHistory, some_runs
    from tests.support.fake_pipeline import FakePipeline, answer
    from tests.support.fake_shopping import FakeShopping
    from tests.support.found import some_models
    from tests.support.screenshots import MODEL, _settle
    from tests.support.screenshots import wait as wait_for
    from ui.__main__ import Parts, _application
    from ui.bridge.activity import Activity
    from ui.bridge.doors import Doors
    from ui.shell.places import CHOOSE, COMPUTER, HISTORY, SERVER, UPGRADES

    def wait(condition: Callable[[], bool]) -> None:
        wait_for(condition, 1000 * PATIENCE_S)

    launcher = subprocess.Popen([LAUNCHER, "--launch-immediately"], stderr=subprocess.DEVNULL)
    _application()
    pipeline = FakePipeline(step_s=0.2)
    parts = Parts(
        Doors(
            lambda: pipeline, answer, {}, find=lambda _cancel: some_models(), engines=FakeEngines().doors(),
            shopping=FakeShopping().doors(), history=lambda: FakeHistory(some_runs(5)),
        ),
        settings=WindowSettings(language=language),
    )  # fmt: skip
    window, tabs = parts.window, parts.window.page.middle.tabs
    window.show()
    parts.begin()
    wait(lambda: window.loader.is_ready and not parts.finder.searching)
    wrong: list[str] = []
    used = 0

    def ask(*words: str) -> QProcess:
        reader = QProcess()
        reader.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        reader.start(SYSTEM_PYTHON, [READER, *words])
        return reader

    def at_rest() -> bool:
        return parts.engine.activity is Activity.IDLE and not parts.engine.busy

    def read(page: str) -> None:
        nonlocal used
        _settle(300)
        reader = ask("tree")
        wait(lambda: reader.state() is QProcess.ProcessState.NotRunning)
        found = [json.loads(line) for line in reader.readAllStandardOutput().toStdString().splitlines()]
        used += sum(bool(one["focusable"]) for one in found)
        wrong.extend(faults(page, found))
        for one in found if show_all else ():
            print(f"{page}\t{'  ' * one['depth']}{one['role']}\t{one['name']}\t{one['description']}\t{one['value']}")

    def read_all(when: str) -> None:
        for place in (SERVER, UPGRADES, CHOOSE, HISTORY):
            window.show_place(place)
            read(f"{window.toolbar.places.shown.text()}, {when}")
        window.show_place(COMPUTER)
        for number, title in enumerate(tabs.titles):
            tabs.show_page(number)
            read(f"{title}, {when}")
        for name, dialog in window.beside.items():
            dialog.show()
            read(f"{name}, {when}")
            dialog.hide()

    read("no model")
    parts.engine.open_model(MODEL)
    wait(at_rest)
    read_all("before a run")
    listener = ask("listen", str(LIMIT_S))
    heard = ""

    def hears(words: tuple[str, ...]) -> bool:
        nonlocal heard
        heard += listener.readAllStandardOutput().toStdString()
        return any(word in heard for word in words)

    wait(lambda: hears(('"ready"',)))
    parts.engine.benchmark()
    wait(lambda: hears(()) or at_rest())
    _settle(500)
    if not hears(OF_CEILING):
        wrong.append(f"a run announced no share of a ceiling, but this: {heard}")
    listener.kill()
    listener.waitForFinished()
    if show_all:
        print(heard)
    for measure in (parts.engine.measure_streams, parts.engine.measure_stutter):
        measure()
        wait(at_rest)
    window.show_place(CHOOSE)
    parts.choices.measure()
    wait(lambda: window.choose.table.model().rowCount() > 0)
    read_all("after a run")
    window.close()
    wait(lambda: not window.isVisible())
    parts.end()
    QApplication.processEvents()
    launcher.terminate()
    launcher.wait()
    print(f"{language}: {used} things to use, {heard.count(chr(10))} announcements, {len(wrong)} faults")
    print("\n".join(wrong))
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", default="en", choices=("en", "de"))
    parser.add_argument("--all", action="store_true", help="print every element and announcement")
    asked = parser.parse_args()
    if os.environ.get(INSIDE):
        return inside(asked.language, asked.all)
    if lacking := missing():
        print(f"not here: {lacking}", file=sys.stderr)
        return MISSING
    return outside(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
