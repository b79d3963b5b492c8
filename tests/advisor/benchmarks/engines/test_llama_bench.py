"""The engine that measures through llama-bench, with an invented llama-bench."""

import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.engines.engine import Listening, Measured
from advisor.benchmarks.engines.llama_bench import LlamaBenchEngine
from advisor.benchmarks.engines.llama_bench_command import arguments, groups, placing
from advisor.benchmarks.engines.llama_bench_help import abilities
from advisor.benchmarks.job import Job, Placement, PlannedTest
from advisor.benchmarks.model import EngineMode, FlashAttention, Phase, Stamp, TestResult, TestSpec
from advisor.benchmarks.steadiness import Repeat
from advisor.benchmarks.supervisor import Limits
from advisor.core.errors import Cancelled, EngineCrashed, EngineError, EngineMissing, EngineTimeout
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.hardware.model import Power

FAKE = Path(__file__).resolve().parents[3] / "support" / "fake_llama_bench.py"
FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "llama_bench"
MAINS = Power(Unknown("no battery", Missing.NOT_APPLICABLE), Unknown("none", Missing.NOT_SUPPORTED))
LIMITS = Limits(silence_s=2.0, total_s=20.0)
NEW = abilities((FIXTURES / "help-2026-11.txt").read_text(encoding="utf-8"))
OLD = abilities((FIXTURES / "help-2024-01.txt").read_text(encoding="utf-8"))
PREFILL = TestSpec(phase=Phase.PREFILL, n_prompt=512, n_gen=0, n_threads=2, n_batch=2048, n_ubatch=512)
DECODE = replace(PREFILL, phase=Phase.DECODE, n_prompt=0, n_gen=128)

signals = pytest.mark.skipif(sys.platform == "win32", reason="the fake program plays POSIX signals")


def engine(mode: str) -> LlamaBenchEngine:
    return LlamaBenchEngine(FAKE, (sys.executable, str(FAKE), mode))


def job(*specs: TestSpec, mode: EngineMode = EngineMode.DEFAULT, placement: Placement | None = None) -> Job:
    tests = tuple(PlannedTest(spec, Repeat(3, 9), 1.0) for spec in specs or (PREFILL, DECODE))
    return Job(Path("none.gguf"), tests, mode, placement or Placement(), "CPU", "llama-bench")


class Heard:
    def __init__(self) -> None:
        self.phases: list[str] = []
        self.repetitions: list[tuple[int, float]] = []
        self.finished: list[TestResult] = []

    def listening(self) -> Listening:
        return Listening(
            lambda _reading: None,
            self.phases.append,
            lambda test, seconds: self.repetitions.append((test, seconds)),
            self.finished.append,
        )


def measure(mode: str, what: Job | None = None, heard: Heard | None = None) -> Measured:
    return engine(mode).measure(what or job(), LIMITS, MAINS, (heard or Heard()).listening(), CancelToken())


@pytest.mark.parametrize("mode", ["good", "old"])
def test_rows_become_results_in_new_and_old_versions(mode: str) -> None:
    heard = Heard()
    measured = measure(mode, heard=heard)
    assert measured.error is None
    assert [(t.test, t.samples_s, t.complete) for t in measured.tests] == [
        ("pp512", (0.5,) * 3, True),
        ("tg128", (1.0,) * 3, True),
    ]
    assert {(t.engine, t.device) for t in measured.tests} == {("llama-bench 9999 (abc1234)", "CPU")}
    assert [t.test for t in heard.finished] == ["pp512", "tg128"]
    assert heard.repetitions == [(0, 0.5)] * 3 + [(1, 1.0)] * 3
    assert heard.phases[0] == "Loading the model"
    assert ("Prefill, repetition 1 of 3" in heard.phases) == (mode == "good")


def test_tests_of_other_settings_run_in_processes_of_their_own_and_keep_their_order() -> None:
    deep = replace(DECODE, n_depth=4096)
    slow = replace(DECODE, n_threads=1)
    measured = measure("good", job(DECODE, PREFILL, deep, slow))
    assert measured.error is None
    assert [(t.test, t.n_threads) for t in measured.tests] == [
        ("tg128", 2), ("pp512", 2), ("tg128 @ d4096", 2), ("tg128", 1)
    ]  # fmt: skip
    assert [len(group.tests) for group in groups(job(DECODE, PREFILL, DECODE, deep, slow))] == [1, 2, 1, 1]


@signals
def test_a_crash_in_prefill_asks_for_safe_mode_which_leaves_the_extra_buffers_out() -> None:
    crashed = measure("crash-unless-safe")
    assert crashed.crashed_early
    assert isinstance(crashed.error, EngineCrashed)
    assert "SIGSEGV" in crashed.error.sentence
    safe = measure("crash-unless-safe", job(mode=EngineMode.NO_EXTRA_BUFFERS))
    assert safe.error is None
    assert all(test.safe_mode for test in safe.tests)


@signals
def test_a_crash_in_decode_keeps_prefill() -> None:
    measured = measure("crash-in-decode")
    assert not measured.crashed_early
    assert [(t.test, t.complete) for t in measured.tests] == [("pp512", True)]
    assert isinstance(measured.error, EngineCrashed)
    assert "decode" in measured.error.sentence


