"""The JSON of the command ``try``."""

from collections.abc import Sequence
from typing import Final

from advisor.recommendations.model import Advice
from advisor.report.codec import Json, plain_fields
from advisor.report.document import Document
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.trials_json import advice_json, ledger_json, trial_json
from advisor.report.privacy import without_personal_paths

TRY_SCHEMA: Final = "two-machines/try/1"
NOT_ASKED: Final = "nothing was tried, since no advice was named"


def try_json(
    document: Document, can_be_tried: Sequence[tuple[Advice, float]], predicted: Advice | None = None,
    advice: Advice | None = None,
) -> Json:
    """``two-machines try --json``.

    Args:
        document: the diagnosis, with the new trial as its last one where there is one.
        can_be_tried: advice as shown, with the predicted seconds of trying it.
        predicted: the advice before it was tried; None where only a list was asked for.
        advice: the same afterwards.
    """
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


def _candidate(advice: Advice, takes_s: float) -> Json:
    names = ("id", "title", "phase", "saved_s", "saved_s_low", "saved_s_high", "saves_what", "basis")
    whole = plain_fields(advice)
    return {**{name: whole[name] for name in names}, "takes_s": takes_s}
