"""Curves in tables and sentences."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Phase, Sweep
from advisor.report.left_out import left_out_words
from advisor.report.sweeps import SweepTable, document_tables, sweep_tables
from tests.support import documents as d
from tests.support.evidence import C01_SWEEP


def tables() -> dict[Sweep, SweepTable]:
    return {table.sweep: table for table in document_tables(d.swept_document())}


def test_every_curve_has_its_table_and_says_something() -> None:
    assert set(tables()) == set(Sweep) - {Sweep.PHASES}
    for table in tables().values():
        assert table.sentences
        assert all(len(row) == len(table.head) for row in table.rows)


def test_phases_alone_have_no_curve() -> None:
    assert sweep_tables(d.complete_document().tests) == ()
    assert sweep_tables(()) == ()


@pytest.mark.parametrize(("sweep", "words"), [
    (Sweep.DEPTH, "11 % of its time, where the cache is 10 % of the bytes it reads"),
    (Sweep.THREADS, "Decode gains nothing past 8 threads; with 16 it is 18 % slower than at its best"),
    (Sweep.THREADS, "Prefill gains nothing past 12 threads."),
    (Sweep.BATCH, "8 streams together write 3.3× as much as one, each at 41 % of its speed alone"),
    (Sweep.UBATCH, "No other size reads a long prompt faster"),
    (Sweep.FLASH_ATTENTION, "Decode (tg32 @ d4000) with flash attention off is 12 % slower than with auto."),
    (Sweep.FLASH_ATTENTION, "with flash attention off is not distinguishable from that with auto"),
    (Sweep.KV_TYPE, "with the KV cache in q8_0 is 5 % faster than with f16"),
])  # fmt: skip
def test_what_a_curve_comes_to(sweep: Sweep, words: str) -> None:
    assert words in " ".join(tables()[sweep].sentences).replace("\u00a0", " ")


def test_the_published_thread_sweep() -> None:
    """C01."""
    rows = [replace(row, sweep=Sweep.THREADS) for row in C01_SWEEP]
    (table,) = sweep_tables(rows)
    said = " ".join(table.sentences).replace("\u00a0", " ")
    assert "Prefill still gains up to the 32 threads that were tried." in said
    assert "Decode gains nothing past 8 threads; with 16 it is 8 % slower than at its best." in said
    assert [row[0] for row in table.rows] == ["1", "2", "4", "8", "16", "32"]


def test_what_was_left_out_is_named_or_counted_by_curve() -> None:
    rows = [test for test in d.curve_tests() if test.sweep in (Sweep.BATCH, Sweep.KV_TYPE, Sweep.THREADS)]
    words = left_out_words([(row, "there was no time left") for row in rows] + [(rows[0], "It crashed")])
    assert [text.replace("\u00a0", " ") for text in words] == [
        "Not measured, because there was no time left: threads (6 points), streams (tg16 x 2, tg16 x 4, tg16 x 8) and "
        "KV type (tg32 @ d4000 with KV q8_0).",
        "Not measured, because it crashed: threads (tg32 with 4 threads).",
    ]


def test_a_phase_without_a_point_at_depth_has_no_column() -> None:
    rows = [row for row in d.swept_document().tests if row.phase is Phase.DECODE or row.sweep is not Sweep.DEPTH]
    depth = next(table for table in sweep_tables(rows) if table.sweep is Sweep.DEPTH)
    assert depth.head == ("Tokens in the cache", "Decode, tokens/s")
    assert all(len(row) == 2 for row in depth.rows)
