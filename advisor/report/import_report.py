"""Figures of another tool as a report: the same words, rows and data for every format."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store.codec import decode, encode
from advisor.core.errors import BadFile
from advisor.core.translation import tr
from advisor.diagnosis.model import Workload
from advisor.report.codec import json_text
from advisor.report.exporters.import_json import import_json
from advisor.report.import_words import HEAD, facts, model_words, sentences
from advisor.report.import_words import rows as test_rows
from advisor.report.privacy import without_personal_paths
from advisor.report.server_document import own_values

SCHEMA: Final = "two-machines/import-document/1"
"""Of our own files between two processes; what others read is ``import_json``."""
STAMP: Final = "imported: measured by another tool, not by Two Machines"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """One imported run, judged for a work.

    Attributes:
        created_at: ISO 8601, when it was imported.
        model: in words.
        answer: which phase is the problem, or why that cannot be said.
        remarks: what is unknown of the figures, and what was not read.
        device: what the device allows and what would help; empty where no device is known.
        head: of ``rows``, the tests.
        facts: name and value of where the figures come from.
        data: the JSON of it all.
    """

    created_at: str
    app_version: str
    model: str
    answer: str
    remarks: tuple[str, ...]
    device: tuple[str, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    facts: tuple[tuple[str, str], ...]
    data: str


def import_report(
    run: ReportedRun, number: int, workload: Workload, device: Sequence[str], created_at: str, app_version: str
) -> ImportReport:
    """The report of a run of the history, without what names the user; ``device`` is what is said of its device."""
    clean = without_personal_paths(run)
    answer, *remarks = sentences(clean, workload)
    return ImportReport(
        created_at, app_version, model_words(clean), answer, tuple(remarks), tuple(device), tuple(map(tr, HEAD)),
        tuple(test_rows(clean)), tuple(facts(clean, created_at)),
        json_text(import_json([clean], [number], workload, [device])),
    )  # fmt: skip


def report_text(report: ImportReport) -> str:
    """The report as a file of ours."""
    return json.dumps({"schema": SCHEMA, "report": encode(report)})


def read_import_report(path: Path) -> ImportReport | None:
    """The report in a file of ours; None where it is of another kind, or cannot be read. Raises BadFile."""
    held = own_values(path, SCHEMA)
    try:
        report: ImportReport | None = decode(ImportReport, held["report"]) if held is not None else None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadFile(f"{path.name} is no report of this version.", "Export it again.") from error
    return report
