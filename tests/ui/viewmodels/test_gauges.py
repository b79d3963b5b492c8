from dataclasses import replace

import pytest

from advisor.benchmarks.model import EngineMode, LiveReading, Phase
from advisor.core.evidence import Basis, Known, Unknown
from advisor.diagnosis.model import Finding, Limit
from tests.support import documents
from ui.viewmodels.gauges import SCALE_ABOVE_CEILING, Live, present_gauge

NBSP = "\u00a0"


def test_nothing_known_is_said_and_never_zero() -> None:
    gauge = present_gauge(Phase.DECODE, None, None, None, None)
    assert gauge.value_tokens_per_s is None
    assert gauge.number == "–"
    assert gauge.line == "not measured yet"
    assert gauge.ceiling_text == ""
    assert gauge.full_scale_tokens_per_s > 0
    assert gauge.spoken == "decode, not measured yet"


def test_a_ceiling_alone_says_what_could_be() -> None:
    gauge = present_gauge(Phase.DECODE, documents.ceilings(), None, None, None)
    assert gauge.ceiling_text == "13.3"
    assert gauge.line == f"could reach 13.3{NBSP}tokens/s"
    assert gauge.full_scale_tokens_per_s == pytest.approx(13.3 * SCALE_ABOVE_CEILING)


def test_a_result_stands_against_its_ceiling() -> None:
    finding = Finding(Phase.DECODE, Limit.MEMORY, 0.87, "87 % of what the memory allows.")
    gauge = present_gauge(Phase.DECODE, documents.ceilings(), None, documents.decode_test(), finding)
    assert gauge.number == "11.58" or gauge.number == "11.6"
    assert gauge.line == f"87{NBSP}% of what this machine can do"
    assert gauge.pill == "memory-bound"
    assert gauge.unit.startswith(f"tokens/s{NBSP}±")
    assert len(gauge.trace) == 5
    assert gauge.spoken == f"decode {gauge.number} tokens per second, 87 percent of ceiling 13.3"


def test_no_more_than_the_ceiling_is_ever_shown() -> None:
    low = replace(documents.ceilings(), decode_tokens_per_s=Known(10.0, Basis.COMPUTED, "too low"))
    gauge = present_gauge(Phase.DECODE, low, None, documents.decode_test(), None)
    assert gauge.line.startswith(f"100{NBSP}%")


def test_at_least_is_said() -> None:
    lifted = replace(documents.ceilings(), decode_at_least=True)
    assert present_gauge(Phase.DECODE, lifted, None, None, None).ceiling_text == "≥ 13.3"


def test_an_unknown_ceiling_is_said() -> None:
    none = replace(documents.ceilings(), prefill_tokens_per_s=Unknown("no arithmetic probe"))
    gauge = present_gauge(Phase.PREFILL, none, None, documents.prefill_test(), None)
    assert gauge.line == "ceiling unknown"
    assert gauge.ceiling_tokens_per_s is None


def test_the_stamp_and_safe_mode_go_with_the_number() -> None:
    result = replace(documents.decode_test(documents.SUSPECT), mode=EngineMode.NO_EXTRA_BUFFERS, complete=False)
    gauge = present_gauge(Phase.DECODE, documents.ceilings(), None, result, None)
    assert gauge.warning == "⚠ suspect, safe mode, stopped early"
    assert "on battery" in gauge.warning_tip
    assert gauge.spoken.endswith("suspect, safe mode, stopped early")


def test_live_readings_move_it_and_leave_a_trace() -> None:
    live = Live()
    gauge = present_gauge(Phase.PREFILL, documents.ceilings(), live, None, None)
    assert (gauge.moving, gauge.line, gauge.trace) == (True, "warming up", ())
    for repetition, speed in ((1, 40.0), (2, 41.0)):
        live = live.after(LiveReading(Phase.PREFILL, repetition, 5, speed - 1, final=False))
        live = live.after(LiveReading(Phase.PREFILL, repetition, 5, speed, final=True))
    gauge = present_gauge(Phase.PREFILL, documents.ceilings(), live, documents.prefill_test(), None)
    assert gauge.trace == (40.0, 41.0)
    assert gauge.line == "repetition 2 of 5"
    assert gauge.pill == ""
    assert gauge.spoken.startswith("prefill 41.0 tokens per second, 83 percent of ceiling 49.2, repetition 2 of 5")


def test_warm_up_leaves_no_trace() -> None:
    live = Live().after(LiveReading(Phase.PREFILL, 0, 5, 30.0, final=True))
    assert live.finished == ()


def test_a_disturbed_ceiling_is_at_least_and_the_share_at_most() -> None:
    lifted = replace(documents.ceilings(), disturbed="other programs used 48 % of the CPU")
    gauge = present_gauge(Phase.DECODE, lifted, None, documents.decode_test(), None)
    assert gauge.ceiling_text.startswith("≥ ")
    assert gauge.line.startswith("at most ")
    assert "measured while disturbed: other programs" in gauge.warning_tip


def test_the_spread_is_known_from_the_second_repetition_on() -> None:
    live = Live()
    spreads = []
    for number, speed in enumerate((11.0, 11.4, 11.2), start=1):
        live = live.after(LiveReading(Phase.DECODE, number, 5, speed, final=True))
        gauge = present_gauge(Phase.DECODE, documents.ceilings(), live, None, None)
        spreads.append(gauge.spread_tokens_per_s)
    assert spreads == [None, pytest.approx(0.2), pytest.approx(0.2)]
    assert "±" in gauge.unit
    assert gauge.trace_tips[1] == f"repetition 2: 11.4{NBSP}tokens/s"
