"""``compare`` and ``import``: what they print and keep, in which form, with which exit code."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.__main__ import main
from advisor.benchmarks.store.store import Store
from advisor.core.errors import BadFile
from advisor.importing.reading import read_report
from advisor.report.codec import json_text
from advisor.report.exporters.as_json import bench_json, document_json
from advisor.session.importing import keep
from advisor.session.opening import open_any
from advisor.session.paths import user_paths
from tests.advisor.report.schema_check import problems
from tests.support import documents
from tests.support.stored import filled

DATA = Path(__file__).parents[2] / "data" / "imports"
NBSP = "\u00a0"


def said(capsys: pytest.CaptureFixture[str]) -> str:
    captured = capsys.readouterr()
    assert captured.err == ""
    return " ".join(captured.out.replace(NBSP, " ").split())


def written(path: Path, speed: float = 1.0) -> Path:
    """A diagnosis in a file, its machine so many times as fast as the pictures' laptop."""
    done = documents.complete_document()
    tests = tuple(replace(test, samples_s=tuple(s / speed for s in test.samples_s)) for test in done.tests)
    name = replace(done.machine.cpu, name=documents.read(f"CPU {speed:g}"))
    changed = replace(done, tests=tests, machine=replace(done.machine, cpu=name))
    path.write_text(json_text(document_json(changed)), encoding="utf-8")
    return path


def as_json(words: list[str], schema: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    value: dict[str, Any] = json.loads(captured.out)
    assert problems(value, schema) == []
    return value


def test_two_machines_show_both_gaps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(written(tmp_path / "laptop.json")), str(written(tmp_path / "desk.json", 2))]
    assert main(["compare", *files]) == 0
    text = said(capsys)
    assert "desk.json against laptop.json" in text
    assert "Compute gap (prefill) 2.00×" in text
    assert "Bandwidth gap (decode) 2.00×" in text
    assert "Prefill 49.2 49.2 1.00×" in text  # the ceilings
    value = as_json(["compare", *files], "compare", capsys)
    assert (value["others"][0]["prefill_ratio"], value["others"][0]["decode_ratio"]) == pytest.approx((2, 2))
    assert value["others"][0]["same_weights"] is True
    assert value["others"][0]["same_machine"] is False


def test_the_same_result_is_not_distinguishable_from_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(written(tmp_path / "a.json"))
    assert main(["compare", file, file]) == 0
    text = said(capsys)
    assert text.count("not distinguishable") == 2
    assert "Both are the same result" in text
    assert "gap" not in text


def test_a_run_against_itself_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    filled(user_paths().results)
    assert main(["compare", "1", "1"]) == 0
    text = said(capsys)
    assert "Both are the same result" in text
    assert "slower" not in text and "faster" not in text
    assert text.count(documents.SUSPECT.because[0]) == 1


def test_a_bench_a_run_and_an_import_can_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = documents.complete_document()
    bench = tmp_path / "bench.json"
    text = json_text(bench_json(done.tests, done.machine, done.engine, done.model))
    bench.write_text(text, encoding="utf-8")
    filled(user_paths().results).set_label(1, "before")
    assert main(["import", str(DATA / "table_cuda.md")]) == 0
    assert "To compare: two-machines compare 2 RESULT" in said(capsys)
    value = as_json(["compare", str(bench), "before", "2"], "compare", capsys)
    assert [other["name"] for other in value["others"]] == ["run 1 (before)", "run 2"]
    assert [other["imported"] for other in value["others"]] == [False, True]
    card = value["others"][1]
    assert card["read_bytes_per_s"] == 936e9
    assert card["read_bytes_per_s_source"].startswith("table: ")


def test_a_card_that_did_nothing_bounds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (DATA / "table_cuda.md").read_text(encoding="utf-8")
    (tmp_path / "cpu.md").write_text(text.replace("|  99 |", "|   0 |"), encoding="utf-8")
    value = as_json(["compare", str(DATA / "table_cuda.md"), str(tmp_path / "cpu.md")], "compare", capsys)
    assert value["first"]["read_bytes_per_s"] == 936e9
    assert value["others"][0]["pairs"][0]["this"]["device"] == "CPU"
    assert value["others"][0]["read_bytes_per_s"] is None


