"""One window for each results folder: later starts hand their file over, and nothing stale or hung is in the way."""

import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Client
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ui.shell import single_mark
from ui.shell.single import FAMILY, LONGEST_BYTES, MARK, Listener, hand_over, name_of
from ui.shell.single_mark import Mark, new_mark, read_mark, write_mark

posix = pytest.mark.skipif(sys.platform == "win32", reason="sockets and their folders")

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
    """A later start of the program, in a process of its own."""

    def __init__(self, folder: Path, file: Path | None) -> None:
        words = [sys.executable, "-c", START, str(folder), *([str(file)] if file else [])]
        self._child = subprocess.Popen(words)

    @property
    def ended(self) -> bool:
        return self._child.poll() is not None

    @property
    def taken(self) -> bool:
        return self._child.wait(20) == 0


def mark_in(folder: Path) -> Mark:
    mark = read_mark(folder)
    assert mark is not None
    return mark


def hand_over_while_events(qtbot: QtBot, folder: Path) -> bool:
    start = Elsewhere(folder, MODEL)
    qtbot.waitUntil(lambda: start.ended, timeout=20_000)
    return start.taken


@pytest.mark.parametrize("file", [MODEL, Path("/модели/ламá 🦙.gguf"), Path(os.fsdecode(b"/models/\xff.gguf")), None])
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


@pytest.mark.skipif(sys.platform == "win32", reason="pipes lie in no folder")
def test_the_folder_of_sockets_goes_with_the_last_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: object
) -> None:
    with tempfile.TemporaryDirectory(prefix="two") as runtime:  # a socket's path must be short
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        first, second = Listener(tmp_path / "a"), Listener(tmp_path / "b")
        assert first.start() and second.start()
        first.stop()
        assert list(Path(runtime).iterdir())
        second.stop()
        assert not list(Path(runtime).iterdir())


def test_without_a_window_nothing_is_asked(tmp_path: Path, qapp: object) -> None:
    assert not hand_over(tmp_path, MODEL)


def test_the_mark_of_a_window_that_was_killed_is_passed_over(tmp_path: Path, qapp: object) -> None:
    (tmp_path / MARK).write_text("gone", encoding="utf-8")
    assert not hand_over(tmp_path, MODEL)
    listener = Listener(tmp_path)
    assert listener.start()
    listener.stop()
    assert not (tmp_path / MARK).exists()


def test_a_folder_with_any_name_has_its_window(tmp_path: Path, qtbot: QtBot) -> None:
    folder = tmp_path / "Résultats données — 結果" / ("long" * 30)
    listener = Listener(folder)
    assert listener.start()
    with qtbot.waitSignal(listener.asked, timeout=20_000) as heard:
        start = Elsewhere(folder, MODEL)
    qtbot.waitUntil(lambda: start.ended, timeout=20_000)
    assert (start.taken, heard.args) == (True, [MODEL])
    listener.stop()


def test_a_window_that_hangs_is_given_up_and_replaced(tmp_path: Path, qtbot: QtBot) -> None:
    hung = Listener(tmp_path)
    assert hung.start()
    late: list[object] = []
    hung.asked.connect(late.append)
    # No event of the hung window is handled while this waits.
    assert not hand_over(tmp_path, MODEL, limit_s=0.3)
    address = mark_in(tmp_path).address
    second = Listener(tmp_path)
    assert second.start()
    heard: list[object] = []
    second.asked.connect(heard.append)
    start = Elsewhere(tmp_path, MODEL)
    qtbot.waitUntil(lambda: start.ended, timeout=20_000)
    assert (start.taken, heard) == (True, [MODEL])
    assert not late, "what was given up is not opened when the window comes back"
    second.stop()
    hung.stop()
    assert not list(Path(address).parent.glob(f"{name_of(tmp_path)}-*"))


@posix
def test_a_program_that_is_stopped_is_given_up(tmp_path: Path) -> None:
    mark = new_mark(tmp_path)
    assert mark is not None
    with socket.socket(socket.AF_UNIX) as stopped:  # connections come in, nobody takes them
        stopped.bind(mark.address)
        stopped.listen(0)
        write_mark(tmp_path, mark)
        answers = [hand_over(tmp_path, MODEL, limit_s=0.2) for _ in range(4)]  # the last do not even come in
    assert answers == [False] * 4
    Path(mark.address).unlink()


def test_of_two_starts_at_once_the_later_hears(tmp_path: Path, qtbot: QtBot) -> None:
    listeners = [Listener(tmp_path) for _ in range(2)]
    assert [one.start() for one in listeners] == [True, True]
    first, second = listeners
    first.stop()  # and takes nothing of the other with it
    with qtbot.waitSignal(second.asked, timeout=20_000):
        start = Elsewhere(tmp_path, MODEL)
    qtbot.waitUntil(lambda: start.ended, timeout=20_000)
    assert start.taken
    second.stop()
    assert not (tmp_path / MARK).exists()


def test_only_who_knows_the_key_is_heard(tmp_path: Path, listener: Listener, qtbot: QtBot) -> None:
    heard: list[object] = []
    listener.asked.connect(heard.append)
    write_mark(other := tmp_path / "other", Mark(mark_in(tmp_path).address, b"another key"))
    assert not hand_over(other, MODEL, limit_s=20.0)
    assert hand_over_while_events(qtbot, tmp_path)
    assert heard == [MODEL]


