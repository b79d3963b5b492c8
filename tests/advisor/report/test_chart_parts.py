"""What the charts of the report show, whoever draws them."""

import pytest

from advisor.benchmarks.model import Phase
from advisor.report.chart_parts import Point, Roofs, axes, decade, points, request_parts, roofs
from tests.support import documents as d


def test_points_of_the_roofline_lie_under_their_roofs() -> None:
    prefill, decode = points(d.complete_document())
    assert (prefill.phase, decode.phase) == (Phase.PREFILL, Phase.DECODE)
    assert decode.flop_per_s < 61.4e9 * decode.flop_per_byte
    assert prefill.flop_per_s < 0.74e12
    assert prefill.solid
    assert decode.solid
    assert points(d.bare_document()) == ()
    assert not any(point.solid for point in points(d.suspect_document()))


def test_the_axes_hold_both_roofs_and_every_point() -> None:
    slow = Point("decode tg1", Phase.DECODE, 0.02, 3e3, True)
    found = axes(Roofs(60e9, 700e9), [slow], 10.0, 20.0, 300.0, 200.0)
    assert (found.x_low, found.x_high, found.y_low) == (-2, 3, 3)
    assert found.x(10.0) == pytest.approx(10 + 300 * 3 / 5)
    assert found.left < found.x(slow.flop_per_byte) < found.right
    assert found.top < found.y(700e9) < found.y(slow.flop_per_s) < found.bottom
    assert [decade(power) for power in (-1, 0, 3)] == ["0.1", "1", "1,000"]


def test_nothing_is_drawn_of_what_is_not_known() -> None:
    assert roofs(d.bare_document()) is None
    assert request_parts(d.bare_document()) == ()


def test_the_parts_of_a_request_name_phase_and_seconds() -> None:
    parts = request_parts(d.complete_document())
    assert {part.phase for part in parts} >= {Phase.PREFILL, Phase.DECODE}
    assert all(part.took_s > 0 and part.text.endswith("s") for part in parts)
