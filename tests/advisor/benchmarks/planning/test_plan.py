"""Which tests a plan holds, in which order, and how it keeps to its time."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import FlashAttention, Phase, Sweep, TestSpec
from advisor.benchmarks.planning import BenchSettings, Plan, PlanKind, Purpose, make_plan, sweep_plan, two_phases
from advisor.benchmarks.planning.settings import BUDGETS_S
from advisor.benchmarks.planning.sweeps import thread_counts
from advisor.benchmarks.steadiness import Repeat
from advisor.ceilings.model import ArithmeticProbe, Ceilings, ReadProbe
from advisor.ceilings.roofline import ceilings as make_ceilings
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.hardware.model import Machine
from tests.support.evidence import machine, model, read, traffic

RAG = Purpose(4000, 300)
NOT_PROBED = Unknown("not asked", Missing.NOT_YET)
SMALL = model(traffic(weight_bytes=247e6, parameters=2.7e8))
LARGE = model(traffic(weight_bytes=40e9, parameters=70e9, layers=80))


def ceilings(held: object = SMALL, bytes_per_s: float = 27e9, flop_per_s: float = 3e11) -> Fact[Ceilings]:
    found = make_ceilings(
        held.traffic.value,  # type: ignore[attr-defined]
        [ReadProbe("a kernel", 2, 1000, (1000 / bytes_per_s,))],
        [ArithmeticProbe("a product", 2, 10, 10, 1, 200, (200 / flop_per_s,))],
    )
    return Known(found, Basis.COMPUTED, "test")


def plan(kind: PlanKind = PlanKind.STANDARD, purpose: Purpose = RAG, **more: object) -> Plan:
    return make_plan(SMALL, machine(), ceilings(), BenchSettings(kind=kind), purpose, **more)  # type: ignore[arg-type]


def names(held: Plan, sweep: Sweep) -> list[str]:
    return [test.spec.test for test in held.tests if test.spec.sweep is sweep]


def test_bench_makes_exactly_the_repetitions_asked_for() -> None:
    settings = BenchSettings(n_threads=6, n_threads_prefill=8, n_batch=1024, n_ubatch=256, kv_type="q8_0")
    held = make_plan(SMALL, machine(), NOT_PROBED, settings, RAG)
    assert [test.spec.test for test in held.tests] == ["pp512", "tg128"]
    assert {test.repeat for test in held.tests} == {Repeat(5, 5)}
    prefill, decode = (test.spec for test in held.tests)
    assert (prefill.n_threads, decode.n_threads) == (8, 6)
    assert {(spec.n_batch, spec.n_ubatch, spec.kv_type) for spec in (prefill, decode)} == {(1024, 256, "q8_0")}
    assert held.budget_s is None


def test_with_several_memory_nodes_decode_goes_first() -> None:
    two_nodes = replace(machine(), cpu=replace(machine().cpu, numa_nodes=read(2)))
    assert [t.spec.phase for t in two_phases(SMALL, two_nodes, NOT_PROBED, BenchSettings()).tests] == [
        Phase.DECODE,
        Phase.PREFILL,
    ]


@pytest.mark.parametrize("kind", PlanKind)
def test_every_plan_begins_with_the_phases_then_the_depth_of_the_request(kind: PlanKind) -> None:
    held = plan(kind)
    assert [test.spec.sweep for test in held.tests[:4]] == [Sweep.PHASES, Sweep.PHASES, Sweep.DEPTH, Sweep.DEPTH]
    assert [test.essential for test in held.tests[:3]] == [True, True, False]
    depths = {test.spec.n_depth for test in held.tests if test.spec.sweep is Sweep.DEPTH}
    assert max(depths) == {PlanKind.QUICK: 1000, PlanKind.STANDARD: 2000, PlanKind.THOROUGH: 4000}[kind]
    assert held.predicted_s <= BUDGETS_S[kind]
    assert {test.spec.sweep for test in held.tests} == set(Sweep)


def test_every_test_is_there_once() -> None:
    specs = [test.spec for test in plan().tests]
    assert len(specs) == len(set(specs))


def test_people_at_once_bring_their_streams_to_the_front() -> None:
    held = plan(purpose=Purpose(1000, 100, users=6))
    assert held.tests[4].spec.test == "tg16 x 6"
    assert names(plan(), Sweep.BATCH) == [f"tg16 x {n}" for n in (2, 4, 8, 3, 16, 32)]


def test_threads_are_swept_on_a_processor_only() -> None:
    assert names(plan(), Sweep.THREADS)
    assert not names(plan(on_cpu=False), Sweep.THREADS)


def test_thread_counts_are_powers_of_two_cores_and_a_little_beyond() -> None:
    cpu = replace(machine(threads=16).cpu, usable_threads=8, physical=read(8), performance_cores=read(6))
    hybrid: Machine = replace(machine(), cpu=cpu)
    assert sorted(thread_counts(hybrid, 8)) == [1, 2, 4, 6, 8, 9, 16]
    assert thread_counts(hybrid, 8)[:3] == (8, 9, 6)
    two = replace(machine(), cpu=replace(machine(threads=2).cpu, usable_threads=2))
    assert sorted(thread_counts(two, 2)) == [1, 2, 3]


def test_a_large_model_on_a_slow_machine_keeps_comparable_phases_and_shallower_depths() -> None:
    held = make_plan(LARGE, machine(), ceilings(LARGE), BenchSettings(kind=PlanKind.QUICK), RAG)
    prefill, decode = (test.spec for test in held.tests[:2])
    assert (prefill.n_prompt, decode.n_gen) == (128, 32)
    assert held.notes == ()
    assert {test.spec.n_depth for test in held.tests if test.spec.sweep is Sweep.DEPTH} == {1000}
    assert [test for test, _ in held.pace().to_come(0, held.load_s)] == [0, 1]


def test_an_own_time_goes_as_far_down_as_it_must_and_says_so() -> None:
    held = make_plan(LARGE, machine(), ceilings(LARGE), BenchSettings(budget_s=2.0), RAG)
    assert held.tests[0].spec.n_prompt == 16
    assert held.notes == ("it was cut short to fit the time budget",)


def test_a_plan_without_ceilings_still_has_times() -> None:
    held = make_plan(LARGE, machine(), NOT_PROBED, BenchSettings(kind=PlanKind.THOROUGH), RAG)
    assert 0 < held.predicted_s < float("inf")


def test_no_depth_beyond_what_the_model_was_made_for() -> None:
    short = replace(SMALL, context_length=read(2048))
    held = make_plan(short, machine(), ceilings(), BenchSettings(kind=PlanKind.THOROUGH), RAG)
    deep = [test.spec for test in held.tests if test.spec.n_depth]
    assert max(one.n_depth + one.n_prompt + one.n_gen for one in deep) <= 2048


def test_points_whose_cache_does_not_fit_the_memory_are_not_planned() -> None:
    tight = machine(memory_bytes=400_000_000)
    held = make_plan(SMALL, tight, ceilings(), BenchSettings(kind=PlanKind.THOROUGH), RAG)
    assert not names(held, Sweep.DEPTH)
    assert "tg16 x 2" in names(held, Sweep.BATCH)
    assert Sweep.DEPTH in {spec.sweep for spec, _ in held.left_out}
    assert {why for _, why in held.left_out} == {
        "the cache would take more than 25\u00a0% of the 400\u00a0MB of free memory"
    }
    assert not {spec for spec, _ in held.left_out} & {test.spec for test in held.tests}
    assert not make_plan(SMALL, machine(), ceilings(), BenchSettings(kind=PlanKind.THOROUGH), RAG).left_out


def test_the_settings_of_a_curve_differ_from_the_present_ones_only() -> None:
    settings = BenchSettings(kind=PlanKind.THOROUGH, kv_type="q8_0", flash_attention=FlashAttention.ON)
    held = make_plan(SMALL, machine(), ceilings(), settings, RAG)
    assert not names(held, Sweep.KV_TYPE)
    flash = {test.spec.flash_attention for test in held.tests if test.spec.sweep is Sweep.FLASH_ATTENTION}
    assert flash == {FlashAttention.OFF}


@pytest.mark.parametrize(("sweep", "first", "last"), [
    (Sweep.THREADS, "pp512", "tg32"), (Sweep.BATCH, "pp512", "tg32 x 32 @ d1024"),
    (Sweep.DEPTH, "pp512", "pp512 @ d4096"),
])  # fmt: skip
def test_one_curve_by_hand(sweep: Sweep, first: str, last: str) -> None:
    held = sweep_plan(SMALL, machine(), NOT_PROBED, BenchSettings(), sweep, (1024, 4096))
    assert (held.tests[0].spec.test, held.tests[-1].spec.test) == (first, last)
    assert {test.spec.sweep for test in held.tests} == {Sweep.PHASES, sweep}
    assert held.budget_s is None


def spec(**more: object) -> TestSpec:
    plain = {"phase": Phase.DECODE, "n_prompt": 0, "n_gen": 32, "n_threads": 8, "n_batch": 2048, "n_ubatch": 512}
    return TestSpec(**(plain | more))  # type: ignore[arg-type]


def test_more_depth_streams_and_fewer_threads_take_longer() -> None:
    from advisor.benchmarks.planning.predicting import predictor

    prophet = predictor(SMALL, machine(), ceilings(), 8, 8)
    base = prophet.repetition_s(spec())
    assert prophet.repetition_s(spec(n_depth=4096)) > base
    assert base < prophet.repetition_s(spec(n_streams=8)) < 8 * base
    assert prophet.repetition_s(spec(n_threads=1)) > 2 * base
    assert prophet.repetition_s(spec(n_threads=9)) > base
    assert prophet.fill_s(spec(n_depth=4096)) > 2 * prophet.fill_s(spec(n_depth=2048))
    assert prophet.fill_s(spec()) == 0


def test_streams_that_do_not_fit_are_left_out_with_the_reason() -> None:
    room = Known(80_000_000_000, Basis.READ, "test")
    held = sweep_plan(
        SMALL, machine(), NOT_PROBED, BenchSettings(), Sweep.BATCH, (4096,), streams=(1, 2, 300, 3000), room_bytes=room
    )
    assert [test.spec.test for test in held.tests] == ["pp512", "tg32 @ d4096", "tg32 x 2 @ d4096"]
    reasons = {spec.n_streams: why for spec, why in held.left_out}
    assert set(reasons) == {300, 3000}
    assert "do not fit" in reasons[300]
    assert "more streams than the batch" in reasons[3000]
