import os
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from advisor.benchmarks.model import TestResult
from advisor.benchmarks.store import rows
from advisor.benchmarks.store.model import DeletedRun, NoSuchRun, RunEnd, StoredTest
from advisor.benchmarks.store.store import Store
from tests.support import documents
from tests.support.stored import ENDED_AT, MEASURED_AT, STARTED_AT, filled, result, setup


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "données 数据" / "results.sqlite"


def test_what_is_written_is_what_is_read(path: Path) -> None:
    store = filled(path, tests=2)
    (run,) = store.runs()
    assert (run.number, run.started_at, run.setup) == (1, STARTED_AT, setup())
    assert run.end == RunEnd(ENDED_AT)
    assert run.tests == tuple(StoredTest(1, MEASURED_AT, setup(), result(number)) for number in range(2))
    assert run.unreadable == 0


@pytest.mark.parametrize("document", documents.EXAMPLES.values(), ids=documents.EXAMPLES)
def test_every_kind_of_measurement_comes_back_the_same(document: object, path: Path) -> None:
    tests = document().tests  # type: ignore[operator]
    store = Store(path)
    store.begin_run("k", STARTED_AT, replace(setup(), engine=None))
    for test in tests:
        store.add_test("k", MEASURED_AT, setup(), test)
    (run,) = store.runs()
    assert tuple(test.result for test in run.tests) == tests
    assert run.setup.engine is None


def test_a_row_stands_alone(path: Path) -> None:
    filled(path, tests=1)
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    row = dict(connection.execute("SELECT * FROM tests").fetchone())
    connection.close()
    assert not [name for name, value in row.items() if value is None]
    assert row["machine_cpu"] == "12th Gen Intel Core i7-1260P"
    assert row["machine_gpus"] == '["Iris Xe", "RTX 4090"]'
    assert row["model_file"] == "模型 Q4_K_M.gguf"
    assert row["engine_python"] == "~/venv/bin/python"
    assert (row["phase"], row["n_gen"], row["n_batch"], row["stamp"]) == ("decode", 128, 2048, "suspect")
    assert (row["flash_attention"], row["kv_type"], row["n_streams"], row["mode"]) == ("auto", "f16", 1, 0)


def test_runs_are_newest_first_and_limited(path: Path) -> None:
    store = Store(path)
    for number in range(5):
        store.begin_run(str(number), STARTED_AT, setup())
    assert [run.number for run in store.runs()] == [5, 4, 3, 2, 1]
    assert [run.number for run in store.runs(limit=2)] == [5, 4]
    assert store.run(3).number == 3


def test_a_run_without_an_end_is_kept_and_says_so(path: Path) -> None:
    store = Store(path)
    store.begin_run("k", STARTED_AT, setup())
    store.add_test("k", MEASURED_AT, setup(), result())
    assert store.run(1).end is None


def test_a_failed_run_keeps_its_error(path: Path) -> None:
    store = Store(path)
    store.begin_run("k", STARTED_AT, setup())
    end = RunEnd(ENDED_AT, "engine_crashed", "The engine crashed (SIGSEGV).", "Try safe mode.")
    store.end_run("k", end)
    assert store.run(1).end == end
    assert store.run(1).tests == ()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tests SET samples_s = '[1]'",
        "DELETE FROM tests",
        "UPDATE runs SET started_at = ''",
        "DELETE FROM runs",
        "UPDATE run_ends SET error_code = ''",
        "DELETE FROM run_ends",
        "INSERT OR REPLACE INTO run_ends VALUES (1, '', '', '', '')",
    ],
)
def test_nothing_changes_or_removes_a_measurement(statement: str, path: Path) -> None:
    store = filled(path)
    before = store.runs()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA recursive_triggers = ON")
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)
    connection.close()
    assert store.runs() == before


def test_label_and_note_lie_beside_the_measurements(path: Path) -> None:
    store = filled(path)
    store.set_label(1, "before cleaning")
    store.set_note(1, "fan was loud 🌀")
    store.set_label(1, "after cleaning")
    assert (store.run(1).label, store.run(1).note) == ("after cleaning", "fan was loud 🌀")
    store.set_label(1, "")
    assert (store.run(1).label, store.run(1).note) == ("", "fan was loud 🌀")


