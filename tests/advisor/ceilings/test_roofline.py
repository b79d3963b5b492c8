"""Ceilings against the worked examples of the physics notes and against their own properties."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.ceilings.roofline import (
    ceilings,
    decode_point,
    prefill_point,
    raise_to,
    roof_flop_per_s,
)
from advisor.core.evidence import Basis, Known, Unknown
from advisor.gguf.traffic import Traffic
from tests.support.evidence import arithmetic_probe, read_probe, traffic

A100 = (312e12, 2.039e12)
H100 = (989e12, 3.35e12)
V5E = (197e12, 8.2e11)


def plain(bytes_per_weight: float, elements: int = 10**9) -> Traffic:
    """A model of matrices only, no cache, no head, no pruned last layer."""
    return Traffic(round(bytes_per_weight * elements), 0, 0, 0, 0, 0, elements, 0, 0, ())


def of(flows: Traffic, flop_per_s: float, bytes_per_s: float, **more: int):  # type: ignore[no-untyped-def]
    return ceilings(flows, (read_probe(bytes_per_s),), (arithmetic_probe(flop_per_s),), **more)


@pytest.mark.parametrize(("device", "ridge", "batches"), [
    (A100, 153.0, (153.0, 76.5, 43.0)),
    (H100, 295.2, (295.2, 147.6, 83.0)),
    (V5E, 240.2, (240.2, 120.1, 67.6)),
])
def test_ridge_and_knee_of_e14(device, ridge, batches) -> None:
    for width, expected in zip((2.0, 1.0, 0.5625), batches, strict=True):
        known = of(plain(width), *device)
        assert known.balance_flop_per_byte.value == pytest.approx(ridge, abs=0.06)
        assert known.balance_batch.value == pytest.approx(expected, abs=0.06)


def test_batched_decode_at_the_ends_of_e15_in_max_form() -> None:
    """E15's first answer is memory only: 30 GB of weights and four caches of 819.2 MB at 16 x 0.81 TB/s."""
    flows = traffic(30e9, 30e9, head_share=0.0, layers=1, kv_heads=1, heads=1, length=25_000)
    known = of(flows, 16 * 1.97e14, 16 * 8.1e11, batch=4, depth=8192)
    assert 4 / known.decode_tokens_per_s.value * 1e3 == pytest.approx(2.57, abs=0.01)


def test_knee_of_e18() -> None:
    flows = Traffic(7_512_000_000 - 579_000_000, 579_000_000, 0, 0, 0, 0, 6_525_288_448, 544_997_376, 0, ())
    known = of(flows, 29.36e12, 219e9)
    assert known.balance_batch.value == pytest.approx(71.2, abs=0.1)


@pytest.mark.parametrize(("depth", "batch"), [(0, 153.0), (256, 232.6), (512, 484.0)])
def test_knee_moves_out_with_depth_e18b(depth, batch) -> None:
    known = of(traffic(15.01e9, 7.505e9), *A100, depth=depth)
    assert known.balance_batch.value == pytest.approx(batch, rel=0.01)


def test_no_knee_beyond_748_tokens_e18b() -> None:
    known = of(traffic(15.01e9, 7.505e9), *A100, depth=760)
    assert isinstance(known.balance_batch, Unknown)
    assert "never" in known.balance_batch.reason


def test_knee_of_a_mixture_lies_where_both_roofs_meet() -> None:
    flows = traffic(2e9, 3e9, experts=128, experts_used=8, expert_bytes=28e9)
    known = of(flows, 20e12, 200e9)
    at = round(known.balance_batch.value)
    matrices = 2 * (flows.block_elements + flows.head_elements)
    assert flows.step_bytes(at) / 200e9 == pytest.approx(at * matrices / 20e12, rel=0.02)


def test_laptop_of_the_design() -> None:
    known = of(traffic(), 0.74e12, 61.4e9)
    assert known.decode_tokens_per_s.value == pytest.approx(13.3, abs=0.05)
    assert known.decode_tokens_per_s.basis is Basis.COMPUTED
    assert "61.4\u00a0GB/s ÷ 4.62\u00a0GB" in known.decode_tokens_per_s.source


def test_sources_name_the_winning_probe() -> None:
    reads = [read_probe(20e9), read_probe(29e9, kernel="dot of float32"), read_probe(27e9, threads=1)]
    known = ceilings(traffic(), reads, (arithmetic_probe(1e11), arithmetic_probe(4e11, kernel="ggml Q4_K")))
    assert known.read_bytes_per_s == Known(
        pytest.approx(29e9), Basis.MEASURED,
        "best of 3\u00a0read kernels: dot of float32, 2\u00a0threads, 247\u00a0MB",
    )
    assert "ggml Q4_K" in known.compute_flop_per_s.source
    assert len(known.read_probes) == 3


def test_no_probes_are_unknown_with_the_reason() -> None:
    known = ceilings(traffic(), (), ())
    for fact in (known.read_bytes_per_s, known.compute_flop_per_s, known.decode_tokens_per_s,
                 known.prefill_tokens_per_s, known.balance_flop_per_byte, known.balance_batch):
        assert isinstance(fact, Unknown)
        assert "not measured" in fact.reason
    assert roof_flop_per_s(known, 1.0) is None


