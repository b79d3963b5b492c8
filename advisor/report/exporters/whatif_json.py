"""The JSON of the command ``what-if``."""

from collections.abc import Mapping
from typing import Final

from advisor.report.codec import Json, plain, plain_fields
from advisor.report.privacy import without_personal_paths
from advisor.report.whatif_words import answer_sentences, limits
from advisor.whatif.model import Base, Considered, WhatIf
from advisor.whatif.money import Money

WHAT_IF_SCHEMA: Final = "two-machines/what-if/1"
NO_PRICE: Final = "no price was given"


def whatif_json(considered: Considered, money: Mapping[str, Money]) -> Json:
    """``two-machines what-if --json``; ``money`` by name of the change."""
    clean = without_personal_paths(considered, model_path=considered.base.model.path)
    return {
        "schema": WHAT_IF_SCHEMA,
        "model": clean.base.model.name,
        "workload": plain(clean.base.asked),
        "now": _now(clean.base),
        "answers": [_answer(clean.base, answer, money.get(answer.change.name)) for answer in clean.answers],
        "notes": list(clean.notes),
        "limits": list(limits(clean)),
    }


def _now(base: Base) -> Json:
    return {
        "basis": str(base.basis),
        "source": base.source,
        "prefill_tokens_per_s": base.here.prefill_tokens_per_s,
        "decode_tokens_per_s": base.here.decode_tokens_per_s,
        "wait_s": base.wait_s,
        "stream_s": base.stream_s,
        "needed_bytes": base.needed_bytes,
        "room_bytes": base.room_bytes,
        "reading_share": base.reading_share,
        "prefill_reading_share": base.prefill_reading_share,
        "on_card": base.on_card,
    }


def _answer(base: Base, answer: WhatIf, money: Money | None) -> Json:
    whole = plain_fields(answer)
    change = whole.pop("change")
    fit = change.pop("fit")
    result: Json = {**change, **fit, "fits": answer.change.fit.fits, **whole}
    result["sentences"] = list(answer_sentences(base, answer, money))
    result["money"] = (
        None
        if money is None
        else {
            "price": money.price,
            "requests_per_day": money.requests_per_day,
            "years": money.years,
            "saved_s_per_unit": money.saved_s_per_unit,
            "price_per_saved_s": money.price_per_saved_s,
            "saved_s_per_day": money.saved_s_per_day,
            "price_per_hour": money.price_per_hour,
        }
    )
    if money is None:
        result["money_reason"] = NO_PRICE
    return result
