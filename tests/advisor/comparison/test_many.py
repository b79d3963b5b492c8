"""Thousands of tests: each once, none lost, and not by holding each against each."""

from dataclasses import replace

from advisor.benchmarks.model import Phase
from advisor.comparison import compare as rules
from advisor.comparison.compare import compare
from tests.advisor.comparison.test_compare import row, side

MANY = 2000


def test_thousands_of_tests_are_paired_by_looking_at_a_few_each(monkeypatch) -> None:
    looks = 0
    settings = rules._settings

    def counted(*pair):  # type: ignore[no-untyped-def]
        nonlocal looks
        looks += 1
        return settings(*pair)

    monkeypatch.setattr(rules, "_settings", counted)
    tests = tuple(row(Phase.DECODE, 10.0, n_depth=depth, n_threads=4, on_curve=depth > 0) for depth in range(MANY))
    found = compare(side(*tests), side(*reversed(tests)))
    assert len(found.pairs) == MANY
    assert all(pair.base.n_depth == pair.other.n_depth for pair in found.pairs)
    assert looks <= 3 * MANY


def test_equal_tests_are_paired_once_each_and_the_rest_is_left() -> None:
    one = row(Phase.DECODE, 10.0)
    found = compare(side(one, one, one), side(one, replace(one, tokens_per_s=11.0)))
    assert len(found.pairs) == 2
    assert (len(found.only_base), len(found.only_other)) == (1, 0)
