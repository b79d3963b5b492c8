"""Rows for the result store; invented, as everything in ``tests.support.documents``."""

from dataclasses import replace
from pathlib import Path

from advisor.benchmarks.model import TestResult
from advisor.benchmarks.store.model import EngineIdentity, MachineIdentity, ModelIdentity, RunEnd, Setup
from advisor.benchmarks.store.store import Store
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
