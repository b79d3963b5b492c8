"""What the stutter experiment comes to: gaps, costs, the largest size that keeps a budget, disturbed rounds."""

import pytest

from advisor.benchmarks.stutter.model import largest_within, slower_at, worst_at
from advisor.report import stutter_words
from tests.support.stutters import INVALID, VALID, WORST, clock, stutter

NBSP = "\u00a0"


def test_e24_pieces_divide_the_pause_at_a_constant_speed() -> None:
    held = stutter({512: 512 / 2250, 2048: 2048 / 2250, 8192: 8192 / 2250}, prompt=8192)
    figures = {each.chunk_tokens: each for each in held.pauses()}
    assert {chunk: round(each.worst_s, 3) for chunk, each in figures.items()} == {512: 0.228, 2048: 0.91, 8192: 3.641}
    assert [len(size.clocks[0].during_s) for size in held.sizes] == [16, 4, 1]


def test_e25_stalls_grow_with_the_batch() -> None:
    held = stutter({4096: 8.0, 16384: 31.0}, prompt=16384)
    small, large = held.pauses()
    assert large.worst_s / small.worst_s == pytest.approx(3.875)


def test_figures_of_a_size() -> None:
    each = stutter().pauses()[0]
    assert (each.chunk_tokens, each.rounds, each.steady_s) == (64, 3, 0.03)
    assert (each.worst_low_s, each.worst_s, each.worst_high_s) == pytest.approx((0.098, 0.1, 0.102))
    assert each.p50_s < each.p95_s < each.worst_high_s
    assert each.error == pytest.approx(-0.1)
    assert each.slower == pytest.approx(sum(clock(64, 0.1, 0).during_s) / 1.9)


def test_without_the_whole_prompt_its_cost_is_unknown() -> None:
    held = stutter({64: 0.1, 512: 0.5})
    assert all(each.slower is None for each in held.pauses())
    assert slower_at(held.pauses(), 128) is None


@pytest.mark.parametrize(("budget_s", "wanted"), [
    (0.05, None), (0.1, 64), (0.2, 160), (0.16, 128), (1.0, 1024), (5.0, 2048),
])  # fmt: skip
def test_the_largest_size_within_a_budget(budget_s: float, wanted: int | None) -> None:
    assert largest_within(stutter().pauses(), budget_s) == wanted


def test_nothing_is_promised_beyond_what_was_measured() -> None:
    held = stutter({64: 0.1, 128: 0.16})
    assert largest_within(held.pauses(), 9.0) == 128
    assert "no larger size was measured" in stutter_words.budget_sentence(held, 9.0)
    assert worst_at(held.pauses(), 256) is None
    assert worst_at(held.pauses(), 96) == pytest.approx(0.13)


def test_a_larger_size_that_happens_to_be_better_is_not_trusted() -> None:
    assert largest_within(stutter({64: 0.1, 128: 0.3, 256: 0.15}).pauses(), 0.2) == 64 + 32


def test_disturbed_rounds_do_not_count_where_enough_others_are_left() -> None:
    held = stutter(stamps=(INVALID, VALID, VALID, VALID))
    assert held.counted_rounds == (1, 2, 3)
    assert {each.rounds for each in held.pauses()} == {3}
    assert "swapping" in " ".join(stutter_words.sentences(held))
    assert stutter(stamps=(INVALID, VALID, VALID)).counted_rounds == (0, 1, 2)


def test_sentences_say_what_others_feel_and_what_to_do() -> None:
    said = " ".join(stutter_words.sentences(stutter())).replace(NBSP, " ")
    assert "in one go, 4 other streams wait 1.9 s for a token instead of 30 ms" in said
    assert "160 tokens per step keep pauses within 0.20 s (read between two measured sizes)" in said
    assert "Not even 64 keeps" in stutter_words.budget_sentence(stutter(), 0.05)
    assert "Even the whole prompt" in stutter_words.budget_sentence(stutter(), 5.0)


def test_rows_have_the_prediction_beside_the_measurement() -> None:
    rows = stutter_words.rows(stutter())
    assert {len(row) for row in rows} == {len(stutter_words.HEAD)}
    assert [row[0] for row in rows] == ["64", "128", "256", "512", "2,048 (in one go)"]
    assert "10" in rows[0][5]
    assert stutter_words.rows(stutter(predicted=False))[0][5] == "unknown"


def test_impossible_clocks_are_refused() -> None:
    with pytest.raises(ValueError, match="gaps above 0"):
        clock(64, 0.0, 0)
    with pytest.raises(ValueError, match="at least one round"):
        stutter(stamps=())
    assert stutter(WORST).sizes
