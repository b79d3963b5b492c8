"""The task ``phases`` with an invented engine on an invented clock: how long whole plans take at what speed."""

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.benchmarks import protocol
from advisor.benchmarks.job import Job, Placement, wire_request
from advisor.benchmarks.model import EngineMode, Phase, Sweep
from advisor.benchmarks.planning import BenchSettings, Plan, PlanKind, Purpose, make_plan
from advisor.benchmarks.planning.settings import BUDGETS_S
from advisor.benchmarks.worker import llama, phases
from advisor.benchmarks.worker.talk import Failure
from advisor.ceilings.model import ArithmeticProbe, ReadProbe
from advisor.ceilings.roofline import ceilings
from advisor.core.evidence import Basis, Known
from advisor.gguf.architecture import read_model
from tests.support.evidence import machine
from tests.support.sample import sample_path

RAG = Purpose(4000, 300)


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class InventedEngine:
    """Reads and writes tokens at fixed speeds; saved caches are restored at no cost."""

    def __init__(self, clock: Clock, prefill: float, decode: float, load_s: float) -> None:
        self.clock, self.prefill, self.decode, self.load_s = clock, prefill, decode, load_s
        self.saved = False

    def load(self, *_: object) -> tuple[str, dict[str, Any]]:
        self.clock.now_s += self.load_s
        return "model", {"devices": ["CPU"]}

    def context(self, _lib: object, _model: object, test: dict[str, Any], at_least: int = 0) -> str:
        if test["kv_type"] == "q8_0" and test["flash_attention"] == "off":
            raise Failure("context_failed", "The engine could not make a context.")
        self.clock.now_s += 0.05
        return "context"

    def llama_batch_get_one(self, _tokens: object, size: int) -> int:
        return size

    def llama_decode(self, _context: object, batch: Any) -> int:
        tokens = batch if isinstance(batch, int) else batch.n_tokens
        self.clock.now_s += 1 / self.decode + (tokens - 1) / self.prefill if tokens < 64 else tokens / self.prefill
        return 0

    def llama_batch_init(self, streams: int, *_: int) -> Any:
        return SimpleNamespace(
            n_tokens=streams,
            n_seq_id=[0] * streams,
            seq_id=[[0] for _ in range(streams)],
            token=[0] * streams,
            pos=[0] * streams,
            logits=[0] * streams,
        )

    def llama_state_seq_get_size(self, *_: object) -> int:
        return 1

    def __getattr__(self, name: str) -> Any:
        if name == "llama_vocab_n_tokens":
            return lambda *_: 1000
        return lambda *_: 1


class Talk:
    stop_requested = False

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def say(self, kind: str, **fields: Any) -> None:
        if kind == protocol.ROW:
            self.rows.append(fields)

    def progress(self, _phase: str) -> None: ...
    def reading(self, *_: object, **__: object) -> None: ...
    def raise_if_stopped(self) -> None: ...

    def due(self) -> bool:
        return False

    def left_out(self) -> dict[int, str]:
        return {row["test"]: row["left_out"] for row in self.rows if "left_out" in row}


def plan_of(kind: PlanKind) -> Plan:
    """For the sample on a processor that reads 27 GB/s and computes 0.3 TFLOP/s."""
    model = read_model(sample_path())
    assert isinstance(model.traffic, Known)
    found = ceilings(
        model.traffic.value,
        [ReadProbe("a kernel", 2, 1000, (1000 / 27e9,))],
        [ArithmeticProbe("a product", 2, 10, 10, 1, 200, (200 / 3e11,))],
    )
    known = Known(found, Basis.COMPUTED, "test")
    return make_plan(model, machine(threads=2), known, BenchSettings(kind=kind), RAG)


def run(plan: Plan, monkeypatch: pytest.MonkeyPatch, prefill: float = 1.0, decode: float = 1.0) -> tuple[float, Talk]:
    """Seconds and messages, at that share of the speeds that the plan was predicted with."""
    clock, talk = Clock(), Talk()
    pp, tg = (next(t for t in plan.tests if t.spec.phase is phase) for phase in (Phase.PREFILL, Phase.DECODE))
    engine = InventedEngine(
        clock, prefill * pp.spec.n_prompt / pp.repetition_s, decode * tg.spec.n_gen / tg.repetition_s, plan.load_s
    )
    monkeypatch.setattr(phases.time, "perf_counter", clock)
    monkeypatch.setattr(llama, "open_engine", lambda: (engine, None))
    monkeypatch.setattr(llama, "load_model", engine.load)
    monkeypatch.setattr(llama, "new_context", engine.context)
    monkeypatch.setattr(llama, "token_array", lambda tokens: tokens)
    job = Job(
        sample_path(), plan.tests, EngineMode.DEFAULT, Placement(), "CPU", "an engine", budget_s=plan.budget_s
    )
    phases.run(wire_request(job), talk)  # type: ignore[arg-type]
    monkeypatch.undo()
    return clock.now_s, talk


@pytest.mark.parametrize("kind", [PlanKind.QUICK, PlanKind.STANDARD])
@pytest.mark.parametrize(
    ("prefill", "decode"), [(1.0, 1.0), (0.6, 0.6), (1.6, 1.6), (0.5, 1.5), (1.5, 0.5), (0.3, 1.0)]
)
def test_a_plan_takes_its_predicted_time_whatever_the_speed(
    kind: PlanKind, prefill: float, decode: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(kind)
    real_s, talk = run(plan, monkeypatch, prefill, decode)
    assert real_s <= BUDGETS_S[kind] * 1.05
    assert real_s == pytest.approx(plan.predicted_s, rel=0.25)
    assert set(talk.left_out().values()) <= {"there was no time left"}


def test_a_much_slower_machine_still_measures_both_phases(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(PlanKind.QUICK)
    _, talk = run(plan, monkeypatch, 0.1, 0.1)
    assert {row["test"] for row in talk.rows if row.get("done")} == {0, 1}
    assert len([row for row in talk.rows if "seconds" in row]) == 2


def test_a_fast_machine_measures_everything_and_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(PlanKind.STANDARD)
    real_s, talk = run(plan, monkeypatch, 20.0, 20.0)
    assert real_s < 0.5 * BUDGETS_S[PlanKind.STANDARD]
    assert talk.left_out() == {}


def test_a_thorough_plan_is_predicted_when_speeds_are(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(PlanKind.THOROUGH)
    real_s, talk = run(plan, monkeypatch)
    assert real_s == pytest.approx(plan.predicted_s, rel=0.25)
    assert talk.left_out() == {}
    assert {plan.tests[row["test"]].spec.sweep for row in talk.rows if row.get("done")} == set(Sweep)
