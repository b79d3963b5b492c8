"""Against a real session bus of its own, with an invented desktop on it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ui.desktop.awake import NAME, WHY, BusAwake, ChildAwake, ThreadAwake
from ui.desktop.bus import SessionBus, bus_address
from ui.desktop.launcher import APPLICATION, Launcher

DAEMON = shutil.which("dbus-daemon")
needs_bus = pytest.mark.skipif(DAEMON is None, reason="dbus-daemon is not installed")


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Its address, which is this process's session bus for the test."""
    assert DAEMON is not None
    daemon = subprocess.Popen(
        [DAEMON, "--session", "--nofork", "--nopidfile", "--print-address"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert daemon.stdout is not None
    address = daemon.stdout.readline().strip()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    yield address
    daemon.terminate()
    daemon.wait(5)
    daemon.stdout.close()


class Saver:
    """The screen saver of the invented desktop."""

    def __init__(self, address: str) -> None:
        from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusVirtualObject

        self.calls: list[tuple[str, str, list[object]]] = []
        calls = self.calls

        class Object(QDBusVirtualObject):
            def introspect(self, path: str) -> str:
                return ""

            def handleMessage(self, message: QDBusMessage, connection: QDBusConnection) -> bool:
                calls.append((message.member(), message.signature(), message.arguments()))
                return connection.send(message.createReply([]))

        self.object = Object()
        self.connection = QDBusConnection.connectToBus(address, "saver")
        assert self.connection.registerVirtualObject("/org/freedesktop/ScreenSaver", self.object)
        assert self.connection.registerService("org.freedesktop.ScreenSaver")

    def names(self) -> list[str]:
        reply = self.connection.interface().registeredServiceNames()
        return [str(name) for name in reply.value()]


@needs_bus
def test_the_screen_saver_is_asked_and_let_go_with_the_connection(bus: str, qtbot: QtBot) -> None:
    saver = Saver(bus)
    before = len(saver.names())
    awake = BusAwake()
    awake.hold()
    qtbot.waitUntil(lambda: bool(saver.calls))
    assert saver.calls == [("Inhibit", "ss", [NAME, WHY])]
    assert len(saver.names()) == before + 1
    awake.release()
    qtbot.waitUntil(lambda: len(saver.names()) == before)
    awake.release()  # harmless
    from PySide6.QtDBus import QDBusConnection

    QDBusConnection.disconnectFromBus("saver")


@needs_bus
def test_a_bus_without_a_screen_saver_is_no_fault(bus: str, qtbot: QtBot) -> None:
    awake = BusAwake()
    awake.hold()
    qtbot.wait(20)
    awake.release()


@needs_bus
def test_a_bus_that_is_gone_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
    assert not SessionBus("gone").call("a.b", "/a", "a.b", "C")
    assert not SessionBus("gone").signal("/a", "a.b", "C")


def test_where_no_bus_is_none_is_started(tmp_path: Path) -> None:
    assert bus_address({}, "linux") == ""
    assert bus_address({"XDG_RUNTIME_DIR": str(tmp_path)}, "linux") == ""
    (tmp_path / "bus").touch()
    assert bus_address({"XDG_RUNTIME_DIR": str(tmp_path)}, "linux") == f"unix:path={tmp_path}/bus"
    assert bus_address({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}, "linux") == "unix:path=/x"
    assert bus_address({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}, "win32") == ""


class FakeBus:
    def __init__(self) -> None:
        self.sent: list[tuple[object, ...]] = []

    def signal(self, path: str, interface: str, name: str, *arguments: object) -> bool:
        self.sent.append(arguments)
        return True


def test_progress_goes_to_the_dock_in_whole_percents() -> None:
    bus = FakeBus()
    launcher = Launcher(bus)
    for fraction in (0.0, 0.004, 0.02, 0.02, None, None):
        launcher.show(fraction)
    assert bus.sent == [
        (APPLICATION, {"progress": 0.0, "progress-visible": True}),
        (APPLICATION, {"progress": 0.02, "progress-visible": True}),
        (APPLICATION, {"progress": 0.0, "progress-visible": False}),
    ]


def test_windows_is_asked_by_a_flag() -> None:
    flags: list[int] = []
    awake = ThreadAwake(flags.append)
    awake.hold()
    awake.release()
    assert flags == [0x80000001, 0x80000000]


def test_a_child_holds_until_it_is_ended() -> None:
    awake = ChildAwake(("sleep", "60"))
    awake.hold()
    child = awake._child
    assert child is not None
    assert child.poll() is None
    awake.hold()
    assert awake._child is child
    awake.release()
    assert child.returncode is not None
    awake.release()


def test_a_tool_that_is_missing_is_no_fault() -> None:
    awake = ChildAwake((os.fspath(Path("/nowhere/caffeinate")),))
    awake.hold()
    awake.release()
