"""What ``selftest`` says about the engine on each device."""

from dataclasses import replace

import pytest

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.model import EngineCheck, EngineMode
from advisor.cli import reports, selftest
from advisor.cli.selftest import _device, run_checks
from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.session.engine_list import check_engine
from advisor.session.paths import user_paths
from tests.support import documents
from tests.support.children import bad_child
from tests.support.sample import sample_path

DEVICE = documents.crashing_engine().value.devices[0]


def test_safe_mode_says_what_happened_whose_fault_it_is_and_how_to_mend_it() -> None:
    said = _device(DEVICE)
    assert (said.name, said.state, said.exit_code) == ("Engine on CPU", "ok", 0)
    for words in ("safe mode, without the engine's extra buffers", "(SIGILL) on 29 November 2026", "known fault",
                  "To mend it", "two-machines selftest --forget"):  # fmt: skip
        assert words in said.detail


def test_default_mode_is_said_with_its_day() -> None:
    works = replace(DEVICE, self_test=Known(EngineCheck(EngineMode.DEFAULT, since="2026-01-02"), Basis.MEASURED, "x"))
    assert _device(works).detail == "default mode, tested on 2 January 2026"


def test_a_test_that_failed_is_a_failure_and_one_that_was_not_made_is_none() -> None:
    failed = _device(replace(DEVICE, self_test=Unknown("The engine hung.", Missing.FAILED)))
    assert (failed.state, failed.detail, failed.exit_code) == ("failed", "The engine hung.", 4)
    skipped = _device(replace(DEVICE, self_test=Unknown("its self-test has not run yet", Missing.NOT_YET)))
    assert (skipped.state, skipped.exit_code) == ("skipped", 0)


def test_checks_are_no_runs_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "print_pdf", lambda *_: None)
    monkeypatch.setattr(selftest, "_window", lambda: selftest.Check("Window", "ok", ""))
    monkeypatch.setattr(EmbeddedEngine, "read_facts", lambda *_: documents.engine())
    sample_path()
    engine, cancel = EmbeddedEngine(bad_child("good")), CancelToken()
    states = {check.name: check.state for check in run_checks(lambda _event: None, cancel, engine)}
    assert states["Measurement and PDF"] == "ok"
    facts, machine = engine.read_facts(cancel), documents.machine()
    assert isinstance(check_engine(engine, facts, sample_path(), machine, lambda _event: None, cancel), Known)
    assert not user_paths().results.exists()
