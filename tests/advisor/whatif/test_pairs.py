"""What-if on published pairs of devices, both left out of what is learnt (the whole table: docs/accuracy.md)."""

from tests.benchmarks.pairs import LEAST_COVERED, alike, covered, drawn, predict
from tests.support.published import read_rows


def test_predicted_ratios_of_both_phases_hold_for_three_of_four_pairs() -> None:
    rows = read_rows()
    pairs = predict(rows, drawn(rows, partners=1)[::2])
    for phase in ("prefill", "decode"):
        some = [pair for pair in pairs if pair.phase == phase]
        assert len({pair.second.identity for pair in some}) > 40
        assert covered(some) >= LEAST_COVERED, phase


def test_pairs_differ_in_nothing_but_the_device() -> None:
    rows = read_rows()
    for first, second in drawn(rows, partners=3):
        assert first.identity != second.identity
        assert (first.engine, first.model.lower(), first.quant, first.prompt) == (
            second.engine, second.model.lower(), second.quant, second.prompt,
        )  # fmt: skip
    assert all(len(group) > 1 for group in alike(rows).values())
