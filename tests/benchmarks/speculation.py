"""Speculation and prefix reuse: what the kernel table said beforehand against what was measured.

    python -m tests.benchmarks.speculation [--safe] [FOLDER [MODEL …]]

FOLDER holds the models with random weights (0.3 to 0.9 GB each), which are written when they are not there; the sample
comes first. ``--safe`` runs without the fast weight layout, as on machines where it crashes. Every model is led along
the two bundled texts, so that what is right of the guesses is a property of the text, and only the seconds are the
machine's; the sample is run a second time with its own words. Wants a quiet machine.
"""

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir

from advisor.benchmarks.model import EngineMode, Phase
from advisor.benchmarks.probing import ceilings_request
from advisor.benchmarks.supervisor import Limits, run_child
from advisor.benchmarks.trials.model import PrefixTrial, SpeculateTrial
from advisor.benchmarks.trials.speculate_run import SpeculateRun, TextRun
from advisor.benchmarks.trials.watching import Watch
from advisor.ceilings.kernels import KernelTable
from advisor.ceilings.predict import decode_step, prefill
from advisor.ceilings.speculation import Counts, StepCosts, Verify, counted_speed_up, predicted_costs, step_costs
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.core.stats import median
from advisor.recommendations.speculate import COST_UNSURE
from advisor.session import trial_prefix, trial_speculate
from advisor.session.trial_context import TrialContext
from tests.benchmarks.random_models import Recipe, write
from tests.support.sample import sample_path
from tests.support.trial_contexts import context_for

RECIPES = (
    Recipe("spec-dense-q8", "Q8_0", layers=10, embed=2048, heads=16, kv_heads=4, ff=8192),
    Recipe("spec-moe-q4k", "Q4_K", layers=8, embed=1024, heads=16, kv_heads=4, ff=1024, experts=32, used=4,
           head="Q6_K", types={"ffn_gate_inp": "F32"}),
)
SAFE = "--safe"
N_GEN, ROUNDS, TRIALS = 48, 3, 5
DRAFTS = (3, 8)
PREFIX = PrefixTrial(600, 450)
LIMITS = Limits(300, 1800)


def main(folder: Path, named: list[Path], mode: EngineMode) -> None:
    """All models, or those that are named."""
    models = named or [sample_path(), *(write(recipe, folder) for recipe in RECIPES)]
    for path in models:
        context = context_for(path, folder, rounds=ROUNDS, budget_s=1000, threads=2, mode=mode)
        table = _table(context)
        decode, reading = decode_step(context.model, table), prefill(context.model, table, 512)
        assert isinstance(decode, Known)
        assert isinstance(reading, Known)
        context = context_for(path, folder, decode=1 / decode.value.total_s, prefill=512 / reading.value.total_s,
                              rounds=ROUNDS, budget_s=1000, threads=2, mode=mode)
        costs = predicted_costs(context.model, table, 400)
        assert isinstance(costs, Known)
        print(f"\n{path.name}: one token predicted {1e3 * decode.value.total_s:.1f} ms", flush=True)
        for n_draft in DRAFTS:
            _texts(context, costs.value, n_draft, "text")
        if path.name.startswith("gemma"):
            _texts(context, costs.value, DRAFTS[0], "model")
        _prefix(context, table)


def _table(context: TrialContext) -> KernelTable:
    request = ceilings_request(context.model, context.machine, Unknown("not asked", Missing.NOT_YET),
                               safe_mode=context.mode is not EngineMode.DEFAULT)
    probed = context.engine.probe(request, lambda _phase: None, CancelToken())
    if probed.disturbed:
        print(f"  disturbed: {probed.disturbed}")
    return probed.kernels


def _texts(context: TrialContext, costs: StepCosts, n_draft: int, follow: str) -> None:
    request = trial_speculate.request_of(context, SpeculateTrial(n_draft), N_GEN) | {"follow": follow}
    child = SpeculateRun(Watch(lambda _words: None))
    assert context.launch is not None
    outcome = run_child(request, context.launch, LIMITS, child.take, CancelToken())
    print(f"  {n_draft} guesses, {'led along the text' if follow == 'text' else 'own words'}: {outcome.ending}")
    measured = step_costs(child.step_s())
    shown = (2, 4, n_draft + 1, 16)
    print("    cost of steps, predicted/measured: "
          + ", ".join(f"v({n}) {costs(n):.2f}/{measured(n):.2f}" for n in dict.fromkeys(shown)))
    for text in child.texts.values():
        plain, guessing = text.both()
        gains = [before / after for before, after in zip(plain, guessing, strict=True)]
        low, high = _gain(text, costs.off_by(COST_UNSURE)), _gain(text, costs.off_by(-COST_UNSURE))
        inside = "inside" if low <= median(gains) <= high else "OUTSIDE"
        print(f"    {text.words}: {text.tokens_per_step:.2f} tokens/step, "
              f"{text.guessed / max(1, text.drafts):.1f} guesses in {text.drafts / text.steps:.0%} of steps; "
              f"predicted {_gain(text, costs):.2f}× ({low:.2f}–{high:.2f}), "
              f"measured {median(gains):.2f}× ({min(gains):.2f}–{max(gains):.2f}), {inside}; by the measured steps "
              f"{_gain(text, measured):.2f}×; differs at {text.differs_at}, repeated {text.repeated:.2f}",
              flush=True)


def _gain(text: TextRun, verify: Verify) -> float:
    """Eq. 17 with the text's own guesses: how many, how long, how many right."""
    return counted_speed_up(Counts(text.steps, text.drafts, text.guessed, text.accepted), verify)


def _prefix(context: TrialContext, table: KernelTable) -> None:
    whole = prefill(context.model, table, PREFIX.prompt_tokens)
    rest = prefill(context.model, table, PREFIX.prompt_tokens - PREFIX.shared_tokens, PREFIX.shared_tokens)
    assert isinstance(whole, Known)
    assert isinstance(rest, Known)
    predicted = rest.value.total_s / whole.value.total_s
    found = []
    for _ in range(TRIALS):
        trial = trial_prefix.run(replace(context, rounds=ROUNDS), PREFIX, lambda _event: None, CancelToken())
        pair = trial.pair(Phase.PREFILL)
        assert pair is not None
        found.append(pair.ratio)
    tokens = 1 - PREFIX.shared_tokens / PREFIX.prompt_tokens
    print(f"  prefix {PREFIX.shared_tokens} of {PREFIX.prompt_tokens}: left {tokens:.3f} by tokens, {predicted:.3f} by "
          f"kernels; measured {', '.join(f'{ratio:.3f}' for ratio in found)}", flush=True)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != SAFE]
    mode = EngineMode.NO_EXTRA_BUFFERS if SAFE in sys.argv else EngineMode.DEFAULT
    main(Path(words[0]) if words else Path(gettempdir()), [Path(name) for name in words[1:]], mode)
