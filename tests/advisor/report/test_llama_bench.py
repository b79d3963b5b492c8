"""llama-bench's shapes: its fields in its order, and its own rows given back as they came."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.store.store import Store
from advisor.importing.reading import read_report
from advisor.report.exporters.llama_bench import FIELDS, as_json, as_markdown, document_rows, run_rows
from advisor.session.importing import keep
from tests.support import documents as d

FIXTURES = Path(__file__).parents[2] / "fixtures" / "llama_bench"
KEYS_OF_ITS_COMPARE_SCRIPT = {
    "cpu_info", "gpu_info", "backends", "n_gpu_layers", "n_cpu_moe", "tensor_buft_overrides", "model_filename",
    "model_type", "n_batch", "n_ubatch", "embeddings", "cpu_mask", "cpu_strict", "poll", "n_threads", "type_k",
    "type_v", "no_kv_offload", "split_mode", "main_gpu", "tensor_split", "flash_attn", "n_prompt", "n_gen", "n_depth",
    "build_commit", "build_number", "avg_ts", "stddev_ts",
}  # fmt: skip


@pytest.mark.parametrize("name", ["cuda-b5163.json", "cpu-apple.json", "cuda-b10743.json", "cuda-b1275.json"])
def test_its_json_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    given = [row for row in json.loads(text) if bool(row.get("n_prompt")) != bool(row.get("n_gen"))]
    store = Store(tmp_path / "results.sqlite")
    kept = keep(read_report(text, name), store)
    back = [row for each in kept for row in run_rows(store.run(each.number))]
    assert sorted(back, key=str) == sorted(given, key=str)
    again = read_report(as_json(back), name)
    assert [run.tests for run in again] == [run.tests for run in read_report(text, name)]


def test_our_own_tests_have_its_fields_and_its_types() -> None:
    rows = document_rows(d.swept_document())
    newest = json.loads((FIXTURES / "cuda-b10743.json").read_text(encoding="utf-8"))[0]
    assert all(tuple(row) == FIELDS for row in rows)
    for name in KEYS_OF_ITS_COMPARE_SCRIPT:
        assert all(row[name] is not None for row in rows), name
    for name in set(newest) & set(FIELDS):
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
    assert "unknown" in as_markdown(rows)


def test_a_build_of_llama_bench_keeps_its_number_and_commit() -> None:
    document = d.complete_document()
    engine = replace(document.engine.value, name="llama-bench", version="5163 (8cf427ff)")  # type: ignore[union-attr]
    rows = document_rows(replace(document, engine=replace(document.engine, value=engine)))  # type: ignore[arg-type]
    assert {(row["build_number"], row["build_commit"]) for row in rows} == {(5163, "8cf427ff")}
    assert document_rows(document)[0]["build_commit"] == "llama-cpp-python-0.3.36"
