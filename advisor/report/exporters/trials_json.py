"""Advice, trials and ledger as JSON; every null with its reason."""

from collections.abc import Sequence
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
from advisor.report.document import Document
from advisor.report.privacy import without_personal_paths

TRY_SCHEMA: Final = "two-machines/try/1"
NOT_ASKED: Final = "nothing was tried, since no advice was named"

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


def try_json(
    document: Document, can_be_tried: Sequence[tuple[Advice, float | None]], predicted: Advice | None = None,
    advice: Advice | None = None,
) -> Json:
    """``two-machines try --json``.

    Args:
        document: the diagnosis, with the new trial as its last one where there is one.
        can_be_tried: advice as shown, with the predicted seconds of trying it.
        predicted: the advice before it was tried; None where only a list was asked for.
        advice: the same afterwards.
    """
    from advisor.report.exporters.as_json import document_json

    clean, before, after = without_personal_paths((document, predicted, advice), model_path=document.model.path)
    whole = document_json(document)
    result: Json = {"schema": TRY_SCHEMA, "can_be_tried": [_candidate(one, takes_s) for one, takes_s in can_be_tried]}
    for name, held in (("predicted", before), ("advice", after)):
        result[name] = None if held is None else advice_json(held)
        if held is None:
            result[f"{name}_reason"] = NOT_ASKED
    result["trial"] = None if after is None or after.tried is None else trial_json(after.tried)
    if result["trial"] is None:
        result["trial_reason"] = NOT_ASKED
    kept = ("workload", "model", "machine", "engine")
    return {
        **result, "ledger": ledger_json(clean.ledger),
        **{key: value for key, value in whole.items() if key.startswith(kept)},
    }  # fmt: skip


def _candidate(advice: Advice, takes_s: float | None) -> Json:
    names = ("id", "title", "phase", "saved_s", "saved_s_low", "saved_s_high", "saves_what", "basis")
    whole = plain_fields(advice)
    reason = {"takes_s_reason": "it depends on what is found on the way"} if takes_s is None else {}
    return {**{name: whole[name] for name in names}, "takes_s": takes_s, **reason}


def _plan(plan: TrialPlan) -> Json:
    result: Json = {"kind": _KINDS[type(plan)], **plain_fields(plan)}
    for name in ("before", "after"):
        if name in result and result[name]["model"] is None:
            result[name]["model_reason"] = "the file that was diagnosed"
    if "draft" in result and result["draft"] is None:
        result["draft_reason"] = "guessed from the text so far"
    return result
