"""Progress of a plan that follows the machine's real speed."""


from advisor.benchmarks.job import PlannedTest
from advisor.benchmarks.model import Phase, Sweep, TestSpec
from advisor.benchmarks.planning.plan import Plan
from advisor.benchmarks.steadiness import Repeat
from advisor.core.progress import Progress
from advisor.session.clock import RunClock
from advisor.session.pacer import Pacer

ONCE = Repeat(1, 1)
PP = TestSpec(phase=Phase.PREFILL, n_prompt=512, n_gen=0, n_threads=2, n_batch=2048, n_ubatch=512)
TG = TestSpec(phase=Phase.DECODE, n_prompt=0, n_gen=64, n_threads=2, n_batch=2048, n_ubatch=512)
KV = TestSpec(
    phase=Phase.DECODE, n_prompt=0, n_gen=32, n_depth=4000, n_threads=2, n_batch=2048, n_ubatch=512, kv_type="q8_0",
    sweep=Sweep.KV_TYPE,
)  # fmt: skip
PLAN = Plan(
    (
        PlannedTest(PP, ONCE, 1.0),
        PlannedTest(TG, ONCE, 2.0),
        PlannedTest(KV, ONCE, 1.0, fill_s=4.0, essential=False),
    ),
    load_s=0.5,
    budget_s=20.0,
)


class Time:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def paced() -> tuple[Pacer, Time, list[Progress]]:
    time, heard = Time(), list[Progress]()
    return Pacer(RunClock(heard.append, time), PLAN, time), time, heard


def test_it_begins_with_the_whole_plan_to_come() -> None:
    _, _, heard = paced()
    assert heard[-1].phase == "Loading the model"
    assert heard[-1].left_s == PLAN.predicted_s


def test_a_slow_first_phase_makes_the_rest_longer_and_drops_what_no_longer_fits() -> None:
    pacer, time, heard = paced()
    time.now_s = 0.5
    pacer.begun(0)
    left_s = heard[-1].left_s
    time.now_s = 6.0
    pacer.repetition(0, 3.0)
    pacer.say("Prefill, repetition 1 of 1")
    assert heard[-1].left_s is not None
    assert left_s is not None
    time.now_s = 9.5
    pacer.begun(1)
    assert heard[-1].left_s == PLAN.tests[1].cost.decode_s * 3 + 0.1  # the KV point would pass 20 s
    pacer.repetition(1, 2.0)
    pacer.say("Decode, repetition 1 of 1")
    assert heard[-1].left_s == PLAN.tests[1].cost.decode_s + 0.1  # decode is as fast as predicted, filling is not
    fractions = [event.fraction for event in heard]
    assert fractions == sorted(fractions)


def test_a_point_of_a_curve_is_named() -> None:
    pacer, _, heard = paced()
    pacer.begun(2)
    assert heard[-1].phase == "KV type: tg32 @ d4000 with KV q8_0, warming up"
    pacer.say("Decode, repetition 1 of 3")
    assert heard[-1].phase == "KV type: tg32 @ d4000 with KV q8_0, repetition 1 of 3"
    pacer.say("Filling the cache with 4000 tokens")
    assert heard[-1].phase == "Filling the cache with 4000 tokens"
