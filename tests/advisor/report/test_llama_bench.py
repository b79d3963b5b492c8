"""llama-bench's shapes: its fields in its order, and its own rows given back as they came."""

import csv
import json
import sqlite3
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from advisor.benchmarks.store.store import Store
from advisor.importing.reading import read_report
from advisor.report.exporters.llama_bench import FIELDS, Row, document_rows, left_out, run_rows
from advisor.report.exporters.llama_bench_text import TABLE, as_csv, as_json, as_markdown, as_sql, text_for
from advisor.session.importing import keep
from tests.support import documents as d

FIXTURES = Path(__file__).parents[2] / "fixtures" / "llama_bench"
COMPARED_BY = {
    "cpu_info", "gpu_info", "backends", "n_gpu_layers", "n_cpu_moe", "tensor_buft_overrides", "model_filename",
    "model_type", "n_batch", "n_ubatch", "embeddings", "cpu_mask", "cpu_strict", "poll", "n_threads", "type_k",
    "type_v", "load_mode", "no_kv_offload", "split_mode", "main_gpu", "tensor_split", "flash_attn", "n_prompt",
    "n_gen", "n_depth", "fit_target", "fit_min_ctx",
}  # fmt: skip
"""Fields in which its compare-llama-bench.py (October 2026) wants two rows alike before it sets them side by side."""
NEEDED = {*COMPARED_BY, "build_commit", "test_time", "avg_ts"}
"""Without one of them that script refuses the file."""


def rows_of(text: str, name: str, folder: Path) -> list[Row]:
    """Imported, kept and given back."""
    store = Store(folder / "results.sqlite")
    return [row for each in keep(read_report(text, name), store) for row in run_rows(store.run(each.number))]


def speeds(text: str) -> list[tuple[str, float]]:
    return [(test.test, round(test.tokens_per_s, 3)) for run in read_report(text, "x") for test in run.tests]


@pytest.mark.parametrize(
    "name", ["cpu-2026-11.json", "cuda-b5163.json", "cpu-apple.json", "cuda-b10743.json", "cuda-b1275.json"]
)
def test_its_json_comes_back_as_it_was_with_what_newer_ones_have(name: str, tmp_path: Path) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    given = [row for row in json.loads(text) if bool(row.get("n_prompt")) != bool(row.get("n_gen"))]
    back = rows_of(text, name, tmp_path)
    assert len(back) == len(given)
    assert all(any(row.items() <= found.items() for found in back) for row in given)
    assert all(row.keys() >= NEEDED for row in back)
    for form in (as_json, as_csv, as_sql):
        assert speeds(form(back)) == speeds(text)


def paired(text: str) -> list[tuple[str, str, float, float]]:
    """What its script sets side by side out of ``llama-bench -o sql``: rows alike in all that it compares by."""
    held = sqlite3.connect(":memory:")
    held.executescript(text)
    alike = " AND ".join(f"a.{name} = b.{name}" for name in sorted(COMPARED_BY))
    query = f"SELECT a.build_commit, b.build_commit, a.avg_ts, b.avg_ts FROM {TABLE} a JOIN {TABLE} b ON {alike}"
    found = held.execute(f"{query} WHERE a.build_commit < b.build_commit ORDER BY a.n_prompt").fetchall()
    held.close()
    return found


@pytest.mark.parametrize("name", ["cpu-2026-11.json", "cuda-b5163.json", "cuda-b1275.json"])
def test_two_imported_builds_are_set_side_by_side_as_its_script_does(name: str, tmp_path: Path) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    later = [row | {"build_commit": "fedcba9", "avg_ts": row["avg_ts"] * 2} for row in json.loads(text)]
    rows = rows_of(text, "before.json", tmp_path) + rows_of(json.dumps(later), "after.json", tmp_path)
    found = paired(as_sql(rows))
    assert len(found) == len(later) == 2
    assert all(after == pytest.approx(2 * before) for *_, before, after in found)


def test_two_of_our_own_builds_are_set_side_by_side_as_its_script_does() -> None:
    document = d.complete_document()
    engine = replace(document.engine.value, version="0.3.37")  # type: ignore[union-attr]
    newer = replace(document, engine=replace(document.engine, value=engine))  # type: ignore[arg-type]
    rows = [*document_rows(document), *document_rows(newer)]
    assert len(paired(as_sql(rows))) == len(document_rows(document)) > 1


def test_the_files_name_says_which_of_its_forms_is_meant() -> None:
    rows = document_rows(d.complete_document())
    assert json.loads(text_for(".JSON", rows)) == rows
    assert [json.loads(line) for line in text_for(".jsonl", rows).splitlines()] == rows
    cells = list(csv.DictReader(StringIO(text_for(".csv", rows))))
    assert [row["avg_ts"] for row in cells] == [str(row["avg_ts"]) for row in rows]
    assert text_for(".md", rows) == text_for("", rows) == as_markdown(rows)
    assert "O''Brien" in text_for(".sql", [rows[0] | {"cpu_info": "O'Brien"}])
    assert read_report(text_for(".csv", rows), "x.csv")[0].tests[0].test == "pp512"


