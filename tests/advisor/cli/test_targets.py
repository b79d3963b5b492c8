"""Where results go: ``-`` is standard output for every option of every command, and no two share a place."""

import argparse
import json
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.benchmarks.store.store import Store
from advisor.cli.parser import parse
from advisor.cli.reports import write_server_reports, write_texts
from advisor.cli.targets import check_targets, printed
from advisor.core.errors import UsageError
from advisor.session.paths import user_paths
from tests.advisor.report.test_server_report import document as served
from tests.support.documents import complete_document
from tests.support.stored import filled


@pytest.fixture
def store() -> Store:
    return filled(user_paths().results)


def test_a_comparison_is_printed_as_markdown_and_no_file_of_that_name_is_made(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "1", "1", "--md", "-"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("#") and "Written" not in said.out and said.err == ""
    assert not Path("-").exists()


def test_beside_what_is_printed_a_file_may_be_written(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "a.md"
    assert main(["compare", "1", "1", "--json", "-", "--md", str(target)]) == 0
    json.loads(capsys.readouterr().out)
    assert target.read_text(encoding="utf-8").startswith("#")


def _words(*options: str) -> argparse.Namespace:
    return parse(["diagnose", "m.gguf", *options])


@pytest.mark.parametrize("option", ["--md", "--html", "--csv", "--llama-bench", "--json"])
def test_every_text_of_a_diagnosis_can_be_printed(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = _words(option, "-")
    check_targets(arguments)
    assert printed(arguments)
    assert write_texts(complete_document(), arguments)[1] == []
    assert "tg128" in capsys.readouterr().out
    assert list(tmp_path.glob("-")) == []


@pytest.mark.parametrize("option", ["--md", "--html"])
def test_every_text_of_a_server_can_be_printed(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert write_server_reports(served(), parse(["server", "http://localhost", option, "-"]))[1] == []
    assert served().verdict.sentence.split("’")[0] in capsys.readouterr().out
    assert list(tmp_path.glob("-")) == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--md", "-", "--html", "-"], "--html and --md cannot both be written to standard output."),
        (["--json", "-", "--csv", "-"], "--json and --csv cannot both be written to standard output."),
        (["--json", "--md", "-"], "--json and --md cannot both be written to standard output."),
        (["--pdf", "-"], "A PDF cannot go to standard output."),
        (["--md", "report", "--csv", "./report"], "--md and --csv cannot both be written to the file report."),
        (["--md", "m.gguf"], "--md would overwrite m.gguf, which is read."),
    ],
)
def test_what_shares_a_place_is_refused_before_anything_is_done(options: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_targets(_words(*options))
    assert raised.value.sentence == sentence
    assert raised.value.hint


def test_a_link_to_the_model_is_the_model(tmp_path: Path) -> None:
    model, link = tmp_path / "m.gguf", tmp_path / "link.md"
    model.write_bytes(b"GGUF")
    link.symlink_to(model)
    with pytest.raises(UsageError, match="would overwrite"):
        check_targets(parse(["diagnose", str(model), "--md", str(link)]))
    assert model.read_bytes() == b"GGUF"


def test_a_file_of_that_name_can_be_meant_all_the_same(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "1", "1", "--md", "./-"]) == 0
    assert "Written: " in capsys.readouterr().out
    assert (tmp_path / "-").read_text(encoding="utf-8").startswith("#")
