"""Rows for the result store; invented, as everything in ``tests.support.documents``."""

import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from advisor.benchmarks.model import TestResult
from advisor.benchmarks.store.connection import connected, transaction
from advisor.benchmarks.store.model import EngineIdentity, MachineIdentity, ModelIdentity, RunEnd, Setup
from advisor.benchmarks.store.rows import end_row, setup_row, test_row
from advisor.benchmarks.store.store import Store
from advisor.report.codec import json_text
from advisor.report.exporters.as_json import document_json
from tests.support import documents

STARTED_AT = "2026-11-29T14:05:00+01:00"
MEASURED_AT = "2026-11-29T14:06:10+01:00"
ENDED_AT = "2026-11-29T14:07:30+01:00"


def setup() -> Setup:
    """What was measured with."""
    return Setup(
        app_version="0.1.0",
        machine=MachineIdentity("12th Gen Intel Core i7-1260P", 16, ("Iris Xe", "RTX 4090")),
        model=ModelIdentity(
            "模型 Q4_K_M.gguf", "Llama 3.1 8B", 4_920_000_000, "ab" * 32, "llama", "Q4_K_M", {"Q4_K": 4_000_000_000}
        ),
        engine=EngineIdentity("llama-cpp-python", "0.3.36", "b-1234", "~/venv/bin/python"),
    )


def result(number: int = 0) -> TestResult:
    """A measurement that can be told from others by its threads."""
    return replace(documents.decode_test(documents.SUSPECT), n_threads=number + 1)


def filled(path: Path, tests: int = 3) -> Store:
    """A store with one finished run, whose key is "k"."""
    store = Store(path)
    store.begin_run("k", STARTED_AT, setup())
    for number in range(tests):
        store.add_test("k", MEASURED_AT, setup(), result(number))
    store.end_run("k", RunEnd(ENDED_AT))
    return store


def crowded(path: Path, runs: int, tests: int = 6) -> Store:
    """A store of so many finished runs of many models, written in one transaction; run N has the label "number N"."""
    store = Store(path)
    store.prepare()
    body = zlib.compress(json_text(document_json(documents.complete_document())).encode(), 1)
    base, rows = setup(), [test_row(MEASURED_AT, setup(), result(number)) for number in range(tests - 2)]
    rows += [test_row(MEASURED_AT, base, one) for one in (documents.prefill_test(), documents.decode_test())]
    names = ("Llama seven", "Gemma", "Qwen", "Mistral")
    with connected(path) as connection, transaction(connection):
        for number in range(1, runs + 1):
            made = replace(base, model=replace(base.model, name=f"{names[number % len(names)]} {number % 97}"))
            put(connection, "runs", {"key": str(number), "started_at": STARTED_AT, **setup_row(made)})
            for row in rows:
                put(connection, "tests", {"run_id": number, **row})
            put(connection, "run_ends", {"run_id": number, **end_row(RunEnd(ENDED_AT))})
            put(connection, "diagnoses", {"run_id": number, "body": body})
            put(connection, "run_marks", {"run_id": number, "label": f"number {number}"})
    return store


def put(connection: Connection, table: str, row: Mapping[str, Any]) -> None:
    """One row as it is."""
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
