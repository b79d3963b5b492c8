"""Comparisons as JSON; the schema is docs/schema/compare.schema.json."""

from collections.abc import Sequence
from typing import Any, Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedTest
from advisor.comparison.model import Comparison, Pair, Side
from advisor.core.evidence import Fact
from advisor.report.codec import Json, fact_fields, plain_fields
from advisor.report.compare_words import sentences
from advisor.report.privacy import without_personal_paths

COMPARE_SCHEMA: Final = "two-machines/compare/1"
NOT_SAID: Final = "the source does not tell"


def compare_json(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """``two-machines compare --json``: the first side, and every other against it."""
    clean = [without_personal_paths(each) for each in comparisons]
    return {
        "schema": COMPARE_SCHEMA,
        "first": _side(clean[0].base),
        "others": [_comparison(each) for each in clean],
    }


def _comparison(found: Comparison) -> Json:
    unknown = "too little is known of one side"
    result: Json = {**_side(found.other), "same_weights": found.same_weights, "same_machine": found.same_machine}
    for name in ("same_weights", "same_machine"):
        if result[name] is None:
            result[f"{name}_reason"] = unknown
    for phase in Phase:
        pair = found.main(phase)
        result[f"{phase}_ratio"] = pair.ratio if pair else None
        if pair is None:
            result[f"{phase}_ratio_reason"] = "no two tests of it can be put side by side"
    return result | {
        "differs": list(found.differs),
        "pairs": [_pair(pair) for pair in found.pairs],
        "gaps": [_with_reasons(plain_fields(gap), "a side's is not known") for gap in found.gaps],
        "only_first": [test.test for test in found.only_base],
        "only_this": [test.test for test in found.only_other],
        "sentences": sentences(found),
    }


def _pair(pair: Pair) -> Json:
    return _with_reasons(
        {
            "test": pair.base.test,
            "phase": pair.base.phase.value,
            "alike": pair.alike,
            "ratio": pair.ratio,
            "interval": list(pair.interval) if pair.interval else None,
            "outcome": pair.outcome.value,
            "differs": list(pair.differs),
            "unknown": list(pair.unknown),
            "first": test_json(pair.base),
            "this": test_json(pair.other),
        },
        "a side gives no spread",
    )


def _side(side: Side) -> Json:
    result: Json = {"name": side.name, "imported": side.imported, "model": _with_reasons(plain_fields(side.weights))}
    for name, words in (
        ("machine", side.machine.words), ("engine", side.engine), ("measured_at", side.measured_at),
    ):  # fmt: skip
        result[name] = words or None
    result = _with_reasons(result)
    prefill: Fact[float] | None = None
    decode: Fact[float] | None = None
    if (ceilings := side.ceilings.or_none()) is not None:
        prefill, decode = ceilings.prefill_tokens_per_s, ceilings.decode_tokens_per_s
    unknown = side.ceilings
    result |= fact_fields("prefill_ceiling_tokens_per_s", prefill or unknown)
    result |= fact_fields("decode_ceiling_tokens_per_s", decode or unknown)
    result |= fact_fields("read_bytes_per_s", side.read_bytes_per_s)
    return result | fact_fields("compute_flop_per_s", side.compute_flop_per_s)


def test_json(test: ReportedTest) -> Json:
    """One reported test; what its source does not say is null with the reason."""
    interval = test.interval_tokens_per_s
    body = {"test": test.test, **plain_fields(test), "interval_tokens_per_s": list(interval) if interval else None}
    return _with_reasons(body)


def _with_reasons(body: Json, reason: str = NOT_SAID) -> Json:
    """The object with a reason behind every null."""
    result: Json = {}
    for name, value in body.items():
        result[name] = value
        if value is None:
            result[f"{name}_reason"] = reason
    return result
