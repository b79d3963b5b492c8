"""A rehearsal from beginning to end, on an invented engine: what it says, and that nothing is left of it."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from advisor.benchmarks.model import Phase
from advisor.benchmarks.safe_mode import SafeModes
from advisor.core.errors import AdvisorError, BadFile, Cancelled, EngineError
from advisor.core.evidence import Known, Unknown
from advisor.core.progress import CancelToken, Progress
from advisor.diagnosis.workload import preset
from advisor.rehearsal import candidates, cutting
from advisor.rehearsal.catalogue import find
from advisor.rehearsal.model import Candidate, Rehearsal
from advisor.session import rehearsing
from advisor.session.events import Remark
from advisor.session.rehearsing import Stage, rehearse
from tests.support import documents, rehearsals
from tests.support.rehearsals import InventedEngine, seconds
from tests.support.small_shapes import small

GB = 10**9


@pytest.fixture(autouse=True)
def _small_stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsing, "choose", lambda plan: cutting.choose(plan, 3_000_000))


def candidate(name: str = "Llama-3.1-8B", layers: int = 24) -> Candidate:
    return candidates.of_shape(name, small(find(name).shape, layers=layers), "Q4_K_M", "a card")


def stage(engine: InventedEngine, tmp_path: Path, available: int = 16 * GB, total: int = 16 * GB) -> Stage:
    facts = documents.engine()
    assert isinstance(facts, Known)
    machine = rehearsals.machine(available, total)
    return Stage(engine, SafeModes(tmp_path / "safe.json"), machine, facts.value, tmp_path / "scratch", budget_s=5.0)


def run(engine: InventedEngine, tmp_path: Path, asked: Candidate | None = None, workload: str = "rag") -> Rehearsal:
    heard: list[object] = []
    done = rehearse(asked or candidate(), preset(workload), stage(engine, tmp_path), heard.append, CancelToken())
    fractions = [event.fraction for event in heard if isinstance(event, Progress)]
    assert fractions == sorted(fractions)
    return done


def left(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "scratch").rglob("*")) if (tmp_path / "scratch").exists() else []


def test_the_whole_model_is_told_from_a_few_layers(tmp_path: Path) -> None:
    done = run(InventedEngine(), tmp_path)
    assert done.small_layers
    assert done.small_layers < done.large_layers < done.layers == 24
    flows = done.candidate.facts.traffic
    assert isinstance(flows, Known)
    for each in done.tests:
        # the fixed time falls out of the difference, so that linear machines are told exactly
        assert sum(each.test.samples_s) / len(each.test.samples_s) == pytest.approx(
            seconds(each.test, flows.value), rel=0.02
        )
        assert each.low_tokens_per_s < each.test.tokens_per_s < each.high_tokens_per_s
    phases = {(each.test.phase, bool(each.test.n_depth)) for each in done.tests}
    assert phases == {(phase, deep) for phase in Phase for deep in (False, True)}
    assert isinstance(done.wait, Known)
    assert isinstance(done.stream, Known)
    assert done.wait.value.low_s < done.wait.value.middle_s < done.wait.value.high_s
    assert left(tmp_path) == []


def test_the_engine_gets_less_than_the_whole_model(tmp_path: Path) -> None:
    engine = InventedEngine()
    done = run(engine, tmp_path)
    sizes = {size for _, size in engine.seen}
    assert len(sizes) == 2
    assert max(sizes) < done.candidate.facts.weights_bytes
    assert len({path for path, _ in engine.seen}) == 1, "one file is both"
    assert max(sizes) < done.scratch_bytes < 1.1 * max(sizes)
    assert not any(path.exists() for path, _ in engine.seen)


def test_a_small_model_is_measured_whole(tmp_path: Path) -> None:
    done = run(InventedEngine(), tmp_path, candidate(layers=4))
    assert (done.small_layers, done.large_layers, done.layers) == (0, 4, 4)
    assert all(each.small_s is None and each.factor == 0 for each in done.tests)


def test_the_first_repetition_is_a_warm_up(tmp_path: Path) -> None:
    engine = InventedEngine()
    engine.cold = 3.0
    done = run(engine, tmp_path)
    flows = done.candidate.facts.traffic
    assert isinstance(flows, Known)
    for each in done.tests:
        wanted_s = seconds(each.test, flows.value)
        assert each.test.tokens_per_s == pytest.approx(each.test.tokens / wanted_s, rel=0.02)


def test_a_machine_that_will_need_long_is_told_so_beforehand(tmp_path: Path) -> None:
    heard: list[object] = []
    engine = InventedEngine((400.0,))
    rehearse(candidate(), preset("rag"), stage(engine, tmp_path), heard.append, CancelToken())
    (remark,) = [event for event in heard if isinstance(event, Remark)]
    assert "This will take about" in remark.sentence
    told = [event for event in heard[heard.index(remark) :] if isinstance(event, Progress)]
    assert told
    assert all(event.left_s is not None and event.left_s > 5.0 for event in told), "longer than was given"
    heard.clear()
    rehearse(candidate(), preset("rag"), stage(InventedEngine(), tmp_path), heard.append, CancelToken())
    assert not [event for event in heard if isinstance(event, Remark)]


def test_several_people_are_measured_together(tmp_path: Path) -> None:
    done = run(InventedEngine(), tmp_path, workload="many-users")
    assert any(each.test.n_streams == 8 for each in done.tests)


def test_a_noisy_machine_has_wider_ranges(tmp_path: Path) -> None:
    calm, noisy = run(InventedEngine(), tmp_path), run(InventedEngine((1.0, 1.0, 1.15, 0.9)), tmp_path)
    assert max(each.margin for each in noisy.tests) > max(each.margin for each in calm.tests)


def test_experts_come_with_a_caution(tmp_path: Path) -> None:
    done = run(InventedEngine(), tmp_path, candidate("Qwen3-30B-A3B"))
    assert any("experts by chance" in note for note in done.notes)
    assert not run(InventedEngine(), tmp_path).notes


def test_what_does_not_fit_is_read_from_the_drive(tmp_path: Path) -> None:
    asked = candidate()
    total = asked.facts.weights_bytes // 2
    done = rehearse(
        asked, preset("rag"), stage(InventedEngine(), tmp_path, 16 * GB, total), lambda _: None, CancelToken()
    )
    assert isinstance(done.fit, Known)
    assert not done.fit.value.fits
    assert done.fit.value.spilled_bytes > 0
    assert "read from the drive" in done.fit.value.words
    roomy = run(InventedEngine(), tmp_path)
    assert isinstance(done.stream, Known)
    assert isinstance(roomy.stream, Known)
    assert done.stream.value.middle_s > roomy.stream.value.middle_s


@pytest.mark.parametrize("at", [1, 2, 3])
def test_stop_leaves_nothing(at: int, tmp_path: Path) -> None:
    engine = InventedEngine()
    engine.cancel_at = at
    with pytest.raises(Cancelled):
        run(engine, tmp_path)
    assert left(tmp_path) == []


def test_stop_while_writing_leaves_nothing(tmp_path: Path) -> None:
    cancel = CancelToken()
    engine = InventedEngine()
    with pytest.raises(Cancelled):
        rehearse(candidate(), preset("rag"), stage(engine, tmp_path), lambda _: cancel.cancel(), cancel)
    assert left(tmp_path) == []
    assert engine.seen == []


def test_an_engine_that_fails_is_told_in_a_sentence(tmp_path: Path) -> None:
    engine = InventedEngine()
    engine.error = EngineError("The engine does not know the architecture.", "Update it.")
    with pytest.raises(EngineError, match="does not know the architecture"):
        run(engine, tmp_path)
    assert left(tmp_path) == []


def test_a_full_disk_is_told_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=1_000_000))
    engine = InventedEngine()
    with pytest.raises(AdvisorError, match="are free on the disk"):
        run(engine, tmp_path)
    assert engine.seen == []
    assert left(tmp_path) == []


def test_too_little_memory_is_told_before_anything_is_written(tmp_path: Path) -> None:
    engine = InventedEngine()
    with pytest.raises(EngineError, match="of memory are free"):
        rehearse(candidate(), preset("rag"), stage(engine, tmp_path, 1_000_000), lambda _: None, CancelToken())
    assert engine.seen == []
    assert left(tmp_path) == []


def test_a_model_that_is_not_modelled_is_refused(tmp_path: Path) -> None:
    asked = candidate()
    strange = Candidate(
        asked.name, asked.recipe, asked.plan,
        documents.bare_document().model, asked.source,
    )  # fmt: skip
    assert isinstance(strange.facts.traffic, Unknown)
    with pytest.raises(BadFile, match="cannot be rehearsed"):
        run(InventedEngine(), tmp_path, strange)
