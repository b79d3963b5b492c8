import sys

import pytest

from ui.__main__ import EXIT_NO_WINDOW, main
from ui.shell.start import why_no_window


def test_without_a_display_the_command_line_is_named() -> None:
    reason = why_no_window({}, "linux")
    assert reason is not None
    assert "display" in reason[0]
    assert "two-machines diagnose MODEL --pdf report.pdf" in reason[1]


def never() -> str:
    raise AssertionError("not asked for here")


@pytest.mark.parametrize("environment", [
    {"QT_QPA_PLATFORM": "offscreen"},
    {"WAYLAND_DISPLAY": "wayland-0"},
    {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"},
])
def test_these_need_no_x_server(environment: dict[str, str]) -> None:
    assert why_no_window(environment, "linux", plugin_error=never) is None


X11 = [{"DISPLAY": ":0"}, {"DISPLAY": ":0", "QT_QPA_PLATFORM": "xcb"}]


@pytest.mark.parametrize("environment", X11)
def test_a_missing_library_is_named_with_its_package(environment: dict[str, str]) -> None:
    said = "libxcb-icccm.so.4: cannot open shared object file: No such file or directory"
    reason = why_no_window(environment, "linux", plugin_error=lambda: said, answers=lambda: True)
    assert reason is not None
    assert "libxcb-icccm.so.4" in reason[0]
    assert "apt install libxcb-icccm4" in reason[1]


def test_another_fault_of_the_plug_in_is_told_in_the_linkers_words() -> None:
    reason = why_no_window(X11[0], "linux", plugin_error=lambda: "wrong ELF class", answers=lambda: True)
    assert reason is not None
    assert "wrong ELF class" in reason[0]


@pytest.mark.parametrize("environment", X11)
def test_a_display_that_does_not_answer_is_said(environment: dict[str, str]) -> None:
    assert why_no_window(environment, "linux", plugin_error=lambda: "", answers=lambda: True) is None
    reason = why_no_window(environment, "linux", plugin_error=lambda: "", answers=lambda: False)
    assert reason is not None
    assert ":0 does not answer" in reason[0]


def test_other_systems_have_a_display() -> None:
    assert why_no_window({}, "win32") is None
    assert why_no_window({}, "darwin") is None


def test_no_display_ends_with_2_and_two_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert main([]) == EXIT_NO_WINDOW
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0] == "two-machines: There is no display here, so no window can be opened."


def test_a_command_goes_to_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no-such-command"]) == 2
    assert "two-machines" in capsys.readouterr().err
