"""Curves against published tables: the measuring cases (C01 ...) and rows of the collected sweeps (W ...)."""


import pytest

from advisor.benchmarks.curves import compare, fit_depth, flat_part, kv_share, thread_knee
from advisor.benchmarks.model import Phase, TestResult
from tests.support.evidence import C01_SWEEP, pp, tg, traffic

C06 = ((0, 39.85), (1024, 38.34), (2048, 37.03), (4096, 34.62), (6144, 32.56), (8192, 30.82))
C06_PREFILL = ((0, 1538.22), (1024, 1447.26), (2048, 1373.33), (4096, 1233.24), (6144, 1119.58), (8192, 1023.63))
C07 = ((0, 220.4), (4096, 200.7), (16384, 160.7), (32768, 126.0))
C08 = ((1024, 22.70), (4096, 21.38), (16384, 17.80), (32768, 15.2))
# llama.cpp's own tables of a DGX Spark, Qwen2.5-7B Q8_0 (physics.md 3, curve b)
SPARK = ((0, 29.43), (4096, 28.61), (8192, 27.38), (16384, 25.72), (32768, 22.51))
# kyuz0/amd-r9700-ai-toolboxes, Ministral-3-14B BF16 (W0860-W0862) and gpt-oss-20b (W0896-W0898)
R9700 = ((0, 22.33), (16384, 20.32), (32768, 18.69))
R9700_GPT_OSS = ((0, 133.92), (16384, 114.87), (32768, 102.14))


def rows(table: tuple[tuple[int, float], ...], phase: Phase = Phase.DECODE) -> list[TestResult]:
    make = pp if phase is Phase.PREFILL else tg
    return [make(speed, depth=depth, tokens=32) for depth, speed in table]


@pytest.mark.parametrize("table", [C06, C07, C08, SPARK, R9700, R9700_GPT_OSS])
def test_one_over_speed_is_straight_in_depth(table: tuple[tuple[int, float], ...]) -> None:
    fit = fit_depth(rows(table))
    assert fit is not None
    for depth, speed in table:
        assert 1 / fit.s_per_token(depth + 16) == pytest.approx(speed, rel=0.025)


def test_prefill_is_straight_too() -> None:
    fit = fit_depth(rows(C06_PREFILL, Phase.PREFILL))
    assert fit is not None
    for depth, speed in C06_PREFILL:
        assert 1 / fit.s_per_token(depth + 16) == pytest.approx(speed, rel=0.02)


def test_two_depths_foretell_a_third() -> None:
    fit = fit_depth(rows((C06[0], C06[-1])))
    assert fit is not None
    assert 1 / fit.s_per_token(4096) == pytest.approx(34.62, rel=0.01)
    assert fit.depths == (0, 8192)


def test_the_share_that_depth_costs_is_that_of_the_loss() -> None:
    """C06: 30.82 of 39.85 tokens/s are left at 8,192, so depth takes 23 % of each token there."""
    fit = fit_depth(rows(C06))
    assert fit is not None
    assert fit.depth_share(8192) == pytest.approx(1 - 30.82 / 39.85, abs=0.01)
    assert fit.depth_share(0) == 0


def test_the_computed_share_counts_cache_bytes() -> None:
    """Llama-3.1-8B: 131,072 bytes of f16 cache per token of depth beside 4.62 GB of weights (physics.md E4)."""
    cache = 131_072 * 8192
    assert kv_share(traffic(), 8192) == pytest.approx(cache / (4.62e9 + cache), rel=0.001)
    half = 69_632 * 8192
    assert kv_share(traffic(), 8192, "q8_0") == pytest.approx(half / (4.62e9 + half), rel=0.001)


def test_noise_that_makes_depth_pay_off_is_no_growth() -> None:
    fit = fit_depth(rows(((0, 20.0), (4096, 21.0))))
    assert fit is not None
    assert fit.per_depth_s == 0
    assert 1 / fit.s_per_token(100_000) == pytest.approx(20.5, rel=0.01)


def test_one_depth_is_no_curve() -> None:
    assert fit_depth(rows(((0, 20.0),))) is None
    assert fit_depth([]) is None


