"""Standard input, output and errors in every state that a shell may leave them in."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.__main__ import main
from tests.support.gguf_builder import decoder
from tests.support.sample import sample_path


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_any_encoding_of_the_terminal_is_survived(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "模型 émü.gguf"
    decoder("llama").write(path)
    words = [sys.executable, "-m", "advisor", "inspect", str(path)]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run(words, capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="such names are Linux's")
def test_a_name_that_is_no_utf_8_gives_valid_json(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/m\xff.gguf"
    decoder("llama").write(Path(os.fsdecode(path)))
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "inspect", path, "--json"], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode("utf-8"))["file"].startswith("m")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
def test_a_full_disk_behind_standard_output_is_one_sentence() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "advisor", "inspect", str(sample_path())],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


SAYING = """
import sys
from advisor.cli import terminal
terminal.prepare_streams()
print("a line\\n" * 50_000)
sys.stdout.flush()
sys.exit(5)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
def test_a_reader_that_leaves_hides_no_exit_code() -> None:
    command = [sys.executable, "-c", SAYING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stderr is not None
        assert child.stdout.readline() == b"a line\n"
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 5


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_survived(closed: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    words = f'exec "{sys.executable}" -m advisor inspect "{sample_path()}" --json "{out}" {closed}'
    assert subprocess.run(["sh", "-c", words], check=False).returncode == 0
    assert json.loads(out.read_text(encoding="utf-8"))["parameters"] == 268_098_176


def test_control_characters_never_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["inspect", str(tmp_path / "no\x1b[31m\nsuch.gguf")])
    main(["diagnose", "m.gguf", "--workload", "x\x1b[31m"])
    captured = capsys.readouterr()
    assert "\x1b" not in captured.err + captured.out
