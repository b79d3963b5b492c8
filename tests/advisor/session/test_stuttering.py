"""The stutter experiment on a child that crashes as it is told to."""

import sys
from pathlib import Path

import pytest

from advisor.benchmarks.job import OWN_CHOICE
from advisor.benchmarks.model import EngineMode
from advisor.benchmarks.planning.settings import BenchSettings
from advisor.benchmarks.stutter.model import Stutter
from advisor.core.errors import EngineCrashed
from advisor.core.evidence import Unknown
from advisor.core.progress import CancelToken
from advisor.gguf.architecture import read_model
from advisor.hardware.detect import read_machine
from advisor.session.events import Event, Remark
from advisor.session.stuttering import Question, Setting, measure_stutter, spec_of
from tests.support.children import bad_child
from tests.support.gguf_builder import decoder
from tests.support.trial_contexts import FACTS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the bad child plays POSIX signals")


def measured(folder: Path, crashes: int, when: str, chunks: tuple[int, ...] = (64, 128, 0)) -> tuple[Stutter, str]:
    """The experiment, and what was said aloud meanwhile."""
    said: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Remark):
            said.append(event.sentence)

    machine, question = read_machine(), Question(300, 2, chunks, rounds=3)
    launch, model = bad_child("stutter", str(crashes), when), read_model(decoder().write(folder / "tiny.gguf"))
    setting = Setting(launch, FACTS, model, machine, EngineMode.DEFAULT, "CPU", OWN_CHOICE)
    spec = spec_of(question, BenchSettings(n_threads=1), machine)
    found = measure_stutter(question, spec, setting, Unknown("not asked for"), listen, CancelToken())
    return found, " ".join(said)


@pytest.mark.parametrize("when", ["warming", "0", "1"])
def test_a_size_that_kills_the_child_is_left_out_and_the_others_are_measured(when: str, tmp_path: Path) -> None:
    found, said = measured(tmp_path, 300, when)
    assert [(size.chunk_tokens, len(size.clocks)) for size in found.sizes] == [(64, 3), (128, 3)]
    assert len(found.round_conditions) == 3
    (left_out,) = found.left_out
    assert left_out.startswith("Pieces of 300\xa0tokens were left out: The engine crashed")
    assert "Going on without pieces of 300\xa0tokens." in said
    assert found.mode is EngineMode.DEFAULT
    assert not found.interrupted


@pytest.mark.parametrize("chunks", [(64,), (64, 128, 0)])
def test_where_no_size_ran_before_the_crash_the_engine_is_at_fault_and_not_the_size(chunks, tmp_path: Path) -> None:
    """Down the ladder of safe mode, on which this child crashes as well, and not past the sizes."""
    with pytest.raises(EngineCrashed):
        measured(tmp_path, 64, "warming", chunks)
