"""``history export``: every kind of run in every format that makes sense for it."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.benchmarks.store.model import DocumentKind, RunEnd, StoredDocument
from advisor.benchmarks.store.store import Store
from advisor.importing.reading import read_report
from advisor.report.server_document import document_values
from advisor.session.paths import user_paths
from tests.advisor.report.schema_check import problems
from tests.advisor.report.test_server_report import document
from tests.support.stored import ENDED_AT, STARTED_AT, setup

POST = "RTX 4090, Llama 3.1 8B Q4_K_M (4.58 GiB): pp512: 812 t/s, tg128: 23.5 t/s"
ROW = {"model_type": "a Q8_0", "n_prompt": 512, "n_gen": 0, "avg_ts": 4810.33, "stddev_ts": 21.05}
TABLE = "| model | test | t/s |\n|--|--|--|\n| a Q8_0 | pp512 | 4810.33 ± 21.05 |\n"


@pytest.fixture
def imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Run 1 is from a post."""
    post = tmp_path / "post.txt"
    post.write_text(POST, encoding="utf-8")
    assert main(["import", str(post), "--device", "RTX 4090"]) == 0
    capsys.readouterr()


@pytest.fixture
def served() -> None:
    """Run 1 is a server's."""
    held = StoredDocument(DocumentKind.SERVER, "http://localhost", "valid", (), document_values(document()))
    Store(user_paths().results).add_document("s", STARTED_AT, setup(), "", held, RunEnd(ENDED_AT))


def printed(*words: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["history", "export", "1", *words]) == 0
    return capsys.readouterr().out


def test_imported_figures_are_a_report_in_every_format(
    imported: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = json.loads(printed("--json", "-", capsys=capsys))
    assert problems(said, "import") == []
    (run,) = said["runs"]
    assert run["run"] == 1
    markdown, html = (printed(flag, "-", capsys=capsys) for flag in ("--md", "--html"))
    for text in (markdown, html):
        assert "812" in text and "23.5" in text and "Stamp" in text and "RTX 4090" in text
    assert all(sentence.split("; ")[0][:40] in markdown for sentence in run["sentences"] if "(" not in sentence)
    rows = list(csv.DictReader(StringIO(printed("--csv", "-", capsys=capsys))))
    assert [row["tokens_per_s"] for row in rows] == ["812.0", "23.5"]
    target = tmp_path / "post.pdf"
    assert printed("--pdf", str(target), capsys=capsys) == f"Written: {target}\n"
    assert target.read_bytes().startswith(b"%PDF-")


def test_another_work_gives_another_answer(imported: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert "“Chat”" in printed("--md", "-", "--workload", "chat", capsys=capsys)


def test_a_measured_server_is_a_report_again(served: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert problems(json.loads(printed("--json", "-", capsys=capsys)), "server") == []
    for flag in ("--md", "--html"):
        assert document().verdict.sentence.split("’")[0] in printed(flag, "-", capsys=capsys)
    assert "Written" in printed("--pdf", str(tmp_path / "server.pdf"), capsys=capsys)


FORMS = {
    "rows.json": json.dumps([ROW]), "rows.md": TABLE,
    "rows.csv": ",".join(ROW) + "\n" + ",".join(str(ROW[name]) for name in ROW) + "\n",
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_a_column_means_the_same_whatever_form_a_figure_came_in(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(FORMS[name], encoding="utf-8")
    assert main(["import", str(tmp_path / name)]) == 0
    capsys.readouterr()
    (row,) = csv.DictReader(StringIO(printed("--csv", "-", capsys=capsys)))
    assert (row["mad_tokens_per_s"], row["stddev_tokens_per_s"]) == ("", "21.05")
    (tmp_path / "own.csv").write_text(printed("--csv", "-", capsys=capsys), encoding="utf-8")
    (back,) = read_report((tmp_path / "own.csv").read_text(encoding="utf-8"), "own.csv")
    (test,) = back.tests
    assert (test.test, test.tokens_per_s, test.deviation_tokens_per_s) == ("pp512", 4810.33, 21.05)


@pytest.mark.parametrize("flag", ["--csv", "--llama-bench"])
def test_a_server_has_no_tests_to_be_written_in_rows(
    flag: str, served: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", "export", "1", flag, "-"]) == 3
    assert "holds no test of one phase" in capsys.readouterr().err
