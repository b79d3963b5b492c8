"""Prefix reuse tried with the real engine: what each kind of model allows, and that its answers stay the same."""

from pathlib import Path

import pytest

from advisor.benchmarks.model import Phase
from advisor.benchmarks.trials.model import PrefixTrial, Trial
from advisor.core.progress import CancelToken
from advisor.session import trial_prefix
from tests.support.sample import sample_path
from tests.support.trial_contexts import context_for, tiny


def attempt(model: Path, folder: Path, plan: PrefixTrial, **more: float) -> Trial:
    return trial_prefix.run(context_for(model, folder, **more), plan, lambda _event: None, CancelToken())  # type: ignore[arg-type]


@pytest.mark.parametrize(("family", "said"), [
    ("llama", ""),
    ("gemma3", "--swa-full"),
    ("gpt-oss", "--swa-full"),
    ("mamba", "cannot be cut back"),
    ("jamba", "cannot be cut back"),
])
def test_what_the_engine_allows_is_found_out_and_said(family: str, said: str, tmp_path: Path) -> None:
    trial = attempt(tiny(family, tmp_path), tmp_path, PrefixTrial(1500, 600), prefill=5_000)
    pair = trial.pair(Phase.PREFILL)
    assert pair is not None
    assert len(pair.before_s) == 3
    assert "1,500 tokens" in pair.what
    notes = " ".join(trial.notes)
    assert said in notes
    assert ("kept" in notes or "keep" in notes) is ("swa" in said)
    assert "The answers agreed with those of the whole prompt." in notes
    assert "Changed in its first token" in notes
    assert ("The identical prompt took" in notes) is ("cut back" not in said)


def test_a_window_that_still_holds_enough_needs_nothing_more(tmp_path: Path) -> None:
    trial = attempt(tiny("gemma3", tmp_path), tmp_path, PrefixTrial(1500, 1400), prefill=5_000)
    notes = " ".join(trial.notes)
    assert "still held what was needed" in notes
    assert "The answers agreed with those of the whole prompt." in notes


def test_the_sample_keeps_a_beginning(tmp_path: Path) -> None:
    trial = attempt(sample_path(), tmp_path, PrefixTrial(300, 250), prefill=500, decode=20, threads=2)
    assert trial.before == "the whole prompt read again"
    assert trial.after == "the first 250\u00a0tokens kept"
    assert "The answers agreed with those of the whole prompt." in " ".join(trial.notes)


@pytest.mark.parametrize(("plan", "speed", "wanted"), [
    (PrefixTrial(4000, 600), 2_000, PrefixTrial(4000, 600)),
    (PrefixTrial(4000, 600), 40, PrefixTrial(213, 32)),
    (PrefixTrial(4000, 3999), 1, PrefixTrial(64, 63)),
    (PrefixTrial(4000, 1), 1, PrefixTrial(64, 1)),
    (PrefixTrial(2, 1), 1, PrefixTrial(2, 1)),
])
def test_long_prompts_are_shortened_in_proportion(plan: PrefixTrial, speed: float, wanted: PrefixTrial) -> None:
    assert trial_prefix.shortened(plan, speed, rounds=5, budget_s=60) == wanted


@pytest.mark.parametrize(("speed", "rounds", "turns"), [(40, 5, 1), (300, 5, 1), (900, 3, 2), (100_000, 5, 2)])
def test_all_rounds_fit_the_time(speed: float, rounds: int, turns: int, tmp_path: Path) -> None:
    """Readings on a kept beginning take nearly as long as whole ones where little is shared."""
    plan = PrefixTrial(4000, 600)
    context = context_for(tiny("llama", tmp_path), tmp_path, prefill=speed, rounds=rounds, budget_s=60)
    assert trial_prefix.predicted_s(context, plan) <= 60
    assert trial_prefix.turns_of(context, plan) == turns
