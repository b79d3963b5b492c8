from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.gguf.traffic import AttentionLayer, Traffic, distinct_experts, padded_cells


@pytest.mark.parametrize(
    ("count", "used", "batch", "distinct"),
    [
        (8, 2, 1, 2),
        (8, 2, 2, 3.5),
        (8, 2, 8, 7.199),
        (32, 4, 4, 13.242),
        (128, 8, 4, 29.123),
        (128, 8, 16, 82.423),
        (128, 8, 32, 111.771),
        (128, 4, 32, 81.657),
        (256, 8, 8, 57.421),
        (256, 8, 64, 222.442),
        (0, 0, 4, 0),
    ],
)
def test_distinct_experts(count: int, used: int, batch: int, distinct: float) -> None:
    assert distinct_experts(count, used, batch) == pytest.approx(distinct, rel=1e-4)


@pytest.mark.parametrize(("cells", "padded"), [(1, 256), (256, 256), (257, 512), (640, 768), (2176, 2304)])
def test_padded_cells(cells: int, padded: int) -> None:
    assert padded_cells(cells) == padded


def traffic(window: int | None = None, experts: int = 0) -> Traffic:
    return Traffic(
        dense_bytes=1000,
        head_bytes=500,
        expert_bytes=800 if experts else 0,
        experts=experts,
        experts_used=2 if experts else 0,
        row_bytes=10,
        block_elements=2000,
        head_elements=300,
        last_ffn_elements=400,
        attention=(AttentionLayer(4, 2, 8, 16, window), AttentionLayer(4, 2, 8, 16)),
    )


def test_one_step_by_hand() -> None:
    step = traffic(window=10, experts=8)
    assert step.weight_bytes() == 1000 + 500 + 800 * 2 / 8
    # 48 cached numbers per token and layer, 2 bytes each; 10 of 30 tokens are within the window
    assert step.kv_read_bytes(30) == 2 * 48 * (10 + 30)
    assert step.step_bytes(batch=2, depth=30) == 1500 + 800 * 3.5 / 8 + 2 * (3840 + 10)
    # 2 FLOP × 4 heads × 24 numbers per pair
    assert step.flop_per_decoded_token(depth=30) == 2 * 2300 + 192 * 40


@settings(deadline=None)
@given(prompt=st.integers(1, 60), depth=st.integers(0, 60), window=st.none() | st.integers(1, 80))
def test_prefill_attention_is_the_sum_over_its_tokens(prompt: int, depth: int, window: int | None) -> None:
    step = traffic(window)
    matrices = 2 * (2000 * prompt - 400 * (prompt - 1) + 300)
    pairs = sum(layer.reach(t) for layer in step.attention for t in range(depth + 1, depth + prompt + 1))
    assert step.prefill_flop(prompt, depth) == matrices + 192 * pairs


@settings(deadline=None)
@given(st.lists(st.integers(0, 100_000), min_size=2, unique=True).map(sorted), st.none() | st.integers(1, 5000))
def test_memory_grows_with_context(depths: list[int], window: int | None) -> None:
    step = traffic(window)
    for shorter, longer in pairwise(depths):
        assert step.kv_read_bytes(shorter) < step.kv_read_bytes(longer)
        assert step.kv_allocated_bytes(shorter) <= step.kv_allocated_bytes(longer)
        assert step.kv_windowed_bytes(longer) <= step.kv_allocated_bytes(longer)
        assert step.kv_read_bytes(longer) <= step.kv_windowed_bytes(longer)
