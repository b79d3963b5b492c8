"""Trying a quantisation, with an invented engine and a child that quantises as told."""

from collections import namedtuple
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Listening, Measured
from advisor.benchmarks.job import Job
from advisor.benchmarks.model import Phase
from advisor.benchmarks.supervisor import Limits
from advisor.benchmarks.trials.model import QuantiseTrial
from advisor.core.errors import AdvisorError, Cancelled, EngineCrashed, EngineError, UsageError
from advisor.core.evidence import Known, Unknown
from advisor.core.progress import CancelToken, Progress
from advisor.gguf.architecture import read_model
from advisor.gguf.discover.model import Discovery, FoundModel, Source
from advisor.hardware.model import Power
from advisor.session import trial_quantise, trying
from advisor.session.events import Event
from advisor.session.trial_context import TrialContext
from tests.support.children import quantise_child
from tests.support.gguf_builder import decoder
from tests.support.trials import InventedEngine, context

F16_KEYS, Q8_0_KEYS = {"general.file_type": 1}, {"general.file_type": 7}
Usage = namedtuple("Usage", "total used free")


@dataclass(frozen=True)
class HalfInvented(EmbeddedEngine):
    """Quantises in a child, measures by invention: the made file is twice as fast at writing."""

    invented: InventedEngine = field(default_factory=lambda: InventedEngine(lambda _spec, _call: 1.0))

    def measure(self, job: Job, limits: Limits, power: Power, listening: Listening, cancel: CancelToken) -> Measured:
        faster = "Q4_K_M" in job.model.name
        assert job.model.exists()
        self.invented.seconds = lambda spec, _call: 0.5 if faster and spec.phase is Phase.DECODE else 1.0
        return self.invented.measure(job, limits, power, listening, cancel)


@pytest.fixture(autouse=True)
def _no_other_models(monkeypatch) -> None:
    monkeypatch.setattr(trial_quantise, "find_models", lambda _folders, _cancel: Discovery())


def trial_of(tmp_path: Path, mode: str, quant: str = "F16") -> TrialContext:
    keys = F16_KEYS if quant == "F16" else Q8_0_KEYS
    model = read_model(decoder(quant=quant, keys=keys).write(tmp_path / f"tiny-{quant}.gguf"))
    return context(HalfInvented(quantise_child(mode)), advice="quantise", model=model, scratch=tmp_path / "scratch")


def left(held: TrialContext) -> list[Path]:
    return list(held.scratch.iterdir()) if held.scratch.exists() else []


def nobody(_event: Event) -> None:
    pass


def test_speed_and_quality_of_the_made_file_and_nothing_left(tmp_path) -> None:
    held = trial_of(tmp_path, "ok")
    before = held.model.path.read_bytes()
    heard: list[Progress] = []
    trial = trying.run(
        held, QuantiseTrial("Q4_K_M"), lambda e: heard.append(e) if isinstance(e, Progress) else None, CancelToken()
    )
    assert (trial.before, trial.after, trial.advice) == ("F16", "Q4_K_M", "quantise")
    decode = trial.pair(Phase.DECODE)
    assert decode is not None
    assert decode.ratio == pytest.approx(0.5)
    assert isinstance(trial.quality, Known)
    assert trial.quality.value.tokens == 510
    assert not any("quantised file" in note for note in trial.notes)
    assert any("as Q4_K_M" in note for note in trial.notes)
    assert left(held) == []
    assert held.model.path.read_bytes() == before
    fractions = [each.fraction for each in heard]
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1.0)


def test_a_model_without_its_original_is_requantised_and_that_is_said(tmp_path) -> None:
    held = trial_of(tmp_path, "requantise", "Q8_0")
    trial = trying.run(held, QuantiseTrial("Q4_K_M"), nobody, CancelToken())
    assert "It was made from a quantised file: quality is lower than from the original." in trial.notes


