"""Batch curves against published ones: physics.md 3 (a) to (d), case D16, and the collected sweeps (W1014 …).

The sources of (a) to (d) are llama.cpp's own tables: tools/batched-bench/README.md, benches/dgx-spark and
benches/mac-m2-ultra; ``tests/data/published/batch.csv`` names those of the rest.
"""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.batching import (
    BatchPoint,
    batch_curve,
    batch_rows,
    flattens_at,
    jumps,
    landings,
    nearly_free,
    served,
    step_s,
)
from advisor.benchmarks.model import Sweep, TestResult
from tests.support.evidence import pp, tg

COUNTS = (1, 2, 4, 8, 16, 32)
Points = tuple[BatchPoint, ...]


def points(speeds: tuple[float, ...], counts: tuple[int, ...] = COUNTS) -> Points:
    return tuple(BatchPoint(streams, speed) for streams, speed in zip(counts, speeds, strict=True))


LLAMA_7B = points((41.57, 50.90, 74.44, 139.43, 242.23, 465.40))
SPARK = points((29.10, 54.00, 104.17, 194.15, 331.9, 589.2))
SPARK_DEEP = points((27.03, 47.73, 82.69, 132.13, 189.21, 256.46))
M2_ULTRA = points((78.17, 132.45, 218.67, 254.83, 321.07, 611.12))
D16 = points((66.14, 97.42, 124.21, 129.60, 228.14, 443.64))
GPT_OSS = points(tuple(32 * n / s for n, s in zip(COUNTS, (0.399, 0.583, 0.820, 0.942, 1.173, 1.503), strict=True)))


def collected(quant: str, every: slice = slice(None)) -> tuple[Points, float | None]:
    """A curve of the collected sweeps and its prefill speed; ``every`` picks one of two settings in the same table.

    Rows without a decode speed are steps of so many tokens of one prompt, which cost about the same.
    """
    text = (Path(__file__).parents[2] / "data" / "published" / "batch.csv").read_text(encoding="utf-8")
    rows = [row for row in csv.DictReader(text.splitlines()) if row["quant"] == quant][every]
    found = tuple(BatchPoint(int(row["x"]), float(row["tg_tps"] or row["pp_tps"])) for row in rows)
    return found, float(rows[0]["pp_tps"]) if rows[0]["pp_tps"] else None


@pytest.mark.parametrize(("curve", "steps_ms"), [
    (LLAMA_7B, (24.06, 39.29, 53.73, 57.38, 66.05, 68.76)),
    (SPARK, (34.4, 37.0, 38.4, 41.2, 48.2, 54.3)),
    (M2_ULTRA, (12.8, 15.1, 18.3, 31.4, 49.8, 52.4)),
])  # fmt: skip
def test_steps_are_those_of_the_reference(curve: Points, steps_ms: tuple[float, ...]) -> None:
    """physics.md 3 states the steps beside the speeds."""
    assert [1000 * point.step_s for point in curve] == pytest.approx(steps_ms, abs=0.06)


@pytest.mark.parametrize(("curve", "stairs"), [
    (LLAMA_7B, [(1, 2), (2, 4)]),  # "a jump from B=1 to B=2, then flat": 15.2 and 7.2 ms a stream, then about 1
    (SPARK, []),
    (M2_ULTRA, [(4, 8), (8, 16)]),  # "nearly triples from B=4 to B=16 then stays flat"
    (D16, [(1, 2), (2, 4), (4, 8)]),
    (GPT_OSS, [(1, 2), (2, 4)]),  # experts, not kernels; the words tell them apart
])  # fmt: skip
def test_the_staircase_of_kernels(curve: Points, stairs: list[tuple[int, int]]) -> None:
    assert [(stair.low.streams, stair.high.streams) for stair in jumps(curve)] == stairs


def test_a_roofline_is_no_staircase() -> None:
    """Sharp (max) and smooth (sum) rooflines only ever become steeper."""
    for step in (lambda n: max(0.030, 0.004 * n), lambda n: 0.030 + 0.004 * n):
        assert jumps(points(tuple(n / step(n) for n in COUNTS))) == ()


def test_d16_has_its_flat_step_at_8() -> None:
    """124.21 and 129.60 tokens/s are 4 % apart, and 16 write 228."""
    assert [(stair.low.streams, stair.high.streams) for stair in landings(D16)] == [(4, 8)]
    assert landings(LLAMA_7B) == landings(SPARK) == landings(M2_ULTRA) == ()


