"""Advice, trials and ledger as JSON; every null with its reason."""

from typing import Final

from advisor.benchmarks.trials.model import (
    ChunkTrial,
    PrefixTrial,
    QuantiseTrial,
    SettingTrial,
    SpeculateTrial,
    Trial,
    TrialPlan,
)
from advisor.core.evidence import Known
from advisor.recommendations.ledger import Ledger
from advisor.recommendations.model import Advice
from advisor.recommendations.tried import outcome
from advisor.report.codec import Json, plain_fields

_KINDS: Final[dict[type, str]] = {
    SettingTrial: "setting", QuantiseTrial: "quantise", PrefixTrial: "prefix", SpeculateTrial: "speculate",
    ChunkTrial: "chunk",
}  # fmt: skip


def advice_json(advice: Advice) -> Json:
    """An advice with how it can be tried and what trying it showed."""
    result = plain_fields(advice)
    result["trial"] = None if advice.trial is None else _plan(advice.trial)
    if advice.trial is None:
        result["trial_reason"] = "it cannot be tried by this program here"
    result["tried"] = None if advice.tried is None else trial_json(advice.tried)
    if advice.tried is None:
        result["tried_reason"] = "not tried here"
    found = outcome(advice)
    result["outcome"] = None if found is None else str(found)
    if found is None:
        result["outcome_reason"] = "not tried here" if advice.tried is None else "the trial must not be believed"
    return result


def trial_json(trial: Trial) -> Json:
    """An experiment: raw seconds of every round, and what they come to."""
    result = plain_fields(trial)
    result["rounds"] = trial.rounds
    if isinstance(trial.stall, Known):
        result["stall"]["kept"] = trial.stall.value.kept
    for pair, row in zip(trial.pairs, result["pairs"], strict=True):
        low, high = pair.interval
        row |= {"ratio": pair.ratio, "ratio_low": low, "ratio_high": high, "outcome": str(pair.outcome)}
    result["plan"] = None if trial.plan is None else _plan(trial.plan)
    if trial.plan is None:
        result["plan_reason"] = "it was not written down"
    return result


def ledger_json(ledger: Ledger) -> Json:
    """How the predictions of each advice held on this machine."""
    return {"tries": ledger.tries, "held": ledger.held, **plain_fields(ledger)}


def _plan(plan: TrialPlan) -> Json:
    result: Json = {"kind": _KINDS[type(plan)], **plain_fields(plan)}
    for name in ("before", "after"):
        if name in result and result[name]["model"] is None:
            result[name]["model_reason"] = "the file that was diagnosed"
    if "draft" in result and result["draft"] is None:
        result["draft_reason"] = "guessed from the text so far"
    return result
