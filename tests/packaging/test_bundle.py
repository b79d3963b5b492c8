"""The bundle that packaging/build_linux.sh made, where there is one: it needs nothing of this Python."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor import __version__
from advisor.core.translation import ENGLISH, LANGUAGES
from advisor.session.sample import is_installed
from tests.support.sample import sample_path

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("TWO_MACHINES_BUNDLE") or ROOT / "build/bundle/two-machines") / "two-machines"
MOST_BYTES = 200_000_000

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(not PROGRAM.is_file(), reason="no bundle: packaging/build_linux.sh makes one"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the bundle is for Linux"),
]


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The bundle with next to no environment: no PATH, no Python, no display."""
    environment = {"HOME": str(tmp_path), "TWO_MACHINES_HOME": str(tmp_path / "home")}
    return subprocess.run(
        [str(PROGRAM), *words], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )


def test_it_is_this_version_and_knows_its_parts(tmp_path: Path) -> None:
    said = json.loads(run(tmp_path, "about", "--json").stdout)
    assert said["version"] == __version__ and said["engine"]
    assert {"numpy", "PySide6_Essentials", "llama_cpp_python"} <= {part["name"] for part in said["parts"]}
    notices = run(tmp_path, "about", "--licences").stdout
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in notices and "llama.cpp" in notices


def test_it_is_small_enough() -> None:
    files = [path for path in PROGRAM.parent.rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES


def test_nothing_in_it_was_made_by_running_the_program() -> None:
    assert not list(PROGRAM.parent.rglob("__pycache__"))


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != ENGLISH])
def test_it_speaks_each_language_and_qt_in_it_too(language: str) -> None:
    internal = PROGRAM.parent / "_internal"
    assert (internal / "resources" / "translations" / f"{language}.mo").is_file()
    assert list(internal.glob(f"PySide6/**/qtbase_{language}.qm"))


def test_engine_and_window_work(tmp_path: Path) -> None:
    done = run(tmp_path, "selftest", "--json")
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_a_display_it_says_so(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 2 and "no display" in done.stderr


def test_only_listed_modules_run(tmp_path: Path) -> None:
    assert run(tmp_path, "--run-module", "http.server").returncode == 2


@pytest.mark.skipif(not is_installed(), reason="the sample model is not installed")
def test_it_measures_and_prints(tmp_path: Path) -> None:
    report = tmp_path / "report.pdf"
    done = run(tmp_path, "diagnose", str(sample_path()), "--budget", "5", "--pdf", str(report))
    assert done.returncode in (0, 5), done.stderr  # 5: measured, but on a disturbed machine
    assert report.read_bytes().startswith(b"%PDF")
