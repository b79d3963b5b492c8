"""Which measurements are points of the roofline chart."""

from dataclasses import replace

from advisor.benchmarks.model import Sweep
from tests.support import documents
from tests.support.fake_history import some_runs
from ui.viewmodels.roofline import present_roofline


def test_the_batch_curve_gives_points_and_its_first_one_is_not_named_twice() -> None:
    decode = documents.decode_test()
    curve = tuple(replace(decode, n_streams=streams, sweep=Sweep.BATCH) for streams in (1, 2, 8))
    chart = present_roofline(documents.model(), documents.ceilings(), (documents.prefill_test(), decode, *curve))
    assert [point.label for point in chart.points] == ["prefill 512", "decode ×1", "×2", "×8"]
    alone = present_roofline(documents.model(), documents.ceilings(), curve)
    assert [point.label for point in alone.points if point.measured] == ["decode ×1", "×2", "×8"]


def test_earlier_runs_are_points_of_their_own_with_the_run_named_and_the_present_one_left_out() -> None:
    run = replace(some_runs(1)[0], label="cool")
    now = (documents.prefill_test(), documents.decode_test())
    same = replace(run, number=2, tests=tuple(
        replace(stored, result=result) for stored, result in zip(run.tests, now, strict=True)
    ))
    chart = present_roofline(documents.model(), documents.ceilings(), now, earlier=(same, run))
    assert {point.earlier for point in chart.earlier} == {"run 1, 29 November 2026, 15:05, cool"}
    assert [point.tip.split(": ")[1] for point in chart.earlier] == ["prefill 512", "decode ×1"]
    for ghost, point in zip(chart.earlier, chart.points, strict=True):
        assert ghost.flop_per_byte == point.flop_per_byte
        assert ghost.flop_per_s < point.flop_per_s  # it was slower
    assert chart.spoken.endswith("and 1\u00a0earlier run")
