"""What of a run is kept, at which moment, and that nothing of it can stop a measurement."""

import sqlite3
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineFacts
from advisor.benchmarks.store.model import StoreBusy, StoredRun, StoreError
from advisor.benchmarks.store.store import Store
from advisor.core.errors import Cancelled, EngineCrashed, UsageError
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.diagnosis.workload import preset
from advisor.session import recording
from advisor.session.events import Event, Remark, TestFinished
from advisor.session.paths import user_paths
from advisor.session.pipeline import BenchSettings, Given, Pipeline
from advisor.session.recording import Recorder, Recordings, setup_of
from tests.support import documents
from tests.support.children import bad_child
from tests.support.gguf_builder import decoder
from tests.support.sample import sample_path

ENGINE = Known(EngineFacts("llama-cpp-python", "0.0", "build", "", "python", False, ()), Basis.READ, "invented")
posix = pytest.mark.skipif(sys.platform == "win32", reason="the bad child plays POSIX signals")


class Listening:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def remarks(self) -> list[str]:
        return [event.sentence for event in self.events if isinstance(event, Remark)]


def kept() -> tuple[StoredRun, ...]:
    return Store(user_paths().results).runs()


def record(recordings: Recordings, listening: Listening, engine: Fact[EngineFacts] | None = None) -> None:
    with recordings.run(documents.model(), documents.machine(), engine or documents.engine(), listening) as recorder:
        recorder(TestFinished(documents.prefill_test()))
        recorder(TestFinished(documents.decode_test()))
        recorder.finish((documents.prefill_test(), documents.decode_test()), None)


def bench(launch: Launch, settings: BenchSettings | None = None, engine: Fact[EngineFacts] = ENGINE) -> Listening:
    listening = Listening()
    pipeline = Pipeline(EmbeddedEngine(launch))
    model = pipeline.read_model(sample_path())
    unknown = Unknown("not asked for", Missing.NOT_YET)
    settings = settings or BenchSettings(repetitions=3)
    pipeline.bench(model, documents.machine(), engine, unknown, settings, listening, CancelToken())
    return listening


def test_each_test_is_saved_before_the_next_one_runs() -> None:
    listening = Listening()
    recordings = Recordings(user_paths().results)
    with recordings.run(documents.model(), documents.machine(), documents.engine(), listening) as recorder:
        assert user_paths().results.exists()  # made ready before anything is measured
        assert kept() == ()
        recorder(TestFinished(documents.prefill_test()))
        (run,) = kept()
        assert [test.result for test in run.tests] == [documents.prefill_test()]
        assert run.end is None
        recorder(TestFinished(documents.decode_test()))
        assert len(kept()[0].tests) == 2
        recorder.finish((documents.prefill_test(), documents.decode_test()), None)
    (run,) = kept()
    assert len(run.tests) == 2
    assert run.end is not None
    assert run.end.error_code == ""
    assert listening.events == [TestFinished(documents.prefill_test()), TestFinished(documents.decode_test())]


@posix
def test_a_real_run_of_the_pipeline_is_kept() -> None:
    given = Given(documents.machine(), ENGINE, documents.ceilings())
    document = Pipeline(EmbeddedEngine(bad_child("good"))).diagnose(
        sample_path(), preset("rag"), BenchSettings(repetitions=3), lambda _event: None, CancelToken(), given
    )
    (run,) = kept()
    assert [test.result.test for test in run.tests] == ["pp512", "tg128"]
    assert tuple(test.result for test in run.tests) == document.tests
    assert run.end is not None
    assert run.end.error_code == ""
    assert run.setup.model.file == sample_path().name
    assert run.setup.model.header_sha256.startswith("1a14527e038860b1")


@posix
def test_what_a_crash_left_is_kept_with_its_error() -> None:
    bench(bad_child("crash-in-decode"))
    (run,) = kept()
    assert [(t.result.test, len(t.result.samples_s), t.result.complete) for t in run.tests] == [
        ("pp512", 3, True), ("tg128", 1, False),
    ]  # fmt: skip
    assert run.end is not None
    assert run.end.error_code == "engine_crashed"
    assert run.end.sentence.endswith(".")


@posix
def test_a_run_that_measured_nothing_is_kept_with_its_error() -> None:
    bench(bad_child("out-of-memory"))
    (run,) = kept()
    assert run.tests == ()
    assert run.end is not None
    assert run.end.sentence.startswith("Memory ran out")


def test_a_run_without_an_engine_is_kept_with_its_error() -> None:
    bench(Launch(("none",)), engine=Unknown("llama-cpp-python is not installed. Install it.", Missing.TOOL_MISSING))
    (run,) = kept()
    assert run.setup.engine is None
    assert run.end is not None
    assert run.end.error_code == "engine_missing"


def test_wrong_usage_leaves_nothing() -> None:
    with pytest.raises(UsageError):
        bench(Launch(("none",)), BenchSettings(n_threads=1_000_000))
    assert kept() == ()


def test_an_error_that_is_raised_ends_the_run_too() -> None:
    recordings = Recordings(user_paths().results)
    with (
        pytest.raises(Cancelled),
        recordings.run(documents.model(), documents.machine(), documents.engine(), Listening()) as recorder,
    ):
        recorder(TestFinished(documents.prefill_test()))
        raise Cancelled("Stopped.")
    (run,) = kept()
    assert len(run.tests) == 1
    assert run.end is not None
    assert run.end.error_code == "cancelled"


