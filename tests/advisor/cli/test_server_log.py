import json
from pathlib import Path

import pytest

from advisor.__main__ import main
from tests.support.server_dialogues import FOLDER


def test_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["server-log", str(FOLDER / "ollama.log")]) == 0
    out = capsys.readouterr().out
    assert "1\u00a0real request" in out
    assert "--prompt 640 --answer 76" in " ".join(out.split())


def test_json_has_what_its_schema_requires(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["server-log", str(FOLDER / "llama_server.log"), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    schema = json.loads((Path(__file__).parents[3] / "docs/schema/server-log.schema.json").read_text(encoding="utf-8"))
    assert sorted(body) == sorted(schema["required"])
    assert body["schema"] == schema["properties"]["schema"]["const"]
    assert sorted(body["verdict"]) == sorted(schema["properties"]["verdict"]["required"])
    assert body["requests"][0]["prompt_tokens"] == 34


def test_a_missing_file_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["server-log", str(tmp_path / "no.log")]) == 3
    assert "There is no file no.log." in capsys.readouterr().err
