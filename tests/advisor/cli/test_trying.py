"""The command ``try`` around an invented engine."""

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.__main__ import main
from advisor.benchmarks.model import Conditions, Stamp
from advisor.cli import trying as command
from advisor.core.errors import EngineCrashed
from advisor.gguf.architecture import read_model
from advisor.session.paths import user_paths
from advisor.session.trial_records import TrialRecords
from advisor.session.trials import Asked, Trying
from tests.advisor.report.schema_check import problems
from tests.advisor.session.test_trials import diagnosed, linear
from tests.support import documents
from tests.support.trials import InventedEngine


class Invented:
    """What the command needs of a pipeline."""

    def __init__(self, engine: InventedEngine) -> None:
        self.diagnoses = 0
        self._trying = Trying(engine, TrialRecords(user_paths().results), documents.machine(), Path("scratch"))

    def diagnose(self, *_arguments: Any) -> Any:
        self.diagnoses += 1
        return diagnosed()

    def can_be_tried(self, document: Any, asked: Asked) -> Any:
        return self._trying.candidates(document, asked)

    def try_advice(self, document: Any, advice: str, listener: Any, cancel: Any, asked: Asked) -> Any:
        return self._trying.run(document, advice, asked, listener, cancel)


def use(monkeypatch: pytest.MonkeyPatch, engine: InventedEngine | None = None) -> Invented:
    invented = Invented(engine or InventedEngine(linear))
    monkeypatch.setattr(command.placing, "pipeline_for", lambda _arguments: invented)
    return invented


def test_without_an_advice_it_lists_what_can_be_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch)
    assert main(["try", "m.gguf", "--fresh"]) == 0
    shown = capsys.readouterr().out
    assert "What can be tried" in shown
    assert "shorten-prompt" in shown
    assert "computed" in shown


def test_a_trial_is_told_beside_its_prediction_and_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch)
    assert main(["try", "m.gguf", "shorten-prompt", "--fresh", "--rounds", "4"]) == 0
    shown = " ".join(capsys.readouterr().out.replace("\u00a0", " ").split())
    assert shown.startswith("Tried: saves")
    assert "Predicted: saves" in shown
    assert "pp512 against" in shown
    assert "Its predictions held in" in shown


@pytest.mark.parametrize("words", [[], ["shorten-prompt"]])
def test_json_keeps_to_its_schema(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch)
    assert main(["try", "m.gguf", *words, "--fresh", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert problems(said, "try") == []
    assert (said["trial"] is None) == (not words)
    assert said["can_be_tried"]


def test_an_unknown_advice_is_one_sentence_with_the_list(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch)
    assert main(["try", "m.gguf", "pray", "--fresh"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "There is no advice “pray”" in captured.err
    assert "shorten-prompt" in captured.err


def test_a_crash_of_one_way_ends_with_the_engines_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    crash = EngineCrashed("The engine crashed while running prefill (SIGSEGV).", "Update it.")
    use(monkeypatch, InventedEngine(linear, lambda _job, call: crash if call else None))
    assert main(["try", "m.gguf", "shorten-prompt", "--fresh"]) == 4
    assert "prompt tokens" in capsys.readouterr().err.replace("\u00a0", " ")


def test_a_disturbed_trial_has_the_code_of_figures_that_must_not_be_believed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    swapping = Conditions(Stamp.INVALID, ("the computer was swapping",))
    use(monkeypatch, InventedEngine(linear, conditions=lambda _call: swapping))
    assert main(["try", "m.gguf", "shorten-prompt", "--fresh"]) == 5
    assert "the computer was swapping" in capsys.readouterr().err


def test_a_draft_model_is_for_speculation_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    invented = use(monkeypatch)
    assert main(["try", "m.gguf", "threads", "--draft", "small.gguf"]) == 2
    assert "A draft model is for speculate only." in capsys.readouterr().err
    assert invented.diagnoses == 0


def test_a_draft_that_is_no_model_is_told_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    invented = use(monkeypatch)
    invented.read_model = read_model  # type: ignore[attr-defined]
    page = tmp_path / "small.gguf"
    page.write_text("<html>not found</html>")
    assert main(["try", "m.gguf", "speculate", "--draft", str(page)]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert "small.gguf" in said.err
    assert invented.diagnoses == 0
