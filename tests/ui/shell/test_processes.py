"""What the window's process imports, seen from outside."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def run(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"}, check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_commands_run_without_a_toolkit() -> None:
    modules = run(
        "import sys\nfrom ui.__main__ import main\n"
        "code = main(['no-such-command'])\nprint(*sys.modules)"
    )
    assert "PySide6" not in modules
    assert "advisor.__main__" in modules


def test_nothing_slow_is_imported_before_the_window_shows() -> None:
    modules = run(
        "import sys\nfrom ui.__main__ import Parts, _application\nfrom ui.composition import doors\n"
        "qt = _application()\nparts = Parts(doors())\nparts.window.show()\nprint(*sys.modules)\n"
        "parts.window.close()\n"
    )
    slow = {"numpy", "pyqtgraph", "llama_cpp", "pynvml", "psutil", "advisor.session.pipeline", "ui.printing"}
    assert not slow & set(modules)
    assert "ui.shell.main_window" in modules


def test_the_check_of_the_self_test_passes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ui", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=60,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"}, check=False,
    )
    assert done.returncode == 0, done.stderr
