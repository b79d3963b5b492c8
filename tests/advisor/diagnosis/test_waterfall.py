"""Where the speed goes: parts that sum to the measured step, and what limits it by its largest part."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Conditions, EngineMode, Stamp, Sweep, TestResult
from advisor.ceilings.kernels import KernelTable
from advisor.ceilings.model import Ceilings, Falsified
from advisor.core.evidence import Basis, Known, Unknown
from advisor.diagnosis.engine import diagnose
from advisor.diagnosis.model import Limit, Verdict
from advisor.diagnosis.timeline import timeline
from advisor.diagnosis.waterfall import Part, Waterfall, waterfall, waterfalls
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.markdown import document_markdown
from advisor.report.loader import load_document
from tests.support import documents
from tests.support.kernel_tables import ATTENTION_S, BLOCKS_S, HEAD_S, MODEL, bounds, table


def taken_apart(row: TestResult, known: Ceilings) -> Waterfall:
    found = waterfall(row, MODEL, known)
    assert isinstance(found, Known)
    return found.value


def verdict(known: Ceilings, *rows: TestResult) -> Verdict:
    asked = documents.workload()
    tests = rows or (documents.prefill_test(), documents.decode_test())
    times = timeline(asked, tests, MODEL.traffic.or_none())
    assert isinstance(times, Known)
    return diagnose(asked, times.value, tests, known, MODEL, documents.machine())


@pytest.mark.parametrize("row", [documents.prefill_test(), documents.decode_test()])
def test_the_parts_sum_to_the_measured_step(row: TestResult) -> None:
    found = taken_apart(row, bounds(table()))
    assert sum(piece.seconds for piece in found.slices) == pytest.approx(found.step_s)
    assert found.step_s == pytest.approx(row.tokens / row.tokens_per_s if row.n_prompt else 1 / row.tokens_per_s)
    assert found.slices[-1].part is Part.UNEXPLAINED
    assert all(piece.seconds >= 0 for piece in found.slices[:-1])


def test_decode_is_reading_then_what_the_format_takes_beyond_it() -> None:
    found = taken_apart(documents.decode_test(), bounds(table()))
    assert MODEL.traffic.or_none() is not None
    reading_s = 4.62e9 / 61.4e9
    assert found.share(Part.READING) == pytest.approx(reading_s / found.step_s)
    assert found.share(Part.UNPACKING) == pytest.approx((BLOCKS_S + HEAD_S - reading_s) / found.step_s)
    assert found.share(Part.ATTENTION) == pytest.approx(ATTENTION_S / found.step_s, rel=0.1)


def test_the_rated_speed_splits_the_reading() -> None:
    rated = replace(bounds(table()), theoretical_bytes_per_s=Known(89.6e9, Basis.READ, "modules"))
    found = taken_apart(documents.decode_test(), rated)
    assert found.share(Part.RATED) == pytest.approx(4.62e9 / 89.6e9 / found.step_s)
    assert found.share(Part.RATED, Part.READING) == pytest.approx(4.62e9 / 61.4e9 / found.step_s)


def test_weights_from_a_cache_do_not_make_a_part_negative() -> None:
    found = taken_apart(documents.decode_test(), bounds(table(), read=10e9))
    assert found.share(Part.UNPACKING) == 0.0


@pytest.mark.parametrize(
    ("row", "kernels", "word"),
    [
        (documents.decode_test(), table(threads=6), "threads"),
        (replace(documents.decode_test(), mode=EngineMode.NO_EXTRA_BUFFERS), table(layout="CPU_REPACK"), "safe mode"),
        (replace(documents.decode_test(), kv_type="q8_0"), table(), "q8_0"),
        (replace(documents.decode_test(), device="CUDA0+CPU"), table(), "CUDA0"),
        (documents.decode_test(), KernelTable(), "not measured"),
    ],
)
def test_a_table_that_does_not_belong_to_the_test_is_not_used(row: TestResult, kernels: KernelTable, word: str) -> None:
    found = waterfall(row, MODEL, bounds(kernels))
    assert isinstance(found, Unknown)
    assert word in found.reason
    assert waterfalls((row,), MODEL, bounds(kernels)) == ()


def test_the_row_at_the_depth_of_the_work_stands_for_decode() -> None:
    row = documents.decode_test()
    deep = replace(row, n_depth=4096, n_gen=32, sweep=Sweep.DEPTH)
    found = [held.test for held in waterfalls((row, deep), MODEL, bounds(table()), 4_150)]
    assert found == ["tg32 @ d4096"]
    assert [held.test for held in waterfalls((row, deep), MODEL, bounds(table()), 100)] == ["tg128"]
    unsure = replace(deep, conditions=Conditions(Stamp.INVALID, ("swap was used",)))
    assert [held.test for held in waterfalls((row, unsure), MODEL, bounds(table()), 4_150)] == ["tg128"]


def test_nothing_is_taken_apart_with_kernels_or_tests_beside_other_load() -> None:
    busy = replace(bounds(table()), disturbed="other programs used 48 % of the CPU")
    found = waterfall(documents.decode_test(), MODEL, busy)
    assert isinstance(found, Unknown)
    assert "48 %" in found.reason
    invalid = documents.decode_test(Conditions(Stamp.INVALID, ("swap was used",)))
    assert waterfalls((invalid,), MODEL, bounds(table())) == ()


def test_products_that_take_far_longer_than_reading_are_unpacking() -> None:
    """Physics.md 0.4: 9 GB/s of weights on a machine that reads 27 GB/s is no memory limit."""
    found = verdict(bounds(table(), read=180e9)).decode
    assert found.limit is Limit.UNPACKING
    assert "unpacking" in found.because
    assert "78" in found.because  # the milliseconds of the products, measured alone


def test_a_decode_near_its_roof_stays_with_the_memory() -> None:
    assert verdict(bounds(table())).decode.limit is Limit.MEMORY


def test_many_costly_small_operations_are_overhead() -> None:
    found = verdict(bounds(table(unpacking=0.3, operation_s=0.25e-3), read=250e9)).decode
    assert found.limit is Limit.OVERHEAD


def test_an_unexplained_step_is_left_to_the_other_rules() -> None:
    little = taken_apart(documents.decode_test(), bounds(table(unpacking=0.2), read=400e9))
    assert little.explained < 0.75
    assert "measured alone" not in verdict(bounds(table(unpacking=0.2), read=400e9)).decode.because


def test_the_report_carries_it_and_reads_it_back() -> None:
    tests = (documents.prefill_test(), documents.decode_test())
    event = Falsified("decode", "tg128", 11.6, 11.0, 11.4, stands=True)
    known = replace(bounds(table()), falsified=(event,))
    whole = replace(
        documents.complete_document(), tests=tests, waterfalls=waterfalls(tests, MODEL, known),
        ceilings=Known(known, Basis.MEASURED, "test"),
    )  # fmt: skip
    data = document_json(whole)
    assert [entry["test"] for entry in data["waterfalls"]] == ["pp512", "tg128"]
    again = load_document(data)
    assert again.waterfalls == whole.waterfalls
    assert again.ceilings.or_none() == known
    text = document_markdown(whole)
    assert "Where the speed goes" in text
    assert "tg128 ran at 11.6" in text
