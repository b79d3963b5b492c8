"""Several devices, great depth, the measured balance point, the read curve and the mix of types (physics.md 3)."""

from dataclasses import replace

import pytest

from advisor.ceilings.bounds import measured_balance_batch, memory_bound_from_depth, streaming_s
from advisor.ceilings.model import ArithmeticProbe, ReadProbe
from advisor.ceilings.roofline import ceilings, prefill_ceiling, read_bandwidth, type_rates
from advisor.core.evidence import Basis, Known, Unknown
from advisor.gguf.layers import AttentionLayer
from tests.support.documents import traffic


def reading(size_bytes: int, bytes_per_s: float, threads: int = 8) -> ReadProbe:
    return ReadProbe("maximum of float32", threads, size_bytes, (size_bytes / bytes_per_s,))


def multiplying(kernel: str, flop_per_s: float) -> ArithmeticProbe:
    return ArithmeticProbe(kernel, 8, 1, 1, 1, 1_000_000, (1e6 / flop_per_s,))


def known(value: float) -> Known[float]:
    return Known(value, Basis.MEASURED, "test")


def test_layers_on_two_devices_are_read_one_after_the_other() -> None:
    assert streaming_s([(6e9, 300e9), (2e9, 50e9), (0, 0)]) == pytest.approx(0.02 + 0.04)
    with pytest.raises(ValueError, match="bandwidth"):
        streaming_s([(1, 0)])


def test_beyond_the_turning_depth_the_cache_outweighs_the_arithmetic() -> None:
    """Eq. 14b: T = 2 N / (R x KV per token); Llama 3.1 8B has 131,072 bytes of cache per token (E4)."""
    flows = traffic()
    found = memory_bound_from_depth(flows, 100.0)
    assert isinstance(found, Known)
    expected = 2 * (flows.block_elements + flows.head_elements) / (100.0 * 131_072)
    assert found.value == pytest.approx(expected, abs=1.5)


def test_short_windows_never_turn() -> None:
    flows = replace(traffic(), attention=tuple(AttentionLayer(32, 8, 128, 128, window=128) for _ in range(32)))
    assert isinstance(memory_bound_from_depth(flows, 100.0), Unknown)


def test_the_measured_balance_point_leaves_the_head_out() -> None:
    """Eq. 14c, with the published 55.21 and 16.7 tokens/s of llama.cpp issue 34's kind of machine."""
    flows = traffic()
    share = flows.block_elements / (flows.block_elements + flows.head_elements)
    assert measured_balance_batch(flows, 55.2, 16.7) == pytest.approx(55.2 / 16.7 * share)


CURVE = (reading(16 << 20, 100e9), reading(64 << 20, 90e9), reading(256 << 20, 30e9), reading(1 << 30, 25e9))


@pytest.mark.parametrize(
    ("working_set", "expected"),
    [(16 << 20, 100e9), (64 << 20, 90e9), (256 << 20, 30e9), (1 << 30, 25e9), (8 << 30, 25e9), (1 << 20, 100e9)],
)
def test_the_bandwidth_is_that_of_the_models_own_working_set(working_set: int, expected: float) -> None:
    assert read_bandwidth(CURVE, working_set).or_none() == pytest.approx(expected)


def test_between_two_working_sets_it_lies_between_their_figures() -> None:
    found = read_bandwidth(CURVE, 128 << 20).or_none()
    assert found == pytest.approx((90e9 * 30e9) ** 0.5)


def test_what_a_larger_set_reaches_a_smaller_one_reaches_too() -> None:
    dip = (reading(64 << 20, 20e9), reading(256 << 20, 30e9))
    assert read_bandwidth(dip, 64 << 20).or_none() == pytest.approx(30e9)


def test_it_never_rises_with_the_working_set() -> None:
    rates = [read_bandwidth(CURVE, mib << 20).or_none() or 0.0 for mib in range(8, 2048, 8)]
    assert rates == sorted(rates, reverse=True)


PRODUCTS = (
    multiplying("ggml Q4_K, CPU_REPACK layout", 400e9), multiplying("ggml Q4_K", 100e9),
    multiplying("ggml Q6_K", 100e9), multiplying("float32 BLAS", 300e9),
)  # fmt: skip


def test_each_type_counts_with_its_best_layout() -> None:
    assert type_rates(PRODUCTS) == pytest.approx({"Q4_K": 400e9, "Q6_K": 100e9})


def test_prefill_is_bound_by_the_mix_of_types_not_by_the_fastest() -> None:
    mixed = ceilings(traffic(), CURVE, PRODUCTS, mix={"Q4_K": 3.0, "Q6_K": 1.0})
    assert mixed.compute_flop_per_s.or_none() == pytest.approx(4 / (3 / 400e9 + 1 / 100e9))
    assert mixed.best_flop_per_s.or_none() == pytest.approx(400e9)
    bound = mixed.prefill_tokens_per_s.or_none()
    assert bound is not None
    assert bound < (ceilings(traffic(), CURVE, PRODUCTS).prefill_tokens_per_s.or_none() or 0.0)


def test_a_type_without_a_probe_counts_with_the_best_of_all() -> None:
    found = ceilings(traffic(), CURVE, PRODUCTS, mix={"IQ1_S": 1.0})
    assert found.compute_flop_per_s.or_none() == pytest.approx(400e9)


def test_attention_is_reckoned_at_the_best_rate() -> None:
    """At great depth attention outweighs the matrices, and their formats do not slow it down."""
    flows = traffic()
    slow = prefill_ceiling(flows, known(1e15), known(100e9), 512, 100_000).or_none()
    fast = prefill_ceiling(flows, known(1e15), known(100e9), 512, 100_000, best=known(400e9)).or_none()
    assert slow is not None
    assert fast is not None
    matrices = flows.prefill_matrix_flop(512)
    rest = flows.prefill_flop(512, 100_000) - matrices
    assert fast == pytest.approx(512 / (matrices / 100e9 + rest / 400e9))
    assert fast > 1.5 * slow
