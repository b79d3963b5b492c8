"""The pipeline with invented children: what it does with crashes, Stop and speeds above their ceilings."""

import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Probed
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineFacts, Stamp, Sweep, TestSpec
from advisor.benchmarks.planning import PlanKind, two_phases
from advisor.benchmarks.probing import MIN_READ_BYTES
from advisor.ceilings.kernels import KernelTable, KernelTime
from advisor.ceilings.model import ArithmeticProbe, Ceilings, ReadProbe
from advisor.core.dates import day
from advisor.core.errors import BadFile, EngineMissing, UsageError
from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.progress import CancelToken, Progress
from advisor.diagnosis.workload import preset
from advisor.hardware.detect import read_machine
from advisor.hardware.model import Machine
from advisor.report.document import Document
from advisor.session.events import CeilingsMeasured, Event, Remark, TestFinished, TestLeftOut
from advisor.session.paths import Paths
from advisor.session.pipeline import BenchSettings, Given, Pipeline
from tests.support.children import bad_child
from tests.support.gguf_builder import decoder
from tests.support.invented_runs import ENGINE, Run, ceilings
from tests.support.sample import sample_path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the bad child plays POSIX signals")


@pytest.fixture(scope="module")
def machine() -> Machine:
    return read_machine()


def test_a_whole_run_gives_verdict_and_advice(machine: Machine) -> None:
    run = Run(bad_child("good"), machine)
    document = run.document
    assert document.interrupted == ""
    assert [t.test for t in document.tests] == ["pp512", "tg128"]
    assert isinstance(document.verdict, Known)
    assert isinstance(document.timeline, Known)
    times = document.timeline.value
    assert times.total_s == pytest.approx(times.wait_s + times.stream_s)
    assert [e.result.test for e in run.events if isinstance(e, TestFinished)] == ["pp512", "tg128"]
    fractions = [e.fraction for e in run.events if isinstance(e, Progress)]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_far_too_many_threads_are_wrong_usage(machine: Machine) -> None:
    with pytest.raises(UsageError, match="too many"):
        Pipeline(EmbeddedEngine(bad_child("good"))).diagnose(
            sample_path(), preset("rag"), BenchSettings(n_threads=1_000_000), lambda _event: None, CancelToken(),
            Given(machine, ENGINE, ceilings(1e12, 1e13)),
        )  # fmt: skip


def test_a_test_that_was_cut_to_fit_its_time_says_so(machine: Machine) -> None:
    events: list[Event] = []
    document = Pipeline(EmbeddedEngine(bad_child("good"))).diagnose(
        sample_path(), preset("rag"), BenchSettings(budget_s=1.0), events.append, CancelToken(),
        Given(machine, ENGINE, ceilings(1e9, 1e10)),
    )  # fmt: skip
    assert document.tests[0].n_prompt < 512
    for test in document.tests:
        assert test.conditions.stamp is not Stamp.VALID
        assert any("cut short" in reason for reason in test.conditions.because)


def test_what_was_measured_before_a_crash_is_kept(machine: Machine) -> None:
    document = Run(bad_child("crash-in-decode"), machine).document
    assert [(t.test, len(t.samples_s)) for t in document.tests] == [("pp512", 3), ("tg128", 1)]
    assert "decode" in document.interrupted