def test_output_that_breaks_off_keeps_what_was_whole() -> None:
    measured = measure("truncated")
    assert [t.test for t in measured.tests] == ["pp512"]
    assert isinstance(measured.error, EngineError)
    assert "exit code 1" in measured.error.sentence


@pytest.mark.parametrize("mode", ["lie", "deaf-to-threads"])
def test_a_row_that_cannot_be_is_no_measurement(mode: str) -> None:
    measured = measure(mode)
    assert measured.tests == ()
    assert measured.error is not None
    assert "cannot be right" in measured.error.sentence


def test_silence_ends_it() -> None:
    assert isinstance(measure("silent").error, EngineTimeout)


def test_stop_ends_it_within_a_second() -> None:
    token = CancelToken()
    threading.Timer(0.5, token.cancel).start()
    started = time.monotonic()
    measured = engine("silent").measure(job(), Limits(60, 60), MAINS, Heard().listening(), token)
    assert isinstance(measured.error, Cancelled)
    assert time.monotonic() - started < 5.0


def test_why_a_model_did_not_load_is_asked_for() -> None:
    error = measure("bad-model").error
    assert isinstance(error, EngineError)
    assert error.sentence.startswith("The file is fine, but this engine does not know its architecture")
    assert error.fields["reason"] == "unknown_architecture"


def test_several_streams_are_left_out_with_a_reason() -> None:
    many = replace(DECODE, n_streams=4)
    assert engine("good").why_not(many)
    assert not engine("good").why_not(DECODE)
    assert measure("good", job(many)).error is not None


def test_a_version_that_cannot_leave_its_extra_buffers_out_says_so_beside_the_figures() -> None:
    measured = measure("old", job(mode=EngineMode.NO_EXTRA_BUFFERS))
    assert measured.error is None
    for test in measured.tests:
        assert test.conditions.stamp is not Stamp.VALID
        assert "this llama-bench cannot leave its extra buffers out" in test.conditions.because


def test_a_version_without_an_option_says_what_is_missing() -> None:
    error = measure("old", job(replace(DECODE, n_depth=512))).error
    assert error is not None
    assert error.sentence == "This llama-bench has no option for tokens that are already in the cache."


def test_the_command_line_says_everything() -> None:
    spec = replace(DECODE, n_depth=64, kv_type="q8_0", flash_attention=FlashAttention.OFF)
    placement = Placement(("CUDA0", "RPC0"), 20, (("exps", "CPU"), ("attn", "CUDA0")), (3.0, 1.5), ("a:1", "b:2"))
    group = groups(job(spec))[0]
    words = arguments(group, Path("m.gguf"), EngineMode.NO_EXTRA_BUFFERS, placement, NEW)
    assert " ".join(words) == (
        "-m m.gguf -r 3 -o jsonl -p 0 -n 128 -t 2 -b 2048 -ub 512 -d 64 -ctk q8_0 -ctv q8_0 -fa 0 --repack 0 --progress"
        " -rpc a:1,b:2 -dev CUDA0/RPC0 -ngl 20 -ts 3/1.5 -ot exps=CPU;attn=CUDA0"
    )
    assert placing(Placement(("CPU",)), NEW) == ["-dev", "none"]
    assert placing(Placement(("CPU",)), OLD) == ["-ngl", "0"]
    old = arguments(groups(job(PREFILL))[0], Path("m.gguf"), EngineMode.DEFAULT, Placement(), OLD)
    assert " ".join(old) == "-m m.gguf -r 3 -o json -p 512 -n 0 -t 2 -b 2048"


def test_patterns_that_its_option_cannot_carry_are_refused() -> None:
    with pytest.raises(EngineError, match="no comma"):
        placing(Placement(tensor_overrides=(("blk.(1,2)", "CPU"),)), NEW)


def test_facts_come_from_the_program_itself() -> None:
    facts = engine("good").read_facts(CancelToken())
    assert isinstance(facts, Known)
    assert (facts.value.name, facts.value.version, facts.value.gpu_offload) == ("llama-bench", "9999 (abc1234)", True)
    assert [device.name for device in facts.value.devices] == ["CUDA0", "CUDA1", "CPU"]
    assert len(facts.value.build) == 12
    old = engine("old").read_facts(CancelToken())
    assert isinstance(old, Known)
    assert old.value.version == "of an unknown version"
    assert [device.name for device in old.value.devices] == ["CPU"]


def test_a_program_that_is_not_there_or_is_another_is_unknown_with_the_reason(tmp_path: Path) -> None:
    gone = LlamaBenchEngine(tmp_path / "llama-bench")
    facts = gone.read_facts(CancelToken())
    assert isinstance(facts, Unknown)
    assert facts.kind is Missing.TOOL_MISSING
    assert isinstance(gone.measure(job(), LIMITS, MAINS, Heard().listening(), CancelToken()).error, EngineMissing)
    other = LlamaBenchEngine(Path(sys.executable)).read_facts(CancelToken())
    assert isinstance(other, Unknown)
    assert "is not llama-bench" in other.reason
