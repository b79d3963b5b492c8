"""What names the user is left out."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.core.home import home_folder
from advisor.report.codec import json_text
from advisor.report.exporters.as_json import bench_json, document_json
from advisor.report.exporters.markdown import document_markdown
from advisor.report.privacy import shortened, without_personal_paths
from tests.support import documents as d


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/home/maria/models/a.gguf", "~/models/a.gguf"),
        ("llama-server -m '/Users/maria/a b.gguf'", "llama-server -m '~/a b.gguf'"),
        (r"C:\Users\Maria\a.gguf", r"~\a.gguf"),
        ("/srv/own/a.gguf and /srv/own", "~/a.gguf and ~"),
        ("/srv/owner/a.gguf", "/srv/owner/a.gguf"),
        ("no path at all", "no path at all"),
    ],
)
def test_home_folders_become_a_tilde(text: str, expected: str) -> None:
    assert shortened(text, Path("/srv/own")) == expected


def test_a_home_at_the_root_shortens_nothing() -> None:
    assert shortened("/usr/bin", Path("/")) == "/usr/bin"


def test_models_keep_their_file_name_only() -> None:
    assert without_personal_paths(d.model()).path == Path("llama-3.1-8b-instruct-q4_k_m.gguf")


def test_everything_else_stays() -> None:
    document = d.complete_document()
    clean = without_personal_paths(document)
    assert clean.advice == document.advice
    assert clean.tests == document.tests
    assert clean.ceilings == document.ceilings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("could not load /srv/my models/a.gguf: bad magic", "could not load a.gguf: bad magic"),
        ("'/srv/my models/a-00001-of-00002.gguf'", "'a-00001-of-00002.gguf'"),
        ("path=/mnt/disk/other/b.gguf, /mnt/disk/c.GGUF", "path=b.gguf, c.GGUF"),
        ("~/models/b.gguf", "b.gguf"),
        (r"D:\models\b.gguf", "b.gguf"),
        ("/opt/venv/bin/python", "/opt/venv/bin/python"),
        ("and/or a.gguf", "and/or a.gguf"),
    ],
)
def test_model_files_keep_their_name_only_in_texts(text: str, expected: str) -> None:
    assert without_personal_paths(text, Path("/srv/own"), Path("/srv/my models/a.gguf")) == expected


def test_where_there_is_no_home_other_homes_are_still_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    assert home_folder() is None
    assert shortened("/home/maria/a and /srv/b") == "~/a and /srv/b"


def test_no_export_says_where_the_model_lies() -> None:
    path = Path("/srv/secret place/model.gguf")
    words = f"the engine stopped while loading '{path}'"
    document = d.complete_document()
    document = replace(document, model=replace(document.model, path=path), interrupted=words)
    bench = bench_json(document.tests, document.machine, document.engine, document.model, words)
    for text in (json_text(document_json(document)), json_text(bench), document_markdown(document)):
        assert "secret" not in text
        assert "model.gguf" in text
