"""Tries speculative decoding: short texts written plainly and with guessing, by turns, in one child."""

from importlib.resources import as_file, files
from typing import Any, Final

from advisor.benchmarks.job import in_mode, wire_model, wire_spec
from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import tokens
from advisor.benchmarks.quantising import TEXT
from advisor.benchmarks.trials.model import LEAST_ROUNDS, Outcome, Pair, SpeculateTrial, Trial
from advisor.benchmarks.trials.speculate_run import SpeculateRun, TextRun
from advisor.benchmarks.trials.watching import Watch
from advisor.ceilings.speculation import acceptance_from, best_draft, break_even, step_costs
from advisor.core.errors import BadFile
from advisor.core.evidence import Basis, Known
from advisor.core.numbers import count, digits, percent, times
from advisor.core.progress import CancelToken
from advisor.core.translation import tr, trn
from advisor.session.clock import RunClock
from advisor.session.events import Listener
from advisor.session.trial_child import follow
from advisor.session.trial_context import TrialContext

EDIT: Final = "edit"
PROSE: Final = "prose"
"""The worker's texts: a program written again with a small change, and prose that repeats nothing."""

LEAST_TOKENS: Final = 32
MOST_TOKENS: Final = 128
PROMPT_TOKENS: Final = 400
"""About as long as the longer text's prompt."""
READING_SHARE: Final = 0.5
"""Part of the time in which what stands before the texts may be read."""
RAMP_STEPS: Final = 150
"""What measuring steps of several tokens costs, in steps of one, on a machine where they are dear."""
LOOPING: Final = 0.3
"""Share of repeated four-token groups from which a text counts as going round in circles; prose has a few per cent."""
STEP: Final = "speculate"


def run(context: TrialContext, plan: SpeculateTrial, listener: Listener, cancel: CancelToken) -> Trial:
    """Write a text that suits the plan, and the other one where there is time.

    Guessing from the text so far is advised where answers repeat their prompt, so it is tried on such a text first; a
    draft model on free prose.

    Raises:
        BadFile: there is no such draft model.
        EngineError: its vocabulary is another one, the model's memory cannot be cut back, or the engine failed.
        Cancelled: stopped before the first whole round.
    """
    if plan.draft is not None and not plan.draft.is_file():
        raise BadFile(
            tr("There is no draft model {name}.", name=plan.draft.name), tr("Choose the GGUF file of a small model.")
        )
    step_s = 1 / context.decode.tokens_per_s
    n_gen = _tokens(context, step_s)
    n_before = before_tokens(context, plan)
    takes_s = _takes_s(context, n_gen, step_s, n_before)
    clock = RunClock(listener)
    clock.plan({STEP: takes_s})
    watch = Watch(clock.say)
    clock.begin(STEP, tr("Loading the model"))
    child = SpeculateRun(watch)
    with as_file(files("resources").joinpath("texts").joinpath(TEXT)) as before:
        request = request_of(context, plan, n_gen) | {"before": str(before), "n_before": n_before}
        notes = follow(
            context, request, child.take, lambda: child.stage, lambda: _rounds(child), takes_s,
            (n_before + PROMPT_TOKENS) / context.prefill.tokens_per_s, cancel,
        )  # fmt: skip
    if not notes:
        clock.finish(tr("Tried"))
    return _trial(context, plan, child, notes)


def before_tokens(context: TrialContext, plan: SpeculateTrial) -> int:
    """Tokens in front of each text, so that it is written as deep as the work does, as far as there is time to read."""
    readable = int(READING_SHARE * context.budget_s * context.prefill.tokens_per_s)
    return max(0, min(plan.depth_tokens - PROMPT_TOKENS, readable))


def request_of(context: TrialContext, plan: SpeculateTrial, n_gen: int) -> dict[str, Any]:
    """What the worker is asked."""
    return {
        "task": "speculate",
        **wire_model(context.model.engine_file, context.mode, context.placement),
        "draft": None if plan.draft is None else str(plan.draft),
        "n_draft": plan.n_draft,
        "n_gen": n_gen,
        "texts": [EDIT, PROSE] if plan.draft is None else [PROSE, EDIT],
        "follow": "model",
        "rounds": context.rounds,
        "least_rounds": LEAST_ROUNDS,
        "budget_s": context.budget_s,
        "test": wire_spec(in_mode(context.spec(Phase.DECODE), context.mode)),
    }


def predicted_s(context: TrialContext, plan: SpeculateTrial) -> float:
    """Seconds that it will take, loading left out: two texts, both ways."""
    step_s = 1 / context.decode.tokens_per_s
    return _takes_s(context, _tokens(context, step_s), step_s, before_tokens(context, plan))


def _takes_s(context: TrialContext, n_gen: int, step_s: float, n_before: int) -> float:
    rounds_s = 4 * context.rounds * n_gen * step_s
    reading_s = (n_before + 2 * PROMPT_TOKENS) / context.prefill.tokens_per_s
    return min(rounds_s, max(context.budget_s, LEAST_ROUNDS * rounds_s / context.rounds)) + reading_s + (
        RAMP_STEPS * step_s
    )


