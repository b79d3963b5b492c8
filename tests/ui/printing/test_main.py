"""``python -m ui.printing`` as the command line uses it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from advisor.report.codec import json_text
from advisor.report.exporters.as_json import document_json
from tests.support import documents as d
from ui.printing.__main__ import main, platform_for

ROOT = Path(__file__).parents[3]


@pytest.fixture
def result(tmp_path: Path) -> Path:
    path = tmp_path / "result.json"
    path.write_text(json_text(document_json(d.complete_document())), encoding="utf-8")
    return path


def test_it_prints_where_there_is_no_display(result: Path, tmp_path: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    command = [sys.executable, "-m", "ui.printing", str(result), str(tmp_path / "out.pdf")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF-")


def test_errors_are_a_sentence_and_a_hint(
    qapp: QGuiApplication, result: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    cases = [
        ([], 2),
        ([str(result)], 2),
        (["--help", "x"], 2),
        ([str(tmp_path / "none.json"), str(tmp_path / "out.pdf")], 3),
        ([str(broken), str(tmp_path / "out.pdf")], 3),
        ([str(result), str(tmp_path / "none" / "out.pdf")], 1),
    ]
    for arguments, code in cases:
        assert main(arguments) == code
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 2
        assert lines[0].endswith(".")
        assert "Traceback" not in lines[0]
    assert not (tmp_path / "out.pdf").exists()


def test_it_prints_in_a_running_application(qapp: QGuiApplication, result: Path, tmp_path: Path) -> None:
    assert main([str(result), str(tmp_path / "out.pdf")]) == 0


def test_the_users_platform_is_kept() -> None:
    assert platform_for({"QT_QPA_PLATFORM": "minimal"}) == "minimal"
    assert platform_for({"DISPLAY": ":0"}) == "offscreen"
    assert platform_for({}) == "offscreen"