def test_the_original_is_taken_where_it_lies_on_this_machine(tmp_path, monkeypatch) -> None:
    held = trial_of(tmp_path, "ok", "Q8_0")
    original = decoder(keys=F16_KEYS).write(tmp_path / "tiny-F16.gguf")
    there = FoundModel("tiny-F16", original, original.stat().st_size, Source.FOLDER)
    monkeypatch.setattr(trial_quantise, "find_models", lambda _folders, _cancel: Discovery((there,)))
    trial = trying.run(held, QuantiseTrial("Q4_K_M"), nobody, CancelToken())
    assert any("tiny-F16.gguf" in note for note in trial.notes)


@pytest.mark.parametrize(
    ("mode", "to", "error", "words"),
    [
        ("crash", "Q4_K_M", EngineCrashed, "crashed"),
        ("full", "Q4_K_M", EngineError, "written"),
        ("ok", "Q9_9", UsageError, "no file type"),
        ("ok", "F16", UsageError, "already"),
    ],
)
def test_each_fault_is_one_sentence_and_nothing_is_left(tmp_path, mode, to, error, words) -> None:
    held = trial_of(tmp_path, mode)
    with pytest.raises(error, match=words) as failed:
        trying.run(held, QuantiseTrial(to), nobody, CancelToken())
    assert failed.value.sentence.count(". ") == 0
    assert failed.value.hint
    assert left(held) == []


def test_too_little_room_is_told_before_anything_is_written(tmp_path, monkeypatch) -> None:
    held = trial_of(tmp_path, "ok")
    monkeypatch.setattr("shutil.disk_usage", lambda _path: Usage(10**9, 10**9 - 10**6, 10**6))
    with pytest.raises(EngineError, match=r"needs 1\.\d+\sMB, and 1\.00\sMB are free") as refused:
        trying.run(held, QuantiseTrial("Q4_K_M"), nobody, CancelToken())
    assert "room" in refused.value.hint
    assert left(held) == []
    assert held.engine.invented.jobs == []  # type: ignore[attr-defined]


def test_stop_while_the_file_is_made_leaves_nothing(tmp_path) -> None:
    held, token = trial_of(tmp_path, "hang"), CancelToken()

    def stop(event: Event) -> None:
        if isinstance(event, Progress) and event.phase.startswith("Making") and event.fraction > 0:
            token.cancel()

    with pytest.raises(Cancelled):
        trying.run(held, QuantiseTrial("Q4_K_M"), stop, token)
    assert left(held) == []


@pytest.mark.parametrize("moment", ["Looking", "Making", "Round 1", "Round 3", "Comparing"])
def test_stop_at_any_moment_leaves_nothing_on_the_disk(tmp_path, moment) -> None:
    held, token = trial_of(tmp_path, "ok"), CancelToken()
    before = held.model.path.read_bytes()

    def stop(event: Event) -> None:
        if isinstance(event, Progress) and event.phase.startswith(moment):
            token.cancel()

    if moment in ("Looking", "Making", "Round 1"):
        with pytest.raises(Cancelled):
            trying.run(held, QuantiseTrial("Q4_K_M"), stop, token)
    else:  # whole rounds are kept
        trial = trying.run(held, QuantiseTrial("Q4_K_M"), stop, token)
        assert trial.rounds >= 1
    assert token.cancelled
    assert left(held) == []
    assert held.model.path.read_bytes() == before


def test_quality_that_cannot_be_measured_does_not_cost_the_speeds(tmp_path) -> None:
    trial = trying.run(trial_of(tmp_path, "no-text"), QuantiseTrial("Q4_K_M"), nobody, CancelToken())
    assert trial.rounds >= 3
    assert isinstance(trial.quality, Unknown)
    assert "tokenizer" in trial.quality.reason


def test_another_program_cannot_quantise(tmp_path) -> None:
    held = context(InventedEngine(lambda _spec, _call: 1.0), scratch=tmp_path)
    with pytest.raises(AdvisorError, match="Only llama-cpp-python"):
        trying.run(held, QuantiseTrial("Q4_K_M"), nobody, CancelToken())
