"""Imported runs as JSON; the schema is docs/schema/import.schema.json."""

from collections.abc import Sequence
from typing import Any, Final

from advisor.benchmarks.reported import ReportedRun
from advisor.diagnosis.model import Workload
from advisor.report.codec import Json
from advisor.report.exporters.compare_json import NOT_SAID, test_json
from advisor.report.import_words import sentences
from advisor.report.privacy import without_personal_paths

IMPORT_SCHEMA: Final = "two-machines/import/1"


def import_json(
    runs: Sequence[ReportedRun], numbers: Sequence[int], workload: Workload, device: Sequence[Sequence[str]] = ()
) -> dict[str, Any]:
    """``two-machines import --json``.

    Args:
        runs: as read.
        numbers: the runs' in the history, empty where they are not kept.
        workload: to answer for.
        device: what is said of the device of each run; empty where nothing is.
    """
    kept: list[int | None] = [*numbers] or [None] * len(runs)
    said = [*device] or [()] * len(runs)
    return {
        "schema": IMPORT_SCHEMA,
        "runs": [
            {"run": number, **({} if number else {"run_reason": "not kept"}), **report_json(run),
             "sentences": [*sentences(run, workload), *words]}
            for run, number, words in zip(runs, kept, said, strict=True)
        ],
    }  # fmt: skip


def report_json(run: ReportedRun) -> Json:
    """One imported run; what its source does not say is null with the reason."""
    clean = without_personal_paths(run)
    result: Json = {"origin": "imported"}
    for name in ("tool", "form", "source", "model", "quantisation", "model_bytes", "parameters", "cpu", "build",
                 "measured_at"):  # fmt: skip
        value = getattr(clean, name)
        result[name] = value or None
        if not value:
            result[f"{name}_reason"] = NOT_SAID
    result["gpus"] = list(clean.gpus)
    if clean.request is not None:
        result["request"] = clean.request
    return result | {"tests": [test_json(test) for test in clean.tests], "unread": list(clean.unread_english)}
