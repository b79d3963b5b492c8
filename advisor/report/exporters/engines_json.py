"""The list of engines as JSON; its schema is docs/schema/engines.schema.json."""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.engines.listed import ListedEngine
from advisor.benchmarks.model import TestResult
from advisor.core.evidence import Known
from advisor.report.codec import Json, fact_fields

ENGINES_SCHEMA: Final = "two-machines/engines/1"


def engines_json(listed: Sequence[ListedEngine]) -> Json:
    """``two-machines engines --json``; paths are whole, because they are there to be used."""
    return {"schema": ENGINES_SCHEMA, "engines": [_engine(each) for each in listed]}


def _engine(each: ListedEngine) -> Json:
    found = each.found
    checked = fact_fields("check", each.check)
    if isinstance(each.check, Known):
        checked["check"] = [_test(test) for test in each.check.value]
    return {
        "id": found.id,
        "kind": found.kind.value,
        "path": str(found.path).encode("utf-8", "replace").decode("utf-8"),
        "because": found.because,
        **fact_fields("engine", each.facts),
        **checked,
    }


def _test(test: TestResult) -> Json:
    return {
        "test": test.test,
        "tokens_per_s": test.tokens_per_s,
        "device": test.device,
        "safe_mode": test.safe_mode,
        "stamp": test.conditions.stamp.value,
    }
