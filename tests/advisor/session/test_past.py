"""A stored run as the whole result again, and beside the runs before it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.benchmarks.store.model import RunEnd, StoredRun
from advisor.benchmarks.store.store import Store
from advisor.core.errors import BadFile
from advisor.diagnosis.workload import preset
from advisor.report.codec import json_text
from advisor.report.exporters.as_json import document_json
from advisor.session.comparing import sides_of
from advisor.session.past import document_of, past_of
from advisor.session.paths import user_paths
from advisor.session.recording import About, Recordings
from tests.support import documents as d
from tests.support.stored import ENDED_AT, MEASURED_AT, STARTED_AT, setup


@pytest.fixture
def store() -> Store:
    return Store(user_paths().results)


def keep(
    store: Store, key: str = "k", decode_s: float = 1.0, whole: bool = True, ended: bool = True, build: str = "b1"
) -> StoredRun:
    """A run with both phases and its document; ``decode_s`` stretches the seconds of writing."""
    held = replace(setup(), engine=replace(setup().engine, build=build))
    document = d.complete_document()
    tests = tuple(
        replace(test, samples_s=tuple(sample * decode_s for sample in test.samples_s)) if test.n_gen else test
        for test in document.tests
    )
    store.begin_run(key, STARTED_AT, held)
    store.add_diagnosis(key, json_text(document_json(replace(document, tests=()))))
    for test in tests:
        store.add_test(key, MEASURED_AT, held, test)
    if ended:
        store.end_run(key, RunEnd(ENDED_AT))
    if whole:
        store.add_diagnosis(key, json_text(document_json(replace(document, tests=tests))))
    return store.run(store.number(key) or 0)


def test_the_result_of_a_run_is_what_was_shown_then(store: Store) -> None:
    run = keep(store)
    assert document_json(document_of(run, store)) == document_json(d.complete_document())


def test_a_run_that_was_killed_is_answered_from_what_it_had_measured(store: Store) -> None:
    run = keep(store, whole=False, ended=False)
    document = document_of(run, store)
    assert [test.test for test in document.tests] == [test.test for test in d.complete_document().tests]
    assert "has not ended: it still runs, or" in document.interrupted
    assert document.ceilings == d.complete_document().ceilings
    assert document.app_version == "0.1.0"


def test_another_work_gives_another_answer_from_the_same_figures(store: Store) -> None:
    run = keep(store)
    document = document_of(run, store, preset("chat"))
    assert document.workload.id == "chat"
    assert document.tests == document_of(run, store).tests


def test_runs_of_earlier_versions_say_what_they_lack(store: Store) -> None:
    store.begin_run("old", STARTED_AT, setup())
    store.add_test("old", MEASURED_AT, setup(), d.decode_test())
    with pytest.raises(BadFile, match="kept its figures only"):
        document_of(store.run(1), store)


def test_the_ceilings_of_a_stored_run_are_compared(store: Store) -> None:
    keep(store)
    (side,) = sides_of("1", store)
    assert side.ceilings == d.complete_document().ceilings
    assert side.read_bytes_per_s.or_none()


def test_a_run_is_held_against_the_one_before_it(store: Store) -> None:
    keep(store, "a")
    keep(store, "b", decode_s=1.5, build="b2")
    past = past_of(store.run(2), store)
    decode = past.changes[-1]
    assert (decode.run, round(decode.ratio, 2)) == (1, 0.67)
    assert any(reason.startswith("engine: ") for reason in decode.reasons)
    assert all(len(line) == 1 for line in past.lines), "another build is no run of the same settings"
    assert past_of(store.run(1), store).changes == ()


def test_a_recorded_run_keeps_its_document_before_the_first_test_and_at_its_end(store: Store) -> None:
    document = d.complete_document()
    recordings = Recordings(user_paths().results)
    about = About("key", replace(document, tests=()))
    with recordings.run(document.model, document.machine, document.engine, lambda _event: None, "", about) as recorder:
        recorder.finish(document.tests, None)
    assert json.loads(store.diagnosis(1))["tests"] == []
    recordings.complete("key", document)
    assert json.loads(store.diagnosis(1)) == json.loads(json_text(document_json(document)))


@pytest.mark.parametrize("option", ["--json", "--html", "--md", "--csv", "--llama-bench"])
def test_a_run_is_exported_as_every_text(
    store: Store, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(store)
    target = tmp_path / f"out{'.json' if option == '--json' else ''}"
    assert main(["history", "export", "1", option, str(target)]) == 0
    assert "tg128" in target.read_text(encoding="utf-8")
    assert "Written: " in capsys.readouterr().out
    assert main(["history", "export", "1", option, "-"]) == 0
    assert capsys.readouterr().out == target.read_bytes().decode()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "What the run is to be written as is missing."),
        (["--md", "-", "--csv", "-"], "--md and --csv cannot both be written to standard output."),
        (["--pdf", "-"], "A PDF cannot go to standard output."),
    ],
)
def test_exports_that_make_no_sense_are_refused(
    store: Store, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(store)
    assert main(["history", "export", "1", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_history_shows_what_changed_and_is_filtered_by_any_text(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(store, "a")
    keep(store, "b", decode_s=1.5, build="b2")
    store.set_note(1, "before the Update")
    assert main(["history", "show", "2"]) == 0
    shown = " ".join(capsys.readouterr().out.replace("\u00a0", " ").split())
    assert "Since last time" in shown
    assert "33 % slower than in run 1" in shown
    assert "build b1 → llama-cpp-python 0.3.36, build b2" in shown
    assert main(["history", "--text", "the update"]) == 0
    listed = capsys.readouterr().out
    assert "Run 1," in listed
    assert "Run 2," not in listed
    assert main(["history", "--text", "nowhere"]) == 0
    assert "No run fits." in capsys.readouterr().out
