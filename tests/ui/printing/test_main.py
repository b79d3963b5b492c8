"""``python -m ui.printing`` as the command line uses it."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pypdf
import pytest
from PySide6.QtGui import QGuiApplication

from advisor.core.translation import speaking
from advisor.recommendations.ledger import NO_LEDGER
from advisor.report.answering import answered_again, spoken
from advisor.report.codec import json_text
from advisor.report.exporters.as_json import document_json
from tests.support import documents as d
from tests.support.catalogue import said_in
from ui.printing.__main__ import main, platform_for
from ui.printing.pdf import pdf_bytes

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


def test_every_process_writes_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "result.json"
    source.write_text(json_text(document_json(d.complete_document())), encoding="utf-8")
    written = set()
    for seed in ("1", "2", "3"):  # Qt's own hashes change by themselves from process to process
        target = tmp_path / f"{seed}.pdf"
        command = [sys.executable, "-m", "ui.printing", str(source), str(target), "a4", "de"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        assert subprocess.run(command, cwd=ROOT, env=environment, timeout=120, check=False).returncode == 0
        written.add(target.read_bytes())
    assert len(written) == 1


def test_what_is_attached_is_the_exported_result_in_any_language(qapp: QGuiApplication, tmp_path: Path) -> None:
    document = answered_again(d.complete_document(), (), NO_LEDGER)
    with speaking("de"):
        told = spoken(document)
        exported = json_text(document_json(told)).encode()
        assert said_in("de", exported.decode()) == []
        reader = pypdf.PdfReader(io.BytesIO(pdf_bytes(told)))
    [attached] = reader.attachments.values()
    assert attached == [exported]
