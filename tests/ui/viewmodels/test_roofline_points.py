"""Which measurements are points of the roofline chart."""

from dataclasses import replace

from advisor.benchmarks.model import Sweep
from tests.support import documents
from ui.viewmodels.roofline import present_roofline


def test_the_batch_curve_gives_points_and_its_first_one_is_not_named_twice() -> None:
    decode = documents.decode_test()
    curve = tuple(replace(decode, n_streams=streams, sweep=Sweep.BATCH) for streams in (1, 2, 8))
    chart = present_roofline(documents.model(), documents.ceilings(), (documents.prefill_test(), decode, *curve))
    assert [point.label for point in chart.points] == ["prefill 512", "decode ×1", "×2", "×8"]
    alone = present_roofline(documents.model(), documents.ceilings(), curve)
    assert [point.label for point in alone.points if point.measured] == ["decode ×1", "×2", "×8"]