def test_without_arithmetic_decode_still_has_its_ceiling() -> None:
    known = ceilings(traffic(), (read_probe(61.4e9),), ())
    assert known.decode_tokens_per_s.value == pytest.approx(13.3, abs=0.05)
    assert isinstance(known.prefill_tokens_per_s, Unknown)


def test_slow_arithmetic_caps_decode() -> None:
    known = of(traffic(), 1e11, 900e9)
    assert known.decode_tokens_per_s.value == pytest.approx(1e11 / traffic().flop_per_decoded_token())


def test_a_prompt_of_a_few_tokens_is_bound_by_reading_the_weights() -> None:
    known = of(traffic(), 100e12, 61.4e9, prompt=2)
    assert known.prefill_tokens_per_s.value == pytest.approx(2 * 61.4e9 / traffic().weight_bytes())


@pytest.mark.parametrize("wrong", [{"batch": 0}, {"prompt": 0}, {"depth": -1}])
def test_impossible_arguments_are_refused(wrong) -> None:
    with pytest.raises(ValueError, match="at least"):
        of(traffic(), 1e12, 1e11, **wrong)


@pytest.mark.parametrize("phase", ["prefill", "decode"])
def test_a_standing_violation_raises_the_ceiling_and_its_roof(phase) -> None:
    before = of(traffic(), 0.74e12, 61.4e9)
    bound = getattr(before, f"{phase}_tokens_per_s").value
    after = raise_to(before, phase, bound * 1.2)
    assert getattr(after, f"{phase}_tokens_per_s").value == bound * 1.2
    assert getattr(after, f"{phase}_at_least")
    assert "at least" in getattr(after, f"{phase}_tokens_per_s").source
    point = decode_point(traffic(), bound * 1.2) if phase == "decode" else prefill_point(traffic(), bound * 1.2)
    assert point[1] <= roof_flop_per_s(after, point[0]) * (1 + 1e-9)
    assert after.balance_flop_per_byte.value == pytest.approx(
        after.compute_flop_per_s.value / after.read_bytes_per_s.value)
    other = "decode" if phase == "prefill" else "prefill"
    assert not getattr(after, f"{other}_at_least")


def test_raising_changes_nothing_below_or_without_a_ceiling() -> None:
    before = of(traffic(), 0.74e12, 61.4e9)
    assert raise_to(before, "decode", 1.0) is before
    empty = ceilings(traffic(), (), ())
    assert raise_to(empty, "prefill", 1e9) is empty
    with pytest.raises(ValueError, match="phase"):
        raise_to(before, "loading", 1.0)


def test_points_lie_on_the_roof_at_the_ceiling() -> None:
    known = of(traffic(), 0.74e12, 61.4e9)
    intensity, flops = decode_point(traffic(), known.decode_tokens_per_s.value)
    assert flops == pytest.approx(roof_flop_per_s(known, intensity))
    assert intensity < known.balance_flop_per_byte.value
    intensity, flops = prefill_point(traffic(), known.prefill_tokens_per_s.value)
    assert flops == pytest.approx(0.74e12)
    assert intensity > known.balance_flop_per_byte.value


rates = st.floats(1e9, 4e12)
depths = st.integers(0, 100_000)


@given(rates, rates, depths, st.integers(1, 64))
def test_a_ceiling_never_rises_when_bandwidth_falls(one, two, depth, batch) -> None:
    slow, fast = sorted((one, two))
    low = of(traffic(), 1e13, slow, depth=depth, batch=batch)
    high = of(traffic(), 1e13, fast, depth=depth, batch=batch)
    assert low.decode_tokens_per_s.value <= high.decode_tokens_per_s.value * (1 + 1e-12)
    assert low.prefill_tokens_per_s.value <= high.prefill_tokens_per_s.value * (1 + 1e-12)


@given(rates, st.floats(0.5e9, 80e9), depths)
def test_halving_the_bytes_never_slows_the_prediction(rate, weights, depth) -> None:
    whole = traffic(weights, 8e9)
    half = replace(whole, dense_bytes=whole.dense_bytes // 2, head_bytes=whole.head_bytes // 2)
    full = of(whole, 1e13, rate, depth=depth).decode_tokens_per_s.value
    assert of(half, 1e13, rate, depth=depth).decode_tokens_per_s.value >= full * (1 - 1e-12)


@given(depths, depths)
def test_depth_never_raises_the_decode_ceiling(one, two) -> None:
    near, far = sorted((one, two))
    flows = traffic()
    assert (of(flows, 1e13, 5e10, depth=far).decode_tokens_per_s.value
            <= of(flows, 1e13, 5e10, depth=near).decode_tokens_per_s.value * (1 + 1e-12))


def test_experts_shared_by_many_streams_do_not_beat_the_ceiling() -> None:
    """DGX Spark (273 GB/s), gpt-oss-120b: 159 tokens/s with 8 streams and 353 with 32 (physics.md 3 d)."""
    flows = traffic(
        1.68e9, 5.1e9, expert_bytes=61.07e9, experts=128, experts_used=4, layers=36, heads=64, length=64
    )
    for streams, measured in ((8, 159.0), (32, 353.0)):
        bound = of(flows, 1e15, 273e9, batch=streams).decode_tokens_per_s
        assert isinstance(bound, Known)
        assert bound.value > measured
