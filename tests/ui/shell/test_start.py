import sys

import pytest

from ui.__main__ import EXIT_NO_WINDOW, main
from ui.shell.start import why_no_window


def test_without_a_display_the_command_line_is_named() -> None:
    reason = why_no_window({}, "linux")
    assert reason is not None
    assert "display" in reason[0]
    assert "two-machines diagnose MODEL --pdf report.pdf" in reason[1]


@pytest.mark.parametrize("environment", [
    {"QT_QPA_PLATFORM": "offscreen"},
    {"WAYLAND_DISPLAY": "wayland-0"},
    {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"},
])
def test_these_need_no_xcb_library(environment: dict[str, str]) -> None:
    assert why_no_window(environment, "linux", loads=lambda name: False) is None


@pytest.mark.parametrize("environment", [{"DISPLAY": ":0"}, {"DISPLAY": ":0", "QT_QPA_PLATFORM": "xcb"}])
def test_a_missing_xcb_library_is_named_with_its_package(environment: dict[str, str]) -> None:
    reason = why_no_window(environment, "linux", loads=lambda name: False)
    assert reason is not None
    assert "libxcb-cursor" in reason[0]
    assert "libxcb-cursor0" in reason[1]
    assert why_no_window(environment, "linux", loads=lambda name: True) is None


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