@pytest.mark.parametrize("mode", ["silent", "junk", "failure", "closes-pipe"])
def test_whatever_the_child_does_a_document_comes_back(
    mode: str, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from advisor.benchmarks.supervisor import Limits
    from advisor.session import measuring

    monkeypatch.setattr(measuring, "plan_limits", lambda *_: Limits(silence_s=1.0, total_s=10.0))
    document = Run(bad_child(mode), machine).document
    assert document.interrupted
    assert document.tests == ()


def test_stopped_before_anything_is_measured(machine: Machine) -> None:
    cancel = CancelToken()
    cancel.cancel()
    document = Pipeline(EmbeddedEngine(bad_child("good"))).diagnose(
        sample_path(), preset("rag"), BenchSettings(), lambda _event: None, cancel, Given(machine, ENGINE)
    )
    assert "Stopped" in document.interrupted


def probed(read_bytes_per_s: float) -> Any:
    def probe(*_arguments: object) -> Probed:
        reads = (ReadProbe("a wider kernel", 4, 1000, (1000 / read_bytes_per_s,)),)
        return Probed(reads, (), ())

    return probe


def test_a_speed_above_its_ceiling_measures_the_ceiling_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # tg128 runs at 128 tokens/s in the invented child: 31.6 GB/s of the sample's weights.
    monkeypatch.setattr(EmbeddedEngine, "probe", probed(40e9))
    run = Run(bad_child("good"), machine, ceilings(20e9, 1e13))
    assert isinstance(run.document.ceilings, Known)
    found = run.document.ceilings.value
    assert found.read_bytes_per_s.or_none() == pytest.approx(40e9)
    assert not found.decode_at_least
    assert "passed its ceiling" in run.remarks()
    assert [(event.phase, event.test, event.stands) for event in found.falsified] == [("decode", "tg128", False)]
    assert found.falsified[0].again_tokens_per_s > found.falsified[0].measured_tokens_per_s
    assert any(isinstance(event, CeilingsMeasured) for event in run.events)


def test_a_speed_that_still_stands_above_is_shown_as_at_least_and_never_above_100_percent(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmbeddedEngine, "probe", probed(21e9))
    document = Run(bad_child("good"), machine, ceilings(20e9, 1e13)).document
    assert isinstance(document.ceilings, Known)
    found = document.ceilings.value
    assert found.decode_at_least
    assert [event.stands for event in found.falsified] == [True]
    decode = next(t for t in document.tests if t.test == "tg128")
    bound = found.decode_tokens_per_s.or_none()
    assert bound is not None
    assert decode.tokens_per_s <= bound
    assert isinstance(document.verdict, Known)
    assert document.verdict.value.decode.of_ceiling is not None
    assert document.verdict.value.decode.of_ceiling <= 1.0


def test_the_ceiling_is_measured_again_in_the_mode_of_the_run_and_keeps_its_mark(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def probe(_engine: object, request: Any, *_arguments: object) -> Probed:
        asked.append(request)
        reads = (ReadProbe("a wider kernel", 4, 1000, (1000 / 40e9,)),)
        return Probed(reads, (), (), "other programs used 48 % of the CPU")

    monkeypatch.setattr(EmbeddedEngine, "probe", probe)
    document = Run(bad_child("crash-unless-safe"), machine, ceilings(20e9, 1e13)).document
    assert [request["use_extra_bufts"] for request in asked] == [False]
    assert isinstance(document.ceilings, Known)
    found = document.ceilings.value
    assert "48 %" in found.disturbed
    assert isinstance(found.read_bytes_per_s, Known)
    assert "48 %" in found.read_bytes_per_s.source


def test_a_run_that_fell_into_safe_mode_gets_that_modes_kernels(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    own = KernelTable((KernelTime("Q4_K", 256, 64, 1, "", 2, "CPU", (1e-6,)),))

    def probe(_engine: object, request: Any, *_arguments: object) -> Probed:
        asked.append(request)
        return Probed((), (), (), kernels=own)

    monkeypatch.setattr(EmbeddedEngine, "probe", probe)
    packed = KernelTable((KernelTime("Q4_K", 256, 64, 1, "CPU_REPACK", 2, "CPU", (1e-6,)),))
    given = replace(ceilings(1e12, 1e13), kernels=packed)
    document = Run(bad_child("crash-unless-safe"), machine, given).document
    assert [request["use_extra_bufts"] for request in asked] == [False]
    assert isinstance(document.ceilings, Known)
    assert document.ceilings.value.kernels == own


def test_known_kernels_need_no_second_measurement(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Any] = []

    def probe(_engine: object, request: Any, *_arguments: object) -> Probed:
        asked.append(request)
        reads = (ReadProbe("a kernel", 4, request["read"]["bytes"], (0.01,)),)
        return Probed(reads, (ArithmeticProbe("float32 BLAS", 4, 1, 1, 1, 10**9, (0.01,)),), ())

    monkeypatch.setattr(EmbeddedEngine, "probe", probe)
    paths = Paths(*(tmp_path / name for name in ("config", "data", "cache", "logs")))
    model = Pipeline(paths=paths).read_model(sample_path())

    def found(fresh: bool = False, depth: int = 0) -> Ceilings:
        pipeline = Pipeline(EmbeddedEngine(), paths)
        return pipeline.measure_ceilings(
            model, machine, lambda _event: None, CancelToken(), ENGINE, depth=depth, fresh=fresh
        )

    first, second = found(), found()
    assert len(asked) == 1
    assert second.decode_tokens_per_s.or_none() == first.decode_tokens_per_s.or_none()
    assert (first.measured_on, second.measured_on) == ("", date.today().isoformat())
    assert isinstance(second.read_bytes_per_s, Known)
    assert day(second.measured_on) in second.read_bytes_per_s.source
    found(fresh=True)
    assert len(asked) == 2
    found(depth=4096)  # a larger working set than any that was read
    assert len(asked) == 3


def test_a_fat_model_gets_the_kernels_of_the_file_that_may_be_advised(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Any] = []

    def probe(_engine: object, request: Any, *_arguments: object) -> Probed:
        asked.append(request)
        reads = (ReadProbe("a kernel", 4, MIN_READ_BYTES, (0.01,)),)
        return Probed(reads, (ArithmeticProbe("float32 BLAS", 4, 1, 1, 1, 10**9, (0.01,)),), ())

    monkeypatch.setattr(EmbeddedEngine, "probe", probe)
    pipeline = Pipeline(EmbeddedEngine(), Paths(*(tmp_path / name for name in ("config", "data", "cache", "logs"))))
    model = pipeline.read_model(decoder(layers=2, embed=512, heads=8, kv_heads=2, ff=1024).write(tmp_path / "m.gguf"))
    pipeline.measure_ceilings(model, machine, lambda _event: None, CancelToken(), ENGINE)
    assert {group["type_name"] for group in asked[0]["kernels"]["products"]["groups"]} == {"F16", "Q4_K", "Q6_K"}


def planned(launch: Launch, machine: Machine, kind: PlanKind = PlanKind.THOROUGH) -> tuple[Document, list[Event]]:
    events: list[Event] = []
    document = Pipeline(EmbeddedEngine(launch)).diagnose(
        sample_path(), preset("rag"), BenchSettings(kind=kind), events.append, CancelToken(),
        Given(machine, ENGINE, ceilings(1e12, 1e13)),
    )  # fmt: skip
    return document, events


def test_a_plan_measures_curves_and_the_phases_still_speak(machine: Machine) -> None:
    two_cores = replace(machine, cpu=replace(machine.cpu, logical=2, usable_threads=2))
    document, events = planned(bad_child("good"), two_cores)
    assert document.interrupted == ""
    assert document.left_out == ()
    assert {test.sweep for test in document.tests} == set(Sweep)
    assert all(test.complete for test in document.tests)
    assert isinstance(document.timeline, Known)
    assert document.timeline.value.decode_test == "tg128"
    assert "following depth as measured at 0, " not in document.timeline.value.basis  # all depths run alike here
    fractions = [event.fraction for event in events if isinstance(event, Progress)]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    shown = " ".join(event.phase for event in events if isinstance(event, Progress))
    assert "Threads: tg32 with 1 thread, warming up" in shown


def test_a_point_that_crashes_is_left_out_and_the_others_are_measured(machine: Machine) -> None:
    document, events = planned(bad_child("crash-with-kv", "q8_0"), machine)
    assert document.interrupted == ""
    measured = {test.sweep for test in document.tests}
    assert Sweep.KV_TYPE not in measured
    assert measured == set(Sweep) - {Sweep.KV_TYPE}
    assert not any(test.safe_mode for test in document.tests)
    assert "SIGSEGV" in " ".join(document.left_out)
    assert "KV type (" in " ".join(document.left_out)
    assert len([event for event in events if isinstance(event, TestLeftOut)]) == 2


def test_points_that_find_no_time_are_named_with_the_reason(machine: Machine) -> None:
    document, events = planned(bad_child("leaves-out"), machine, PlanKind.QUICK)
    assert [test.test for test in document.tests[:1]] == ["pp512"]
    assert {test.sweep for test in document.tests} == {Sweep.PHASES}
    assert document.interrupted == ""
    assert len(document.left_out) == 1
    assert document.left_out[0].startswith("Not measured, because there was no time left: ")
    assert isinstance(document.verdict, Known)
    assert [event for event in events if isinstance(event, TestLeftOut)]


def test_a_phase_cannot_be_left_out(machine: Machine) -> None:
    row = '{"v":1,"kind":"row","test":0,"left_out":"no wish to"}'
    document, _ = planned(bad_child("raw", row), machine)
    assert "cannot be right" in document.interrupted


def test_a_run_that_ended_early_does_not_raise_the_ceiling_it_never_passed(machine: Machine) -> None:
    run = Run(bad_child("crash-in-decode"), machine)
    assert "passed its ceiling" not in run.remarks()


def test_no_engine_says_how_to_get_one(machine: Machine) -> None:
    missing: Fact[EngineFacts] = Unknown("llama-cpp-python is not installed. Install it.", Missing.TOOL_MISSING)
    model = Pipeline(EmbeddedEngine(bad_child("good"))).read_model(sample_path())
    measured = Pipeline(EmbeddedEngine(bad_child("good"))).bench(
        model, machine, missing, Unknown("no", Missing.NOT_YET), BenchSettings(), lambda _event: None, CancelToken()
    )
    assert measured.tests == ()
    assert isinstance(measured.error, EngineMissing)


def test_a_bad_file_is_told_before_anything_is_started(tmp_path: Path, machine: Machine) -> None:
    path = tmp_path / "model.gguf"
    path.write_text("<!DOCTYPE html>")
    with pytest.raises(BadFile):
        Pipeline(EmbeddedEngine(Launch(("none",)))).diagnose(
            path, preset("rag"), BenchSettings(), lambda _event: None, CancelToken(), Given(machine, ENGINE)
        )


def test_tests_that_the_engine_cannot_run_are_left_out_and_told(machine: Machine) -> None:
    class OnlyDecode(EmbeddedEngine):
        def why_not(self, test: TestSpec) -> str:
            return "it reads no prompts" if test.n_prompt else ""

    heard: list[Event] = []
    pipeline = Pipeline(OnlyDecode(bad_child("good")))
    model = pipeline.read_model(sample_path())
    plan = two_phases(model, machine, Unknown("not asked"), BenchSettings())
    possible = pipeline._possible(plan, heard.append)
    assert [test.spec.test for test in possible.tests] == ["tg128"]
    assert heard == [Remark("Left out: pp512, because it reads no prompts.")]
