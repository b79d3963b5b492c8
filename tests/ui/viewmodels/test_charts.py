from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from advisor.ceilings.roofline import roof_flop_per_s
from advisor.core.evidence import Unknown
from tests.support import documents
from ui.viewmodels.measurements import HEADERS, SORT_ROLE, MeasurementsModel, present_measurements
from ui.viewmodels.roofline import present_roofline

NBSP = "\u00a0"
BOTH = (documents.prefill_test(), documents.decode_test())


def test_before_the_ceilings_it_says_when() -> None:
    assert "few seconds" in present_roofline(None, None, ()).empty
    assert present_roofline(documents.model(), None, (), "No engine.").empty == "Both roofs are unknown. No engine."


def test_an_unknown_roof_says_why() -> None:
    ceilings = replace(documents.ceilings(), compute_flop_per_s=Unknown("the probe crashed"))
    assert present_roofline(documents.model(), ceilings, ()).empty == "A roof is unknown: the probe crashed."


def test_rings_at_the_ceilings_until_there_are_points() -> None:
    chart = present_roofline(documents.model(), documents.ceilings(), ())
    assert {point.label for point in chart.points} == {"prefill, at most", "decode, at most"}
    assert not any(point.measured for point in chart.points)


def test_no_point_above_its_roof_and_none_outside_the_chart() -> None:
    ceilings = documents.ceilings()
    chart = present_roofline(documents.model(), ceilings, BOTH)
    assert [point.measured for point in chart.points] == [True, True]
    for point in chart.points:
        roof = roof_flop_per_s(ceilings, point.flop_per_byte)
        assert roof is not None
        assert point.flop_per_s <= roof * 1.01
        assert chart.x_range[0] <= point.flop_per_byte <= chart.x_range[1]
        assert chart.y_range[0] <= point.flop_per_s <= chart.y_range[1]


def test_the_chart_in_words() -> None:
    chart = present_roofline(documents.model(), documents.ceilings(), BOTH)
    assert chart.memory_label == f"61.4{NBSP}GB/s memory"
    assert chart.compute_label == f"0.74{NBSP}TFLOP/s compute"
    assert "4 people at once" in chart.balance_label
    assert "prefill 512: 41.3" in chart.spoken
    assert chart.roof[1][0] == pytest.approx(chart.balance_flop_per_byte)


def test_the_table_is_the_twin() -> None:
    rows = present_measurements(BOTH, documents.ceilings())
    texts = [cell.text for cell in rows[0]]
    assert texts[:2] == ["pp512", "phases"]
    assert texts[3] == f"84{NBSP}%"
    assert texts[4:] == ["5", "12", "CPU", "valid"]


def test_points_of_curves_are_named_and_have_no_share_of_a_ceiling_made_for_one_stream() -> None:
    rows = present_measurements(documents.curve_tests(), documents.ceilings())
    texts = {row[0].text: (row[1].text, row[3].text) for row in rows}
    assert texts["tg32 with 4 threads"] == ("threads", "")
    assert texts["tg16 x 8"] == ("batch", "")
    assert texts["tg128"] == ("phases", f"87{NBSP}%")


def test_streams_lie_on_the_roofline_and_other_points_of_curves_do_not() -> None:
    chart = present_roofline(documents.model(), documents.ceilings(), documents.curve_tests())
    assert [point.label for point in chart.points] == ["prefill 512", "decode ×1", "×2", "×4", "×8"]


def test_stamps_and_safe_mode_stand_in_the_table() -> None:
    rows = present_measurements(documents.suspect_document().tests, documents.ceilings())
    assert rows[0][6].text == "CPU, safe mode"
    assert rows[0][7].text.startswith("⚠ suspect: on battery")
    assert rows[2][3].text == "unknown"
    assert rows[2][4].text == "1, stopped early"


def test_the_item_model_is_sound(qtmodeltester: ModelTester) -> None:
    model = MeasurementsModel()
    model.set_rows(present_measurements(BOTH, documents.ceilings()))
    qtmodeltester.check(model)
    assert model.columnCount() == len(HEADERS)
    index = model.index(1, 2)
    assert model.data(index, SORT_ROLE) == pytest.approx(11.58, abs=0.03)
    assert model.headerData(0, Qt.Orientation.Horizontal) == "Test"
    lines = model.as_text().splitlines()
    assert lines[0].split("\t") == list(HEADERS)
    assert len(lines) == 3
