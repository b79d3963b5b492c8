"""What the program says about itself."""

import json

import pytest

from advisor import __version__
from advisor.__main__ import main
from tests.advisor.report.schema_check import problems


def test_about_names_version_engine_and_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["about"]) == 0
    said = capsys.readouterr().out
    assert f"Two Machines {__version__}" in said and "llama-cpp-python" in said and "numpy" in said


def test_the_json_keeps_to_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["about", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert problems(said, "about") == []
    assert problems({"schema": "two-machines/about/1"}, "about")
    assert said["engine"] or said["engine_reason"]


def test_the_licences_are_whole_texts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["about", "--licences"]) == 0
    assert "Redistribution and use in source and binary forms" in capsys.readouterr().out
