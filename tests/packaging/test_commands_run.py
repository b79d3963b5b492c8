"""Every command of README, guide and reference runs as it stands there, with the real engine on the sample model.

What stands for something of the user's (MODEL, FILE, an address) is put in, and what takes its time gets less of it;
that is all that is changed.
"""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Final

import pytest

from advisor.cli.examples import EXAMPLES
from advisor.cli.parser import parse
from advisor.core.errors import UsageError
from advisor.session.paths import HOME_VARIABLE
from tests.packaging.test_documentation import ALL, ROOT, words_of
from tests.support.fake_server import FakeServer, Script
from tests.support.sample import sample_path
from ui.shell.single import MARK

pytestmark = [pytest.mark.engine, pytest.mark.timeout(300)]

MEASURED: Final = (0, 5)
"""5: measured, but on a disturbed machine."""
WINDOW_LIMIT_S: Final = 60.0
SHORTER: Final = {
    "diagnose": ("--budget", "4"),
    "try": ("--budget", "5", "--rounds", "3"),
    "rehearse": ("--budget", "5"),
    "server": ("--budget", "4"),
    "bench": ("-r", "2"),
    "sweep": ("-r", "1"),
    "sweep chunk": ("-r", "1", "-P", "512"),
}
"""More words for commands that would otherwise measure as long as a person wants them to."""
FILES: Final = {"import": "llama-bench.md", "server-log": "server.log"}
"""What FILE is to a command."""
SERVER: Final = "http://127.0.0.1:8080"


def is_whole(line: str) -> bool:
    """Whether a line is a command to be typed, not one that is only named."""
    words = words_of(line)
    if opens_window(words):
        return True
    try:
        parse(words)
    except UsageError:
        return False
    return True


def opens_window(words: list[str]) -> bool:
    return not words or words[0].startswith("MODEL") or words[0] == "gui"


def lines() -> list[str]:
    """Each command once, however it writes MODEL and quotes."""
    written = {command for _document, command in ALL} | {line for lines in EXAMPLES.values() for line in lines}
    once = {
        tuple("MODEL.gguf" if word == "MODEL" else word for word in shlex.split(line, comments=True)): line
        for line in sorted(written)
    }
    return sorted(line for line in once.values() if is_whole(line))


LINES: Final = lines()


@dataclass(frozen=True)
class Desk:
    """A folder with what the commands name, a home with two runs in its history, and a server that answers."""

    folder: Path
    server: str

    def words(self, line: str) -> list[str]:
        """A line's words with this desk's things in them."""
        words = words_of(line)
        here = {
            "URL": self.server, SERVER: self.server, "NAME": "embedded", "FOLDER": str(self.folder),
            "~/models": str(self.folder), "A": "before.json", "B": "after.json",
            "FILE": FILES.get(words[0] if words else "", ""),
        }  # fmt: skip
        if "--watch" in words:
            here["60"] = "1"
        if words[:1] in (["history"], ["compare"]):
            here |= {"3": "1", "12": "1", "14": "2"}
        of_command = SHORTER.get(words[0], ()) if words and "--list" not in words else ()
        shorter = SHORTER.get(" ".join(words[:2]), of_command)
        return [*(here.get(word, word) for word in words), *shorter]

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {
            HOME_VARIABLE: str(self.folder / "home"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "PYTHONPATH": str(ROOT),
        }

    def run(self, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
        """The program, as the command ``two-machines`` starts it."""
        return subprocess.run(
            [sys.executable, "-m", "ui", *words], cwd=self.folder, env=self.environment, input=said,
            capture_output=True, text=True, timeout=280, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("desk")
    for name in ("MODEL", "MODEL.gguf"):
        (folder / name).symlink_to(sample_path())
    (folder / "server.log").write_bytes((ROOT / "tests/data/servers/llama_server.log").read_bytes())
    (folder / "llama-bench.md").write_bytes((ROOT / "tests/data/imports/table_cuda.md").read_bytes())
    with FakeServer(Script(prompt_token_s=0.0001, token_s=0.002)) as server:
        made = Desk(folder, server.url)
        for name in ("before.json", "after.json"):
            done = made.run("diagnose", "MODEL.gguf", "--budget", "3", "--json", name)
            assert done.returncode in MEASURED, done.stderr
        yield made


@pytest.mark.parametrize("line", [line for line in LINES if not opens_window(words_of(line))])
def test_it_runs(line: str, desk: Desk) -> None:
    words = desk.words(line)
    done = desk.run(*words, said=(desk.folder / "llama-bench.md").read_text(encoding="utf-8"))
    assert done.returncode in MEASURED, (words, done.stdout[-1000:], done.stderr[-2000:])
    files = [desk.folder / word for word in words if word.endswith((".pdf", ".html", ".md", ".json"))]
    assert files or done.stdout.strip()
    assert all(path.stat().st_size > 0 for path in files), files
    _command, bar, rest = line.partition(" | ")
    if bar:
        program, *arguments = shlex.split(rest)
        if which(program) is None:
            pytest.skip(f"{program} is not installed")
        piped = subprocess.run([program, *arguments], input=done.stdout, capture_output=True, text=True, check=False)
        assert piped.returncode == 0 and piped.stdout.strip() not in ("", "null"), piped.stderr


@pytest.mark.parametrize("line", [line for line in LINES if opens_window(words_of(line))])
def test_the_window_opens(line: str, desk: Desk) -> None:
    command = [sys.executable, "-m", "ui", *desk.words(line)]
    window = subprocess.Popen(command, cwd=desk.folder, env=desk.environment, stderr=subprocess.PIPE, text=True)
    try:
        # An open window leaves a mark, and only an open window answers a second start.
        limit = time.monotonic() + WINDOW_LIMIT_S
        while not list((desk.folder / "home").rglob(MARK)):
            assert window.poll() is None and time.monotonic() < limit, "no window opened"
            time.sleep(0.1)
        assert "already shows it" in desk.run(*command[3:]).stdout
    finally:
        window.send_signal(signal.SIGTERM)
        _out, error = window.communicate(timeout=60)
    assert window.returncode == 0 and not error, error


@pytest.mark.parametrize(
    "words",
    [
        ("tests.benchmarks.validity", "--runs", "1", "--only-quiet"),
        ("tests.benchmarks.overhead", "--rounds", "1"),
        ("ui.printing", "after.json", "out.pdf"),
    ],
    ids=lambda words: words[0],
)
def test_modules_that_the_documents_name_run(words: tuple[str, ...], desk: Desk) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=desk.folder, env=desk.environment, capture_output=True, text=True,
        timeout=280, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() or (desk.folder / "out.pdf").read_bytes().startswith(b"%PDF")
