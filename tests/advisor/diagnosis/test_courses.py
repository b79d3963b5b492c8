"""The parts of a wait: what they rest on, how they add up, and what always holds of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.model import Conditions, RealUse, Stamp
from advisor.core.evidence import Basis, Known, Unknown
from advisor.diagnosis.model import Timeline, Workload
from advisor.diagnosis.pace import RUNS_DIFFER, pace_of
from advisor.diagnosis.parts import NO_TIME, Course, PartId, Seconds, add_up
from advisor.diagnosis.timeline import timeline
from advisor.diagnosis.workload import custom, preset
from tests.support.courses import seconds_of
from tests.support.evidence import VALID, pp, tg, traffic

LOADED = Known(2.0, Basis.MEASURED, "test")


def text(conditions: Conditions = VALID, benchmark: float | None = 12.0) -> Known[RealUse]:
    use = RealUse(
        prompt_tokens=100, tokens=64, tokenise_s=0.001, prefill_s=2.5, decode_s=5.3, sample_s=0.128, detokenise_s=0.0,
        benchmark_tokens_per_s=benchmark, conditions=conditions,
    )
    return Known(use, Basis.MEASURED, "test")


def line(workload: Workload, *tests, real_use=None, load_s=LOADED, flows=None) -> Timeline:  # type: ignore[no-untyped-def]
    found = timeline(workload, tests, flows or traffic(), load_s, real_use or text())
    assert isinstance(found, Known)
    return found.value


def courses(held: Timeline) -> tuple[Course, ...]:
    return held.first_time, held.afterwards, held.chat, held.chat_kept


def test_the_first_request_has_every_part_in_order() -> None:
    held = line(preset("rag"), pp(40), tg(10))
    assert [part.id for part in held.first_time.parts] == [
        PartId.LOAD, PartId.TOKENISE, PartId.COLD_PREFILL, PartId.DECODE, PartId.SAMPLING]
    assert [seconds_of(held.first_time, part) for part in (PartId.LOAD, PartId.TOKENISE)] == [2.0, pytest.approx(0.04)]
    assert seconds_of(held.first_time, PartId.COLD_PREFILL) == held.wait_s == 100
    assert seconds_of(held.first_time, PartId.DECODE) == held.stream_s == 30
    assert seconds_of(held.first_time, PartId.SAMPLING) == pytest.approx(300 * 0.002)
    assert held.first_time.total.middle_s == pytest.approx(132.64)


def test_afterwards_only_what_is_new_is_read() -> None:
    held = line(preset("rag"), pp(40), tg(10))
    assert [part.id for part in held.afterwards.parts] == [
        PartId.TOKENISE, PartId.CACHED_PREFILL, PartId.COLD_PREFILL, PartId.DECODE, PartId.SAMPLING]
    assert seconds_of(held.afterwards, PartId.COLD_PREFILL) == pytest.approx(85)
    kept = held.afterwards.part(PartId.CACHED_PREFILL)
    assert kept.tokens == 600
    assert kept.took.value.middle_s == 0
    assert kept.took.value.high_s == pytest.approx(600 * 131_072 / 2e9)  # Llama-3.1-8B's cache at 2 GB/s


def test_e28_restoring_three_thousand_tokens() -> None:
    held = line(custom(3_001, 10, shared=3_000), pp(340), tg(10))
    saved_s = held.wait_s - seconds_of(held.afterwards, PartId.COLD_PREFILL)
    assert saved_s == pytest.approx(8.82, abs=0.01)
    assert held.afterwards.part(PartId.CACHED_PREFILL).took.value.high_s == pytest.approx(0.197, abs=0.001)


def test_nothing_shared_means_that_nothing_is_kept() -> None:
    held = line(custom(1_000, 10), pp(100), tg(10))
    assert held.afterwards.part(PartId.CACHED_PREFILL) is None
    assert seconds_of(held.afterwards, PartId.COLD_PREFILL) == held.wait_s


def test_at_least_one_token_is_evaluated() -> None:
    held = line(custom(1_000, 10, shared=1_000), pp(100), tg(10))
    assert held.afterwards.part(PartId.COLD_PREFILL).tokens == 1


def test_what_was_not_measured_is_unknown_and_left_out_of_the_sum() -> None:
    found = timeline(preset("rag"), (pp(40), tg(10)))
    held = found.value
    for part in (PartId.LOAD, PartId.TOKENISE, PartId.SAMPLING):
        assert isinstance(held.first_time.part(part).took, Unknown)
    assert held.first_time.total.middle_s == held.total_s


def test_a_disturbed_text_is_no_measure_of_sampling() -> None:
    disturbed = text(Conditions(Stamp.INVALID, ("others",)))
    took = line(preset("rag"), pp(40), tg(10), real_use=disturbed).first_time.part(PartId.SAMPLING).took
    assert "disturbed" in took.reason


def test_the_gap_to_the_benchmark_is_the_high_end_of_sampling() -> None:
    took = line(preset("rag"), pp(40), tg(10), real_use=text(benchmark=20.0)).first_time.part(PartId.SAMPLING).took
    gap_s = 300 * (5.428 / 64 - 1 / 20)
    assert took.value.high_s == pytest.approx(gap_s)
    assert took.value.middle_s == pytest.approx(0.6)


def test_a_chat_grows_by_message_and_answer() -> None:
    held = line(custom(1_500, 250, shared=1_200, turns=3), pp(100), tg(10))
    assert [turn.prompt_tokens for turn in held.turns] == [1_500, 2_050, 2_600]
    assert [turn.new_tokens for turn in held.turns] == [1_500, 300, 300]
    assert [turn.wait.middle_s for turn in held.turns] == [15.0, 20.5, 26.0]
    assert [turn.wait_kept.middle_s for turn in held.turns] == [15.0, 3.0, 3.0]
    assert seconds_of(held.chat, PartId.COLD_PREFILL) == pytest.approx(61.5)
    assert seconds_of(held.chat_kept, PartId.COLD_PREFILL) == pytest.approx(21.0)
    assert seconds_of(held.chat, PartId.LOAD) == seconds_of(held.chat_kept, PartId.LOAD) == 2.0


def test_depth_slows_a_kept_turn_too() -> None:
    """C06 shape: reading 300 tokens behind 8,000 takes longer than the first 300."""
    rows = (pp(1538.22), pp(1023.63, depth=8192), tg(39.85), tg(30.82, depth=8192))
    held = line(custom(8_000, 100, shared=7_700, turns=2), *rows)
    assert held.turns[1].wait_kept.middle_s > 1.3 * 300 / 1538.22
    assert held.turns[1].stream.middle_s > held.turns[0].stream.middle_s


def test_several_people_wait_for_one_another() -> None:
    alone, four = (line(custom(1_000, 100, users=n), pp(100), tg(10)) for n in (1, 4))
    for part in (PartId.TOKENISE, PartId.COLD_PREFILL, PartId.DECODE, PartId.SAMPLING):
        assert seconds_of(four.first_time, part) == pytest.approx(4 * seconds_of(alone.first_time, part))
    assert seconds_of(four.first_time, PartId.LOAD) == seconds_of(alone.first_time, PartId.LOAD)


# ---- uncertainty

def test_the_interval_of_the_rows_is_the_interval_of_the_seconds() -> None:
    held = line(custom(1_000, 100), pp((90, 100, 105)), tg((10, 10, 10)), flows=traffic(kv_heads=0, heads=0))
    took = held.first_time.part(PartId.COLD_PREFILL).took.value
    assert (took.low_s, took.middle_s, took.high_s) == pytest.approx((1_000 / 105, 10.0, 1_000 / 90))
    stream = held.first_time.part(PartId.DECODE).took.value
    assert stream.low_s == stream.middle_s == pytest.approx(10)


def test_a_single_repetition_gets_the_usual_deviation() -> None:
    took = line(custom(1_000, 100), pp(100), tg(10)).first_time.part(PartId.COLD_PREFILL).took.value
    assert took.low_s == pytest.approx(10 / (1 + RUNS_DIFFER))


def test_work_that_depth_adds_counts_into_the_high_end_until_it_is_measured() -> None:
    deep = custom(16_000, 100)
    assumed = line(deep, pp(100), tg((10, 10, 10))).first_time.part(PartId.DECODE).took.value
    assert assumed.high_s > 1.3 * assumed.middle_s  # 16,000 tokens of this cache are 2.1 GB beside 4.6 GB of weights
    measured = line(deep, pp(100), tg((10, 10, 10)), tg((7, 7, 7), depth=16_384))
    took = measured.first_time.part(PartId.DECODE).took.value
    assert took.high_s < 1.05 * took.middle_s


def test_a_line_that_misses_its_rows_widens_the_range() -> None:
    rows = [tg((10, 10, 10)), tg((9, 9, 9), depth=2048), tg((5, 5, 5), depth=4096)]
    pace = pace_of(rows, rows[0], None)
    assert pace.faster < 0.95
    assert pace.slower > 1.05


# ---- properties

speeds = st.floats(0.5, 5_000)
samples = st.lists(st.floats(0.8, 1.25), min_size=1, max_size=7)
slope = st.floats(0, 1e-4)
prompts, answers = st.integers(1, 50_000), st.integers(1, 5_000)


def rows_of(read: float, write: float, around: list[float], growth: float):  # type: ignore[no-untyped-def]
    """Both phases with some spread, and two depths where they grow."""
    from dataclasses import replace

    from advisor.benchmarks.model import Sweep

    tests = [pp([read * factor for factor in around]), tg([write * factor for factor in around])]
    if growth:
        slower = 1 + growth * 8192
        deep = (pp(read / slower, depth=8192), tg(write / slower, depth=8192))
        tests += [replace(row, sweep=Sweep.DEPTH) for row in deep]
    return tests


def share(held: Timeline, course: Course, *parts: PartId) -> float:
    return sum(seconds_of(course, part) for part in parts) / course.total.middle_s


@given(prompts, prompts, answers, speeds, speeds, samples, slope)
def test_more_prompt_never_lowers_the_share_of_reading(first, second, answer, read, write, around, growth) -> None:
    less, more = sorted((first, second))
    tests = rows_of(read, write, around, growth)
    short, long = (line(custom(prompt, answer), *tests) for prompt in (less, more))
    assert short.wait_s / short.total_s <= long.wait_s / long.total_s + 1e-9
    for before, after in zip(courses(short), courses(long), strict=True):
        assert share(short, before, PartId.COLD_PREFILL) <= share(long, after, PartId.COLD_PREFILL) + 1e-9


@given(prompts, answers, answers, speeds, speeds, samples, slope)
def test_a_longer_answer_never_lowers_the_share_of_writing(prompt, first, second, read, write, around, growth) -> None:
    less, more = sorted((first, second))
    tests = rows_of(read, write, around, growth)
    short, long = (line(custom(prompt, answer), *tests) for answer in (less, more))
    assert short.stream_s / short.total_s <= long.stream_s / long.total_s + 1e-9
    written = (PartId.DECODE, PartId.SAMPLING)
    assert share(short, short.first_time, *written) <= share(long, long.first_time, *written) + 1e-9


@given(prompts, answers, st.integers(1, 12), speeds, speeds, samples, slope)
def test_half_the_speed_never_takes_fewer_seconds(prompt, answer, turns, read, write, around, growth) -> None:
    work = custom(prompt, answer, shared=prompt // 2, turns=turns)
    fast = line(work, *rows_of(read, write, around, growth))
    slow_read, slow_write = (line(work, *rows_of(*halved, around, growth))
                             for halved in ((read / 2, write), (read, write / 2)))
    for before, reading, writing in zip(courses(fast), courses(slow_read), courses(slow_write), strict=True):
        assert seconds_of(reading, PartId.COLD_PREFILL) >= seconds_of(before, PartId.COLD_PREFILL)
        assert seconds_of(writing, PartId.DECODE) >= seconds_of(before, PartId.DECODE)
        assert seconds_of(reading, PartId.DECODE) == pytest.approx(seconds_of(before, PartId.DECODE))


@given(prompts, answers, st.integers(1, 12), st.integers(1, 8), speeds, speeds, samples, slope)
def test_ranges_hold_their_middle_and_sums_add_up(prompt, answer, turns, users, read, write, around, growth) -> None:
    held = line(custom(prompt, answer, shared=prompt // 3, users=users, turns=turns),
                *rows_of(read, write, around, growth))
    for course in courses(held):
        known = [part.took.value for part in course.parts if isinstance(part.took, Known)]
        assert course.total == add_up(known)
        assert all(took.low_s <= took.middle_s <= took.high_s for took in (*known, course.total))
    for turn in held.turns:
        assert turn.wait_kept.middle_s <= turn.wait.middle_s + 1e-9
    assert held.turns[0].wait.middle_s == pytest.approx(held.wait_s)
    assert sum(turn.wait.middle_s for turn in held.turns) == pytest.approx(seconds_of(held.chat, PartId.COLD_PREFILL))
    assert held.chat_kept.total.middle_s <= held.chat.total.middle_s + 1e-9


def test_a_time_outside_its_range_is_refused() -> None:
    for wrong in ((1.0, 2.0, 3.0), (3.0, 1.0, 2.0), (-1.0, -2.0, 0.0)):
        with pytest.raises(ValueError, match="low and high"):
            Seconds(*wrong)
    assert add_up(()) == NO_TIME
