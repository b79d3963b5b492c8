"""Numbers as people say them."""

import pytest

from advisor.core import numbers
from advisor.core.numbers import NBSP, chosen, chosen_seconds, chosen_speed, seconds, seconds_range


@pytest.mark.parametrize(("value", "text"), [
    (0, "0 s"), (0.0004, "1 ms"), (0.012, "12 ms"), (0.0994, "99 ms"), (0.0999, "0.10 s"), (0.35, "0.35 s"),
    (0.996, "1.0 s"), (25.86, "25.9 s"), (59.94, "59.9 s"), (59.96, "1 min"), (96.85, "1 min 37 s"),
    (119.6, "2 min"), (3599.6, "1 h"), (7_500, "2 h 5 min"), (-2.34, "−2.3 s"),
])
def test_seconds(value, text) -> None:
    assert numbers.seconds(value).replace(numbers.NBSP, " ") == text


@pytest.mark.parametrize(("low", "high", "text"), [
    (48.2, 65.4, "48–65 s"), (14.2, 15.8, "14–16 s"), (14.21, 14.22, "14.2 s"), (0, 0, "0 s"), (0, 2.7, "up to 2.7 s"),
    (1.0, 3.1, "1.0–3.1 s"), (0.5, 0.7, "0.50–0.70 s"), (0.05, 0.7, "0.05–0.70 s"), (0.02, 0.05, "20–50 ms"),
    (0.098, 0.1, "99 ms"), (0.09, 0.12, "0.09–0.12 s"),
    (0, 300, "up to 5.0 min"), (3006, 9000, "0.8–2.5 h"), (40, 200, "0.7–3.3 min"), (0.3, 45, "up to 45 s"),
    (100, 200, "1.7–3.3 min"), (0.5, 300, "up to 5.0 min"), (4000, 90_000, "1–25 h"), (9.96, 12.0, "10–12 s"),
])
def test_seconds_range(low, high, text) -> None:
    assert numbers.seconds_range(low, high).replace(numbers.NBSP, " ") == text


def test_a_range_of_durations_never_starts_below_nothing() -> None:
    with pytest.raises(ValueError, match="starts at 0"):
        numbers.seconds_range(-2.3, 5.7)


@pytest.mark.parametrize(("value", "text"), [
    (1048.6, "1,049"), (436.2, "436"), (99.96, "100"), (41.31, "41.3"), (9.996, "10.0"), (3.94, "3.94"),
    (0.32, "0.32"),
])
def test_digits(value, text) -> None:
    assert numbers.digits(value) == text


@pytest.mark.parametrize(("value", "text"), [
    (0.79, "79 %"), (0.001, "under 1 %"), (0, "0 %"), (0.999, "over 99 %"), (1, "100 %"), (0.994, "99 %"),
    (-0.05, "−5 %"),
])
def test_percent(value, text) -> None:
    assert numbers.percent(value).replace(numbers.NBSP, " ") == text


@pytest.mark.parametrize(("value", "text"), [
    (4.62e9, "4.62 GB"), (246_587_904, "247 MB"), (131_072, "131 kB"), (512, "512 B"), (1.5e12, "1.50 TB"),
    (999_600, "1.00 MB"),
])
def test_size(value, text) -> None:
    assert numbers.size(value).replace(numbers.NBSP, " ") == text


def test_the_rest() -> None:
    assert numbers.count(4000) == "4,000"
    assert numbers.speed(11.62) == "11.6\u00a0tokens/s"
    assert numbers.bandwidth(61.4e9) == "61.4\u00a0GB/s"
    assert numbers.flop_rate(0.74e12) == "0.74\u00a0TFLOP/s"
    assert numbers.flop(15.01e9) == "15.0\u00a0GFLOP"
    assert numbers.flop(2e6) == "2.00\u00a0MFLOP"
    assert numbers.times(2.5) == "2.5×"
    assert numbers.speed_range(20.6, 34.2) == "21–34\u00a0tokens/s"
    assert numbers.speed_range(5, 5) == "5.00\u00a0tokens/s"
    assert numbers.times_range(2, 3) == "2.0–3.0×"
    assert numbers.times_range(2, 2.01) == "2.0×"
    assert numbers.plural(1, "passage") == "1\u00a0passage"
    assert numbers.plural(2, "process", "processes") == "2\u00a0processes"
    assert numbers.sentence("all is well") == "All is well."
    assert numbers.sentence("") == ""


