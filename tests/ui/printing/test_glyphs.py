"""Signs that no font has: named in sentences, and in a command written so that a shell finds the file."""

import shlex
import subprocess

import pytest
from PySide6.QtGui import QFont, QGuiApplication

from ui.printing import glyphs
from ui.printing.glyphs import typeable, with_words

LLAMA = "\U0001f999"


@pytest.fixture(autouse=True)
def _no_such_sign(qapp: QGuiApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a computer without emoji."""
    monkeypatch.setattr(glyphs, "_shown", lambda sign, font: "[llama]" if sign == LLAMA else sign)


@pytest.mark.parametrize("name", [
    f"my {LLAMA} model.gguf", f"{LLAMA}.gguf", f"it's a {LLAMA}.gguf", f"back\\slash{LLAMA}.gguf",
    f"Сайга{LLAMA}\ufe0f-7B.gguf", "plain.gguf", "it's plain.gguf",
])  # fmt: skip
def test_a_command_names_the_file(name: str) -> None:
    command = typeable(f"two-machines diagnose {shlex.quote(name)} --workload rag", QFont())
    assert LLAMA not in command
    assert "[llama]" not in command
    printed = command.replace("two-machines diagnose", "printf '%s\\n'", 1)
    done = subprocess.run(["bash", "-c", f"LC_ALL=C.UTF-8; {printed}"], capture_output=True, check=True, timeout=20)
    assert done.stdout.decode().splitlines() == [name, "--workload", "rag"]


def test_elsewhere_the_sign_is_named() -> None:
    assert with_words(f"a {LLAMA}", QFont()) == "a [llama]"
