"""The step of safe mode that the product chooses for the real engine on this machine's processor."""

from functools import cache

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.model import EngineMode
from advisor.benchmarks.self_test import find_mode
from advisor.core.evidence import Known
from advisor.core.progress import CancelToken
from advisor.hardware.detect import read_machine


@cache
def engine_mode() -> EngineMode:
    """What the self-test finds of this Python's engine, once per process.

    Tests that give the engine a job past the pipeline, which would ask the self-test, run it in this mode: some builds
    crash in their default mode on processors with AMX.
    """
    return mode_of(EmbeddedEngine())


def mode_of(engine: EmbeddedEngine) -> EngineMode:
    """The same of any engine."""
    facts = engine.read_facts(CancelToken())
    assert isinstance(facts, Known), facts
    found = find_mode(engine, facts.value, read_machine(), "CPU", CancelToken())
    assert isinstance(found, Known), found
    return found.value.mode
