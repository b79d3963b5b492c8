from dataclasses import replace

from advisor.benchmarks.model import EngineMode
from advisor.core.evidence import Missing, Unknown
from advisor.core.progress import Progress
from tests.support import documents
from ui.bridge.activity import Activity
from ui.viewmodels.actions import present_actions
from ui.viewmodels.status import present_status

NBSP = "\u00a0"
NO_ENGINE = Unknown("llama_cpp is not installed", Missing.TOOL_MISSING)


def test_at_rest() -> None:
    status = present_status(Activity.IDLE, None, "", documents.engine(), ())
    assert (status.phase, status.fraction, status.busy) == ("Ready", None, False)
    assert status.engine == "llama-cpp-python 0.3.36 · CPU"


def test_progress_with_time_left() -> None:
    progress = Progress(0.4, "Decode, repetition 4 of 5", 6.2)
    status = present_status(Activity.BENCHMARK, progress, "on battery", documents.engine(), ())
    assert (status.phase, status.fraction) == ("Decode, repetition 4 of 5", 0.4)
    assert status.left == f"about 6{NBSP}s left"
    assert status.warning == "⚠ on battery"


def test_time_left_in_minutes_and_at_the_end() -> None:
    long = present_status(Activity.BENCHMARK, Progress(0.1, "x", 130.0), "", documents.engine(), ())
    assert long.left == f"about 2{NBSP}min left"
    end = present_status(Activity.BENCHMARK, Progress(0.99, "x", 0.2), "", documents.engine(), ())
    assert end.left == "almost done"
    unknown = present_status(Activity.BENCHMARK, Progress(0.0, "x", None), "", documents.engine(), ())
    assert unknown.left == ""


def test_stopping_shows_no_bar_and_the_outcome_comes_after() -> None:
    stopping = present_status(Activity.STOPPING, Progress(0.5, "Decode", 3.0), "", documents.engine(), ())
    assert (stopping.phase, stopping.fraction) == ("Stopping…", None)
    done = present_status(Activity.IDLE, None, "", documents.engine(), (), "Stopped")
    assert done.phase == "Stopped"


def test_the_engine_and_its_mode() -> None:
    assert present_status(Activity.IDLE, None, "", NO_ENGINE, ()).engine == "no engine"
    looking = present_status(Activity.IDLE, None, "", Unknown("x", Missing.NOT_YET), ())
    assert looking.engine == "looking for the engine…"
    safe = (replace(documents.decode_test(), mode=EngineMode.NO_EXTRA_BUFFERS),)
    assert present_status(Activity.IDLE, None, "", documents.engine(), safe).engine.endswith("· safe mode")


def test_safe_mode_is_shown_before_anything_is_measured_with_its_reason() -> None:
    status = present_status(Activity.IDLE, None, "", documents.crashing_engine(), ())
    assert status.engine == "llama-cpp-python 0.3.36 · CPU · safe mode"
    assert status.engine_tip.startswith("the engine crashed while running prefill (SIGILL)")
    assert "To mend it" in status.engine_tip


def test_what_can_be_used_when() -> None:
    engine = documents.engine()
    empty = present_actions(Activity.IDLE, None, engine, False, True)
    assert (empty.empty, empty.benchmark, empty.stop, empty.export, empty.sample) == (True, False, False, False, True)
    ready = present_actions(Activity.CEILINGS, documents.model(), engine, False, False)
    assert (ready.benchmark, ready.stop, ready.sample) == (True, True, False)
    assert "pip install" in ready.sample_tip
    running = present_actions(Activity.BENCHMARK, documents.model(), engine, False, False)
    assert (running.benchmark, running.stop) == (False, True)
    done = present_actions(Activity.IDLE, documents.model(), engine, True, False)
    assert (done.benchmark, done.stop, done.export) == (True, False, True)


def test_a_file_without_decode_cannot_be_measured() -> None:
    encoder = replace(documents.model(), has_decode=False)
    actions = present_actions(Activity.IDLE, encoder, documents.engine(), False, False)
    assert not actions.benchmark
    assert "decode" in actions.benchmark_tip
