"""Safe mode in a run: the self-test before it, and the ladder where only a real model crashes."""

import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineDevice, EngineFacts, EngineMode
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.hardware.detect import read_machine
from advisor.hardware.model import Machine
from advisor.session.paths import user_paths
from advisor.session.pipeline import Pipeline
from tests.support.children import bad_child
from tests.support.invented_runs import ENGINE, Run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the bad child plays POSIX signals")


@pytest.fixture(scope="module")
def machine() -> Machine:
    return read_machine()


def test_a_native_crash_leads_to_safe_mode_said_aloud_and_remembered(machine: Machine) -> None:
    run = Run(bad_child("crash-unless-safe"), machine)
    assert run.document.interrupted == ""
    assert all(test.safe_mode for test in run.document.tests)
    assert "safe mode" in run.remarks()
    assert user_paths().safe_modes.is_file()
    # The next run does not try the crashing mode again: a child that always crashes unless safe would say so twice.
    again = Run(bad_child("crash-unless-safe"), machine)
    assert all(test.safe_mode for test in again.document.tests)
    assert "Trying again" not in again.remarks()
    assert "safe mode" in again.remarks()


def with_cpu(engine: Known[EngineFacts] = ENGINE) -> Known[EngineFacts]:
    nothing = Unknown("not told", Missing.NOT_SUPPORTED)
    device = EngineDevice("CPU", "a CPU", "cpu", nothing, nothing)
    return replace(engine, value=replace(engine.value, devices=(device,)))


def test_a_fault_that_the_self_test_finds_never_happens_in_front_of_the_user(machine: Machine) -> None:
    run = Run(bad_child("crash-unless-safe"), machine, engine=with_cpu())
    assert "Trying again" not in run.remarks()
    assert "The engine runs in safe mode: the engine crashed while warming up for prefill (SIGSEGV)" in run.remarks()
    assert all(test.mode is EngineMode.NO_EXTRA_BUFFERS for test in run.document.tests)
    assert isinstance(run.document.engine, Known)
    check = run.document.engine.value.safe_mode
    assert check is not None
    assert check.mode is EngineMode.NO_EXTRA_BUFFERS


def test_a_second_start_does_not_test_again(machine: Machine) -> None:
    first = Pipeline(EmbeddedEngine(bad_child("good"))).check_engine(with_cpu(), machine, CancelToken())
    assert isinstance(first, Known)
    assert first.value.devices[0].self_test.or_none() is not None
    nobody = Pipeline(EmbeddedEngine(Launch(("no such program",))))
    again = nobody.check_engine(with_cpu(), machine, CancelToken())
    assert isinstance(again, Known)
    assert again.value.devices[0].self_test == first.value.devices[0].self_test


def test_a_self_test_that_cannot_be_made_stands_in_nobodys_way(machine: Machine) -> None:
    nobody = Pipeline(EmbeddedEngine(Launch(("no such program",))))
    checked = nobody.check_engine(with_cpu(), machine, CancelToken())
    assert isinstance(checked, Known)
    found = checked.value.devices[0].self_test
    assert isinstance(found, Unknown)
    assert "could not be started" in found.reason
    assert not user_paths().safe_modes.exists()


def test_two_jobs_of_one_window_test_the_engine_once(machine: Machine, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    pipeline = Pipeline(EmbeddedEngine(bad_child("needs-one-thread", str(calls))))
    jobs = [
        threading.Thread(target=pipeline.check_engine, args=(with_cpu(), machine, CancelToken())) for _ in range(2)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert len(calls.read_text().splitlines()) <= 7


def test_what_only_a_real_model_shows_still_leads_down_the_ladder(machine: Machine) -> None:
    run = Run(bad_child("crash-on-real-models"), machine, engine=with_cpu())
    assert "Trying again in safe mode" in run.remarks()
    assert all(test.safe_mode for test in run.document.tests)
    again = Run(bad_child("crash-on-real-models"), machine, engine=with_cpu())
    assert "Trying again" not in again.remarks()


def test_a_crash_that_does_not_come_again_is_not_remembered(machine: Machine, tmp_path: Path) -> None:
    run = Run(bad_child("crash-once", str(tmp_path / "crashed")), machine)
    assert run.document.interrupted == ""
    assert all(test.safe_mode for test in run.document.tests)
    assert not user_paths().safe_modes.exists()


def test_running_out_of_memory_is_no_reason_for_safe_mode(machine: Machine) -> None:
    run = Run(bad_child("out-of-memory"), machine)
    assert run.document.interrupted.startswith("Memory ran out while loading the model.")
    assert "safe mode" not in run.remarks()
    assert not user_paths().safe_modes.exists()


def test_a_remembered_safe_mode_can_be_forgotten(machine: Machine) -> None:
    run = Run(bad_child("crash-unless-safe"), machine)
    assert user_paths().safe_modes.is_file()
    assert run.pipeline.forget_safe_modes()
    assert not user_paths().safe_modes.exists()
    assert not run.pipeline.forget_safe_modes()
    assert "Trying again in safe mode" in Run(bad_child("crash-unless-safe"), machine).remarks()


def test_a_crash_in_safe_mode_too_is_a_clear_error_and_nothing_is_remembered(machine: Machine) -> None:
    run = Run(bad_child("crash-always"), machine)
    assert "crashed" in run.document.interrupted
    assert "SIGSEGV" in run.document.interrupted
    assert not user_paths().safe_modes.exists()
    assert isinstance(run.document.verdict, Unknown)
