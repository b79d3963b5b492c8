"""Points of curves on the real engine: depth, streams, KV types, and one that it refuses."""

from dataclasses import replace

import pytest

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Listening, Measured
from advisor.benchmarks.job import Job, Placement, PlannedTest
from advisor.benchmarks.model import FlashAttention, Phase, Sweep, TestSpec
from advisor.benchmarks.steadiness import Repeat
from advisor.benchmarks.supervisor import Limits
from advisor.core.evidence import Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.hardware.model import Power
from tests.support.engine_mode import engine_mode
from tests.support.sample import sample_path

pytestmark = [pytest.mark.engine, pytest.mark.timeout(300)]

MAINS = Power(Unknown("no battery", Missing.NOT_APPLICABLE), Unknown("none", Missing.NOT_SUPPORTED))
# One thread: threads that wait for each other on a busy machine are not the subject.
PP = TestSpec(phase=Phase.PREFILL, n_prompt=32, n_gen=0, n_threads=1, n_batch=2048, n_ubatch=512)
TG = replace(PP, phase=Phase.DECODE, n_prompt=0, n_gen=4)
DEEP = replace(TG, n_depth=96, sweep=Sweep.DEPTH)
POINTS = (
    DEEP,
    replace(PP, n_depth=96, sweep=Sweep.DEPTH),
    replace(TG, n_streams=4, sweep=Sweep.BATCH),
    replace(TG, n_streams=4, n_depth=96, sweep=Sweep.BATCH),
    replace(DEEP, kv_type="q8_0", sweep=Sweep.KV_TYPE),
    replace(DEEP, kv_type="q8_0", flash_attention=FlashAttention.OFF, sweep=Sweep.KV_TYPE),
    replace(PP, n_ubatch=16, sweep=Sweep.UBATCH),
)


def measure(budget_s: float | None = None) -> tuple[Measured, list[int]]:
    tests = [PlannedTest(spec, Repeat(2, 2), 0.1) for spec in (PP, TG)]
    tests += [PlannedTest(spec, Repeat(2, 2), 0.1, 0.3, essential=False) for spec in POINTS]
    job = Job(
        sample_path(), tuple(tests), engine_mode(), Placement(), "CPU", "an engine", budget_s=budget_s
    )
    filled: list[int] = []
    listening = Listening(
        lambda _: None, lambda _: None, lambda _i, _s: None, lambda _: None, lambda index, _s: filled.append(index)
    )
    return EmbeddedEngine().measure(job, Limits(120, 280), MAINS, listening, CancelToken()), filled


def test_every_point_runs_but_the_one_that_the_engine_refuses() -> None:
    measured, filled = measure()
    assert measured.error is None
    ran = [(test.test, test.kv_type, len(test.samples_s)) for test in measured.tests]
    assert ran == [
        ("pp32", "f16", 2), ("tg4", "f16", 2),
        ("tg4 @ d96", "f16", 2), ("pp32 @ d96", "f16", 2),
        ("tg4 x 4", "f16", 2), ("tg4 x 4 @ d96", "f16", 2),
        ("tg4 @ d96", "q8_0", 2), ("pp32", "f16", 2),
    ]  # fmt: skip
    assert all(test.complete for test in measured.tests)
    # A quantised cache of values needs flash attention: the engine says so itself.
    ((index, reason),) = measured.left_out
    assert index == 2 + 5
    assert "could not make a context" in reason
    # Tests of the same depth, cache and streams share one filling across contexts.
    assert filled == [2, 5, 6]


def test_without_time_the_phases_are_measured_all_the_same() -> None:
    measured, filled = measure(budget_s=0.001)
    assert measured.error is None
    assert [test.test for test in measured.tests] == ["pp32", "tg4"]
    assert [reason for _, reason in measured.left_out] == ["there was no time left"] * len(POINTS)
    assert filled == []
