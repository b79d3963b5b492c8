"""The command that shows a notification, and that gdbus understands ours."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ui.desktop import notifying
from ui.desktop.notifying import command

WORDS = "It's <b>done</b>: \\ 100 %"


def only(*names: str) -> notifying.Which:
    return lambda name: f"/usr/bin/{name}" if name in names else None


def test_the_usual_tool_is_taken_before_the_one_of_glib() -> None:
    assert command("T", "done", only("notify-send", "gdbus"), "linux")[0] == "/usr/bin/notify-send"
    assert command("T", "done", only("gdbus"), "linux")[0] == "/usr/bin/gdbus"
    assert command("T", "done", only(), "linux") == ()
    assert command("T", "done", only("notify-send"), "win32") == ()


def test_words_are_words_and_no_markup_or_option() -> None:
    vector = command("-T", WORDS, only("notify-send"), "linux")
    assert vector[vector.index("--") + 1:] == ("-T", "It&#x27;s &lt;b&gt;done&lt;/b&gt;: \\ 100 %")
    vector = command("T", WORDS, only("gdbus"), "linux")
    assert "'It&#x27;s &lt;b&gt;done&lt;/b&gt;: \\\\ 100 %'" in vector
    vector = command("T", WORDS, only("osascript"), "darwin")
    assert vector[-2:] == ("T", WORDS)  # as arguments, so that no quote ends a string


def test_without_a_bus_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(notifying, "command", lambda *_: pytest.fail("looked for a tool"))
    assert not notifying.notify("T", "done")


@pytest.mark.skipif(not os.access("/bin/sh", os.X_OK), reason="there is no sh")
def test_the_tool_is_started_with_the_words_and_nothing_waits(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
    told = tmp_path / "told"
    tool = tmp_path / "notify-send"
    tool.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {told}.new && mv {told}.new {told}\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert notifying.notify("Two Machines", "Prefill is your problem.")
    qtbot.waitUntil(told.exists)
    assert told.read_text().endswith("|--|Two Machines|Prefill is your problem.|")


@pytest.mark.skipif(shutil.which("gdbus") is None, reason="gdbus is not installed")
def test_gdbus_reads_our_values(tmp_path: Path) -> None:
    """It parses them before it looks for the bus, and says so where it cannot."""
    vector = command("T", WORDS, lambda name: shutil.which(name) if name == "gdbus" else None, "linux")
    environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/bus"}
    said = subprocess.run(vector, env=environment, capture_output=True, text=True, timeout=20, check=False)
    assert "parsing" not in said.stderr
    assert "connect" in said.stderr
