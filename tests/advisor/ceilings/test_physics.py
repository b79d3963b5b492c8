"""The worked examples and published curves of the physics notes that concern ceilings (sections 1, 3 and 7)."""

import pytest

from advisor.ceilings.roofline import decode_ceiling, decode_point
from advisor.core.evidence import Basis, Known, Unknown
from advisor.gguf.traffic import AttentionLayer, Traffic

NO_ARITHMETIC = Unknown("left out")


def rate(value: float) -> Known[float]:
    return Known(value, Basis.TABLE, "published")


def flows(weights: float, *, kv_per_token: int = 0, experts: tuple[int, int, float] = (0, 0, 0.0),
          elements: float = 0.0) -> Traffic:
    """A model of so many bytes; the cache is one layer of one head."""
    attention = (AttentionLayer(1, 1, kv_per_token // 4, kv_per_token // 4),) if kv_per_token else ()
    count, used, expert_bytes = experts
    return Traffic(round(weights), 0, round(expert_bytes), count, used, 0, round(elements), 0, 0, attention)


def step_s(model: Traffic, bytes_per_s: float, batch: int = 1, depth: int = 0) -> float:
    bound = decode_ceiling(model, rate(bytes_per_s), NO_ARITHMETIC, batch, depth)
    assert isinstance(bound, Known)
    return batch / bound.value


@pytest.mark.parametrize(
    ("batch", "milliseconds"), [(1, 4.98), (8, 12.13), (16, 20.30), (32, 36.65), (64, 69.33), (240, 249.09)]
)
def test_memory_bound_steps_of_e16(batch: int, milliseconds: float) -> None:
    """LLaMA-2-13B on eight TPU v5e: 26 GB of weights and 6.7 GB of cache a sequence at 6.56 TB/s."""
    model = flows(26e9, kv_per_token=6_700_000)
    assert step_s(model, 6.56e12, batch, 1000) * 1e3 == pytest.approx(milliseconds, rel=2e-3)


def test_throughput_of_e16_ends_at_the_cache() -> None:
    assert 1 / step_s(flows(26e9, kv_per_token=6_700_000), 6.56e12, 1, 1000) == pytest.approx(200.61, rel=1e-3)
    assert 240 / step_s(flows(26e9, kv_per_token=6_700_000), 6.56e12, 240, 1000) == pytest.approx(963.53, rel=1e-3)


def test_the_book_s_batched_step_of_e15_stays_below_our_bound() -> None:
    """Its 21.05 ms add the cache's bytes to the products; our bound lets them overlap, so it is the lower time."""
    model = flows(30e9, kv_per_token=100_000, elements=30e9)
    bound = decode_ceiling(model, rate(16 * 8.1e11), rate(16 * 1.97e14), 256, 8192)
    assert isinstance(bound, Known)
    milliseconds = 256 / bound.value * 1e3
    assert milliseconds == pytest.approx((30e9 + 256 * 819.2e6) / (16 * 8.1e11) * 1e3, rel=1e-6)
    assert milliseconds < 21.05


@pytest.mark.parametrize(("gigabytes", "tokens_per_s", "effective"), [
    (15.013, 29.17, 437.9), (7.978, 50.93, 406.3), (6.162, 58.67, 361.5), (4.622, 71.93, 332.5), (4.386, 76.71, 336.5),
])
def test_bytes_moved_of_e17(gigabytes: float, tokens_per_s: float, effective: float) -> None:
    """Fewer bits move fewer bytes per second: the work per second over the work per byte is what was moved."""
    model = flows(gigabytes * 1e9, elements=8e9)
    intensity, flop_per_s = decode_point(model, tokens_per_s)
    assert flop_per_s / intensity / 1e9 == pytest.approx(effective, rel=1e-3)


def test_bandwidth_use_of_e32() -> None:
    model = flows(14e9)
    assert step_s(model, 2e12) / 14e-3 == pytest.approx(0.5)


SPARK, M2_ULTRA = 273e9, 800e9
QWEN_7B_Q8 = {"weights": 7.512e9, "kv_per_token": 57_344}
BATCHES = (1, 2, 4, 8, 16, 32)


@pytest.mark.parametrize(("depth", "bytes_per_s", "speeds"), [
    (512, SPARK, (29.10, 54.00, 104.17, 194.15, 331.9, 589.2)),
    (8192, SPARK, (27.03, 47.73, 82.69, 132.13, 189.21, 256.46)),
    (512, M2_ULTRA, (78.17, 132.45, 218.67, 254.83, 321.07, 611.12)),
])
def test_curves_b_and_c_stay_below_the_roof(depth: int, bytes_per_s: float, speeds: tuple[float, ...]) -> None:
    model = flows(**QWEN_7B_Q8)
    for batch, speed in zip(BATCHES, speeds, strict=True):
        assert batch / step_s(model, bytes_per_s, batch, depth) > speed


@pytest.mark.parametrize(("depth", "speed"), [(0, 29.43), (4096, 28.61), (8192, 27.38), (16384, 25.72), (32768, 22.51)])
def test_curve_b_over_depth_keeps_its_share_of_the_roof(depth: int, speed: float) -> None:
    """The cache explains the fall: the share of the roof stays between 77 and 83 %."""
    share = speed * step_s(flows(**QWEN_7B_Q8), SPARK, 1, depth)
    assert 0.77 < share < 0.83


def test_implied_bandwidth_of_curves_b_and_c() -> None:
    model = flows(**QWEN_7B_Q8)
    for speeds, implied in (
        ((29.10, 54.00, 104.17, 194.15, 331.9, 589.2), (219, 204, 199, 188, 166, 156)),
        ((78.17, 132.45, 218.67, 254.83, 321.07, 611.12), (590, 502, 418, 247, 160, 162)),
    ):
        for batch, speed, gigabytes in zip(BATCHES, speeds, implied, strict=True):
            assert model.step_bytes(batch, 512) * speed / batch / 1e9 == pytest.approx(gigabytes, rel=0.01)


def test_curve_a_is_no_roofline() -> None:
    """LLaMA-7B: the step nearly doubles from one stream to two, then hardly moves; bytes alone would hardly move."""
    milliseconds = [1e3 * batch / speed for batch, speed in
                    zip(BATCHES, (41.57, 50.90, 74.44, 139.43, 242.23, 465.40), strict=True)]
    assert milliseconds == pytest.approx([24.06, 39.29, 53.73, 57.38, 66.05, 68.76], rel=1e-3)
    model = flows(13.5e9, kv_per_token=524_288)
    ideal = [step_s(model, 1e12, batch, 128) for batch in BATCHES]
    assert milliseconds[1] / milliseconds[0] > 1.6 and ideal[1] / ideal[0] < 1.02


@pytest.mark.parametrize(("dense_bytes", "experts", "seconds"), [
    (1.307e9, (32, 4, 10.179e9), (0.399, 0.583, 0.820)),
    (1.685e9, (128, 4, 61.07e9), (0.560, 0.874, 1.299)),
])
def test_curve_d_stays_below_the_roof_for_few_streams(
    dense_bytes: float, experts: tuple[int, int, float], seconds: tuple[float, ...]
) -> None:
    """gpt-oss on the DGX Spark, 32 tokens a stream. From eight streams on real tokens share experts (E9 is an upper
    bound of the bytes), so that the roof made with it is passed: 159 tokens/s of eight streams against 142."""
    model = flows(dense_bytes, experts=experts)
    for batch, took in zip((1, 2, 4), seconds, strict=True):
        assert batch / step_s(model, SPARK, batch) > 32 * batch / took
