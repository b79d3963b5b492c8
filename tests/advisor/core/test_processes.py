"""How further processes are started, with a Python and in a bundle without one."""

import sys

import pytest

from advisor.core import processes


def test_with_a_python() -> None:
    assert processes.module_command("ui", "/usr/bin/python3") == ("/usr/bin/python3", "-m", "ui")
    before = {"LD_LIBRARY_PATH": "/mine", "LD_LIBRARY_PATH_ORIG": "/other"}
    assert processes.foreign_variables(before) == before


def test_in_a_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", "/bundle/_internal", raising=False)
    assert processes.module_command("ui", "/bundle/it") == ("/bundle/it", processes.RUN_MODULE, "ui")
    assert processes.program_command() == (sys.executable,)
    changed = {"LD_LIBRARY_PATH": "/bundle/_internal:/users", "LD_LIBRARY_PATH_ORIG": "/users", "HOME": "/home/x"}
    assert processes.foreign_variables(changed) == {"LD_LIBRARY_PATH": "/users", "HOME": "/home/x"}
    assert processes.foreign_variables({"LD_LIBRARY_PATH": "/bundle/_internal"}) == {}


def test_an_appimage_starts_as_the_file_that_the_user_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPIMAGE", "/home/x/two-machines.AppImage")
    assert processes.program_command() == ("/home/x/two-machines.AppImage",)
