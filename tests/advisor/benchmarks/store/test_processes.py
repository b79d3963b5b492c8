"""Several real processes at one store, and processes that die."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.benchmarks.store.store import Store
from tests.support.stored import filled, result

ROOT = Path(__file__).parents[4]
LIMIT_S = 120


def child(*words: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.store_child", *map(str, words)],
        stdout=subprocess.PIPE, text=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "日本語" / "results.sqlite"


def whole(path: Path) -> bool:
    connection = sqlite3.connect(path)
    (verdict,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return bool(verdict == "ok")


def test_two_processes_write_two_hundred_rows_each(path: Path) -> None:
    processes = [child("write", path, 200) for _ in range(2)]  # neither finds a file: both begin by making one
    outputs = [process.communicate(timeout=LIMIT_S)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert not [line for output in outputs for line in output.splitlines() if line.startswith("said")]
    runs = Store(path).runs()
    assert len(runs) == 2
    for run in runs:
        assert [test.result for test in run.tests] == [result(number) for number in range(200)]
    assert whole(path)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX's")
def test_a_process_killed_in_the_middle_of_a_write_loses_that_row_only(path: Path) -> None:
    before = filled(path).runs()
    size = path.stat().st_size
    process = child("die-in-commit", path)
    process.communicate(timeout=LIMIT_S)
    assert process.returncode == -9
    # It was in the middle: the file has grown already, and the journal to undo that is there.
    assert path.stat().st_size > size
    assert path.with_name("results.sqlite-journal").stat().st_size > 0
    said: list[str] = []
    store = Store(path, lambda sentence, hint: said.append(sentence))
    assert store.runs() == before
    assert said == []
    assert whole(path)
    store.set_note(1, "goes on")
    assert store.run(1).note == "goes on"


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX's")
def test_processes_killed_at_any_moment_lose_at_most_one_row_each(path: Path) -> None:
    acknowledged = []
    for rounds in range(5):
        process = child("write", path, 10_000)
        assert process.stdout is not None
        last = -1
        for line in process.stdout:
            last = int(line)
            if last >= 3 + 2 * rounds:
                process.kill()
                break
        for line in process.stdout:  # what it had said before the kill came
            last = int(line)
        process.wait(timeout=LIMIT_S)
        process.stdout.close()
        acknowledged.append(last + 1)
    runs = Store(path).runs()[::-1]
    assert len(runs) == 5
    for saved, run in zip(acknowledged, runs, strict=True):
        assert saved <= len(run.tests) <= saved + 1
        assert [test.result for test in run.tests] == [result(number) for number in range(len(run.tests))]
        assert run.end is None
    assert whole(path)
    assert not list(path.parent.glob("*damaged*"))


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX's")
def test_a_full_disk_loses_what_does_not_fit_and_nothing_else(path: Path) -> None:
    before = filled(path).run(1).tests
    process = child("fill-disk", path)
    output, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0
    assert output.startswith("The file of results cannot be used: ")
    assert [test.result for test in Store(path).run(1).tests] == [*[test.result for test in before], result(99)]
    assert whole(path)
