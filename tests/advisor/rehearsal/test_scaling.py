"""From two stand-ins to the whole."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.model import Phase, TestSpec
from advisor.core.evidence import Known
from advisor.gguf.traffic import Traffic
from advisor.rehearsal import recipes
from advisor.rehearsal.blueprint import blueprint
from advisor.rehearsal.catalogue import find
from advisor.rehearsal.cutting import cut
from advisor.rehearsal.scaling import METHOD, Flows, blended, scaled, work
from tests.support.rehearsals import result

TG = TestSpec(phase=Phase.DECODE, n_prompt=0, n_gen=16, n_threads=2, n_batch=2048, n_ubatch=512)
PP = TestSpec(phase=Phase.PREFILL, n_prompt=256, n_gen=0, n_threads=2, n_batch=2048, n_ubatch=512)


def flow(*layers: int) -> Traffic:
    plan = recipes.quantised(blueprint(find("Llama-3.1-8B").shape), "Q8_0")
    found = (cut(plan, layers) if layers else plan).facts("model").traffic
    assert isinstance(found, Known)
    return found.value


FLOWS = Flows(flow(0, 1), flow(0, 1, 2, 3, 4, 5), flow())


@pytest.mark.parametrize("spec", [TG, PP, replace(TG, n_depth=2048), replace(TG, n_streams=4)])
@given(each=st.floats(1e-12, 1e-9), fixed_s=st.floats(0, 0.1))
def test_a_fixed_time_and_one_that_grows_with_the_work_are_told_apart(
    spec: TestSpec, each: float, fixed_s: float
) -> None:
    times = [fixed_s + each * work(result(spec, 1.0), flow) for flow in (FLOWS.small, FLOWS.large, FLOWS.whole)]
    # head and fixed time are most of a stand-in's time only where layers cost next to nothing
    if times[1] - times[0] < 0.3 * times[1]:
        return
    found = scaled([result(spec, times[1], times[1])], [result(spec, times[0], times[0])], FLOWS)
    assert found.test.samples_s == pytest.approx((times[2],), rel=0.05)
    assert found.factor > 1


def test_a_steady_machine_is_told_by_the_difference_and_a_restless_one_by_its_share_of_the_work() -> None:
    def told(noise: float) -> float:
        # the head costs as much as in truth no head does
        large = result(TG, 1.0 - noise, 1.0, 1.0 + noise)
        small = result(TG, 0.7 * (1 - noise), 0.7, 0.7 * (1 + noise))
        return scaled([large], [small], FLOWS).test.samples_s[0]

    works = [work(result(TG, 1.0), flow) for flow in (FLOWS.small, FLOWS.large, FLOWS.whole)]
    by_difference = 1.0 + 0.3 * (works[2] - works[1]) / (works[1] - works[0])
    by_share = works[2] / works[1]
    assert by_difference < by_share
    assert told(0.0) == pytest.approx(by_difference, rel=0.03)
    assert told(0.3) == pytest.approx(by_share, rel=0.05)
    assert told(0.0) < told(0.02) < told(0.05) < told(0.3)


def test_noise_that_makes_layers_free_is_not_believed() -> None:
    found = scaled([result(TG, 1.0)], [result(TG, 1.2)], FLOWS)
    assert found.test.samples_s[0] > 1.5
    assert found.margin > METHOD


def test_each_round_is_a_sample() -> None:
    large, small = [result(TG, 1.0), result(TG, 1.1)], [result(TG, 0.5), result(TG, 0.5)]
    found = scaled(large, small, FLOWS)
    assert len(found.test.samples_s) == 2
    assert found.margin > METHOD
    assert found.low_tokens_per_s < found.test.tokens_per_s < found.high_tokens_per_s
    calm = scaled([result(TG, 1.0)] * 2, small, FLOWS)
    assert calm.margin == pytest.approx(METHOD)


def test_one_round_has_the_spread_of_its_repetitions() -> None:
    calm = scaled([result(TG, 1.0, 1.0)], [result(TG, 0.5, 0.5)], FLOWS)
    rough = scaled([result(TG, 0.9, 1.1)], [result(TG, 0.45, 0.55)], FLOWS)
    assert rough.margin > calm.margin


def test_a_whole_model_is_not_scaled() -> None:
    found = scaled([result(TG, 1.0, 1.2)], [], FLOWS)
    assert found.factor == 0
    assert found.small_s is None
    assert found.test.samples_s == (1.0, 1.2)


def test_layers_on_the_processor_cost_their_share() -> None:
    fast = scaled([result(TG, 1.0)], [], FLOWS)
    slow = scaled([result(TG, 9.0)], [], FLOWS)
    half = blended(fast, slow, 0.5)
    assert half.test.samples_s == pytest.approx((5.0,))
    assert blended(fast, slow, 1.0).test.tokens_per_s == pytest.approx(fast.test.tokens_per_s)
    assert half.test.device == "CPU+CPU"
