from dataclasses import replace

import pytest

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.diagnosis.timeline import timeline
from advisor.diagnosis.workload import custom, preset
from tests.support import documents
from tests.support.evidence import pp, tg, traffic
from ui.viewmodels.timeline import Table, present_timeline
from ui.viewmodels.wait_table import WordTableModel

NBSP = "\u00a0"
NOT_YET = Unknown("both phases must be measured first", Missing.NOT_YET)


def known(value=None):  # type: ignore[no-untyped-def]
    return Known(value or documents.timeline(), Basis.COMPUTED, "x")


def test_one_request_first_and_afterwards() -> None:
    card = present_timeline(known(), documents.workload())
    first, afterwards = card.request
    assert [segment.tone for segment in first.segments] == ["neutral", "neutral", "prefill", "decode"]
    assert first.segments[2].texts[0] == f"nothing on screen · 1{NBSP}min{NBSP}37{NBSP}s"
    assert first.segments[3].texts[0] == f"streaming · 25.9{NBSP}s"
    assert sum(segment.fraction for segment in first.segments) == pytest.approx(1)
    assert sum(segment.fraction for segment in afterwards.segments) < 0.9
    assert card.chat == ()


def test_parts_that_are_unknown_are_named_and_not_drawn() -> None:
    card = present_timeline(known(), documents.workload())
    assert "sampling unknown" in card.request[0].spoken
    assert card.tables[0].rows[-2] == ("Sampling and overhead", "unknown", "unknown")
    assert card.notes[0] == "Unknown and not in the sums: sampling (no text was written)."


def test_each_part_tells_its_tokens_its_range_and_its_source() -> None:
    tip = present_timeline(known(), documents.workload()).request[0].segments[2].tip
    assert tip == (
        f"Read (cold prefill), 4,000{NBSP}tokens: 1{NBSP}min{NBSP}37{NBSP}s "
        f"(1{NBSP}min{NBSP}35{NBSP}s to 1{NBSP}min{NBSP}40{NBSP}s), computed: pp512"
    )


def test_the_sentence_stands_against_the_comfort_line() -> None:
    card = present_timeline(known(), documents.workload())
    assert card.sentence == (
        f"First word after 1{NBSP}min{NBSP}37{NBSP}s, past your comfort line of 10{NBSP}s. "
        f"Then 11.6{NBSP}tokens/s, more than the 5 that still feel fine."
    )
    quick = replace(documents.timeline(), wait_s=2.0, total_s=27.9)
    assert f"within your 10{NBSP}s" in present_timeline(known(quick), documents.workload()).sentence


def test_an_unknown_timeline_says_why() -> None:
    card = present_timeline(NOT_YET, documents.workload())
    assert card.request == card.tables == ()
    assert card.sentence == "Both phases must be measured first."
    assert "after a benchmark" in present_timeline(None, documents.workload()).sentence


def test_a_chat_has_bars_and_tables_of_its_own() -> None:
    work = preset("chat")
    card = present_timeline(timeline(work, (pp(300), tg(20)), traffic()), work)
    assert card.chat_title == f"Chat of 6{NBSP}turns"
    again, kept = card.chat
    assert (again.title, kept.title) == ("read again", "kept")
    assert len(card.tables) == 3
    assert [row[0] for row in card.tables[2].rows] == ["1", "2", "3", "4", "5", "6"]
    assert "keeps what it has read" in card.notes[-1]


def test_of_a_long_chat_some_turns_are_shown_and_the_last() -> None:
    work = custom(100, 50, turns=64)
    rows = present_timeline(timeline(work, (pp(300), tg(20)), traffic()), work).tables[2].rows
    assert len(rows) == 8
    assert (rows[0][0], rows[-1][0]) == ("1", "64")


def test_the_table_for_a_view_reads_and_copies(qtmodeltester) -> None:  # type: ignore[no-untyped-def]
    model = WordTableModel()
    model.set_table(present_timeline(known(), documents.workload()).tables[0])
    qtmodeltester.check(model)
    head, first = model.as_text().splitlines()[:2]
    assert head == "One request\tThe first time\tAfterwards, beginning kept"
    assert first.startswith("Load the model (once)\t")
    model.set_table(Table())
    assert model.rowCount() == 0
