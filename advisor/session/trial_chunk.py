"""Tries reading prompts in pieces: the present size and the advised one by turns, in one child."""

from dataclasses import replace
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.stutter.model import ChunkSize
from advisor.benchmarks.stutter.run import STEADY_STEPS, StutterRun, request_of
from advisor.benchmarks.trials.model import LEAST_ROUNDS, ChunkTrial, Pair, StallCheck, Trial
from advisor.benchmarks.trials.rounds import counted
from advisor.benchmarks.trials.watching import Watch
from advisor.core.errors import EngineError
from advisor.core.evidence import Basis, Known
from advisor.core.numbers import count, seconds, times
from advisor.core.progress import CancelToken
from advisor.core.stats import median
from advisor.core.translation import tr, trn
from advisor.session.clock import RunClock
from advisor.session.events import Listener
from advisor.session.stuttering import stamp_of
from advisor.session.trial_child import follow
from advisor.session.trial_context import TrialContext

STEP: Final = "chunk"


def run(context: TrialContext, plan: ChunkTrial, listener: Listener, cancel: CancelToken) -> Trial:
    """Let the plan's prompt arrive, or a shorter one where it would take too long, and check the stall budget.

    Raises:
        EngineError: one of the sizes cannot be run, or the engine failed.
        Cancelled: stopped before the first whole round.
    """
    cut = shortened(plan, context.prefill.tokens_per_s, context.rounds, context.budget_s)
    spec = replace(
        context.spec(Phase.PREFILL), n_prompt=cut.prompt_tokens, n_gen=STEADY_STEPS, n_depth=cut.depth,
        n_streams=cut.streams,
    )
    request = request_of(
        context.model.engine_file, spec, sorted({cut.before_tokens, cut.after_tokens}), context.mode,
        context.placement, context.rounds, LEAST_ROUNDS, context.budget_s,
    )  # fmt: skip
    cold_s = cut.prompt_tokens / context.prefill.tokens_per_s
    whole_s = predicted_s(context, plan)
    clock = RunClock(listener)
    clock.plan({STEP: whole_s})
    child = StutterRun(Watch(clock.say), context.machine.power)
    clock.begin(STEP, tr("Loading the model"))
    notes = follow(
        context, request, child.take, lambda: child.stage, lambda: _rounds(child, cut), whole_s, cold_s, cancel
    )
    if not notes:
        clock.finish(tr("Tried"))
    return _trial(context, plan, cut, child, notes)


def predicted_s(context: TrialContext, plan: ChunkTrial) -> float:
    """Seconds that trying it will take: the prompt in both sizes and every round, and once the streams' own depth."""
    cut = shortened(plan, context.prefill.tokens_per_s, context.rounds, context.budget_s)
    tokens = 2 * context.rounds * cut.prompt_tokens + cut.depth * cut.streams
    return tokens / context.prefill.tokens_per_s


def shortened(plan: ChunkTrial, tokens_per_s: float, rounds: int, budget_s: float) -> ChunkTrial:
    """The plan with a prompt that fits the time, but never below one piece of the present size."""
    fitting = int(budget_s * tokens_per_s / (2 * rounds))
    prompt = min(plan.prompt_tokens, max(plan.before_tokens, fitting))
    return replace(plan, prompt_tokens=prompt, before_tokens=min(plan.before_tokens, prompt))


def _rounds(child: StutterRun, plan: ChunkTrial) -> int:
    """Whole rounds: both sizes were measured."""
    return min(len(child.clocks.get(tokens, ())) for tokens in (plan.before_tokens, plan.after_tokens))


def _trial(
    context: TrialContext, plan: ChunkTrial, cut: ChunkTrial, child: StutterRun, notes: tuple[str, ...]
) -> Trial:
    stamps = child.finish()
    if child.left_out:
        raise EngineError(tr("One of the sizes cannot be run: {why}", why=next(iter(child.left_out.values()))))
    whole = _rounds(child, cut)
    good = [number for number in counted(stamps) if number < whole]
    ways = [[child.clocks[tokens][number] for number in good] for tokens in (cut.before_tokens, cut.after_tokens)]
    worst = [tuple(clock.worst_s for clock in clocks) for clocks in ways]
    first_s = [median([clock.first_token_s for clock in clocks]) for clocks in ways]
    check = StallCheck(plan.stall_s, median(worst[0]), median(worst[1]), *first_s)
    sizes = tuple(
        ChunkSize(tokens, tuple(clocks))
        for tokens, clocks in zip((cut.before_tokens, cut.after_tokens), ways, strict=True)
    )
    share = () if cut == plan else (
        tr(
            "Tried on a prompt of {n} tokens instead of {whole}, to keep it short.",
            n=count(cut.prompt_tokens), whole=count(plan.prompt_tokens),
        ),
    )
    disturbed = whole - len(good)
    out = () if not disturbed else (
        trn(
            "{n}\u00a0round left out: disturbed.", "{n}\u00a0rounds left out: disturbed.", disturbed, n=count(disturbed)
        ),
    )
    steady_s = median([gap for clock in ways[1] for gap in clock.before_s])
    return Trial(
        context.advice,
        _per_step(cut.before_tokens),
        _per_step(cut.after_tokens),
        (Pair(Phase.DECODE, tr("longest pause of a stream"), worst[0], worst[1]),),
        stamp_of(sizes, stamps, context.machine),
        context.created_at,
        stall=Known(check, Basis.MEASURED, tr("a prompt of {n} tokens", n=count(cut.prompt_tokens))),
        notes=(*notes, *stall_words(check, steady_s), *share, *out),
    )


def _per_step(tokens: int) -> str:
    return trn("{n}\u00a0prompt token per step", "{n}\u00a0prompt tokens per step", tokens, n=count(tokens))


def stall_words(check: StallCheck, steady_s: float) -> tuple[str, ...]:
    """Whether the budget is kept, and what it costs the prompt."""
    ratio = check.first_token_after_s / check.first_token_before_s
    values = {
        "budget": seconds(check.budget_s), "after": seconds(check.worst_after_s),
        "before": seconds(check.worst_before_s), "steady": seconds(steady_s),
    }  # fmt: skip
    if check.kept:
        said = tr(
            "The stall budget of {budget} is kept: the longest pause is {after} instead of {before}; without a prompt "
            "a token takes {steady}.",
            **values,
        )
    else:
        said = tr(
            "The stall budget of {budget} is not kept: the longest pause is {after} instead of {before}; without a "
            "prompt a token takes {steady}.",
            **values,
        )
    first = tr(
        "The prompt's own first token comes after {after} instead of {before} ({times}).",
        after=seconds(check.first_token_after_s), before=seconds(check.first_token_before_s), times=times(ratio),
    )  # fmt: skip
    return said, first
