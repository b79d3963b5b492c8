"""What the engines' list says of each engine."""

from dataclasses import replace

import pytest

from advisor.benchmarks.engines.listed import EMBEDDED, ListedEngine
from advisor.benchmarks.model import EngineMode
from advisor.core.evidence import Basis, Known, Unknown
from tests.support import documents
from tests.support.fake_engines import BROKEN, CUDA, OWN, WHY, cuda_facts
from ui.bridge.activity import Activity
from ui.bridge.engines import NOT_ASKED, STOPPED, EngineList
from ui.viewmodels.engines import EngineRow, present_engines


def row(listed: ListedEngine, state: EngineList | None = None) -> EngineRow:
    state = state or EngineList()
    return present_engines(replace(state, engines=(listed,))).rows[0]


def test_what_an_engine_is_in_one_line() -> None:
    assert row(ListedEngine(OWN, documents.engine())).what.endswith("build 0c1e570 · CPU only")
    assert row(ListedEngine(OWN, documents.crashing_engine())).what.endswith("CPU only · safe mode")
    assert row(ListedEngine(CUDA, cuda_facts())).what == "llama-cpp-python 0.3.30 · build 77aa02b"


def test_one_that_does_not_work_says_why_and_offers_nothing() -> None:
    shown = row(ListedEngine(BROKEN, Unknown(WHY)))
    assert (shown.what, shown.tone) == (f"Does not work: {WHY}.", "bad")
    assert not (shown.can_check or shown.can_use)


def test_one_that_was_not_asked_yet_is_not_called_broken() -> None:
    assert row(ListedEngine(CUDA, NOT_ASKED)).what == "not asked yet"
    assert row(ListedEngine(CUDA, NOT_ASKED), EngineList(looking=True)).what == "asking what it can do…"


def test_safe_mode_is_said_of_a_check() -> None:
    tests = (documents.prefill_test(), replace(documents.decode_test(), mode=EngineMode.NO_EXTRA_BUFFERS))
    shown = row(ListedEngine(OWN, documents.engine(), Known(tests, Basis.MEASURED, "the sample")))
    assert shown.check.endswith("with the sample model, in safe mode")
    assert shown.check_tone == "good"
    assert "in use" in shown.spoken


def test_a_check_that_was_stopped_is_no_failure() -> None:
    shown = row(ListedEngine(OWN, documents.engine(), STOPPED))
    assert (shown.check, shown.check_tone) == ("Stopped, since the window began to measure.", "muted")


@pytest.mark.parametrize(
    ("activity", "check", "use"),
    [
        (Activity.IDLE, True, True), (Activity.CEILINGS, False, True), (Activity.BENCHMARK, False, False),
        (Activity.STOPPING, False, False), (Activity.CLOSING, False, False),
    ],
)
def test_what_can_be_done_while_the_window_is_at_work(activity: Activity, check: bool, use: bool) -> None:
    shown = row(ListedEngine(CUDA, cuda_facts()), EngineList(activity=activity))
    assert (shown.can_check, shown.can_use) == (check, use)


def test_the_one_in_use_is_not_offered_and_one_check_runs_at_a_time() -> None:
    state = EngineList(
        (ListedEngine(OWN, documents.engine()), ListedEngine(CUDA, cuda_facts())), checking=CUDA.id, chosen=EMBEDDED
    )
    own, cuda = present_engines(state).rows
    assert own.used
    assert not own.can_use
    assert not own.can_check
    assert cuda.checking
    assert cuda.can_check
    assert cuda.check == "Measuring the sample model…"


@pytest.mark.parametrize(
    ("state", "heading"),
    [
        (EngineList(), "No engine was found"),
        (EngineList(looking=True), "Looking for engines…"),
        (EngineList((ListedEngine(OWN, NOT_ASKED),), looking=True), "1 engine, asking what they can do…"),
        (EngineList((ListedEngine(OWN, documents.engine()),)), "1 engine on this computer"),
    ],
)
def test_the_heading(state: EngineList, heading: str) -> None:
    assert present_engines(state).heading.replace("\u00a0", " ") == heading
