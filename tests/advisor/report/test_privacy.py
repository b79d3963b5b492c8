"""What names the user is left out."""

from pathlib import Path

import pytest

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
