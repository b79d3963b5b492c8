"""The engine's self-test against children that misbehave in every way, and on the real engine."""

import sys
from pathlib import Path

import pytest

from advisor.benchmarks import self_test, tiny_model
from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineCheck, EngineFacts, EngineMode
from advisor.benchmarks.self_test import find_mode
from advisor.benchmarks.supervisor import Limits
from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.gguf.architecture import read_model
from advisor.hardware.detect import read_machine
from advisor.hardware.model import Machine
from tests.support.children import bad_child

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the bad child plays POSIX signals")

FACTS = EngineFacts("an engine", "0", "build", "", "python", False, ())


@pytest.fixture(scope="module")
def machine() -> Machine:
    return read_machine()


@pytest.fixture(autouse=True)
def _short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_test, "LIMITS", Limits(silence_s=4.0, total_s=10.0))


def find(launch: Launch, machine: Machine) -> Fact[EngineCheck]:
    return find_mode(EmbeddedEngine(launch), FACTS, machine, "CPU", CancelToken())


def test_an_engine_that_works_runs_in_default_mode(machine: Machine) -> None:
    found = find(bad_child("good"), machine)
    assert isinstance(found, Known)
    assert (found.value.mode, found.value.happened, found.value.fault) == (EngineMode.DEFAULT, "", "")


def test_it_steps_to_the_first_mode_that_works_and_no_further(machine: Machine) -> None:
    found = find(bad_child("crash-unless-safe"), machine)
    assert isinstance(found, Known)
    assert found.value.mode is EngineMode.NO_EXTRA_BUFFERS
    assert found.value.happened == "the engine crashed while warming up for prefill (SIGSEGV)"


def test_the_ladder_is_climbed_down_to_its_end_when_only_that_helps(tmp_path: Path) -> None:
    """A fault of two threads in decode: each mode above is given two chances, the last one needs one."""
    two_threads = read_machine()
    if two_threads.cpu.usable_threads < 2:
        pytest.skip("one usable thread: there is no fault of several to be found")
    calls = tmp_path / "calls"
    found = find(bad_child("needs-one-thread", str(calls)), two_threads)
    assert isinstance(found, Known)
    assert found.value.mode is EngineMode.ONE_THREAD
    assert "running decode (SIGABRT)" in found.value.happened
    assert calls.read_text().splitlines() == ["1 auto 2"] * 2 + ["0 auto 2"] * 2 + ["0 off 2"] * 2 + ["0 off 1"]


def test_one_crash_that_does_not_come_again_is_chance(machine: Machine, tmp_path: Path) -> None:
    found = find(bad_child("crash-once", str(tmp_path / "crashed")), machine)
    assert isinstance(found, Known)
    assert found.value.mode is EngineMode.DEFAULT


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("crash-always", "crashed"),
        ("silent", "hung"),
        ("junk", "cannot be right"),
        ("long-line", "cannot be right"),
        ("closes-pipe", "without a result"),
        ("failure", "does not fit"),
        ("out-of-memory", "Memory ran out"),
        ("stops-itself", "paused from outside"),
        ("echo-environment", "without a result"),
    ],
)
def test_whatever_the_child_does_the_test_ends_with_a_reason(mode: str, reason: str, machine: Machine) -> None:
    found = find(bad_child(mode), machine)
    assert isinstance(found, Unknown)
    assert reason in found.reason


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
def test_being_killed_says_nothing_about_the_engine(signal: str, machine: Machine) -> None:
    found = find(bad_child("dies-of", signal), machine)
    assert isinstance(found, Unknown)
    assert found.kind is Missing.FAILED


@pytest.mark.parametrize("mode", ["chatter", "log-flood", "grandchild", "result-then-hang"])
def test_noise_around_a_good_answer_does_no_harm(mode: str, machine: Machine) -> None:
    assert isinstance(find(bad_child(mode), machine), Known)


def test_the_tiny_model_is_one_that_our_own_reader_takes(tmp_path: Path) -> None:
    path = tiny_model.write(tmp_path / "tiny.gguf")
    model = read_model(path)
    assert model.architecture == "llama"
    assert set(model.types) >= {"Q4_0", "Q4_K", "Q6_K", "Q8_0"}
    assert path.stat().st_size < 1_000_000


@pytest.mark.engine
def test_the_real_engine_runs_the_tiny_model_in_some_mode(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    engine = EmbeddedEngine()
    facts = engine.read_facts(CancelToken())
    assert isinstance(facts, Known)
    found = find_mode(engine, facts.value, machine, "CPU", CancelToken())
    assert isinstance(found, Known)
    if found.value.mode is not EngineMode.DEFAULT and "AMX_INT8 = 1" in facts.value.system_info:
        assert "#26954" in found.value.fault
