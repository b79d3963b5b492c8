"""The command ``rehearse``."""

import json

import pytest

from advisor.__main__ import main
from advisor.rehearsal.catalogue import load
from tests.advisor.report.schema_check import problems


def test_the_catalogue_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rehearse", "--list"]) == 0
    out = capsys.readouterr().out
    assert all(model.name in out for model in load())


def test_the_catalogue_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rehearse", "--list", "--json"]) == 0
    assert problems(json.loads(capsys.readouterr().out), "rehearse") == []


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["rehearse"], 2, "Which model?"),
        (["rehearse", "gpt-7"], 2, "There is no model named gpt-7"),
        (["rehearse", "Qwen3-8B", "--quant", "Q9"], 2, "There is no quantisation named Q9"),
        (["rehearse", "Qwen3-8B", "--workload", "poems"], 2, "poems"),
        (["rehearse", "no/config.json"], 3, "config.json cannot be read"),
        (["rehearse", "no/model.gguf"], 3, "model.gguf"),
        (["rehearse", "http://models.example/m.gguf"], 2, "without encryption"),
        (["rehearse", "https:///m.gguf"], 2, "no web address"),
        (["rehearse", "https://[::1"], 2, "no web address"),
        (["rehearse", "https://models.example:abc/m.gguf"], 2, "no web address"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    words: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == code
    said = capsys.readouterr()
    assert says in said.err
    assert "Traceback" not in said.err
    assert not said.out
