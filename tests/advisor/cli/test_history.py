"""``history``: what it prints, in which form, with which exit code, and what a user may say about a run."""

import json
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.__main__ import main
from advisor.benchmarks.model import FlashAttention, Sweep
from advisor.benchmarks.store.model import RunEnd
from advisor.benchmarks.store.schema import MIGRATIONS
from advisor.benchmarks.store.store import Store
from advisor.session.paths import user_paths
from tests.advisor.report.schema_check import problems
from tests.support import documents
from tests.support.stored import ENDED_AT, MEASURED_AT, STARTED_AT, filled, setup

NBSP = "\u00a0"


@pytest.fixture
def store() -> Store:
    """Run 1 is complete, run 2 crashed in safe mode, run 3 has not ended."""
    store = Store(user_paths().results)
    store.begin_run("a", STARTED_AT, setup())
    store.add_test("a", MEASURED_AT, setup(), documents.prefill_test())
    store.add_test("a", MEASURED_AT, setup(), documents.decode_test())
    store.end_run("a", RunEnd(ENDED_AT))
    store.begin_run("b", STARTED_AT, setup())
    for test in documents.suspect_document().tests:
        store.add_test("b", MEASURED_AT, setup(), test)
    store.end_run("b", RunEnd(ENDED_AT, "engine_crashed", "The engine crashed (SIGSEGV).", "Try safe mode."))
    store.begin_run("c", STARTED_AT, setup())
    return store


def said(capsys: pytest.CaptureFixture[str]) -> str:
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out.replace(NBSP, " ")


def as_json(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["history", *words, "--json"]) == 0
    value: dict[str, Any] = json.loads(said(capsys))
    assert problems(value, "history") == []
    return value