def _tokens(context: TrialContext, step_s: float) -> int:
    """Tokens of each text that let all rounds fit the time, within reason."""
    fitting = context.budget_s / (4 * context.rounds * step_s)
    return max(LEAST_TOKENS, min(MOST_TOKENS, int(fitting) // 8 * 8))


def _rounds(child: SpeculateRun) -> int:
    """Whole rounds of the first text."""
    first = next(iter(child.texts.values()), None)
    return 0 if first is None else len(first.both()[0])


def _trial(context: TrialContext, plan: SpeculateTrial, child: SpeculateRun, notes: tuple[str, ...]) -> Trial:
    first, *others = child.texts.values()
    pair = _pair(first)
    assert pair is not None
    speculated = child.speculated(first)
    return Trial(
        context.advice,
        tr("one token per step"),
        _guessed(plan),
        (pair,),
        child.watch.judged(first.both(), context.machine.power),
        context.created_at,
        speculated=Known(speculated, Basis.MEASURED, tr("counted while {text} was written", text=first.words)),
        notes=(*notes, *_words_of(first), *_cost(plan, child, first), *(_beside(other) for other in others)),
    )


def _guessed(plan: SpeculateTrial) -> str:
    n = plan.n_draft
    if plan.draft is None:
        return trn(
            "up to {n}\u00a0guess per step from the text so far",
            "up to {n}\u00a0guesses per step from the text so far",
            n, n=count(n),
        )  # fmt: skip
    return trn(
        "up to {n}\u00a0guess per step by {name}", "up to {n}\u00a0guesses per step by {name}",
        n, n=count(n), name=plan.draft.name,
    )  # fmt: skip


def _pair(text: TextRun) -> Pair | None:
    plain, guessing = text.both()
    if not plain:
        return None
    what = (
        trn("{n} token of {text} at a depth of {depth}", "{n} tokens of {text} at a depth of {depth}", text.tokens,
            n=count(text.tokens), text=text.words, depth=tokens(text.prompt_tokens))
        if text.prompt_tokens
        else trn("{n} token of {text}", "{n} tokens of {text}", text.tokens, n=count(text.tokens), text=text.words)
    )
    return Pair(Phase.DECODE, what, plain, guessing)


def _words_of(text: TextRun) -> tuple[str, ...]:
    """What belongs to the written words themselves."""
    said = []
    if text.led:
        said.append(
            tr(
                "The model has no words of its own, so it was led along the text: its steps were computed and timed as "
                "ever, and the text's own next word counted as its answer.",
            )
        )
    elif text.differs_at is None:
        said.append(tr("Both ways wrote the same words."))
    else:
        said.append(
            tr(
                "From token {n} on the two ways wrote different words: steps of several tokens "
                "add up in another order, and two words were almost equally probable.",
                n=count(text.differs_at + 1),
            )
        )
    if text.repeated >= LOOPING and not text.led:
        said.append(
            tr(
                "The model repeated itself ({share} of what it wrote), so guessing was easier than in a "
                "good answer.",
                share=percent(text.repeated),
            )
        )
    return tuple(said)


def _cost(plan: SpeculateTrial, child: SpeculateRun, text: TextRun) -> tuple[str, ...]:
    """What checking guesses costs here, and from how many right ones it gains."""
    speculated = child.speculated(text)
    if len(speculated.step_s) < 2 or not text.drafts:
        return ()
    verify = step_costs(speculated.step_s)
    n_draft, cost = plan.n_draft, speculated.draft_cost
    right = break_even(n_draft, cost, verify)
    checking = trn(
        "Checking {n}\u00a0guess costs {times} a step of one token",
        "Checking {n}\u00a0guesses costs {times} a step of one token",
        n_draft, n=count(n_draft), times=times(verify(n_draft + 1)),
    )  # fmt: skip
    if right is None:
        return (tr("{checking}, so that not even right guesses gain.", checking=checking),)
    said = [
        tr(
            "{checking}; it gains where a guess is right in more than {share} of cases.",
            checking=checking, share=percent(right),
        )
    ]  # fmt: skip
    best = best_draft(acceptance_from(text.accepted / text.drafts, n_draft), cost, verify)
    if best.n_draft == 0 != n_draft:
        said.append(tr("With guesses as right as these, it would be best not to guess."))
    elif best.n_draft != n_draft:
        said.append(
            trn(
                "With guesses as right as these, {n}\u00a0guess per step would be best.",
                "With guesses as right as these, {n}\u00a0guesses per step would be best.",
                best.n_draft, n=count(best.n_draft),
            )
        )  # fmt: skip
    return tuple(said)


def _beside(text: TextRun) -> str:
    """The other text in one sentence."""
    pair = _pair(text)
    if pair is None:
        return tr("There was no time for {text}.", text=text.words)
    share = percent(abs(1 - pair.ratio))
    if pair.outcome in (Outcome.SAME, Outcome.UNSURE):
        said = tr(pair.outcome)
    elif pair.ratio < 1:
        said = tr("{share} less time", share=share)
    else:
        said = tr("{share} more time", share=share)
    steps = digits(text.tokens_per_step)
    if text.repeated >= LOOPING and not text.led:
        return tr(
            "On {text}: {said}, {n} tokens per step; the model repeated itself there ({share}).",
            text=text.words, said=said, n=steps, share=percent(text.repeated),
        )  # fmt: skip
    return tr("On {text}: {said}, {n} tokens per step.", text=text.words, said=said, n=steps)
