"""Tries prefix reuse: a prompt read whole, and again after its beginning was kept, by turns, in one child."""

from typing import Final

from advisor.benchmarks.job import in_mode, wire_model, wire_spec
from advisor.benchmarks.model import Phase
from advisor.benchmarks.trials.model import LEAST_ROUNDS, Pair, PrefixTrial, Trial
from advisor.benchmarks.trials.prefix_run import Case, Kept, PrefixRun
from advisor.benchmarks.trials.watching import Watch
from advisor.core.numbers import count, seconds, size
from advisor.core.progress import CancelToken
from advisor.core.stats import median
from advisor.core.translation import tr, trn
from advisor.session.clock import RunClock
from advisor.session.events import Listener
from advisor.session.trial_child import follow
from advisor.session.trial_context import TrialContext

EXTRA_READS: Final = 2
"""Readings of the whole prompt beside the rounds': the warm-up, and one that was changed at the beginning."""
TURNS: Final = 2
"""Readings of each kind in one round where there is time for them, so that each kind goes first once."""
LEAST_TOKENS: Final = 64
STEP: Final = "prefix"


def run(context: TrialContext, plan: PrefixTrial, listener: Listener, cancel: CancelToken) -> Trial:
    """Read prompts of the plan's lengths, or shorter ones in the same proportion where they would take too long.

    Raises:
        EngineError: no beginning can be kept, or the engine failed.
        Cancelled: stopped before the first whole round.
    """
    cut = shortened(plan, context.prefill.tokens_per_s, context.rounds, context.budget_s)
    turns = turns_of(context, cut)
    spec = in_mode(context.spec(Phase.PREFILL), context.mode)
    request = {
        "task": "prefix",
        **wire_model(context.model.engine_file, context.mode, context.placement),
        "prompt_tokens": cut.prompt_tokens,
        "shared_tokens": cut.shared_tokens,
        "rounds": context.rounds,
        "least_rounds": LEAST_ROUNDS,
        "budget_s": context.budget_s,
        "turns": turns,
        "test": wire_spec(spec),
    }
    cold_s = cut.prompt_tokens / context.prefill.tokens_per_s
    takes_s = _takes_s(context, cut, turns)
    clock = RunClock(listener)
    clock.plan({STEP: takes_s})
    watch = Watch(clock.say)
    clock.begin(STEP, tr("Loading the model"))
    child = PrefixRun(watch, turns=turns)
    notes = follow(
        context, request, child.take, lambda: child.stage, lambda: len(child.both()[0]), takes_s, cold_s, cancel
    )
    if not notes:
        clock.finish(tr("Tried"))
    cold, shared = child.both()
    share = () if cut == plan else (
        tr(
            "Tried on a prompt of {n} tokens instead of {whole}, to keep it "
            "short; the shared part is the same share of it.",
            n=count(cut.prompt_tokens), whole=count(plan.prompt_tokens),
        ),
    )
    return Trial(
        context.advice,
        tr("the whole prompt read again"),
        tr("the first {tokens} kept", tokens=_tokens(cut.shared_tokens)),
        (Pair(Phase.PREFILL, tr("a prompt of {n} tokens", n=count(cut.prompt_tokens)), cold, shared),),
        watch.judged((cold, shared), context.machine.power),
        context.created_at,
        notes=(*notes, *share, *_kept(child, cut), *_cases(child), *_answers(child)),
    )


def predicted_s(context: TrialContext, plan: PrefixTrial) -> float:
    """Seconds that it will take, loading left out."""
    cut = shortened(plan, context.prefill.tokens_per_s, context.rounds, context.budget_s)
    return _takes_s(context, cut, turns_of(context, cut))


def turns_of(context: TrialContext, cut: PrefixTrial) -> int:
    """Readings of each kind in one round, as many as let all rounds fit the time."""
    return next((turns for turns in range(TURNS, 1, -1) if _takes_s(context, cut, turns) <= context.budget_s), 1)


def _takes_s(context: TrialContext, cut: PrefixTrial, turns: int) -> float:
    cold_s = cut.prompt_tokens / context.prefill.tokens_per_s
    return cold_s * _reads(cut, context.rounds * turns)


def _reads(plan: PrefixTrial, turns: int) -> float:
    """How often the prompt is read, a part of it counting as that part."""
    return turns * (2 - plan.shared_tokens / plan.prompt_tokens) + EXTRA_READS


def shortened(plan: PrefixTrial, tokens_per_s: float, rounds: int, budget_s: float) -> PrefixTrial:
    """The plan at lengths that fit the time, the shared part at least one token and not all of the prompt."""
    longest = int(budget_s * tokens_per_s / _reads(plan, rounds))
    prompt = min(plan.prompt_tokens, max(LEAST_TOKENS, longest))
    shared = round(plan.shared_tokens * prompt / plan.prompt_tokens)
    return PrefixTrial(prompt, max(1, min(shared, prompt - 1)))


def _kept(child: PrefixRun, cut: PrefixTrial) -> tuple[str, ...]:
    """What the engine allowed, in plain words."""
    window = _tokens(child.window)
    if child.kept is Kept.FULL_WINDOW:
        said = tr(
            "With its ordinary cache this model cannot go on there: some layers keep only about the last {window}. "
            "It was tried with a cache that keeps everything (llama-server --swa-full).",
            window=window,
        )
        return (said,)
    if child.kept is Kept.COPY:
        said = tr(
            "This model's state cannot be cut back. A copy of it ({size}), made after the first "
            "{tokens}, was taken up again, as llama-server does with its checkpoints; "
            "without a copy at that place nothing is saved.",
            size=size(child.copy_bytes), tokens=_tokens(cut.shared_tokens),
        )  # fmt: skip
        return (said,)
    if child.window:
        said = tr(
            "Some layers keep only about the last {window}; the rest of this prompt is short enough that they still "
            "held what was needed.",
            window=window,
        )
        return (said,)
    return ()


def _tokens(number: int) -> str:
    return trn("{n}\u00a0token", "{n}\u00a0tokens", number, n=count(number))


def _cases(child: PrefixRun) -> tuple[str, ...]:
    found = []
    identical, early = child.seconds[Case.IDENTICAL], child.seconds[Case.EARLY]
    if identical:
        again = seconds(median(list(identical.values())))
        found.append(tr("The identical prompt took {time}: its last token is always read again.", time=again))
    if early:
        found.append(
            tr(
                "Changed in its first token, the prompt took {time}: nothing was left "
                "to reuse.",
                time=seconds(median(list(early.values()))),
            )
        )
    return tuple(found)


def _answers(child: PrefixRun) -> tuple[str, ...]:
    wrong = child.agrees.count(False)
    if not child.agrees:
        return ()
    if not wrong:
        return (tr("The answers agreed with those of the whole prompt."),)
    said = trn(
        "In {wrong} of {n}\u00a0check the answer did not agree with that of the whole prompt.",
        "In {wrong} of {n}\u00a0checks the answer did not agree with that of the whole prompt.",
        len(child.agrees), wrong=wrong, n=count(len(child.agrees)),
    )  # fmt: skip
    return (said,)
