import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.stats import (
    mad,
    median,
    median_interval,
    percentile,
    relative_spread,
    relative_trend,
    straight_line,
)

values = st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=50)


@pytest.mark.parametrize(
    ("sample", "centre", "spread"),
    [([3.0], 3.0, None), ([1.0, 3.0], 2.0, 1.0), ([1.0, 1.0, 1.0], 1.0, 0.0), ([1.0, 2.0, 3.0, 4.0, 100.0], 3.0, 1.0)],
)
def test_by_hand(sample: list[float], centre: float, spread: float | None) -> None:
    assert median(sample) == centre
    assert mad(sample) == spread


def test_the_spread_of_one_or_none_is_unknown_not_zero() -> None:
    assert mad([]) is None
    assert mad([5.0]) is None
    assert relative_spread([5.0]) is None


def test_the_median_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing"):
        median([])


def test_relative_spread() -> None:
    assert relative_spread([9.0, 10.0, 11.0]) == pytest.approx(0.1)
    assert relative_spread([-1.0, 0.0, 1.0]) is None


@given(values)
def test_the_median_lies_inside_and_order_does_not_matter(sample: list[float]) -> None:
    assert min(sample) <= median(sample) <= max(sample)
    assert median(sorted(sample)) == median(sample)
    assert mad(sample[::-1]) == mad(sample)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=30), st.integers(-(10**6), 10**6))
def test_the_spread_ignores_a_shift(sample: list[int], shift: int) -> None:
    assert mad([float(v) for v in sample]) == mad([float(v + shift) for v in sample])


@given(st.lists(st.floats(1, 2), min_size=5, max_size=30))
def test_one_wild_value_does_not_move_the_median_out_of_the_rest(sample: list[float]) -> None:
    assert 1 <= median([*sample, 1e9]) <= 2


def test_the_interval_of_few_values_is_their_range_and_of_many_narrower() -> None:
    assert median_interval([1.0, 2.0]) is None
    assert median_interval([3.0, 1.0, 2.0]) == (1.0, 3.0)
    assert median_interval([float(v) for v in range(1, 7)]) == (1.0, 6.0)  # 96.9 %
    assert median_interval([float(v) for v in range(1, 10)]) == (2.0, 8.0)  # 96.1 %, as tables of the sign test say
    assert median_interval([float(v) for v in range(1, 21)]) == (6.0, 15.0)  # 95.9 %


def test_the_trend_is_the_change_over_the_whole_series_and_shrugs_at_one_outlier() -> None:
    assert relative_trend([1.0, 2.0]) is None
    assert relative_trend([10.0, 9.0, 8.0]) == pytest.approx(-2.0 / 9.0)
    assert relative_trend([10.0, 10.0, 99.0, 10.0, 10.0]) == 0.0


def test_a_line_through_points() -> None:
    assert straight_line([(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) == pytest.approx((1.0, 2.0))
    with pytest.raises(ValueError, match="two different"):
        straight_line([(1.0, 1.0), (1.0, 2.0)])


@pytest.mark.parametrize(("sample", "share", "wanted"), [
    ([1.0], 0.5, 1.0), ([1.0], 0.95, 1.0), ([4.0, 1.0, 3.0, 2.0], 0.5, 2.0), (list(range(1, 21)), 0.95, 19),
    (list(range(1, 101)), 0.95, 95), (list(range(1, 101)), 0.07, 7),
])  # fmt: skip
def test_percentiles_are_values_that_were_measured(sample: list[float], share: float, wanted: float) -> None:
    assert percentile(sample, share) == wanted


def test_nothing_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="nothing"):
        percentile([], 0.5)