def test_a_deleted_run_is_hidden_and_comes_back_whole(path: Path) -> None:
    store = filled(path)
    store.set_note(1, "mine")
    before = store.run(1)
    store.delete_run(1)
    assert store.runs() == ()
    assert [run.number for run in store.runs(deleted=True)] == [1]
    assert store.run(1, deleted=True).deleted_at is not None
    for refused in (store.run, store.delete_run, lambda number: store.set_note(number, "x")):
        with pytest.raises(DeletedRun, match=r"Run 1 was deleted\. .*history restore 1"):
            refused(1)
    assert store.restore_run(1) is True
    assert store.restore_run(1) is False
    assert store.runs() == (before,)
    assert store.runs(deleted=True) == ()


def test_a_run_that_is_not_there(path: Path) -> None:
    store = Store(path)
    with pytest.raises(NoSuchRun, match="no run 7"):
        store.run(7)
    with pytest.raises(NoSuchRun):
        store.run(10**30)
    filled(path)
    for change in (store.delete_run, store.restore_run, lambda number: store.set_note(number, "x")):
        with pytest.raises(NoSuchRun):
            change(2)
    with pytest.raises(NoSuchRun):
        store.add_test("other", MEASURED_AT, setup(), result())


def test_reading_makes_no_file(path: Path) -> None:
    assert Store(path).runs() == ()
    assert not path.parent.exists()


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterResult(TestResult):
    gpu_layers: int = 0
    tensor_override: str | None = None
    link_s: tuple[float, ...] = ()


def later(test: TestResult) -> LaterResult:
    plain = {name: getattr(test, name) for name in TestResult.__dataclass_fields__}
    return LaterResult(**plain, gpu_layers=33, tensor_override="exps=CPU", link_s=(0.5, 0.25))


def test_a_new_setting_needs_no_new_column(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled(path, tests=1)
    store.add_test("k", MEASURED_AT, setup(), later(result(7)))
    # This version does not know the setting and still reads the row.
    old, new = store.run(1).tests
    assert new.result == result(7)
    assert new.extra == {"gpu_layers": 33, "tensor_override": "exps=CPU", "link_s": [0.5, 0.25]}
    # A later version reads its own row whole, and this version's with the defaults.
    monkeypatch.setattr(rows, "TestResult", LaterResult)
    old, new = store.run(1).tests
    assert new.result == later(result(7))
    assert new.extra == {}
    assert isinstance(old.result, LaterResult)
    assert old.result.gpu_layers == 0


def test_a_row_that_nobody_understands_does_not_hide_the_others(path: Path) -> None:
    store = filled(path)
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER tests_no_update")
    connection.execute('UPDATE tests SET conditions = \'{"stamp": "splendid"}\' WHERE id = 2')
    connection.execute("UPDATE tests SET samples_s = '[]' WHERE id = 3")
    connection.commit()
    connection.close()
    run = store.run(1)
    assert [test.result for test in run.tests] == [result(0)]
    assert run.unreadable == 2


def test_a_file_name_that_is_no_text_can_be_kept(path: Path) -> None:
    store = Store(path)
    odd = replace(setup(), model=replace(setup().model, file="m\udcff.gguf"))
    store.begin_run("k", STARTED_AT, odd)
    assert store.run(1).setup.model.file == "m?.gguf"


@pytest.mark.parametrize(
    "folder", ["a?mode=memory", "50% #1 & more", 'it\'s; "quoted"', "naïve ☃", os.fsdecode(b"\xff\xfe")]
)
def test_any_name_of_a_folder_will_do(folder: str, tmp_path: Path) -> None:
    path = tmp_path / folder / "results.sqlite"
    try:
        path.parent.mkdir()
    except OSError:
        pytest.skip("this file system does not take such a name")
    assert len(filled(path).run(1).tests) == 3
    assert path.stat().st_size > 0
    assert sorted(each.name for each in path.parent.iterdir()) == ["results.sqlite", "results.sqlite.lock"]


def test_sqlite_is_imported_when_it_is_needed() -> None:
    code = "import sys, advisor.session.pipeline, advisor.__main__; print('sqlite3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
