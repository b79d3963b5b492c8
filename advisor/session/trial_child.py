"""Runs a child that compares two ways itself, and keeps its whole rounds whatever ends it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from advisor.benchmarks import failures
from advisor.benchmarks.supervisor import Ending, Limits, Message, run_child
from advisor.core.errors import UsageError
from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.session.trial_context import TrialContext, ended_early

SILENT_S: Final = 120.0
LEAST_S: Final = 600.0
SLOWER: Final = 20.0
"""A child is given up when it takes this many times the predicted seconds, which may be far off."""


def follow(
    context: TrialContext,
    request: Mapping[str, Any],
    take: Callable[[Message], None],
    stage: Callable[[], str],
    rounds: Callable[[], int],
    predicted_s: float,
    silent_s: float,
    cancel: CancelToken,
) -> tuple[str, ...]:
    """Run the child to its end; returns notes on what is not as planned.

    Args:
        context: which engine, and how many rounds there should be.
        request: of the worker.
        take: hears its messages.
        stage: what it is doing, for an error.
        rounds: whole rounds so far.
        predicted_s: seconds that it will probably take.
        silent_s: the longest that it says nothing, probably.
        cancel: to stop it.

    Raises:
        UsageError: the engine is another program, which takes no such task.
        Cancelled: stopped before the first whole round.
        EngineError: it failed before the first whole round.
    """
    if context.launch is None:
        raise UsageError(
            tr(
                "{name} cannot try this advice.", name=context.facts.name
            ), tr("Choose llama-cpp-python: two-machines engines")
        )
    limits = Limits(max(SILENT_S, SLOWER * silent_s), max(LEAST_S, SLOWER * predicted_s))
    outcome = run_child(request, context.launch, limits, take, cancel)
    if outcome.ending is Ending.DONE:
        return ()
    error = failures.explain(outcome, stage())
    done = rounds()
    if done < 1:
        raise error
    return (ended_early(done, context.rounds, error),)
