"""Numbers as text."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.report import formatting as f

NB = f.NBSP


@pytest.mark.parametrize(
    ("value", "spread", "text"),
    [
        (41.29, None, "41.3"),
        (41.29, 0.4, "41.3"),
        (41.29, 3.0, "41"),
        (41.29, 12.0, "40"),
        (41.29, 300.0, "40"),
        (436.4, 2.2, "436"),
        (9.96, None, "9.96"),
        (99.96, None, "100"),
        (1234.5, None, "1,234"),
        (12.0, 0.96, "12"),
        (0.0023, None, "0.0023"),
        (0.0, None, "0"),
        (0.0, 1.0, "0"),
        (-3.5, None, "−3.50"),
        (5.0, math.nan, "5.00"),
        (5.0, math.inf, "5.00"),
        (math.inf, None, "unbounded"),
        (math.nan, None, "unknown"),
    ],
)
def test_a_figure_has_no_more_digits_than_its_spread_allows(value: float, spread: float | None, text: str) -> None:
    assert f.number(value, spread) == text


@pytest.mark.parametrize(
    ("value", "spread", "text"),
    [
        (41.29, 0.302, "41.3 ± 0.3"),
        (11.605, 0.021, "11.61 ± 0.02"),
        (11.605, 0.96, "12 ± 1"),
        (436.4, 12.0, "440 ± 10"),
        (41.29, 0.00001, "41.3 ± under 0.1"),
        (41.29, 0.0, "41.3 ± under 0.1"),
        (50.0, 0.0001, "50.0 ± under 0.1"),
        (4070.0, 0.0, "4,070 ± under 1"),
        (0.0042, 0.0, "0.00420 ± under 0.00001"),
        (10.0, 500.0, "10 ± 500"),
        (0.3, 5.0, "0.3 ± 5.0"),
        (41.29, None, "41.3"),
        (0.0, 0.3, "0"),
    ],
)
def test_a_spread_decides_where_both_figures_end(value: float, spread: float | None, text: str) -> None:
    assert f.with_spread(value, spread) == text.replace(" ", NB)


def test_units_never_part_from_their_figures() -> None:
    assert f.tokens_per_s(41.3) == f"41.3{NB}tokens/s"
    assert f.tokens_per_s_spread(41.3, 0.4) == f"41.3{NB}±{NB}0.4{NB}tokens/s"
    assert f.tokens_per_s_spread(41.3, None) == f"41.3{NB}tokens/s"
    assert f.tokens(1) == f"1{NB}token"
    assert f.tokens(4000) == f"4,000{NB}tokens"


@pytest.mark.parametrize(
    ("render", "value", "text"),
    [
        (f.seconds, 0.42, "0.42 s"),
        (f.seconds, 25.9, "25.9 s"),
        (f.seconds, 96.9, "1 min 37 s"),
        (f.seconds, 320.0, "5 min 20 s"),
        (f.size, 4.62e9, "4.62 GB"),
        (f.size, 246_587_904, "247 MB"),
        (f.gib, 33.5e9, "31.2 GiB"),
        (f.gib, 2**29, "512 MiB"),
        (f.bandwidth, 61.4e9, "61.4 GB/s"),
        (f.flop_rate, 0.74e12, "0.74 TFLOP/s"),
        (f.flop_rate, 4.2e11, "420 GFLOP/s"),
        (f.percent, 0.84, "84 %"),
        (f.of_ceiling, 1.04, "100 %"),
        (f.of_ceiling, 0.84, "84 %"),
        (f.parameters, 8_030_261_312, "8.03 B"),
        (f.parameters, 268_098_176, "268 M"),
        (f.parameters, 1.04e12, "1.04 T"),
        (f.parameters, 12_345, "12,345"),
        (f.count, 4000, "4,000"),
        (f.ratio, 2.5, "2.5×"),
        (f.sample, 12.52, "12.52"),
        (f.sample, 0.08126, "0.08126"),
        (f.sample, 1234.5, "1,234"),
        (f.sample, 0.0, "0"),
    ],
)
def test_figures_in_their_units(render: "object", value: float, text: str) -> None:
    assert callable(render)
    assert render(value) == text.replace(" ", NB)


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        ((74.6, 74.6, 74.6), "−1 min 15 s"),
        ((14.5, 14.2, 14.8), "−14.5 s"),
        ((58.0, 48.0, 65.0), "−48~to~−65 s"),
        ((4.9, 4.1, 5.6), "−4.1~to~−5.6 s"),
        ((2.0, 1.0, 3.1), "−1.0~to~−3.1 s"),
        ((1.2, 0.0, 2.7), "up~to~−2.7 s"),
        ((120.0, 0.0, 300.0), "up~to~−5.0 min"),
        ((6000.0, 3006.0, 9000.0), "−0.8~to~−2.5 h"),
        ((-2.0, -3.1, -1.0), "+1.0~to~+3.1 s"),
        ((-1.0, -2.7, 0.0), "up~to~+2.7 s"),
        ((0.0, 0.0, 0.0), "0 s"),
        ((0.7, -1.0, 2.5), "+1.0~to~−2.5 s"),
    ],
)
def test_savings_are_ranges_unless_they_are_narrow(figures: tuple[float, float, float], text: str) -> None:
    assert f.saved(*figures) == text.replace(" ", NB).replace("~", " ")


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        ((58.0, 48.0, 65.0), "48–65 s"),
        ((1.2, 0.0, 2.7), "up~to 2.7 s"),
        ((6000.0, 3006.0, 9000.0), "0.8–2.5 h"),
        ((0.7, -1.0, 2.5), "up~to 2.5 s,~or~loses 1.0 s"),
        ((-2.0, -3.1, -1.0), "nothing,~loses 1.0–3.1 s"),
    ],
)
def test_what_an_advice_saves_reads_on_after_saves(figures: tuple[float, float, float], text: str) -> None:
    assert f.saving(*figures).replace(NB, " ") == text.replace("~", " ")


@given(low=st.floats(0, 1e6), more=st.floats(0, 1e6))
def test_a_saving_carries_its_sign_at_both_ends_and_stays_short(low: float, more: float) -> None:
    text = f.saved(low + more / 2, low, low + more)
    assert "–" not in text
    assert text.count(f.MINUS) == (2 if " to " in text and not text.startswith("up") else low + more > 0)
    assert len(text) <= 24


def test_spread_as_a_share() -> None:
    assert f.spread_percent(41.3, 0.3) == f"0.7{NB}%"
    assert f.spread_percent(41.3, 0.01) == f"under{NB}0.1{NB}%"
    assert f.spread_percent(41.3, 10.0) == f"24{NB}%"
    assert f.spread_percent(41.3, None) == "unknown"


def test_facts_say_their_reason_and_never_0() -> None:
    assert f.fact(Known(4.62e9, Basis.MEASURED, "x"), f.size) == f"4.62{NB}GB"
    assert f.fact(Unknown("no driver"), f.size) == "unknown: no driver"
    assert f.fact(Unknown("bare metal", Missing.NOT_APPLICABLE)) == "bare metal"
    assert f.origin(Known(1, Basis.TABLE, "x")) == "table"
    assert f.origin(Unknown("no driver")) == "unknown"


def test_dates_and_lists() -> None:
    assert f.date_time("2026-11-29T14:05:00+01:00") == "29 November 2026, 14:05"
    assert f.date_time("yesterday") == "yesterday"
    assert f.listed([]) == ""
    assert f.listed(["a"]) == "a"
    assert f.listed(["a", "b", "c"]) == "a, b and c"


def test_all_names_that_are_offered_exist() -> None:
    assert all(hasattr(f, name) for name in f.__all__)


def test_german_figures_words_and_dates(german: None) -> None:
    assert f.number(1048.6) == "1.049"
    assert f.number(-3.94) == "−3,94"
    assert f.number(math.inf) == "unbegrenzt"
    assert f.tokens_per_s_spread(11.6, 0.02) == f"11,60{NB}±{NB}0,02{NB}Tokens/s"
    assert f.with_spread(41.3, 1e-9) == f"41,3{NB}±{NB}unter{NB}0,1"
    assert f.spread_percent(41.3, 0.3) == f"0,7{NB}%"
    assert f.spread_percent(41.3, 0.01) == f"unter{NB}0,1{NB}%"
    assert f.sample(0.08126) == "0,08126"
    assert f.saving(0.5, -1.0, 2.5) == f"bis zu 2,5{NB}s, oder kostet 1,0{NB}s"
    assert f.saved(1.6, 0.8, 2.5) == f"−0,8 bis −2,5{NB}s"
    assert f.saved(0.5, -1.0, 2.5) == f"+1,0 bis −2,5{NB}s"
    assert f.saved(0.5, -0.00001, 2.5) == f"+0 bis −2,5{NB}s"
    assert f.parameters(8.03e9) == f"8,03{NB}Mrd."
    assert f.experts(256, 8) == "8 von 256 je Token"
    assert f.tokens(1) == f"1{NB}Token"
    assert f.date_time("2026-11-29T14:05:00+01:00") == "29. November 2026, 14:05"
    assert f.listed(["a", "b", "c"]) == "a, b und c"
    assert f.fact(Unknown("kein Treiber")) == "unbekannt: kein Treiber"
    assert {f.basis_word(basis) for basis in Basis} == {
        "gemessen", "berechnet", "geschätzt", "Tabelle", "Ihre Angabe", "gelesen"
    }  # fmt: skip