def test_markdown_is_written_with_its_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(written(tmp_path / "a|b.json")), str(written(tmp_path / "c.json", 2))]
    target = tmp_path / "out.md"
    assert main(["compare", *files, "--md", str(target)]) == 0
    text = target.read_text(encoding="utf-8").replace(NBSP, " ")
    assert "| pp512 | " in text
    assert "a\\|b.json" in text
    assert f"Written: {target}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "There is no run or file"),
        ('{"schema": "two-machines/diagnosis/1"}', "damaged"),
        ('{"schema": "two-machines/diagnosis/99"}', "reads up to"),
        ('{"schema": "two-machines/bench/99"}', "reads up to"),
        ('{"schema": "two-machines/machine/1"}', "no speeds"),
        ('{"schema": "two-machines/bench/1", "tests": []}', "damaged"),
        ("not a result", "no speeds"),
        ("", "no speeds"),
    ],
)
def test_a_side_that_cannot_be_used_is_one_sentence(
    content: str | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.json"
    if content is not None:
        other.write_text(content, encoding="utf-8")
    assert main(["compare", str(written(tmp_path / "a.json")), str(other)]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err


def test_a_result_of_ours_that_is_cut_off_says_where_to_get_it_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, part = written(tmp_path / "a.json"), tmp_path / "part.json"
    part.write_text(whole.read_text(encoding="utf-8")[:5000], encoding="utf-8")
    assert main(["compare", str(whole), str(part)]) == 3
    assert capsys.readouterr().err == (
        "two-machines: part.json is a result of Two Machines, and it is cut off or damaged.\n"
        "  Write it anew from the history: two-machines history export RUN --json FILE\n"
    )
    with pytest.raises(BadFile, match="cut off or damaged"):
        open_any(part)


def test_one_side_or_an_unknown_run_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(written(tmp_path / "a.json"))
    assert main(["compare", file]) == 3
    assert main(["compare", file, "7"]) == 2
    assert "There is no run 7." in capsys.readouterr().err


def test_what_is_imported_is_kept_and_never_counts_as_measured(capsys: pytest.CaptureFixture[str]) -> None:
    value = as_json(["import", str(DATA / "table_old_columns.md")], "import", capsys)
    assert [run["run"] for run in value["runs"]] == [1, 2]
    assert value["runs"][0]["cpu"] is None
    assert value["runs"][0]["cpu_reason"] == "the source does not tell"
    held = Store(user_paths().results).runs()
    assert [run.tests for run in held] == [(), ()]
    assert held[1].imported is not None
    assert held[1].imported.model == "LLaMA 7B mostly Q4_0"
    listed = as_json(["history"], "history", capsys)
    assert [run["imported"]["origin"] for run in listed["runs"]] == ["imported", "imported"]
    assert main(["history", "show", "1"]) == 0
    assert "not by Two Machines" in said(capsys)


def test_the_same_file_again_is_the_same_run(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(DATA / "table_old_columns.md")
    assert main(["import", file]) == 0
    assert "kept before" not in said(capsys)
    assert main(["import", file]) == 0
    text = said(capsys)
    assert "Run 1 (kept before), imported from" in text
    assert "Run 2 (kept before), imported from" in text
    store = Store(user_paths().results)
    assert len(store.runs()) == 2


def test_a_deleted_run_that_is_imported_again_comes_back(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(DATA / "table_old_columns.md")
    assert main(["import", file]) == 0
    store = Store(user_paths().results)
    store.set_note(1, "mine")
    store.delete_run(1)
    said(capsys)
    assert main(["import", file]) == 0
    text = said(capsys)
    assert "Run 1 (kept before, deleted, and now back), imported from" in text
    assert "Run 2 (kept before), imported from" in text
    assert [run.number for run in store.runs()] == [2, 1]
    assert store.run(1).note == "mine"


def test_the_same_figures_are_kept_once_whatever_their_file_is_called(tmp_path: Path) -> None:
    store = Store(user_paths().results)
    for name in ("plain.txt", "Größe “4090”.txt", 'a "b" %_.txt'):
        (run,) = read_report("pp512: 812 t/s, tg128: 23.5 t/s", name)
        first, again = keep([run], store), keep([run], store)
        assert not first[0].known and again[0].known and first[0].number == again[0].number
    assert [run.number for run in store.imported("plain.txt")] == [1]


def test_files_as_powershell_writes_them_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours, table = tmp_path / "ours.json", tmp_path / "table.md"
    ours.write_text(written(tmp_path / "a.json").read_text(encoding="utf-8"), encoding="utf-16")
    table.write_text((DATA / "table_cuda.md").read_text(encoding="utf-8"), encoding="utf-16")
    value = as_json(["compare", str(ours), str(table)], "compare", capsys)
    assert (value["first"]["imported"], value["others"][0]["imported"]) == (False, True)


def test_a_label_that_no_file_could_have_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "x" * 5000, "2"]) == 3
    assert "There is no run or file x" in capsys.readouterr().err


def test_only_shown_is_not_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "--show-only", str(DATA / "rows.csv")]) == 0
    assert "Not kept, imported from rows.csv" in said(capsys)
    assert not user_paths().results.exists()


def test_standard_input_and_the_problem_of_a_workload(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = (DATA / "llama_perf.txt").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert main(["import", "-", "--workload", "long-writing"]) == 0
    text = said(capsys)
    assert "neither phase is a problem for “Long writing”: 4.8 s until the first word" in text
    assert main(["import", str(DATA / "llama_perf.txt"), "--prompt", "4000", "--answer", "20"]) == 0
    assert "reading the prompt (prefill) is the problem" in said(capsys)


def test_a_short_prompt_decides_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "--show-only", str(DATA / "ollama_api.json")]) == 0
    assert "reading the prompt (prefill) may be the problem" in said(capsys)


def test_a_binary_or_missing_file_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF\x03\x00\x00\x00")
    assert main(["import", str(tmp_path / "x.gguf")]) == 3
    assert main(["import", str(tmp_path / "missing.txt")]) == 3
    assert capsys.readouterr().out == ""
