"""Choosing an engine and a place for the model on the command line, and the list of engines."""

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.__main__ import main
from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.listed import EngineKind, FoundEngine, ListedEngine
from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.cli.engines import show_engines
from advisor.cli.parser import parse
from advisor.cli.placing import engine_for, placement_from
from advisor.core.errors import UsageError
from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.report.exporters.engines_json import engines_json
from tests.advisor.report.schema_check import problems
from tests.support import documents


def placed(*words: str) -> Placement:
    return placement_from(parse(["bench", "m.gguf", *words]))


def test_without_options_everything_is_the_engines_own_choice() -> None:
    assert placed() == OWN_CHOICE
    assert engine_for(parse(["bench", "m.gguf"])) is None
    assert engine_for(parse(["machine", "--engine", "embedded"])) == EmbeddedEngine()


def test_the_options_become_a_placement() -> None:
    words = ["--device", "CUDA0, RPC0", "-ngl", "20", "-ot", "exps=CPU,blk\\.0\\.=CUDA0", "-ts", "3,1.5"]
    overrides = (("exps", "CPU"), ("blk\\.0\\.", "CUDA0"))
    expected = Placement(("CUDA0", "RPC0"), 20, overrides, (3.0, 1.5), ("10.0.0.2:50052",))
    assert placed(*words, "--rpc", "10.0.0.2:50052") == expected
    assert placed("--rpc", "[::1]:50052").rpc_servers == ("[::1]:50052",)


@pytest.mark.parametrize(
    "words",
    [
        ["-ngl", "many"],
        ["-ngl", "99999999"],
        ["-ot", "exps"],
        ["-ot", "=CPU"],
        ["-ts", "1,x"],
        ["-ts", "-1"],
        ["--rpc", "nowhere"],
        ["--rpc", "a:0"],
        ["--rpc", "a:99999"],
    ],
)
def test_what_makes_no_sense_is_wrong_usage(words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        placed(*words)
    assert caught.value.hint


@pytest.mark.parametrize("command", ["machine", "bench m.gguf", "diagnose m.gguf", "ceilings m.gguf", "selftest"])
def test_an_engine_that_is_not_there_is_wrong_usage(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "--engine", "no-such-engine"]) == 2
    assert "There is no engine no-such-engine" in capsys.readouterr().err


def listed() -> tuple[ListedEngine, ...]:
    document = documents.complete_document()
    engine = document.engine
    checked = Known(document.tests, Basis.MEASURED, "the sample model")
    own = FoundEngine("embedded", EngineKind.EMBEDDED, Path("/usr/bin/python"), "the program runs in it")
    other = FoundEngine("llm", EngineKind.PYTHON, Path("/home/maria/llm/bin/python"), "conda lists it")
    build = FoundEngine("llama-bench", EngineKind.LLAMA_BENCH, Path("/usr/bin/llama-bench"), "on the PATH")
    return (
        ListedEngine(own, engine, checked),
        ListedEngine(other, Unknown("llama_cpp is broken", Missing.FAILED), Unknown("llama_cpp is broken")),
        ListedEngine(build, engine),
    )


def test_the_list_keeps_its_schema_and_its_paths() -> None:
    said: dict[str, Any] = json.loads(json.dumps(engines_json(listed())))
    assert problems(said, "engines") == []
    assert [each["id"] for each in said["engines"]] == ["embedded", "llm", "llama-bench"]
    assert said["engines"][1]["path"] == "/home/maria/llm/bin/python"
    assert said["engines"][1]["engine_reason"] == "llama_cpp is broken"
    assert said["engines"][0]["check"][0]["tokens_per_s"] > 0
    assert said["engines"][2]["check_missing"] == "not measured yet"


def test_the_list_reads_well(capsys: pytest.CaptureFixture[str]) -> None:
    show_engines(listed())
    text = capsys.readouterr().out
    assert text.startswith("3\N{NO-BREAK SPACE}engines on this machine")
    assert "this Python (the program runs in it)" in text
    assert "llama_cpp is broken" in text
    assert "Check" in text and "tokens/s" in text