@pytest.mark.parametrize("curve", [LLAMA_7B, SPARK, SPARK_DEEP, M2_ULTRA, D16, GPT_OSS])
def test_graphics_processors_still_gain_at_32(curve: Points) -> None:
    """Their balance points lie beyond: 71 streams for Qwen2.5-7B on the Spark (E18)."""
    assert flattens_at(curve) is None


def test_a_processor_flattens_where_prefill_over_decode_says() -> None:
    """W1026 to W1035: 6.62 ÷ 1.38 = 4.8 streams (eq. 14c), and 5 write 6.02 of at most 6.19 tokens/s."""
    curve, prefill = collected("IQ4_XS_R4")
    assert prefill is not None
    assert prefill / curve[0].tokens_per_s == pytest.approx(4.8, abs=0.01)
    assert flattens_at(curve) == 5


def test_two_settings_of_a_processor_and_one_that_still_gains() -> None:
    """W1014 to W1025, two runs in one table: 2.56 of 2.63 and 4.89 of 4.89 at 8; BF16 gains up to 12."""
    assert flattens_at(collected("IQ4_XS", slice(0, None, 2))[0]) == 8
    assert flattens_at(collected("IQ4_XS", slice(1, None, 2))[0]) == 8
    assert flattens_at(collected("BF16")[0]) is None


@pytest.mark.parametrize(("curve", "people", "interpolated"), [
    (LLAMA_7B, 32, False),  # 465.40 / 32 = 14.5 each
    (SPARK_DEEP, 32, False),  # 256.46 / 32 = 8.01 each
    (M2_ULTRA, 32, False),
])  # fmt: skip
def test_how_many_get_eight_tokens_a_second_at_least(curve: Points, people: int, interpolated: bool) -> None:
    found = served(curve, 8.0)
    assert found is not None
    assert (found.people, found.interpolated, found.at_least) == (people, interpolated, True)


def test_between_two_measured_points_is_interpolated() -> None:
    """D16 at 15 each: 8 get 129.60 / 8 = 16.2 and 16 get 14.3. A step of 66.7 ms is
    ln(66.67 / 61.73) / ln(70.13 / 61.73) = 0.60 of the way, 8 × 2^0.60 = 12.1 streams; of 12 it takes 66.5 ms."""
    found = served(D16, 15.0)
    assert found is not None
    assert (found.people, found.interpolated, found.at_least) == (12, True, False)
    assert found.each_tokens_per_s == pytest.approx(1 / 0.0665, rel=0.001)
    assert step_s(D16, 12) == pytest.approx(0.0665, rel=0.001)


def test_nothing_is_said_beyond_what_was_measured() -> None:
    assert step_s(D16, 33) is None
    assert step_s(D16[1:], 1) is None
    assert served(D16[1:], 60.0) is None
    assert served((), 5.0) is None


def test_one_stream_that_is_too_slow_serves_nobody() -> None:
    found = served(D16, 70.0)
    assert found is not None
    assert (found.people, found.each_tokens_per_s) == (0, 66.14)


def test_a_dip_in_the_middle_counts_for_all_beyond() -> None:
    """Ten people must not be promised what only sixteen would get."""
    found = served(points((10.0, 12.0, 40.0), (1, 2, 4)), 8.0)
    assert found is not None
    assert found.people == 1


@pytest.mark.parametrize(("curve", "free"), [(SPARK, 2), (LLAMA_7B, 1), (D16, 1)])
def test_nearly_free_is_a_tenth(curve: Points, free: int) -> None:
    """On the Spark 37.0 of 34.4 ms are 8 % more, 38.4 are 12 %."""
    assert nearly_free(curve, curve[0].step_s) == free


def row(streams: int, speed: float, depth: int = 0, sweep: Sweep = Sweep.BATCH) -> TestResult:
    made = replace(tg(speed, tokens=16, depth=depth), n_streams=streams, sweep=sweep)
    return replace(made, samples_s=(made.tokens / speed,))


def test_a_curve_is_of_one_depth_and_has_its_lone_stream() -> None:
    phase = row(1, 11.0, sweep=Sweep.PHASES)
    shallow = [row(2, 20.0), row(4, 30.0)]
    deep = [row(2, 15.0, 4096)]
    held = batch_curve(batch_rows([phase, *deep, *shallow, pp(100.0)]))
    assert [point.streams for point in held] == [1, 2, 4]
    assert [point.tokens_per_s for point in held] == pytest.approx([11.0, 20.0, 30.0])
    own = row(1, 10.0)
    assert batch_curve(batch_rows([phase, own, *shallow]))[0].tokens_per_s == pytest.approx(10.0)
    assert batch_rows([phase, own]) == []
