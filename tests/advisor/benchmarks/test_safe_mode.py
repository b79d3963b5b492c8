from pathlib import Path

import pytest

from advisor.benchmarks.model import EngineMode
from advisor.benchmarks.safe_mode import SafeModes


def test_a_choice_outlives_the_program_and_belongs_to_one_build_on_one_cpu(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "safe_mode.json"
    SafeModes(path).remember(
        "build-a", "a CPU", "the engine crashed while running prefill (SIGSEGV)", EngineMode.NO_EXTRA_BUFFERS
    )
    reason = SafeModes(path).reason("build-a", "a CPU")
    assert reason is not None
    assert "SIGSEGV" in reason.happened
    assert SafeModes(path).reason("build-b", "a CPU") is None
    assert SafeModes(path).reason("build-a", "another CPU") is None


def test_two_choices_are_kept_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "safe_mode.json"
    SafeModes(path).remember("a", "cpu", "one", EngineMode.NO_EXTRA_BUFFERS)
    SafeModes(path).remember("b", "cpu", "two", EngineMode.NO_EXTRA_BUFFERS)
    assert SafeModes(path).reason("a", "cpu") is not None
    assert SafeModes(path).reason("b", "cpu") is not None


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"schema": 99}', '{"schema": 2, "safe_mode": {"a on cpu": 3}}', "\x00"]
)
def test_a_damaged_store_is_only_a_loss_of_memory(tmp_path: Path, content: str) -> None:
    path = tmp_path / "safe_mode.json"
    path.write_text(content)
    store = SafeModes(path)
    assert store.reason("a", "cpu") is None
    store.remember("a", "cpu", "again", EngineMode.NO_EXTRA_BUFFERS)
    assert SafeModes(path).reason("a", "cpu") is not None


def test_a_place_that_cannot_be_written_still_remembers_for_this_session(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = SafeModes(tmp_path / "file" / "safe_mode.json")
    store.remember("a", "cpu", "a crash", EngineMode.NO_EXTRA_BUFFERS)
    assert store.reason("a", "cpu") is not None
