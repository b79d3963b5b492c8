"""Experiments that are no tests: kept whole, found again, and shown in the history."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.__main__ import main
from advisor.benchmarks.model import Stamp
from advisor.benchmarks.store.model import DocumentKind
from advisor.benchmarks.store.schema import MIGRATIONS
from advisor.benchmarks.store.store import Store
from advisor.benchmarks.stutter.model import Stutter
from advisor.core.evidence import Basis, Known, Unknown
from advisor.core.progress import CancelToken
from advisor.report.server_document import document_from, document_values, server_document
from advisor.report.stored import experiment_of
from advisor.servers.advice import Comfort
from advisor.servers.exchange import CountOrigin
from advisor.servers.model import ServerSettings
from advisor.session.events import Event, Remark
from advisor.session.experiments import Experiments
from advisor.session.paths import user_paths
from advisor.session.serving import measure_and_keep
from advisor.session.turn import TWO_AT_ONCE, Turn
from tests.advisor.report.schema_check import problems
from tests.support import documents
from tests.support.fake_server import FakeServer, Script
from tests.support.server_results import some_result
from tests.support.stutters import INVALID, stutter

STARTED = "2026-11-30T05:58:00+01:00"
QUICK = ServerSettings(
    url="", prompts_tokens=(32, 256), answer_tokens=16, repetitions=1, users=(2,), streams=0, budget_s=60,
    silence_s=20, connect_s=20,
)  # fmt: skip


def quiet(_event: object) -> None:
    return None


@pytest.fixture
def experiments() -> Experiments:
    return Experiments(user_paths().results)


def same_setting() -> Stutter:
    """With the settings of the invented diagnosis."""
    row = documents.prefill_test()
    found = stutter()
    spec = replace(
        found.spec, n_threads=row.n_threads, n_ubatch=row.n_ubatch, flash_attention=row.flash_attention,
        kv_type=row.kv_type,
    )  # fmt: skip
    return replace(found, spec=spec, device=row.device, mode=row.mode)


def keep(experiments: Experiments, found: Stutter, code: str = "") -> None:
    experiments.keep_stutter(
        documents.model(), documents.machine(), documents.engine(), found, STARTED, code, quiet
    )


def newest(experiments: Experiments) -> Stutter | None:
    tests = (documents.prefill_test(), documents.decode_test())
    return experiments.newest_stutter(documents.model(), documents.machine(), documents.engine(), tests).or_none()


def test_a_stutter_experiment_comes_back_as_it_was(experiments: Experiments) -> None:
    found = same_setting()
    keep(experiments, found)
    (run,) = Store(user_paths().results).runs()
    assert run.document is not None and run.document.body == {}  # a list needs none
    assert [figure.value for figure in run.document.figures] == [each.worst_s for each in found.pauses()]
    whole = Store(user_paths().results).run(1)
    assert whole.document is not None and experiment_of(whole.document) == found
    assert newest(experiments) == found


def test_a_diagnosis_takes_up_only_what_answers_it(experiments: Experiments) -> None:
    assert newest(experiments) is None
    keep(experiments, replace(same_setting(), conditions=INVALID))
    keep(experiments, replace(same_setting(), device="CUDA0"))
    assert newest(experiments) is None
    keep(experiments, same_setting())
    keep(experiments, replace(same_setting(), device="CUDA0"))
    assert newest(experiments) == same_setting()
    Store(user_paths().results).delete_run(3)
    assert newest(experiments) is None


def test_one_of_another_model_or_engine_is_not_taken_up(experiments: Experiments) -> None:
    keep(experiments, same_setting())
    tests = (documents.prefill_test(), documents.decode_test())
    other = replace(documents.model(), file_bytes=1)
    assert isinstance(
        experiments.newest_stutter(other, documents.machine(), documents.engine(), tests), Unknown
    )


def test_what_ended_it_early_is_kept_with_it(experiments: Experiments) -> None:
    keep(experiments, replace(same_setting(), interrupted="Stopped after 1 whole round of 5."), "cancelled")
    (run,) = Store(user_paths().results).runs()
    assert run.end is not None and run.end.error_code == "cancelled"
    assert run.started_at == STARTED


def test_a_store_that_cannot_be_used_is_a_remark(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    events: list[Event] = []
    Experiments(tmp_path / "file" / "results.sqlite").keep_stutter(
        documents.model(), documents.machine(), documents.engine(), stutter(), STARTED, "", events.append
    )
    (remark,) = events
    assert isinstance(remark, Remark) and "a file stands in the place of its folder" in remark.sentence


def test_a_document_of_a_server_comes_back_as_it_was_without_key_and_folders() -> None:
    result = some_result()
    facts = replace(result.facts, model="/home/ada/models/tiny.gguf", models=("/home/ada/models/tiny.gguf",))
    settings = ServerSettings("http://127.0.0.1:8080", key="sk-secret")
    made = server_document(STARTED, "0.1", replace(result, facts=facts), settings, Comfort())
    text = json.dumps(document_values(made))
    assert "ada" not in text and "sk-secret" not in text
    assert made.result.facts.model == "tiny.gguf"
    assert document_from(json.loads(text)) == made
    for broken in ({"result": 1}, {}):
        with pytest.raises(ValueError, match=r"ServerDocument|ServerResult"):
            document_from(broken)


def test_a_measured_server_is_kept_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(Script(token_s=1e-3, prompt_token_s=1e-4)) as server:
        document = measure_and_keep(replace(QUICK, url=server.url), Comfort(), quiet, CancelToken())
    assert main(["history"]) == 0
    listed = capsys.readouterr().out.replace("\u00a0", " ")
    assert f"tiny served by unknown at {document.result.facts.base_url}" in listed
    assert "prefill" in listed and "decode" in listed and "tokens/s" in listed
    (line,) = Store(user_paths().results).overview()
    assert line.workload == f"Server at {document.result.facts.base_url}"
    assert line.decode_tokens_per_s == document.result.decode_tokens_per_s.median
    assert main(["history", "--text", "server at"]) == 0
    assert "Run 1" in capsys.readouterr().out
    assert main(["history", "show", "1"]) == 0
    shown = capsys.readouterr().out
    for words in ("Run 1", "Users at once", "Time to first token", "Verdict", "Stamp"):
        assert words in shown
    assert main(["history", "show", "1", "--json"]) == 0
    value: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert problems(value, "history") == []
    kept = value["runs"][0]["document"]
    assert kept["kind"] == "server" and problems(kept["server"], "server") == []
    assert {figure["name"] for figure in kept["figures"]} >= {"prefill", "decode"}
    assert value["runs"][0]["machine"]["cpu"]  # it ran here


def test_a_stutter_experiment_is_listed_and_shown(
    experiments: Experiments, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(experiments, same_setting())
    assert main(["history"]) == 0
    listed = capsys.readouterr().out.replace("\u00a0", " ")
    assert "Stutter: 2,048 tokens arrive among 4 streams" in listed
    assert "worst gap, pieces of 64 tokens" in listed
    assert main(["history", "show", "1"]) == 0
    shown = capsys.readouterr().out
    assert "Stutter: what others feel while a prompt is read" in shown and "in one go" in shown
    assert main(["history", "show", "1", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert problems(value, "history") == []
    assert value["runs"][0]["document"]["stutter"]["sizes"][0]["figures"]["worst_s"] > 0
    assert main(["history", "--json"]) == 0
    assert "stutter" not in json.loads(capsys.readouterr().out)["runs"][0]["document"]


def test_an_experiment_of_a_newer_kind_is_told_by_its_figures(
    experiments: Experiments, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(experiments, same_setting())
    connection = sqlite3.connect(user_paths().results)
    connection.execute("DROP TRIGGER documents_no_update")
    connection.execute("UPDATE documents SET kind = 'telepathy'")
    connection.commit()
    connection.close()
    assert main(["history", "show", "1"]) == 0
    assert "which another one has kept" in " ".join(capsys.readouterr().out.split())


def test_a_damaged_body_costs_itself_only(experiments: Experiments, capsys: pytest.CaptureFixture[str]) -> None:
    keep(experiments, same_setting())
    connection = sqlite3.connect(user_paths().results)
    connection.execute("DROP TRIGGER documents_no_update")
    connection.execute("UPDATE documents SET body = x'00'")
    connection.commit()
    connection.close()
    assert newest(experiments) is None
    assert main(["history", "show", "1"]) == 0
    shown = capsys.readouterr().out
    assert "worst gap" in shown and "damaged" in shown


def test_a_store_of_the_format_before_takes_them_up(experiments: Experiments) -> None:
    path = user_paths().results
    Store(path, migrations=MIGRATIONS[:4]).prepare()
    keep(experiments, same_setting())
    assert newest(experiments) == same_setting()
    assert list(path.parent.glob("*.before-format-*"))


def test_a_server_measured_beside_another_measurement_is_marked() -> None:
    said: list[str] = []

    def listen(event: object) -> None:
        if isinstance(event, Remark):
            said.append(event.sentence)

    with FakeServer(Script(token_s=1e-3)) as server, Turn(user_paths().turn).taken(quiet, CancelToken()):
        settings = replace(QUICK, url=server.url, users=())
        document = measure_and_keep(settings, Comfort(), listen, CancelToken(), wait=False)
    assert TWO_AT_ONCE in document.result.doubts
    assert len(said) == 1 and said[0].startswith("Another measurement of this program runs since")
    (run,) = Store(user_paths().results).runs()
    assert run.document is not None
    assert run.document.stamp == str(Stamp.SUSPECT) and run.document.kind == DocumentKind.SERVER


def test_counts_and_facts_keep_their_kinds() -> None:
    result = some_result()
    made = server_document(STARTED, "0.1", result, ServerSettings("http://box"), Comfort())
    back = document_from(json.loads(json.dumps(document_values(made)))).result
    assert back.singles[0].counted is CountOrigin.USAGE
    assert isinstance(back.prefill, Known) and back.prefill.basis is Basis.MEASURED
