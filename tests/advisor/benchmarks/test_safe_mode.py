from pathlib import Path

import pytest

from advisor.benchmarks.model import EngineCheck, EngineMode
from advisor.benchmarks.safe_mode import SafeModes

CRASHED = EngineCheck(
    EngineMode.NO_EXTRA_BUFFERS,
    "the engine crashed while running prefill (SIGSEGV)",
    "A known fault.",
    "Rebuild it",
    "2026-01-02",
)
WORKS = EngineCheck(EngineMode.DEFAULT, since="2026-01-02")


def test_a_check_outlives_the_program_and_belongs_to_one_build_on_one_cpu_and_device(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "safe_mode.json"
    SafeModes(path).remember("build-a", "a CPU", "CPU", CRASHED)
    assert SafeModes(path).find("build-a", "a CPU", "CPU") == CRASHED
    assert SafeModes(path).find("build-b", "a CPU", "CPU") is None
    assert SafeModes(path).find("build-a", "another CPU", "CPU") is None
    assert SafeModes(path).find("build-a", "a CPU", "CUDA0") is None


def test_two_windows_see_what_the_other_one_found_and_forgot(tmp_path: Path) -> None:
    one, other = SafeModes(tmp_path / "safe_mode.json"), SafeModes(tmp_path / "safe_mode.json")
    one.remember("a", "cpu", "CPU", CRASHED)
    other.remember("b", "cpu", "CPU", WORKS)
    assert (one.find("b", "cpu", "CPU"), other.find("a", "cpu", "CPU")) == (WORKS, CRASHED)
    assert other.forget()
    assert one.find("a", "cpu", "CPU") is None
    assert not one.forget()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"schema": 99}',
        '{"schema": 3, "checks": {"a on cpu, CPU": 3}}',
        '{"schema": 3, "checks": {"a on cpu, CPU": {"mode": 1}}}',
        '{"schema": 2, "safe_mode": {"a on cpu": {"happened": "x", "since": "y", "mode": 1}}}',
        "\x00",
    ],
)
def test_a_damaged_or_old_store_is_only_a_loss_of_memory(tmp_path: Path, content: str) -> None:
    path = tmp_path / "safe_mode.json"
    path.write_text(content)
    store = SafeModes(path)
    assert store.find("a", "cpu", "CPU") is None
    store.remember("a", "cpu", "CPU", CRASHED)
    assert SafeModes(path).find("a", "cpu", "CPU") == CRASHED


def test_a_place_that_cannot_be_written_still_remembers_for_this_session(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = SafeModes(tmp_path / "file" / "safe_mode.json")
    store.remember("a", "cpu", "CPU", CRASHED)
    assert store.find("a", "cpu", "CPU") == CRASHED
