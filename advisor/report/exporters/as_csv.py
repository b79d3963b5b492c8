"""Measurements as CSV: one row per test, units in the header; what is not known is empty.

Each column means one thing wherever the row comes from: ``mad_…`` is the samples' median absolute deviation,
``stddev_…`` their standard deviation or the one that another tool states. ``advisor.importing.own_csv`` reads it again.
"""

import csv
import io
from collections.abc import Sequence
from statistics import stdev
from typing import Final

from advisor.benchmarks.model import Phase, TestResult
from advisor.benchmarks.reported import ReportedTest
from advisor.benchmarks.store.model import MachineIdentity, StoredRun, identity_of
from advisor.core.retelling import retold
from advisor.core.translation import ENGLISH, language
from advisor.report.document import Document
from advisor.report.privacy import without_personal_paths

COLUMNS: Final = (
    "test", "phase", "curve", "prompt_tokens", "written_tokens", "depth_tokens", "streams", "threads", "batch_tokens",
    "ubatch_tokens", "flash_attention", "kv_type", "tokens_per_s", "mad_tokens_per_s", "stddev_tokens_per_s",
    "interval_low_tokens_per_s", "interval_high_tokens_per_s", "repetitions", "samples_s", "engine", "device",
    "safe_mode", "complete", "stamp", "because", "model", "model_file", "machine", "measured_at",
)  # fmt: skip
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def document_csv(document: Document) -> str:
    """Every test of a diagnosis; lines end as RFC 4180 wants them."""
    clean = without_personal_paths(retold(document, ENGLISH, language()), model_path=document.model.path)
    common = (clean.model.name, clean.model.path.name, identity_of(clean.machine).english, clean.created_at)
    return _text([(*_cells(test), *common) for test in clean.tests])


def run_csv(run: StoredRun) -> str:
    """Every test of a stored run, measured here or imported."""
    clean = without_personal_paths(retold(run, ENGLISH, language()))
    if clean.imported is not None:
        report = clean.imported
        named = (report.model, "", MachineIdentity(report.cpu, 0, report.gpus).english, report.measured_at)
        return _text([(*_reported_cells(test), *named) for test in report.tests])
    setup = clean.setup
    common = (setup.model.name, setup.model.file, setup.machine.english)
    return _text([(*_cells(test.result), *common, test.measured_at) for test in clean.tests])


def _reported_cells(test: ReportedTest) -> tuple[object, ...]:
    low, high = test.interval_tokens_per_s or (None, None)
    reading = test.phase is Phase.PREFILL
    every = (test.tokens or 0) * (test.n_streams or 1)
    samples = " ".join(repr(every / speed) for speed in test.samples_tokens_per_s) if every else ""
    return (
        test.test, test.phase, "", test.tokens if reading else 0, 0 if reading else test.tokens, test.n_depth,
        test.n_streams, test.n_threads, test.n_batch, test.n_ubatch, test.flash_attention, test.kv_type,
        test.tokens_per_s, test.mad_tokens_per_s, test.deviation_tokens_per_s, low, high,
        len(test.samples_tokens_per_s) or None, samples, test.engine, test.device, None, None, "imported",
        "; ".join(test.remarks),
    )  # fmt: skip


def _cells(test: TestResult) -> tuple[object, ...]:
    low, high = test.interval_tokens_per_s or (None, None)
    speeds = test.samples_tokens_per_s
    return (
        test.test, test.phase, test.sweep, test.n_prompt, test.n_gen, test.n_depth, test.n_streams, test.n_threads,
        test.n_batch, test.n_ubatch, test.flash_attention, test.kv_type, test.tokens_per_s, test.mad_tokens_per_s,
        stdev(speeds) if len(speeds) > 1 else None, low, high, len(test.samples_s),
        " ".join(repr(sample) for sample in test.samples_s), test.engine, test.device,
        _yes(test.safe_mode), _yes(test.complete), test.conditions.stamp, "; ".join(test.conditions.because),
    )  # fmt: skip


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _text(rows: Sequence[Sequence[object]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    return stream.getvalue()


def _safe(cell: object) -> object:
    """A text that a spreadsheet would take for a formula gets an apostrophe; names come from files of strangers."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
