"""``models``: what it prints, in which form, with which exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.gguf.discover.model import Home
from advisor.report.exporters.models_json import models_json
from tests.advisor.report.schema_check import problems
from tests.support.model_homes import FakeHome

NBSP = "\u00a0"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeHome:
    """The present user's home, whatever the machine that runs the tests has besides."""
    made = FakeHome(tmp_path, sys.platform)
    made.home.mkdir(parents=True)

    def present(folder: Path, environment: object, system: str) -> Home:
        return Home(made.home, {}, "linux", made.folder)

    monkeypatch.setattr("advisor.session.discovery.Home", present)
    return made


def test_two_lines_for_each_model(home: FakeHome, capsys: pytest.CaptureFixture[str]) -> None:
    home.file(".lmstudio/models/o/r/Tiny-Q4_K_M.gguf", 4_920_000_000)
    home.file(".lmstudio/models/o/r/Big-00002-of-00003.gguf", 5_000_000)
    home.ollama("registry.ollama.ai/library/llama3.2/1b", size_bytes=1_300_000_000)
    assert main(["models"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    lines = captured.out.replace(NBSP, " ").splitlines()
    assert lines[0] == "3 models on this machine"
    assert lines[1] == "  Big           5.00 MB  LM Studio, 2 of its 3 files missing"
    assert lines[2].endswith("/.lmstudio/models/o/r/Big-00002-of-00003.gguf")
    assert lines[3] == "  llama3.2:1b   1.30 GB  Ollama"
    assert lines[5] == "  Tiny-Q4_K_M   4.92 GB  LM Studio"
    assert len(lines) == 7


def test_nothing_found_is_no_error(home: FakeHome, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    assert capsys.readouterr().out.startswith("No models were found in the usual places.\n  Name a folder")


def test_the_json_keeps_to_its_schema(home: FakeHome, capsys: pytest.CaptureFixture[str]) -> None:
    path = home.file("mine/田中　/naïve.gguf")
    home.file("mine/not.gguf", 5, b"hello")
    assert main(["models", str(home.home / "mine"), "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert problems(value, "models") == []
    assert value["models"] == [
        {
            "name": "naïve", "path": str(path), "size_bytes": 5 << 20, "source": "folder", "shards": 1,
            "missing_shards": 0,
        }
    ]  # fmt: skip
    assert value["notes"] == ["~/mine/not.gguf is not a model, in spite of its name."]
    assert problems({}, "models")
    assert problems(models_json(home.found()), "models") == []


def test_names_that_are_no_text_can_be_printed(home: FakeHome, capsys: pytest.CaptureFixture[str]) -> None:
    folder = home.file("mine/m.gguf").parent
    try:
        (folder / "m.gguf").rename(folder / os.fsdecode(b"\xff.gguf"))
    except OSError:
        pytest.skip("this file system takes only text")
    for words in (["models", str(folder)], ["models", str(folder), "--json"]):
        assert main(words) == 0
        capsys.readouterr().out.encode("utf-8")


@pytest.mark.parametrize(("name", "said"), [("gone", "There is no folder"), ("file.gguf", "is a file, not a folder")])
def test_what_is_no_folder_is_exit_3(home: FakeHome, capsys: pytest.CaptureFixture[str], name: str, said: str) -> None:
    home.file("file.gguf")
    assert main(["models", str(home.home / name)]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert len(captured.err.splitlines()) == 2


def test_a_folder_is_given_as_one_types_it(
    home: FakeHome, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home.file("mine/m.gguf")
    monkeypatch.chdir(home.home)
    assert main(["models", "mine"]) == 0
    assert str(path) in capsys.readouterr().out


def test_it_loads_neither_qt_nor_numpy_nor_the_engine(tmp_path: Path) -> None:
    script = (
        "import sys; from advisor.__main__ import main; code = main(['models', '--json', sys.argv[1]]); "
        "print(sorted({'PySide6', 'numpy', 'llama_cpp', 'psutil'} & set(sys.modules))); sys.exit(code)"
    )
    target = str(tmp_path / "out.json")
    done = subprocess.run(
        [sys.executable, "-c", script, target], capture_output=True, text=True, timeout=60, check=False,
        env=os.environ | {"HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[3])},
    )  # fmt: skip
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "[]"), done.stderr
    assert problems(json.loads(Path(target).read_text(encoding="utf-8")), "models") == []