def sweep(table: tuple[tuple[int, float], ...], phase: Phase = Phase.DECODE) -> list[TestResult]:
    make = pp if phase is Phase.PREFILL else tg
    return [make(speed, threads=threads, tokens=16) for threads, speed in table]


def test_decode_has_its_knee_where_prefill_still_gains() -> None:
    """C01: decode peaks at 8 threads and 16 lose 8 %; prefill is best with 32."""
    decode = thread_knee([row for row in C01_SWEEP if row.phase is Phase.DECODE])
    prefill = thread_knee([row for row in C01_SWEEP if row.phase is Phase.PREFILL])
    assert decode is not None
    assert prefill is not None
    assert (decode.best.n_threads, decode.knee.n_threads) == (8, 8)
    assert decode.loses_at is not None
    assert decode.loses_at.n_threads == 16
    assert prefill.knee.n_threads == 32
    assert prefill.loses_at is None


@pytest.mark.parametrize(("table", "knee", "loses_at"), [
    # C16: a Ryzen 5700G with 7B and 13B, ms per token
    (tuple((n, 1000 / ms) for n, ms in ((4, 137.10), (6, 100.43), (8, 112.44), (10, 131.63), (12, 132.73))), 6, 8),
    (tuple((n, 1000 / ms) for n, ms in ((4, 261.88), (6, 190.74), (8, 209.15), (10, 244.64))), 6, 8),
    # C17: eight cores on DDR4; 6 are best, 4 and 5 within 4 %, 7 and 8 lose
    (tuple((n, 1000 / ms) for n, ms in ((8, 132.0), (7, 128.0), (6, 120.0), (5, 124.0), (4, 125.0))), 6, 7),
    # C19: two sockets, all hyper-threads are best
    (((40, 2.4), (80, 4.5)), 80, None),
    # C18: 16 threads on 8 cores
    (((7, 6.56), (16, 0.83)), 7, 16),
    # W1026-W1035: Xeon E5-2683 v4, Midnight-Miqu-70B IQ4_XS_R4; flat from 6 to 16
    (((1, 1.38), (2, 2.77), (3, 4.07), (4, 5.29), (5, 6.02), (6, 6.19), (7, 6.14), (8, 6.05), (12, 6.11), (16, 6.04)),
     5, None),
])  # fmt: skip
def test_knees_of_published_thread_sweeps(
    table: tuple[tuple[int, float], ...], knee: int, loses_at: int | None
) -> None:
    found = thread_knee(sweep(table))
    assert found is not None
    assert found.knee.n_threads == knee
    assert (found.loses_at and found.loses_at.n_threads) == loses_at


def test_a_wide_spread_moves_the_knee_to_fewer_threads() -> None:
    noisy = tg((8.0, 10.0, 11.0), threads=8)
    assert noisy.relative_spread == pytest.approx(0.1)
    found = thread_knee([tg(9.2, threads=4), noisy])
    assert found is not None
    assert found.knee.n_threads == 4
    assert found.best.n_threads == 8


def test_one_count_has_no_knee() -> None:
    assert thread_knee([tg(9.2, threads=4)]) is None


def test_the_flat_part_ends_before_threads_crowd_each_other() -> None:
    first, last = flat_part(sweep(((1, 6.0), (2, 9.8), (4, 10.0), (8, 2.0))), 0.05)
    assert (first.n_threads, last.n_threads) == (2, 4)


def test_settings_differ_when_their_intervals_do() -> None:
    """C27 and C28: flash attention halves decode on one graphics card and doubles it on another."""
    slower = compare(tg((37.7, 37.8, 37.9)), tg((26.4, 26.5, 26.6)))
    assert slower.distinct
    assert slower.ratio == pytest.approx(26.5 / 37.8)
    faster = compare(tg((22.8, 22.87, 22.9)), tg((44.6, 44.69, 44.7)))
    assert faster.distinct
    assert faster.ratio == pytest.approx(1.954, abs=0.001)


def test_overlapping_intervals_are_not_distinguishable() -> None:
    assert not compare(tg((10.0, 10.5, 11.0)), tg((10.8, 11.2, 11.5))).distinct
    assert not compare(tg((10.0, 10.1)), tg((20.0,))).distinct
    assert compare(tg((10.0, 10.1)), tg((20.0, 20.1))).distinct