def test_our_own_tests_have_its_fields_and_its_types() -> None:
    rows = document_rows(d.swept_document())
    newest = json.loads((FIXTURES / "cpu-2026-11.json").read_text(encoding="utf-8"))[0]
    assert tuple(newest) == FIELDS
    assert all(tuple(row) == FIELDS for row in rows)
    for name in NEEDED:
        assert all(row[name] is not None for row in rows), name
    for name in FIELDS:
        assert type(rows[0][name]) is type(newest[name]), name
    assert not any("maria" in json.dumps(row) for row in rows)


def test_figures_are_means_of_the_repetitions_as_the_program_prints_them() -> None:
    test = replace(d.decode_test(), samples_s=(2.0, 4.0))
    (row,) = document_rows(replace(d.complete_document(), tests=(test,)))
    assert (row["avg_ns"], row["samples_ns"]) == (3_000_000_000, [2_000_000_000, 4_000_000_000])
    assert row["avg_ts"] == pytest.approx((test.tokens / 2 + test.tokens / 4) / 2)
    assert row["stddev_ts"] == pytest.approx(abs(test.tokens / 2 - test.tokens / 4) / 2**0.5, abs=1e-5)
    assert row["test_time"] == "2026-11-29T13:05:00Z"


def test_several_streams_are_no_test_of_its_kind() -> None:
    rows = document_rows(d.swept_document())
    assert len(rows) == sum(test.n_streams == 1 for test in d.swept_document().tests)


def test_its_table_is_read_again_with_the_same_figures() -> None:
    rows = document_rows(d.complete_document())
    text = as_markdown(rows)
    (run,) = read_report(text, "x.md")
    assert [round(test.tokens_per_s, 2) for test in run.tests] == [round(row["avg_ts"], 2) for row in rows]
    assert [test.n_threads for test in run.tests] == [row["n_threads"] for row in rows]
    head = text.splitlines()[0]
    assert [cell.strip() for cell in head.strip("|").split("|")] == [
        "model", "size", "params", "backend", "threads", "test", "t/s",
    ]  # fmt: skip
    assert len({len(line) for line in text.splitlines() if line.startswith("|")}) == 1


def test_a_sentence_from_a_forum_becomes_rows_that_say_what_is_unknown(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.sqlite")
    (kept,) = keep(read_report("pp512: 812 t/s, tg128: 23.5 t/s", "post"), store)
    rows = run_rows(store.run(kept.number))
    assert [(row["n_prompt"], row["n_gen"], row["avg_ts"]) for row in rows] == [(512, 0, 812.0), (0, 128, 23.5)]
    assert {row["model_size"] for row in rows} == {None}
    table = as_markdown(rows)
    assert "unknown" not in table and "±" not in table.replace("t/s", "")
    (back,) = read_report(table, "again.md")
    assert (back.model, back.tests[0].device, back.tests[0].deviation_tokens_per_s) == ("", None, None)


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("*.json")))
def test_its_table_holds_switches_as_numbers_and_each_row_on_its_line(name: str, tmp_path: Path) -> None:
    rows = [
        {**row, "model_type": "two\nlines | of it"}
        for row in rows_of((FIXTURES / name).read_text(encoding="utf-8"), name, tmp_path)
    ]
    table = as_markdown(rows)
    assert not any(word in table for word in ("False", "True", "None", "unknown"))
    assert sum(line.startswith("|") for line in table.splitlines()) == len(rows) + 2
    assert {run.model for run in read_report(table, "x.md")} == {"two lines / of it"}


def test_tests_that_have_no_row_are_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.sqlite")
    (kept,) = keep(read_report("pp512: 812 t/s, TG 23.5 t/s", "post"), store)
    run = store.run(kept.number)
    assert [row["n_prompt"] for row in run_rows(run)] == [512]
    assert "tg?" in left_out(run)
    document = d.swept_document()
    named = left_out(document)
    assert all(test.test in named for test in document.tests if test.n_streams > 1)
    assert left_out(d.complete_document()) == ""


def test_a_build_of_llama_bench_keeps_its_number_and_commit() -> None:
    document = d.complete_document()
    engine = replace(document.engine.value, name="llama-bench", version="5163 (8cf427ff)")  # type: ignore[union-attr]
    rows = document_rows(replace(document, engine=replace(document.engine, value=engine)))  # type: ignore[arg-type]
    assert {(row["build_number"], row["build_commit"]) for row in rows} == {(5163, "8cf427ff")}
    assert document_rows(document)[0]["build_commit"] == "llama-cpp-python-0.3.36"
