"""Stored runs as JSON; the schema is docs/schema/history.schema.json."""

from collections.abc import Sequence
from typing import Any, Final

from advisor.benchmarks.store.model import ModelIdentity, Setup, StoredRun, StoredTest
from advisor.report.codec import Json, plain_fields
from advisor.report.exporters.as_json import measurement_json
from advisor.report.exporters.import_json import report_json
from advisor.report.exporters.stored_json import stored_json
from advisor.report.privacy import without_personal_paths

HISTORY_SCHEMA: Final = "two-machines/history/1"
NO_END: Final = "it still runs, or the program or the computer stopped in the middle"


def history_json(runs: Sequence[StoredRun], more: bool) -> dict[str, Any]:
    """``two-machines history --json``, in the order given; ``more``: whether there are others that were left out."""
    return {"schema": HISTORY_SCHEMA, "more": more, "runs": [_run(without_personal_paths(run)) for run in runs]}


def _run(run: StoredRun) -> Json:
    end = run.end
    return {
        "run": run.number,
        "started_at": run.started_at,
        "workload": run.workload,
        "ended_at": end.ended_at if end else None,
        **({} if end else {"ended_at_reason": NO_END}),
        "error": {"code": end.error_code, "sentence": end.sentence, "hint": end.hint}
        if end and end.error_code
        else None,
        "label": run.label,
        "note": run.note,
        "deleted_at": run.deleted_at,
        **_setup(run.setup),
        "unreadable_tests": run.unreadable,
        "tests": [_test(test) for test in run.tests],
        **({"imported": report_json(run.imported)} if run.imported else {}),
        **({"document": stored_json(run.document)} if run.document else {}),
    }


def _test(test: StoredTest) -> Json:
    setup = _setup(test.setup)
    return {
        **measurement_json(test.result),
        "measured_at": test.measured_at,
        "app_version": setup["app_version"],
        "model": setup["model"],
        "engine_facts": setup["engine"],
        "other_settings": dict(test.extra),
    }


def _setup(setup: Setup) -> Json:
    return {
        "app_version": setup.app_version,
        "machine": plain_fields(setup.machine),
        "model": _model(setup.model),
        "engine": plain_fields(setup.engine) if setup.engine else None,
        **({} if setup.engine else {"engine_reason": "no engine answered"}),
    }


def _model(model: ModelIdentity) -> Json:
    result = plain_fields(model)
    for name, reason in (("header_sha256", "the file could not be read"), ("label", "the file does not say")):
        if not result[name]:
            result |= {name: None, f"{name}_reason": reason}
    return result
