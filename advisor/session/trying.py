"""Tries an advice: the thing as it is and as advised, by turns, under one protocol."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from advisor.benchmarks.trials.model import (
    ChunkTrial,
    PrefixTrial,
    QuantiseTrial,
    SettingTrial,
    SpeculateTrial,
    Trial,
    TrialPlan,
)
from advisor.core.progress import CancelToken
from advisor.session import trial_chunk, trial_prefix, trial_quantise, trial_setting, trial_speculate
from advisor.session.events import Listener
from advisor.session.trial_context import TrialContext

Runner = Callable[[TrialContext, Any, Listener, CancelToken], Trial]
"""Runs the trials of one kind of plan. Raises AdvisorError, and Cancelled before the first whole round."""

Predicting = Callable[[TrialContext, Any], float]
"""Seconds that a plan of one kind will take."""

RUNNERS: Final[Mapping[type, tuple[Runner, Predicting]]] = MappingProxyType({
    SettingTrial: (trial_setting.run, trial_setting.predicted_s),
    QuantiseTrial: (trial_quantise.run, trial_quantise.predicted_s),
    PrefixTrial: (trial_prefix.run, trial_prefix.predicted_s),
    SpeculateTrial: (trial_speculate.run, trial_speculate.predicted_s),
    ChunkTrial: (trial_chunk.run, trial_chunk.predicted_s),
})


def run(context: TrialContext, plan: TrialPlan, listener: Listener, cancel: CancelToken) -> Trial:
    """The experiment that the plan describes; stopped after at least one whole round it is kept, with a note.

    Raises:
        Cancelled: stopped before anything could be compared.
        AdvisorError: one of the two ways failed; sentence and hint say which.
    """
    runner, _ = RUNNERS[type(plan)]
    return replace(runner(context, plan, listener, cancel), plan=plan)


def predicted_s(context: TrialContext, plan: TrialPlan) -> float:
    """Seconds that trying it will take."""
    _, predicting = RUNNERS[type(plan)]
    return predicting(context, plan)