def test_the_list_is_newest_first_with_speed_spread_and_stamp(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == 0
    assert said(capsys).splitlines() == [
        "Run 3, 29 November 2026, 14:05: Llama 3.1 8B Q4_K_M on 12th Gen Intel Core i7-1260P, 16 logical CPUs, "
        "Iris Xe, RTX 4090",
        "  Not ended: it still runs, or the program or the computer stopped in the middle.",
        "Run 2, 29 November 2026, 14:05: Llama 3.1 8B Q4_K_M on 12th Gen Intel Core i7-1260P, 16 logical CPUs, "
        "Iris Xe, RTX 4090",
        "  pp512          41.3 ± 0.3 tokens/s     suspect, safe mode",
        "  tg128              12 ± 2 tokens/s     suspect, safe mode",
        "  tg128 @ d4096        8.59 tokens/s  invalid, not complete",
        "  The engine crashed (SIGSEGV). Try safe mode.",
        "Run 1, 29 November 2026, 14:05: Llama 3.1 8B Q4_K_M on 12th Gen Intel Core i7-1260P, 16 logical CPUs, "
        "Iris Xe, RTX 4090",
        "  pp512    41.3 ± 0.3 tokens/s  valid",
        "  tg128  11.60 ± 0.02 tokens/s  valid",
    ]


def test_points_of_a_curve_can_be_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(user_paths().results)
    store.begin_run("a", STARTED_AT, setup())
    point = documents.decode_test()
    for test in (
        replace(point, sweep=Sweep.THREADS, n_threads=4),
        replace(point, sweep=Sweep.BATCH, n_streams=8),
        replace(point, sweep=Sweep.DEPTH, n_depth=4096),
        replace(point, sweep=Sweep.UBATCH, n_ubatch=256),
        replace(point, sweep=Sweep.FLASH_ATTENTION, flash_attention=FlashAttention.OFF),
        replace(point, sweep=Sweep.KV_TYPE, kv_type="q8_0"),
    ):
        store.add_test("a", MEASURED_AT, setup(), test)
    assert main(["history"]) == 0
    names = [line.strip().split("  ")[0] for line in said(capsys).splitlines()[1:7]]
    assert names == [
        "tg128, 4 threads", "tg128 x 8", "tg128 @ d4096", "tg128, ubatch 256", "tg128, flash attention off",
        "tg128, KV cache q8_0",
    ]  # fmt: skip


def test_the_list_is_limited_and_says_so(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--limit", "2"]) == 0
    lines = said(capsys).splitlines()
    assert [line.split(",")[0] for line in lines if line.startswith("Run")] == ["Run 3", "Run 2"]
    assert lines[-1] == "There are older ones: two-machines history --limit N"
    assert as_json(["--limit", "2"], capsys)["more"] is True
    assert as_json(["--limit", "3"], capsys)["more"] is False


def test_nothing_yet_is_no_error_and_makes_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == 0
    assert said(capsys).splitlines()[0] == "Nothing was measured here yet."
    assert as_json([], capsys)["runs"] == []
    assert not user_paths().results.exists()


def test_one_run_with_everything(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "show", "2"]) == 0
    text = said(capsys)
    for words in (
        "Run 2\n", "29 November 2026, 14:07", "16 logical CPUs", "4.92 GB", "模型 Q4_K_M.gguf", "ab" * 32,
        "llama-cpp-python 0.3.36 (build b-1234)", "~/venv/bin/python", "tg128 @ d4096 is invalid",
        "The engine crashed (SIGSEGV).",
    ):  # fmt: skip
        assert words in text


def test_the_json_has_raw_samples_and_all_that_is_needed_to_repeat_it(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    value = as_json([], capsys)
    assert [run["run"] for run in value["runs"]] == [3, 2, 1]
    first = value["runs"][2]
    assert first["error"] is None
    assert first["tests"][0]["samples_s"] == list(documents.prefill_test().samples_s)
    assert first["tests"][0]["engine_facts"]["python"] == "~/venv/bin/python"
    assert first["model"]["header_sha256"] == "ab" * 32
    assert value["runs"][1]["error"]["code"] == "engine_crashed"
    assert value["runs"][0]["ended_at"] is None
    assert "ended_at_reason" in value["runs"][0]
    assert as_json(["show", "1"], capsys)["runs"] == [first]
    assert problems({"schema": "two-machines/history/1", "runs": [{}], "more": False}, "history")


def test_json_goes_to_a_file_too_before_and_after_the_action(store: Store, tmp_path: Path) -> None:
    for number, words in enumerate((["--json", "F", "show", "1"], ["show", "1", "--json", "F"])):
        target = tmp_path / f"{number}.json"
        assert main(["history", *[str(target) if word == "F" else word for word in words]]) == 0
        assert json.loads(target.read_text(encoding="utf-8"))["runs"][0]["run"] == 1


def test_label_and_note(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "label", "1", "winter"]) == 0
    assert main(["history", "note", "1", "window", "open,", "fan", "cleaned"]) == 0
    assert said(capsys) == "Run 1 has a new label.\nRun 1 has a new note.\n"
    assert main(["history"]) == 0
    assert "  winter: window open, fan cleaned\n" in said(capsys)
    assert as_json(["show", "1"], capsys)["runs"][0]["note"] == "window open, fan cleaned"


def test_without_text_a_label_or_note_is_shown_and_never_erased(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    for word in ("label", "note"):
        assert main(["history", word, "1"]) == 0
        assert said(capsys) == (
            f"Run 1 has no {word}.\n  To write one: two-machines history {word} 1 TEXT\n"
        )
        assert main(["history", word, "1", "mine", "own"]) == 0
        capsys.readouterr()
        assert main(["history", word, "1"]) == 0
        assert said(capsys) == (
            f"The {word} of run 1: mine own\n  To write one: two-machines history {word} 1 TEXT; "
            f"to take it away: two-machines history {word} 1 --clear\n"
        )
        assert as_json([word, "1"], capsys)["runs"][0][word] == "mine own"
    assert (store.run(1).label, store.run(1).note) == ("mine own", "mine own")


@pytest.mark.parametrize("away", ["--clear", ""])
def test_a_label_or_note_is_taken_away_on_purpose_only(
    away: str, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    for word, change in (("label", store.set_label), ("note", store.set_note)):
        change(1, "mine")
        assert main(["history", word, "1", away]) == 0
        assert said(capsys) == f"Run 1 has no {word}.\n"
    assert (store.run(1).label, store.run(1).note) == ("", "")
    assert main(["history", "note", "1", "new", "--clear"]) == 2
    assert "--clear takes the note away" in capsys.readouterr().err


def test_a_deleted_run_can_be_found_and_restored(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "delete", "2"]) == 0
    assert said(capsys) == "Run 2 is deleted.\n  To have it back: two-machines history restore 2\n"
    assert [run["run"] for run in as_json([], capsys)["runs"]] == [3, 1]
    (gone,) = as_json(["--deleted"], capsys)["runs"]
    assert gone["run"] == 2
    assert gone["deleted_at"]
    assert main(["history", "restore", "2"]) == 0
    assert said(capsys) == "Run 2 is back.\n"
    assert [run["run"] for run in as_json([], capsys)["runs"]] == [3, 2, 1]
    assert main(["history", "--deleted"]) == 0
    assert said(capsys) == "No run is deleted.\n"


DELETED = "two-machines: Run 2 was deleted.\n  To have it back: two-machines history restore 2\n"


@pytest.mark.parametrize(
    "words",
    [
        ["history", "show", "2"], ["history", "export", "2", "--md", "-"], ["history", "label", "2", "x"],
        ["history", "note", "2"], ["history", "note", "2", "--clear"], ["history", "delete", "2"],
        ["compare", "1", "2"], ["compare", "1", "gone"],
    ],
)  # fmt: skip
def test_a_deleted_run_is_told_of_in_the_same_words_everywhere(
    words: list[str], store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    store.set_label(2, "gone")
    store.delete_run(2)
    assert main(words) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", DELETED)
    assert store.run(2, deleted=True).label == "gone"


def test_a_label_means_the_run_that_is_not_deleted(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.set_label(1, "mine")
    store.set_label(2, "mine")
    store.delete_run(2)
    assert main(["compare", "mine", "1"]) == 0
    assert "Both are the same result" in " ".join(said(capsys).split())


def test_restoring_what_was_not_deleted_says_so(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "restore", "1"]) == 0
    assert said(capsys) == "Run 1 was not deleted.\n"


@pytest.mark.parametrize("words", [["show", "9"], ["note", "9", "x"], ["delete", "9"], ["restore", "9"], ["show", "0"]])
def test_a_run_that_is_not_there_is_wrong_usage(
    words: list[str], store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 2


def test_a_newer_file_is_refused_politely(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    connection = sqlite3.connect(user_paths().results)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    assert main(["history"]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"format {len(MIGRATIONS) + 1}" in captured.err
    assert len(captured.err.splitlines()) == 2


def test_a_damaged_file_is_a_note_and_an_empty_list(capsys: pytest.CaptureFixture[str]) -> None:
    filled(user_paths().results)
    user_paths().results.write_bytes(b"not a database " * 500)
    assert main(["history"]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("note: The file of earlier results is damaged and was set aside")
    assert captured.out.startswith("Nothing was measured here yet.")


def test_what_a_user_or_a_file_wrote_cannot_reach_the_terminal_as_control(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", "note", "1", "red \x1b[31m and\nmore"]) == 0
    assert main(["history"]) == 0
    assert main(["history", "show", "1"]) == 0
    assert "\x1b" not in said(capsys)


def test_it_loads_neither_qt_nor_numpy_nor_the_engine(store: Store) -> None:
    script = (
        "import sys; from advisor.__main__ import main; code = main(['history', 'show', '1']); "
        "print(sorted({'PySide6', 'numpy', 'llama_cpp', 'psutil'} & set(sys.modules))); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_runs_are_filtered_by_model_and_day(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(as_json(["--model", "llama 3.1", "--since", STARTED_AT[:10]], capsys)["runs"]) == 3
    assert as_json(["--since", "2099-01-01"], capsys)["runs"] == []
    limited = as_json(["--model", "LLAMA", "--limit", "2"], capsys)
    assert (len(limited["runs"]), limited["more"]) == (2, True)
    assert main(["history", "--model", "no such"]) == 0
    assert said(capsys) == "No run fits.\n"
    assert main(["history", "--since", "yesterday"]) == 2


@pytest.mark.parametrize("words", [[], ["show", "1"], ["--json"], ["--model", "llama"]])
def test_a_home_that_cannot_be_is_not_taken_for_an_empty_history(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("I am no folder")
    monkeypatch.setenv("TWO_MACHINES_HOME", str(tmp_path / "file"))
    assert main(["history", *words]) == 3
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 2
    assert "The file of earlier results cannot be read: a file stands in the place of its folder." in captured.err


@pytest.mark.parametrize("refused", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")])
def test_a_home_that_may_not_be_looked_into_is_said(
    refused: OSError, store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results, stat = user_paths().results, Path.stat

    def watched(self: Path, **more: Any) -> Any:
        if self == results:
            raise refused
        return stat(self, **more)

    monkeypatch.setattr(Path, "stat", watched)
    for words in (["history"], ["compare", "1", "2"]):
        assert main(words) == 3
        captured = capsys.readouterr()
        assert captured.out == "" and "The file of earlier results cannot be read: " in captured.err


def test_a_folder_in_the_place_of_the_file_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    user_paths().results.mkdir(parents=True)
    assert main(["history"]) == 3
    assert "cannot be read" in capsys.readouterr().err
