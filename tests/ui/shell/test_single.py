"""One window for each results folder: later starts hand their file over, and nothing stale or hung is in the way."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from pytestqt.qtbot import QtBot

from ui.shell.single import MARK, Listener, hand_over, name_of

MODEL = Path("/models/llama.gguf")


@pytest.fixture
def listener(tmp_path: Path, qapp: object) -> Iterator[Listener]:
    made = Listener(tmp_path)
    assert made.start()
    yield made
    made.stop()


START = """
import sys
from pathlib import Path
from ui.shell.single import hand_over
file = Path(sys.argv[2]) if len(sys.argv) > 2 else None
sys.exit(0 if hand_over(Path(sys.argv[1]), file, limit_s=20.0) else 1)
"""


class Elsewhere:
    """A later start of the program, in a process of its own: Qt's waiting functions hold Python's lock."""

    def __init__(self, folder: Path, file: Path | None) -> None:
        words = [sys.executable, "-c", START, str(folder), *([str(file)] if file else [])]
        self._child = subprocess.Popen(words)

    @property
    def ended(self) -> bool:
        return self._child.poll() is not None

    @property
    def taken(self) -> bool:
        return self._child.wait(20) == 0


@pytest.mark.parametrize("file", [MODEL, None])
def test_a_second_start_hands_its_file_over(
    qtbot: QtBot, tmp_path: Path, listener: Listener, file: Path | None
) -> None:
    with qtbot.waitSignal(listener.asked, timeout=20_000) as heard:
        start = Elsewhere(tmp_path, file)
    qtbot.waitUntil(lambda: start.ended, timeout=20_000)
    assert start.taken
    assert heard.args == [file]


def test_another_folder_is_another_window(tmp_path: Path, listener: Listener) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert name_of(other) != name_of(tmp_path)
    assert not hand_over(other, MODEL)


def test_without_a_window_nothing_is_asked(tmp_path: Path, qapp: object) -> None:
    assert not hand_over(tmp_path, MODEL)


def test_the_mark_of_a_window_that_was_killed_is_passed_over(tmp_path: Path, qapp: object) -> None:
    (tmp_path / MARK).write_text("gone", encoding="utf-8")
    assert not hand_over(tmp_path, MODEL)
    listener = Listener(tmp_path)
    assert listener.start()
    listener.stop()
    assert not (tmp_path / MARK).exists()


def test_a_window_that_hangs_is_given_up_and_replaced(tmp_path: Path, qtbot: QtBot) -> None:
    hung = Listener(tmp_path)
    assert hung.start()
    # No event of the hung window is handled while this waits.
    began = time.monotonic()
    assert not hand_over(tmp_path, MODEL, limit_s=0.3)
    assert time.monotonic() - began < 5
    second = Listener(tmp_path)
    assert second.start()
    heard: list[object] = []
    second.asked.connect(heard.append)
    start = Elsewhere(tmp_path, MODEL)
    qtbot.waitUntil(lambda: start.ended, timeout=20_000)
    assert (start.taken, heard) == (True, [MODEL])
    second.stop()
    hung.stop()


def test_what_is_not_understood_is_not_taken(tmp_path: Path, listener: Listener, qtbot: QtBot) -> None:
    heard: list[object] = []
    listener.asked.connect(heard.append)
    socket = QLocalSocket()
    socket.connectToServer(name_of(tmp_path))
    socket.write(b"[1, 2]\n")
    socket.flush()
    qtbot.waitUntil(lambda: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState)
    assert not heard


def test_the_mark_goes_with_the_window(tmp_path: Path, qapp: object) -> None:
    listener = Listener(tmp_path)
    assert listener.start()
    assert (tmp_path / MARK).exists()
    listener.stop()
    assert not (tmp_path / MARK).exists()
    server = QLocalServer()
    assert server.listen(name_of(tmp_path))
    server.close()
