"""A rehearsal in words and as JSON."""

from pathlib import Path

import pytest

from advisor.core.evidence import Unknown
from advisor.core.progress import CancelToken
from advisor.diagnosis.workload import preset
from advisor.rehearsal import cutting
from advisor.rehearsal.candidates import of_shape
from advisor.rehearsal.catalogue import find, load
from advisor.rehearsal.model import Rehearsal
from advisor.report import rehearsal_words
from advisor.report.exporters.rehearsal_json import catalogue_json, rehearsal_json
from advisor.session import rehearsing
from tests.advisor.report.schema_check import problems
from tests.advisor.session.test_rehearsing import stage
from tests.support import documents
from tests.support.rehearsals import InventedEngine
from tests.support.small_shapes import small


def rehearsed(tmp_path: Path, layers: int, monkeypatch: pytest.MonkeyPatch, workload: str = "rag") -> Rehearsal:
    monkeypatch.setattr(rehearsing, "choose", lambda plan: cutting.choose(plan, 3_000_000))
    asked = of_shape("Llama-3.1-8B", small(find("Llama-3.1-8B").shape, layers=layers), "Q4_K_M", "a card")
    held = stage(InventedEngine(), tmp_path)
    return rehearsing.rehearse(asked, preset(workload), held, lambda _: None, CancelToken())


@pytest.mark.parametrize(("layers", "workload"), [(24, "rag"), (4, "rag"), (24, "many-users")])
def test_the_json_keeps_to_its_schema(
    layers: int, workload: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = rehearsed(tmp_path, layers, monkeypatch, workload)
    value = rehearsal_json(done, documents.machine(), documents.engine())
    assert problems(value, "rehearse") == []
    assert value["wait"]["low_s"] < value["wait"]["middle_s"] < value["wait"]["high_s"]
    assert value["fit"]["fits"] is True
    assert [test["test"] for test in value["tests"]] == [each.test.test for each in done.tests]
    without = [test for test in value["tests"] if test["small_stand_in_s"] is None]
    assert bool(without) == (layers == 4)
    assert all(test["small_stand_in_s_reason"] for test in without)


def test_the_catalogue_keeps_to_its_schema() -> None:
    value = catalogue_json(load())
    assert problems(value, "rehearse") == []
    assert value["models"][0]["shape"]["layers"] == load()[0].shape.layers


def test_the_words_say_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = rehearsed(tmp_path, 24, monkeypatch)
    assert rehearsal_words.title(done) == "Rehearsal of Llama-3.1-8B, Q4_K_M"
    told = dict(rehearsal_words.facts(done))
    assert "to read 4,000 tokens" in told["the wait"].replace("\u00a0", " ")
    assert "to write 300 tokens" in told["the answer"].replace("\u00a0", " ")
    assert "it fits" in told["memory"]
    assert "a card" in told["the model"]
    assert f"{done.small_layers} and {done.large_layers} of its 24 layers" in told["how"]
    rows = rehearsal_words.rows(done)
    assert len(rows) == len(done.tests)
    assert all(" to " in row[2] for row in rows)
    whole = rehearsed(tmp_path, 4, monkeypatch)
    assert "All 4 layers" in rehearsal_words.how(whole)


def test_what_is_not_known_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    done = rehearsed(tmp_path, 4, monkeypatch)
    told = dict(rehearsal_words.facts(replace(done, wait=Unknown("no prompt was read"), fit=Unknown("nobody says"))))
    assert told["the wait"] == "Not known: no prompt was read."
    assert told["memory"] == "Not known: nobody says."
