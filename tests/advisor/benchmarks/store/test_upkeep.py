"""Damage, formats old and new, places that cannot be written to."""

import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from advisor.benchmarks.store import upkeep
from advisor.benchmarks.store.model import NewerStore, StoreBusy, StoreError
from advisor.benchmarks.store.schema import MIGRATIONS
from advisor.benchmarks.store.store import Store
from tests.support.stored import MEASURED_AT, STARTED_AT, filled, result, setup

TODAY = date.today().isoformat()
KNOWN = f"format {len(MIGRATIONS) + 1}, and this Two Machines knows formats up to {len(MIGRATIONS)}"
SECOND = ("ALTER TABLE runs ADD COLUMN comfort TEXT NOT NULL DEFAULT 'none'",)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "Ünïcode 数据" / "results.sqlite"


def garbage(path: Path) -> None:
    path.write_bytes(b"<!DOCTYPE html><html>this is no database</html>" * 500)


def nothing(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_in_a_page(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1000)


def wrong_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    for page in range(1, len(data) // size):  # every page but the header's
        data[page * size : page * size + 64] = b"\xa5" * 64
    path.write_bytes(data)


def one_wrong_leaf(path: Path) -> None:
    """A page of measurements that opening the file does not touch."""
    data = bytearray(path.read_bytes())
    at = data.rindex(b"the run ended") if b"the run ended" in data else data.rindex(b"b-1234")
    size = int.from_bytes(data[16:18], "big")
    start = at // size * size
    data[start : start + size] = b"\x00" * size
    path.write_bytes(data)


def another_programs(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE cookies (name TEXT)")
    connection.commit()
    connection.close()


DAMAGES = [garbage, nothing, cut, cut_in_a_page, wrong_page, one_wrong_leaf, another_programs]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_set_aside_and_work_goes_on(damage: Callable[[Path], None], path: Path) -> None:
    filled(path, tests=40)
    damage(path)
    left = path.read_bytes()
    said: list[tuple[str, str]] = []
    store = Store(path, lambda sentence, hint: said.append((sentence, hint)))
    number = store.begin_run("new", STARTED_AT, setup())
    store.add_test("new", MEASURED_AT, setup(), result())
    assert [test.result for test in store.run(number).tests] == [result()]
    aside = path.with_name(f"results.damaged-{TODAY}.sqlite")
    assert aside.read_bytes() == left
    ((sentence, hint),) = said
    assert "damaged" in sentence
    assert hint == f"The damaged file is kept: {aside}"
    # Once is enough: the next process has nothing to say.
    Store(path, lambda sentence, hint: said.append((sentence, hint))).prepare()
    assert len(said) == 1


def _pages(path: Path, mark: bytes) -> list[int]:
    """Numbers of the pages, from 0, in which those bytes stand."""
    data = path.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    return [page for page in range(len(data) // size) if mark in data[page * size : (page + 1) * size]]


def _lose(path: Path, page: int) -> None:
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    data[page * size : (page + 1) * size] = b"\x00" * size
    path.write_bytes(data)


def many(path: Path, runs: int = 60) -> Store:
    store = Store(path)
    for number in range(1, runs + 1):
        store.begin_run(f"key-{number}", STARTED_AT, setup(), f"work {number}")
        store.add_test(f"key-{number}", MEASURED_AT, setup(), result(number % 32))
    store.set_note(runs, "the last")
    store.set_note(1, "the first")
    return store


def test_what_can_be_read_of_a_damaged_file_is_saved_with_its_numbers(path: Path) -> None:
    before = {run.number: run for run in many(path).runs()}
    _lose(path, _pages(path, b"work 30")[0])
    said: list[str] = []
    store = Store(path, lambda sentence, hint: said.append(sentence))
    store.prepare()
    after = {run.number: run for run in store.runs()}
    kept = [number for number, run in after.items() if run == before[number]]
    assert len(kept) > 40 and {1, 60} <= set(kept)
    assert store.run(60).note == "the last" and store.run(1).note == "the first"
    # A run whose own row is lost stands again from its measurement, which says all but the work.
    assert len(after) == 60 and after[30].tests == before[30].tests and after[30].workload == ""
    assert said == [
        "The file of earlier results is damaged and was set aside; 60\u00a0runs in it could be read and are in a new "
        "file."
    ]
    assert store.begin_run("new", STARTED_AT, setup()) == 61


def test_a_lost_page_of_measurements_costs_no_run(path: Path) -> None:
    before = many(path).runs()
    one_wrong_leaf(path)
    store = Store(path)
    store.prepare()
    assert [run.number for run in store.runs()] == [run.number for run in before]
    lost = [run for run in store.runs() if not run.tests]
    assert 0 < len(lost) < 30
    assert store.add_test("key-60", MEASURED_AT, setup(), result()) is None


def test_a_file_that_lost_a_table_is_made_whole(path: Path) -> None:
    many(path, 3)
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE run_marks")
    connection.close()
    said: list[str] = []
    store = Store(path, lambda sentence, hint: said.append(sentence))
    assert [run.number for run in store.runs()] == [3, 2, 1]
    assert "3\u00a0runs in it could be read" in said[0]


def test_a_salvaging_that_is_broken_off_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many(path, 3)
    os.truncate(path, path.stat().st_size - 1000)
    left = path.read_bytes()

    def broken(*_arguments: object) -> upkeep.Saved:
        raise KeyboardInterrupt

    monkeypatch.setattr(upkeep, "salvage", broken)
    with pytest.raises(KeyboardInterrupt):
        Store(path).prepare()
    assert path.read_bytes() == left


@pytest.mark.parametrize(
    ("error", "sentence", "hint"),
    [
        (OSError(28, "No space left on device"), "the disk is full", "Make room on the disk of "),
        (OSError(30, "Read-only file system"), "cannot be written to", "See who may write there: "),
        (PermissionError(13, "Permission denied"), "no permission", "See who may write there: "),
        (OSError(5, "Input/output error"), "the disk reports an error", "Check that disk"),
        (OSError(99, "Odd things"), "the system says “Odd things”", "See who may write there: "),
    ],
)
def test_what_keeps_results_from_being_kept_comes_with_a_next_step(
    error: OSError, sentence: str, hint: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_arguments: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(StoreError) as raised:
        Store(path).prepare()
    assert sentence in raised.value.sentence
    assert raised.value.hint.startswith(hint) and str(path) in raised.value.hint


def test_no_words_of_sqlite_reach_the_user(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    monkeypatch.setattr(upkeep, "prepare", lambda *_: None)  # it stays as it is
    garbage(path)
    with pytest.raises(StoreError) as raised:
        Store(path).begin_run("k", STARTED_AT, setup())
    assert raised.value.sentence == "The file of results cannot be used: it is damaged."
    assert raised.value.hint == f"Move it away, so that a new one is made: {path}"


def test_a_second_damage_on_the_same_day_has_a_name_of_its_own(path: Path) -> None:
    for _ in range(3):
        filled(path)
        garbage(path)
        Store(path).prepare()
        Path(path).unlink()
    names = sorted(each.name for each in path.parent.glob("*.damaged-*"))
    assert names == [f"results.damaged-{TODAY}{ending}.sqlite" for ending in ("-2", "-3", "")]


def test_damage_while_the_program_runs_is_noticed_at_the_next_use(path: Path) -> None:
    said: list[str] = []
    store = Store(path, lambda sentence, hint: said.append(sentence))
    store.begin_run("k", STARTED_AT, setup())
    garbage(path)
    assert store.begin_run("l", STARTED_AT, setup()) == 1
    assert len(said) == 1
    garbage(path)
    assert store.runs() == ()
    assert len(said) == 2
    path.unlink()
    assert store.begin_run("m", STARTED_AT, setup()) == 1


def test_two_that_notice_damage_at_once_set_aside_one_file(path: Path) -> None:
    filled(path)
    garbage(path)
    said: list[str] = []
    start = threading.Barrier(8)

    def write(number: int) -> None:
        store = Store(path, lambda sentence, hint: said.append(sentence), busy_s=30)
        start.wait()
        store.begin_run(str(number), STARTED_AT, setup())

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Store(path).runs()) == 8
    assert len(said) == 1
    assert len(list(path.parent.glob("*.damaged-*"))) == 1


def test_a_journal_that_stayed_behind_is_not_played_into_a_fresh_file(path: Path) -> None:
    filled(path)
    journal = path.with_name("results.sqlite-journal")
    journal.write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\x00" * 4088)
    path.unlink()
    assert filled(path).run(1).number == 1
    assert not journal.exists()


def test_an_older_file_is_backed_up_and_brought_up_to_date(path: Path) -> None:
    before = filled(path).runs()
    later = (*MIGRATIONS, SECOND, ("CREATE TABLE more (x)",))
    assert Store(path, migrations=later).runs() == before
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(later),)
    assert connection.execute("SELECT comfort FROM runs").fetchone() == ("none",)
    connection.close()
    # The copy is the old file: the old version reads it.
    backup = path.with_name(f"results.before-format-{len(later)}.sqlite")
    assert Store(backup).runs() == before
    # Nothing is left to do, so no second copy is made.
    Store(path, migrations=later).prepare()
    assert len(list(path.parent.glob("*before-format*.sqlite"))) == 1


def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    before = filled(path).runs()
    broken = (*MIGRATIONS, (*SECOND, "ALTER TABLE nowhere ADD COLUMN x"))
    with pytest.raises(StoreError):
        Store(path, migrations=broken).begin_run("n", STARTED_AT, setup())
    assert Store(path).runs() == before


def test_without_a_backup_nothing_is_migrated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)

    def full(*_arguments: object) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(upkeep, "_back_up", full)
    with pytest.raises(StoreError, match="disk is full"):
        Store(path, migrations=(*MIGRATIONS, SECOND)).prepare()
    assert len(Store(path).runs()) == 1


def test_a_newer_file_is_left_alone(path: Path) -> None:
    Store(path, migrations=(*MIGRATIONS, SECOND)).prepare()
    left = path.read_bytes()
    old = Store(path)
    for use in (old.runs, old.prepare, lambda: old.begin_run("k", STARTED_AT, setup())):
        with pytest.raises(NewerStore, match=KNOWN):
            use()
    assert path.read_bytes() == left
    assert not list(path.parent.glob("*.damaged-*"))


def test_a_file_that_another_version_updates_meanwhile_is_refused_at_the_next_use(path: Path) -> None:
    old = filled(path)
    Store(path, migrations=(*MIGRATIONS, SECOND)).prepare()
    with pytest.raises(NewerStore):
        old.begin_run("n", STARTED_AT, setup())


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("I am no folder")
    with pytest.raises(StoreError, match=r"^The file of results cannot be used: .+\. .+"):
        Store(tmp_path / "file" / "results.sqlite").begin_run("k", STARTED_AT, setup())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's, and nobody may write to it")
def test_a_folder_that_cannot_be_written_to_is_one_sentence() -> None:
    with pytest.raises(StoreError):
        Store(Path("/proc/results.sqlite")).begin_run("k", STARTED_AT, setup())


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_can_be_read_but_not_written(path: Path) -> None:
    before = filled(path).runs()
    path.with_name("results.sqlite.lock").unlink()
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert Store(path).runs() == before
        with pytest.raises(StoreError, match="cannot be"):
            Store(path).begin_run("k", STARTED_AT, setup())
    finally:
        path.parent.chmod(0o755)


def test_another_program_that_holds_the_file_is_said_to_be_busy(path: Path) -> None:
    filled(path)
    store = Store(path, busy_s=0.05)
    store.prepare()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreBusy):
        store.begin_run("n", STARTED_AT, setup())
    holder.execute("ROLLBACK")
    holder.close()
    assert store.begin_run("n", STARTED_AT, setup()) == 2


def test_a_lock_that_something_wrote_into_does_not_lock_us_out(path: Path) -> None:
    filled(path)
    lock = path.with_name("results.sqlite.lock")
    assert lock.stat().st_size == 0
    lock.write_text("not ours")
    assert len(Store(path).runs()) == 1
    Store(path).set_note(1, "written all the same")
    assert lock.stat().st_size == 0


def test_a_python_without_sqlite_loses_memory_only(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with pytest.raises(StoreError, match="without SQLite"):
        Store(path).begin_run("k", STARTED_AT, setup())
