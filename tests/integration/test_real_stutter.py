"""The stutter experiment with the real engine: every kind of model, refusal of a size, and Stop."""

from pathlib import Path

import pytest

from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineMode, Phase
from advisor.benchmarks.planning.settings import BenchSettings
from advisor.benchmarks.stutter.model import Stutter
from advisor.benchmarks.trials.model import ChunkTrial
from advisor.core.errors import Cancelled
from advisor.core.evidence import Known, Unknown
from advisor.core.progress import CancelToken
from advisor.session import trial_chunk
from advisor.session.events import Event
from advisor.session.stuttering import Question, Setting, measure_stutter, spec_of
from tests.support.trial_contexts import FACTS, context_for, tiny

QUESTION = Question(prompt_tokens=300, streams=3, chunks=(64, 128, 0), depth=20, rounds=3)


def measured(
    model: Path, cancel: CancelToken, question: Question = QUESTION, mode: EngineMode | None = None
) -> Stutter:
    context = context_for(model, model.parent)
    mode = context.mode if mode is None else mode
    setting = Setting(Launch(), FACTS, context.model, context.machine, mode, "CPU", context.placement)
    spec = spec_of(question, BenchSettings(n_threads=1), context.machine)
    return measure_stutter(question, spec, setting, Unknown("not asked for"), lambda _event: None, cancel)


@pytest.mark.parametrize("family", ["llama", "gemma3", "mamba", "jamba"])
def test_every_kind_of_model(family: str, tmp_path: Path) -> None:
    found = measured(tiny(family, tmp_path), CancelToken())
    assert [size.chunk_tokens for size in found.sizes] == [64, 128, 300]
    assert [[len(clock.during_s) for clock in size.clocks] for size in found.sizes] == [[5] * 3, [3] * 3, [1] * 3]
    assert {len(clock.before_s) for size in found.sizes for clock in size.clocks} == {8}
    assert len(found.round_conditions) == 3
    assert not found.left_out
    assert not found.interrupted
    assert isinstance(found.sizes[0].predicted, Unknown)


def test_without_depth_and_in_the_deepest_safe_mode(tmp_path: Path) -> None:
    question = Question(prompt_tokens=100, streams=1, chunks=(64,), depth=0, rounds=1)
    found = measured(tiny("llama", tmp_path), CancelToken(), question, EngineMode.ONE_THREAD)
    assert [size.chunk_tokens for size in found.sizes] == [64]
    assert found.spec.n_threads == 1
    assert found.mode is EngineMode.ONE_THREAD


def test_stop_before_anything(tmp_path: Path) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        measured(tiny("llama", tmp_path), cancel)


def test_stop_keeps_what_was_measured(tmp_path: Path) -> None:
    cancel = CancelToken()
    context = context_for(tiny("llama", tmp_path), tmp_path)

    def listen(event: Event) -> None:
        if "Round 2" in getattr(event, "phase", ""):
            cancel.cancel()

    setting = Setting(Launch(), FACTS, context.model, context.machine, context.mode, "CPU", context.placement)
    question = Question(prompt_tokens=600, streams=2, chunks=(64, 0), depth=4, rounds=50)
    spec = spec_of(question, BenchSettings(n_threads=1), context.machine)
    found = measure_stutter(question, spec, setting, Unknown("not asked for"), listen, cancel)
    assert "Stopped after" in found.interrupted
    assert all(size.clocks for size in found.sizes)


def test_the_advice_is_tried_and_its_budget_checked(tmp_path: Path) -> None:
    plan = ChunkTrial(400, 2, 16, 400, 64, stall_s=60.0, pause_s=1.0)
    context = context_for(tiny("llama", tmp_path), tmp_path, prefill=5_000)
    trial = trial_chunk.run(context, plan, lambda _event: None, CancelToken())
    pair = trial.pair(Phase.DECODE)
    assert pair is not None
    assert len(pair.before_s) == 3
    assert isinstance(trial.stall, Known)
    assert trial.stall.value.kept
    assert any("is kept" in note for note in trial.notes)


@pytest.mark.parametrize(("plan", "speed", "wanted"), [
    (ChunkTrial(4000, 2, 0, 2048, 64, 0.2, 1.0), 2_000, (4000, 2048)),
    (ChunkTrial(40_000, 2, 0, 2048, 64, 0.2, 1.0), 1_000, (6000, 2048)),
    (ChunkTrial(4000, 2, 0, 2048, 64, 0.2, 1.0), 10, (2048, 2048)),
])
def test_long_prompts_are_shortened(plan: ChunkTrial, speed: float, wanted: tuple[int, int]) -> None:
    cut = trial_chunk.shortened(plan, speed, rounds=5, budget_s=60)
    assert (cut.prompt_tokens, cut.before_tokens) == wanted
