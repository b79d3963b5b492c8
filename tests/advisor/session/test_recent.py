"""Which run of the store stands in for a new diagnosis."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.benchmarks.planning import BenchSettings
from advisor.benchmarks.planning.settings import threads
from advisor.benchmarks.store.model import RunEnd
from advisor.benchmarks.store.store import Store
from advisor.benchmarks.stutter.model import NOT_MEASURED, Stutter
from advisor.benchmarks.trials.model import Trial
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Basis, Fact, Known
from advisor.core.progress import CancelToken
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.recommendations.ledger import NO_LEDGER, Ledger
from advisor.report.document import Document
from advisor.report.privacy import without_personal_paths
from advisor.session.pipeline import Pipeline
from advisor.session.recent import RecentRuns
from advisor.session.recording import setup_of
from tests.support import documents

MACHINE, MODEL = documents.machine(), documents.model()
ENGINE = Known(EngineFacts("e", "1", "b", "", "python", False, ()), Basis.READ, "invented")
SETTINGS = BenchSettings(real_use=False)


@dataclass
class Asked:
    """The parts of a pipeline that are asked."""

    results: Path

    def read_model(self, _path: Path) -> ModelFacts:
        return MODEL

    def read_machine(self) -> Machine:
        return MACHINE

    def read_engine(self, _cancel: CancelToken) -> Fact[EngineFacts]:
        return ENGINE

    def ceilings_or_reason(self, *_anything: object) -> Fact[Ceilings]:
        return Known(documents.ceilings(), Basis.MEASURED, "probes")

    def earlier_trials(self, *_anything: object) -> tuple[Trial, ...]:
        return ()

    def earlier_stutter(self, *_anything: object) -> Fact[Stutter]:
        return NOT_MEASURED

    def ledger(self, _machine: Machine) -> Ledger:
        return NO_LEDGER


def like_now(row: TestResult) -> TestResult:
    return replace(
        row, n_threads=threads(MACHINE, SETTINGS, row.phase), n_batch=SETTINGS.n_batch, n_ubatch=SETTINGS.n_ubatch,
        flash_attention=SETTINGS.flash_attention, kv_type=SETTINGS.kv_type,
    )  # fmt: skip


def found(folder: Path, age: timedelta, *rows: TestResult) -> Document | None:
    """What stands in, with one run of that age in the store."""
    path = folder / "results.sqlite"
    store, at = Store(path), (datetime.now().astimezone() - age).isoformat()
    setup = without_personal_paths(setup_of(MODEL, MACHINE, ENGINE), model_path=MODEL.path)
    store.begin_run("k", at, setup)
    for row in rows or (documents.prefill_test(), documents.decode_test()):
        store.add_test("k", at, setup, like_now(row))
    store.end_run("k", RunEnd(at))
    recent = RecentRuns(cast(Pipeline, Asked(path)))
    return recent.document(MODEL.path, documents.workload(), SETTINGS, lambda _event: None, CancelToken())


def test_a_run_of_a_minute_ago_stands_in(tmp_path: Path) -> None:
    document = found(tmp_path, timedelta(minutes=1))
    assert document is not None
    assert {row.test for row in document.tests} == {"pp512", "tg128"}


@pytest.mark.parametrize("age", [timedelta(hours=2), -timedelta(days=30)])
def test_one_that_is_old_or_from_the_future_does_not(tmp_path: Path, age: timedelta) -> None:
    assert found(tmp_path, age) is None


def test_one_that_was_disturbed_or_lacks_a_phase_does_not(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert found(tmp_path / "a", timedelta(minutes=1), documents.decode_test()) is None
    invalid = documents.decode_test(documents.INVALID)
    assert found(tmp_path / "b", timedelta(minutes=1), documents.prefill_test(), invalid) is None


def test_one_of_other_depth_size_or_device_does_not(tmp_path: Path) -> None:
    deep = replace(documents.decode_test(), n_depth=4096)
    short = replace(documents.decode_test(), n_gen=16)
    elsewhere = replace(documents.decode_test(), device="CUDA0")
    for number, row in enumerate((deep, short, elsewhere)):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert found(folder, timedelta(minutes=1), documents.prefill_test(), row) is None