def test_nothing_personal_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = "/home/mustermann"
    engine = replace(ENGINE.value, python=f"{home}/venv/bin/python", build=f"{home}/lib/libggml.so 1")
    model = replace(documents.model(), path=Path(f"{home}/secret folder/m.gguf"))
    error = EngineCrashed("The engine crashed.", f"It said: cannot map {home}/secret folder/m.gguf")
    recordings = Recordings(user_paths().results)
    with recordings.run(model, documents.machine(), Known(engine, Basis.READ, "x"), Listening()) as recorder:
        recorder.finish((documents.prefill_test(),), error)
    content = user_paths().results.read_bytes()
    assert b"mustermann" not in content
    assert b"secret folder" not in content
    uuids = [gpu.uuid.value for gpu in documents.machine().gpus if isinstance(gpu.uuid, Known)]
    assert uuids
    assert not [uuid for uuid in uuids if uuid.encode() in content]
    (run,) = kept()
    assert run.setup.engine is not None
    assert run.setup.engine.python == "~/venv/bin/python"
    assert run.end is not None
    assert run.end.hint == "It said: cannot map m.gguf"


def test_a_damaged_store_is_said_as_a_remark_and_work_goes_on() -> None:
    path = user_paths().results
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database at all" * 100)
    listening = Listening()
    record(Recordings(path), listening)
    assert len(kept()[0].tests) == 2
    (remark,) = listening.remarks()
    assert "set aside" in remark


def test_a_store_that_is_damaged_in_the_middle_of_a_run_keeps_the_whole_run() -> None:
    listening = Listening()
    path = user_paths().results
    with Recordings(path).run(documents.model(), documents.machine(), documents.engine(), listening) as recorder:
        recorder(TestFinished(documents.prefill_test()))
        path.write_bytes(b"this is no database at all" * 100)
        recorder(TestFinished(documents.decode_test()))
        recorder.finish((), None)
    (run,) = kept()
    assert [test.result for test in run.tests] == [documents.prefill_test(), documents.decode_test()]
    assert run.end is not None


def unwritable(path: Path) -> None:
    path.parent.parent.mkdir(parents=True)
    path.parent.write_text("a file where the folder should be")


def newer(path: Path) -> None:
    Store(path).prepare()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


@pytest.mark.parametrize("spoil", [unwritable, newer])
def test_a_store_that_cannot_be_used_is_said_once_and_stops_nothing(spoil: Callable[[Path], None]) -> None:
    path = user_paths().results
    spoil(path)
    listening = Listening()
    recordings = Recordings(path)
    for _ in range(3):
        record(recordings, listening)
    assert len(listening.remarks()) == 1
    assert len([event for event in listening.events if isinstance(event, TestFinished)]) == 6


def test_it_is_said_again_when_it_had_worked_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    path = user_paths().results
    unwritable(path)
    recordings, listening = Recordings(path), Listening()
    record(recordings, listening)
    path.parent.unlink()
    record(recordings, listening)
    assert len(listening.remarks()) == 1
    assert len(kept()) == 1
    newer(path)
    record(recordings, listening)
    assert len(listening.remarks()) == 2


def test_what_could_not_be_written_at_once_is_written_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "BUSY_S", 0.01)
    path, listening = user_paths().results, Listening()
    Store(path).prepare()
    with Recordings(path).run(documents.model(), documents.machine(), documents.engine(), listening) as recorder:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        recorder(TestFinished(documents.prefill_test()))
        other.execute("COMMIT")
        other.close()
        assert kept() == ()
        recorder.finish((documents.prefill_test(), documents.decode_test()), None)
    assert [test.result for test in kept()[0].tests] == [documents.prefill_test(), documents.decode_test()]
    assert listening.remarks() == []


class BadStore(Store):
    def __init__(self, error: Exception) -> None:
        super().__init__(Path("nowhere"))
        self._error = error

    def prepare(self) -> None:
        raise self._error

    def begin_run(self, *_: object) -> int:
        raise self._error


@pytest.mark.parametrize("error", [StoreError("No."), StoreBusy("Not now."), ZeroDivisionError("bug"), OSError(5, "")])
def test_whatever_the_store_does_the_measurement_goes_on(error: Exception) -> None:
    listening: list[Event] = []
    complaints: list[str] = []
    recorder = Recorder(BadStore(error), listening.append, lambda sentence, _hint: complaints.append(sentence))
    recorder.begin(documents.model(), documents.machine(), documents.engine())
    recorder(TestFinished(documents.prefill_test()))
    recorder.finish((), None)
    assert listening == [TestFinished(documents.prefill_test())]
    assert complaints
    assert not recorder.saved


def test_the_setup_names_what_is_needed_to_repeat_it(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    decoder("llama").write(path)
    model = replace(documents.model(), path=path)
    setup = setup_of(model, documents.machine(), documents.engine())
    assert setup.machine.cpu == documents.machine().cpu.name.or_none()
    assert setup.machine.logical_cpus == documents.machine().cpu.logical
    assert len(setup.machine.gpus) == len(documents.machine().gpus)
    assert setup.model.file == "m.gguf"
    assert len(setup.model.header_sha256) == 64
    gone = setup_of(replace(model, path=tmp_path / "gone.gguf"), documents.bare_document().machine, ENGINE)
    assert gone.model.header_sha256 == ""
    assert gone.machine.cpu == documents.machine().cpu.architecture
