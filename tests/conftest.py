"""What holds for every test: no screen, no network, a home of its own, nothing left running."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ.update(LC_ALL="C.UTF-8", LANGUAGE="")  # the window speaks the system's language, and tests read English

import hypothesis
import psutil
import pytest

from advisor.core import translation
from advisor.session.paths import HOME_VARIABLE

hypothesis.settings.register_profile("no clock", deadline=None)  # a busy machine is no fault of the code
hypothesis.settings.load_profile("no clock")

SAMPLE_FOLDER = "TWO_MACHINES_SAMPLE_DIR"


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees or changes the settings of the person who runs it."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "two-machines-home"))


@pytest.fixture
def german() -> Iterator[None]:
    """German until the end of the test, whatever becomes of it."""
    translation.use("de")
    yield
    translation.use(translation.ENGLISH)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this machine may be talked to."""
    connect = socket.socket.connect

    def local_only(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and str(address[0]) not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test wanted to reach {address}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", local_only)


@pytest.fixture(autouse=True)
def _no_children_left() -> Iterator[None]:
    """Every child process that a test starts is reaped by its end."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    names = []
    for child in left:
        try:
            names.append(" ".join(child.cmdline()) or child.name())
            child.kill()
        except psutil.NoSuchProcess:
            continue
    assert not names, f"left running: {names}"


@pytest.fixture(autouse=True)
def _engine_not_imported() -> Iterator[None]:
    """The tests' process stands for the window's: it never loads the native engine."""
    yield
    assert "llama_cpp" not in sys.modules
