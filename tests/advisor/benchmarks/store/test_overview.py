from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.model import Phase, Sweep
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.benchmarks.store.connection import connected, transaction
from advisor.benchmarks.store.model import RunEnd
from advisor.benchmarks.store.overview import _SPEEDS
from advisor.benchmarks.store.store import Store
from tests.support import documents
from tests.support.stored import ENDED_AT, MEASURED_AT, STARTED_AT, setup


def filled(path: Path) -> Store:
    """Run 1 with both phases, a deeper decode and a curve; run 2 that never ended."""
    store = Store(path)
    store.begin_run("a", STARTED_AT, setup(), "answers")
    deep = replace(documents.decode_test(), n_depth=4096, samples_s=(99.0,))
    curve = replace(documents.decode_test(), sweep=Sweep.THREADS, samples_s=(77.0,))
    for result in (documents.prefill_test(), documents.decode_test(), deep, curve):
        store.add_test("a", MEASURED_AT, setup(), result)
    store.end_run("a", RunEnd(ENDED_AT))
    store.begin_run("b", STARTED_AT, setup())
    return store


def test_a_line_says_what_a_whole_run_would(tmp_path: Path) -> None:
    store = filled(tmp_path / "results.sqlite")
    store.set_label(1, "cool")
    second, first = store.overview()
    assert (first.number, second.number) == (1, 2)
    assert first.prefill_tokens_per_s == pytest.approx(documents.prefill_test().tokens_per_s)
    assert first.decode_tokens_per_s == pytest.approx(documents.decode_test().tokens_per_s)
    assert (first.model, first.machine, first.label) == ("Llama 3.1 8B Q4_K_M", setup().machine.words, "cool")
    assert (first.workload, first.ended, first.doubtful) == ("answers", True, False)
    assert (second.prefill_tokens_per_s, second.decode_tokens_per_s, second.ended) == (None, None, False)


def test_a_disturbed_figure_is_doubtful(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.sqlite")
    store.begin_run("a", STARTED_AT, setup())
    store.add_test("a", MEASURED_AT, setup(), documents.decode_test(documents.SUSPECT))
    assert store.overview()[0].doubtful


def test_deleted_runs_are_listed_by_themselves(tmp_path: Path) -> None:
    store = filled(tmp_path / "results.sqlite")
    store.delete_run(1)
    assert [line.number for line in store.overview()] == [2]
    assert [line.number for line in store.overview(deleted=True)] == [1]


def test_imports_are_listed_with_their_source(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.sqlite")
    tests = (
        ReportedTest(phase=Phase.PREFILL, tokens=512, tokens_per_s=100.0),
        ReportedTest(phase=Phase.DECODE, tokens=128, tokens_per_s=10.0),
    )
    report = ReportedRun(
        tool="llama-bench", form="JSON", source="post.txt", tests=tests, model="Qwen3 4B", quantisation="Q8_0",
        gpus=("RTX 3060",),
    )
    store.add_import("i", STARTED_AT, setup(), report)
    (line,) = store.overview()
    assert (line.source, line.model, line.machine) == ("post.txt", "Qwen3 4B Q8_0", "RTX 3060")
    assert (line.prefill_tokens_per_s, line.decode_tokens_per_s) == (100.0, 10.0)


def test_runs_alike_are_of_the_same_machine_and_header(tmp_path: Path) -> None:
    store = filled(tmp_path / "results.sqlite")
    here, header = setup().machine, setup().model.header_sha256
    assert [run.number for run in store.alike(here, header, 5)] == [1]  # nothing was measured in run 2
    assert store.alike(replace(here, logical_cpus=4), header, 5) == ()
    assert store.alike(here, "cd" * 32, 5) == ()
    assert store.alike(here, "", 5) == ()
    store.delete_run(1)
    assert store.alike(here, header, 5) == ()


def test_where_nothing_is_kept_the_list_is_empty_and_no_file_is_made(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    assert Store(path).overview() == ()
    assert not path.exists()


def test_the_list_reads_one_index_in_its_order(tmp_path: Path) -> None:
    filled(tmp_path / "results.sqlite")
    with connected(tmp_path / "results.sqlite") as connection:
        plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {_SPEEDS}")]
    assert len(plan) == 1 and "COVERING INDEX tests_of_list" in plan[0]


def test_of_the_same_depth_the_latest_that_can_be_understood_counts(tmp_path: Path) -> None:
    store = filled(tmp_path / "results.sqlite")
    again = replace(documents.decode_test(), samples_s=(30.0,))
    store.add_test("a", MEASURED_AT, setup(), again)
    assert store.overview()[1].decode_tokens_per_s == pytest.approx(again.tokens_per_s)
    with connected(tmp_path / "results.sqlite") as connection, transaction(connection):
        columns = [row["name"] for row in connection.execute("PRAGMA table_info (tests)") if row["name"] != "id"]
        damaged = ", ".join("'[0]'" if name == "samples_s" else name for name in columns)
        newest = "WHERE id = (SELECT MAX(id) FROM tests)"
        connection.execute(f"INSERT INTO tests ({', '.join(columns)}) SELECT {damaged} FROM tests {newest}")
    assert store.overview()[1].decode_tokens_per_s == pytest.approx(again.tokens_per_s)


def test_an_import_that_is_damaged_is_left_out(tmp_path: Path) -> None:
    store = filled(tmp_path / "results.sqlite")
    with connected(tmp_path / "results.sqlite") as connection, transaction(connection):
        connection.execute("INSERT INTO imports (run_id, report) VALUES (2, '{}')")
    assert [line.number for line in store.overview()] == [1]