def test_who_does_not_know_the_key_is_not_believed(tmp_path: Path, qapp: object) -> None:
    from multiprocessing.connection import Listener as Socket

    mark = new_mark(tmp_path)
    assert mark is not None
    write_mark(tmp_path, mark)

    proofs: list[bool] = []

    def pretend() -> None:
        with impostor.accept() as connection, suppress(OSError):
            connection.send_bytes(b"#CHALLENGE#" + bytes(20))
            connection.recv_bytes()
            connection.send_bytes(b"#WELCOME#")
            connection.recv_bytes()
            proofs.append(True)
            connection.send_bytes(b"taken")
            connection.send_bytes(b"taken")

    with Socket(mark.address, FAMILY) as impostor:
        thread = threading.Thread(target=pretend)
        thread.start()
        assert not hand_over(tmp_path, MODEL, limit_s=20.0)
        thread.join()
    assert proofs, "it has come as far as having to prove itself"


@pytest.mark.parametrize("message", [b"[1, 2]", b'{"open": 3}', b"{}", b"\x80\x04N.", b"", b" " * (LONGEST_BYTES + 1)])
def test_what_is_not_understood_is_not_taken(tmp_path: Path, listener: Listener, qtbot: QtBot, message: bytes) -> None:
    heard: list[object] = []
    listener.asked.connect(heard.append)
    mark = mark_in(tmp_path)
    # It may hang up before the whole of a long message is sent.
    with Client(mark.address, FAMILY, authkey=mark.key) as connection, pytest.raises((EOFError, OSError)):
        connection.send_bytes(message)
        connection.recv_bytes()
    assert hand_over_while_events(qtbot, tmp_path)
    assert heard == [MODEL]


def test_who_says_nothing_keeps_nobody_waiting(tmp_path: Path, listener: Listener, qtbot: QtBot) -> None:
    with Client(mark_in(tmp_path).address, FAMILY):
        assert hand_over_while_events(qtbot, tmp_path)


def test_a_folder_that_cannot_be_written_has_no_mark_and_leaves_no_socket(
    tmp_path: Path, qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Mark | None] = []

    def remembered(folder: Path) -> Mark | None:
        made.append(new_mark(folder))
        return made[-1]

    monkeypatch.setattr("ui.shell.single.new_mark", remembered)
    (tmp_path / "file").touch()
    listener = Listener(tmp_path / "file")  # as good as read-only, for an administrator too
    assert not listener.start()
    listener.stop()
    assert made[0] is not None and not Path(made[0].address).exists()
    assert not hand_over(tmp_path / "file", MODEL)


@posix
def test_the_mark_is_for_its_user_alone(tmp_path: Path, listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (tmp_path / MARK).stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == [MARK]
    (tmp_path / MARK).chmod(0o640)
    assert read_mark(tmp_path) is None
    (tmp_path / MARK).chmod(0o600)
    mark_in(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: (tmp_path / MARK).stat().st_uid + 1)
        assert read_mark(tmp_path) is None


@posix
def test_a_pipe_in_place_of_the_mark_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / MARK, 0o600)
    assert not hand_over(tmp_path, MODEL)


@posix
@pytest.mark.parametrize("trap", ["open to all", "link", "another user", "no folder", "long"])
def test_a_place_for_sockets_that_is_not_private_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: str
) -> None:
    runtime = tmp_path / ("r" * 100 if trap == "long" else "run")
    runtime.mkdir()
    place = runtime / f"two-machines-{os.getuid()}"
    if trap == "open to all":
        place.mkdir()
        place.chmod(0o777)
    elif trap == "link":
        (tmp_path / "mine").mkdir(mode=0o700)
        place.symlink_to(tmp_path / "mine")
    elif trap == "another user":
        place.mkdir(mode=0o700)
        mine = place.lstat().st_ino
        real = single_mark._only_ours
        monkeypatch.setattr(single_mark, "_only_ours", lambda found: found.st_ino != mine and real(found))
    elif trap == "no folder":
        place.touch(mode=0o600)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    mark = new_mark(tmp_path)
    assert mark is not None and not mark.address.startswith(str(runtime))
    assert len(os.fsencode(mark.address)) <= single_mark.LONGEST_ADDRESS_BYTES


@posix
def test_the_socket_of_a_window_that_was_killed_is_removed(tmp_path: Path, qapp: object) -> None:
    stale = new_mark(tmp_path)
    assert stale is not None
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(stale.address)
    write_mark(tmp_path, stale)
    assert Path(stale.address).exists()
    assert not hand_over(tmp_path, MODEL)
    listener = Listener(tmp_path)
    assert listener.start()
    assert not Path(stale.address).exists()
    listener.stop()


def test_the_mark_goes_with_the_window(tmp_path: Path, qapp: object) -> None:
    listener = Listener(tmp_path)
    assert listener.start()
    address = mark_in(tmp_path).address
    listener.stop()
    assert not (tmp_path / MARK).exists()
    assert not Path(address).exists()
    assert "later starts" not in [thread.name for thread in threading.enumerate()]


def test_nothing_of_qts_network_library_is_needed(tmp_path: Path) -> None:
    code = START.replace("sys.exit(", 'sys.modules["PySide6.QtNetwork"] = None\nhand = (')
    code += "from ui.shell.single import Listener\none = Listener(Path(sys.argv[1]))\nassert one.start()\none.stop()\n"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=60)
