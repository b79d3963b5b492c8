"""Values to rows of the tables and back."""

import json
import logging
import zlib
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from advisor.benchmarks.model import TestResult
from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store.codec import decode, encode, unknown_fields
from advisor.benchmarks.store.model import (
    EngineIdentity,
    MachineIdentity,
    ModelIdentity,
    RunEnd,
    Setup,
    StoredDocument,
    StoredRun,
    StoredTest,
)
from advisor.core.retelling import retold
from advisor.core.translation import ENGLISH, language

log = logging.getLogger(__name__)

Row = dict[str, Any]
T = TypeVar("T")

_COLUMNS: Final = (
    "phase", "n_prompt", "n_gen", "n_depth", "n_streams", "n_threads", "n_batch", "n_ubatch", "flash_attention",
    "kv_type", "sweep", "engine", "device", "mode", "complete",
)  # fmt: skip
"""Fields of ``TestResult`` that are columns of the same name; the others lie in ``settings``."""

_PARTS: Final[dict[str, type]] = {"machine": MachineIdentity, "model": ModelIdentity, "engine": EngineIdentity}


def in_english(value: T) -> T:
    """The value as it is kept, whatever the window speaks; ``retold`` says it in the reader's language."""
    return retold(value, ENGLISH, language())


def setup_row(setup: Setup) -> Row:
    """The columns that ``runs`` and ``tests`` share: every field of every part under the part's name."""
    row: Row = {"app_version": _text(setup.app_version)}
    for name, cls in _PARTS.items():
        part = getattr(setup, name)
        values = encode(part) if part is not None else dict.fromkeys(_names(cls))
        row.update({f"{name}_{key}": cell(value) for key, value in values.items()})
    return row


def read_setup(row: Mapping[str, Any]) -> Setup:
    """The setup behind ``setup_row``. Raises ValueError."""
    parts: dict[str, Any] = {}
    for name, cls in _PARTS.items():
        values = {key: row[f"{name}_{key}"] for key in _names(cls)}
        for key in {"gpus", "types"} & values.keys():
            values[key] = json.loads(values[key])
        parts[name] = None if name == "engine" and values["kind"] is None else decode(cls, values)
    return Setup(app_version=row["app_version"], **parts)


def test_row(measured_at: str, setup: Setup, result: TestResult) -> Row:
    """A row of ``tests``, but for its run."""
    values = encode(in_english(result))
    row: Row = {"measured_at": measured_at, **setup_row(setup)}
    row.update({name: cell(values.pop(name)) for name in _COLUMNS})
    row["samples_s"] = cell(values.pop("samples_s"))
    row["stamp"] = values["conditions"]["stamp"]
    row["conditions"] = cell(values.pop("conditions"))
    row["settings"] = json.dumps(values)
    return row


def read_test(row: Mapping[str, Any]) -> StoredTest:
    """The measurement behind a row of ``tests``.

    Raises:
        ValueError: when this version cannot understand it, or it is no measurement that could be.
    """
    values = json.loads(row["settings"])
    values.update({name: row[name] for name in _COLUMNS})
    values["complete"] = bool(values["complete"])
    values.update({name: json.loads(row[name]) for name in ("samples_s", "conditions")})
    result: TestResult = decode(TestResult, values)
    if result.tokens < 1 or not result.samples_s or min(result.samples_s) <= 0:
        raise ValueError("a measurement of nothing")
    other = unknown_fields(TestResult, values)
    return StoredTest(row["run_id"], row["measured_at"], read_setup(row), retold(result), other)


def read_run(row: Mapping[str, Any], tests: tuple[StoredTest, ...], unreadable: int) -> StoredRun:
    """The run behind a row of ``runs`` joined with its end and its marks. Raises ValueError."""
    end = None
    if row["ended_at"] is not None:
        end = retold(RunEnd(row["ended_at"], row["error_code"], row["sentence"], row["hint"]))
    return StoredRun(
        number=row["id"],
        started_at=row["started_at"],
        setup=read_setup(row),
        workload=retold(row["workload"]),
        end=end,
        label=row["label"] or "",
        note=row["note"] or "",
        deleted_at=row["deleted_at"],
        tests=tests,
        unreadable=unreadable,
        imported=retold(decode(ReportedRun, json.loads(row["report"])), ENGLISH) if row["report"] is not None else None,
        document=_read_document(row) if row["kind"] is not None else None,
    )


def document_row(document: StoredDocument) -> Row:
    """A row of ``documents``, but for its run."""
    values = encode(in_english(document))
    body = zlib.compress(json.dumps(values.pop("body")).encode())
    return {**{key: cell(value) for key, value in values.items()}, "body": body}


def _read_document(row: Mapping[str, Any]) -> StoredDocument:
    values = {name: row[name] for name in ("kind", "place", "stamp")}
    values["figures"] = json.loads(row["figures"])
    document: StoredDocument = decode(StoredDocument, values)
    if row["body"] is None:
        return document
    try:
        return replace(document, body=json.loads(zlib.decompress(row["body"])))
    except (zlib.error, TypeError, ValueError) as error:  # its figures are still worth a line
        log.warning("the experiment of run %s cannot be understood: %s", row["id"], error)
        return document


def end_row(end: RunEnd) -> Row:
    """A row of ``run_ends``, but for its run."""
    return {key: cell(value) for key, value in encode(in_english(end)).items()}


def _names(cls: type) -> list[str]:
    return [each.name for each in fields(cls)]


def cell(value: Any) -> Any:
    """A plain value as SQLite takes it: lists and objects as JSON."""
    if isinstance(value, str):
        return _text(value)
    return json.dumps(value) if isinstance(value, list | dict) else value


def _text(value: str) -> str:
    """A file name that is no UTF-8 reaches Python with lone surrogates, which SQLite does not take."""
    return value.encode("utf-8", "replace").decode("utf-8")