@pytest.mark.parametrize(("value", "text"), [
    (0, "0.00"), (0.1, "0.10"), (0.0996, "0.10"), (0.0994, "0.099"), (0.0042, "0.0042"), (0.00996, "0.010"),
    (0.00042, "0.00042"), (4.2e-9, "4.2e-09"), (-0.0042, "-0.0042"),
])
def test_small_figures_keep_two_digits(value, text) -> None:
    assert numbers.digits(value) == text


def test_counts_agree_with_their_nouns() -> None:
    assert [numbers.noun(number, "token") for number in (0, 1, 2, 1.2)] == ["tokens", "token", "tokens", "token"]
    assert numbers.noun(1, "is", "are") == "is"


@pytest.mark.parametrize(("value", "spread", "text"), [
    (41.34, 0.4, "41.3"), (41.34, 3.0, "41"), (41.34, 30.0, "40"), (11.6, None, "11.6"), (11.6, 0.0, "11.6"),
    (1049.0, 24.0, "1,050"), (3.94, 0.002, "3.94"), (0.32, 5.0, "0.3"),
])  # fmt: skip
def test_a_speed_is_no_finer_than_its_spread(value: float, spread: float | None, text: str) -> None:
    assert numbers.speed(value, spread) == f"{text}\u00a0tokens/s"


@pytest.mark.parametrize(("call", "text"), [
    (lambda: numbers.count(1_234_567), "1.234.567"), (lambda: numbers.digits(1048.6), "1.049"),
    (lambda: numbers.digits(41.31), "41,3"), (lambda: numbers.digits(0.0042), "0,0042"),
    (lambda: numbers.digits(0.00000123), "1,2e-06"), (lambda: numbers.digits(1234.5, 0.4), "1.234"),
    (lambda: numbers.speed(11.62, 0.2), "11,6 Tokens/s"), (lambda: numbers.speed_range(21, 34.2), "21–34 Tokens/s"),
    (lambda: numbers.percent(0.001), "unter 1 %"), (lambda: numbers.percent(12.5), "1.250 %"),
    (lambda: numbers.seconds(0.35), "0,35 s"), (lambda: numbers.seconds(-2.34), "−2,3 s"),
    (lambda: numbers.seconds(1234 * 3600), "1.234 h"), (lambda: numbers.seconds_range(1.0, 3.1), "1,0–3,1 s"),
    (lambda: numbers.seconds_range(0, 300), "bis zu 5,0 min"), (lambda: numbers.seconds_range(0.3, 45), "bis zu 45 s"),
    (lambda: numbers.seconds_range(3.6e6, 7.2e6), "1.000–2.000 h"), (lambda: numbers.size(4.62e9), "4,62 GB"),
    (lambda: numbers.times_range(2, 3), "2,0–3,0×"), (lambda: numbers.plural(4000, "token", "tokens"), "4.000 Tokens"),
    (lambda: numbers.plural(1, "token"), "1 Token"), (lambda: numbers.flop_rate(0.74e12), "0,74 TFLOP/s"),
])
def test_germans_read_a_decimal_comma(german, call, text) -> None:
    assert call().replace(numbers.NBSP, " ") == text


def test_a_clause_begins_small_where_nouns_do_not_need_capitals() -> None:
    assert numbers.clause("There was no time") == "there was no time"


def test_german_nouns_keep_their_capital(german) -> None:
    assert numbers.clause("Strom aus dem Akku") == "Strom aus dem Akku"


def test_a_figure_near_a_line_shows_on_which_side_it_is() -> None:
    assert seconds_range(9.0, 10.2) == f"9–10{NBSP}s"
    assert seconds_range(9.0, 10.2, 10.0) == f"9.0–10.2{NBSP}s"
    assert seconds_range(9.0, 10.02, 10.0) == f"9–10{NBSP}s", "more digits than a range means"
    assert seconds_range(4.0, 9.0, 10.0) == f"4.0–9.0{NBSP}s"
    assert seconds_range(48.0, 65.0, 10.0) == f"48–65{NBSP}s"
    assert seconds(10.04, 10.0) == f"10.04{NBSP}s"
    assert seconds(9.96, 10.0) == f"9.96{NBSP}s"
    assert seconds(10.0, 10.0) == f"10.0{NBSP}s"
    assert seconds(60.3, 60.0) == f"60.3{NBSP}s"
    assert seconds(97.0, 60.0) == f"1{NBSP}min{NBSP}37{NBSP}s"


def test_a_line_is_printed_as_it_was_chosen() -> None:
    assert (chosen(10.0), chosen(5.3), chosen(12_000.0)) == ("10", "5.3", "12,000")
    assert chosen_seconds(10.0) == f"10{NBSP}s"
    assert chosen_speed(5.0) == f"5{NBSP}tokens/s"
