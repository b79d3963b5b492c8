"""Speculation tried with the real engine: on tiny models of several kinds, and on the sample."""

from pathlib import Path

import psutil
import pytest

from advisor.benchmarks.model import EngineMode, Phase
from advisor.benchmarks.trials.model import SpeculateTrial, Trial
from advisor.core.errors import BadFile, Cancelled, EngineError
from advisor.core.evidence import Known
from advisor.core.progress import CancelToken
from advisor.session import trial_speculate
from tests.support.sample import sample_path
from tests.support.trial_contexts import context_for, tiny

SAFE = EngineMode.NO_EXTRA_BUFFERS
"""A real model crashes on some machines in the default mode (docs/architecture.md, known faults)."""


def attempt(model: Path, folder: Path, plan: SpeculateTrial, cancel: CancelToken | None = None, **more):  # type: ignore[no-untyped-def]
    said: list[object] = []
    trial = trial_speculate.run(context_for(model, folder, **more), plan, said.append, cancel or CancelToken())
    return trial, said


def deep(trial: Trial) -> int:
    return int(trial.pairs[0].what.split("depth of ")[1].split("\u00a0")[0].replace(",", ""))


@pytest.mark.parametrize("family", ["llama", "gemma3"])
def test_a_model_without_words_is_led_along_a_text_that_repeats_itself(family: str, tmp_path: Path) -> None:
    trial, said = attempt(tiny(family, tmp_path), tmp_path, SpeculateTrial(4))
    pair = trial.pair(Phase.DECODE)
    assert pair is not None
    assert len(pair.before_s) == len(pair.after_s) == 3
    assert "a program written again" in pair.what
    assert isinstance(trial.speculated, Known)
    assert trial.speculated.value.tokens_per_step > 2
    assert {tokens for tokens, _ in trial.speculated.value.step_s} >= {1, 2, 4, 5, 8}
    notes = " ".join(trial.notes)
    assert "led along the text" in notes
    assert "On prose that repeats nothing" in notes
    assert said


def test_texts_are_written_as_deep_as_the_work_and_say_so(tmp_path: Path) -> None:
    """What attention adds to each guess decides whether it gains; at 400 tokens a deep work gained too much."""
    trial, _ = attempt(tiny("llama", tmp_path), tmp_path, SpeculateTrial(4, depth_tokens=1_400))
    shallow, _ = attempt(tiny("llama", tmp_path), tmp_path, SpeculateTrial(4))
    depths = [deep(one) for one in (trial, shallow)]
    between = 2  # what parts the prose from the prompt
    assert 0 <= depths[0] - depths[1] - (1_400 - trial_speculate.PROMPT_TOKENS) <= between
    assert isinstance(trial.speculated, Known)
    assert trial.speculated.value.tokens_per_step > 2


def test_a_model_guesses_for_itself_and_is_always_right(tmp_path: Path) -> None:
    sample = sample_path()
    trial, _ = attempt(sample, tmp_path, SpeculateTrial(3, sample), decode=20, threads=2, mode=SAFE)
    assert isinstance(trial.speculated, Known)
    assert trial.speculated.value.accepted > 0.9
    assert trial.speculated.value.draft_cost > 0
    assert "prose" in trial.pairs[0].what
    assert trial.after == f"up to 3\u00a0guesses per step by {sample.name}"


def test_the_sample_writes_the_same_with_guesses_from_its_text(tmp_path: Path) -> None:
    trial, _ = attempt(sample_path(), tmp_path, SpeculateTrial(4), decode=20, threads=2, mode=SAFE)
    assert isinstance(trial.speculated, Known)
    assert trial.speculated.value.accepted > 0.3
    assert trial.speculated.value.tokens_per_step > 1.5
    notes = " ".join(trial.notes)
    assert "led" not in notes
    assert "wrote the same words" in notes or "different words" in notes
    assert "Checking 4\u00a0guesses costs" in notes


@pytest.mark.parametrize("family", ["mamba", "jamba"])
def test_a_state_that_cannot_be_cut_back_is_one_sentence(family: str, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="cannot be cut back") as refused:
        attempt(tiny(family, tmp_path), tmp_path, SpeculateTrial(4))
    assert refused.value.fields["reason"] == "no_removal"


def test_a_draft_with_another_vocabulary_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with pytest.raises(EngineError, match="cannot guess for the other: its tokenizer is of another kind") as refused:
        attempt(sample_path(), scratch, SpeculateTrial(3, tiny("llama", tmp_path)), decode=20)
    assert "same family" in refused.value.hint
    assert not list(scratch.iterdir())
    assert not psutil.Process().children(recursive=True)


def test_a_draft_that_is_missing_or_no_model(tmp_path: Path) -> None:
    model = tiny("llama", tmp_path)
    with pytest.raises(BadFile, match=r"no draft model none\.gguf"):
        attempt(model, tmp_path, SpeculateTrial(3, tmp_path / "none.gguf"))
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF and no more")
    with pytest.raises(EngineError, match=r"^The draft model cannot be used"):
        attempt(model, tmp_path, SpeculateTrial(3, broken))


def test_stopped_before_anything_was_measured(tmp_path: Path) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        attempt(tiny("llama", tmp_path), tmp_path, SpeculateTrial(3), cancel)
