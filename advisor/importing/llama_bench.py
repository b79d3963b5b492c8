"""llama-bench's forms for programs: JSON, JSON lines, CSV and SQL."""

import csv
import re
from collections.abc import Iterator
from typing import Any, Final

from advisor.benchmarks.engines.llama_bench_output import RowReader
from advisor.benchmarks.protocol import ProtocolError
from advisor.benchmarks.reported import ReportedRun
from advisor.core.translation import tr
from advisor.importing.fields import run_of

_INSERT: Final = re.compile(r"INSERT\s+INTO\s+\S+\s*\(([^)]*)\)\s*VALUES\s*\((.*)\)\s*;?", re.IGNORECASE)
_CELL: Final = re.compile(r"\s*(?:'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"|([^,]*?))\s*(?:,|$)")
_PLENTY: Final = 10**5
"""Characters of a CSV cell or an SQL line above which it is no row of llama-bench's."""


def read_objects(lines: list[str], source: str) -> tuple[list[ReportedRun], list[str]]:
    """Rows of JSON and JSON lines, whole ones only; sentences on what could not be read."""
    reader = RowReader()
    runs: list[ReportedRun] = []
    unread: list[str] = []
    for position, line in enumerate(lines):
        try:
            for row in reader.feed((line + "\n").encode("utf-8", "replace")):
                _take(runs, unread, dict(row.fields), "JSON", source, position + 1)
        except ProtocolError as error:
            unread.append(tr("Line {line} could not be read: {error}.", line=position + 1, error=error))
    if any('"avg_' in line or '"n_prompt"' in line for line in lines) and _is_cut_off(lines):
        unread.append(tr("The last test is cut off."))
    return runs, unread


def _is_cut_off(lines: list[str]) -> bool:
    return sum(line.count("{") - line.count("}") for line in lines) > 0


def read_csv(lines: list[str], source: str) -> tuple[list[ReportedRun], list[str]]:
    """Rows below a header that has ``avg_ts``; a header in the middle (files put together) starts anew."""
    runs: list[ReportedRun] = []
    unread: list[str] = []
    names: list[str] = []
    for position, line in enumerate(lines):
        if len(line) > _PLENTY or "," not in line:
            continue
        cells = next(csv.reader([line]))
        if "avg_ts" in cells:
            names = cells
        elif names and len(cells) == len(names):
            _take(runs, unread, dict(zip(names, cells, strict=True)), "CSV", source, position + 1)
        elif names:
            unread.append(
                tr(
                    "Line {line} could not be read: it has {held} of {all} cells.",
                    line=position + 1,
                    held=len(cells),
                    all=len(names),
                )
            )
    return runs, unread


def read_sql(lines: list[str], source: str) -> tuple[list[ReportedRun], list[str]]:
    """Rows of ``INSERT INTO test (…) VALUES (…);``."""
    runs: list[ReportedRun] = []
    unread: list[str] = []
    for position, line in enumerate(lines):
        found = _INSERT.search(line) if len(line) <= _PLENTY else None
        if found is None:
            continue
        names = [name.strip(" \"`'") for name in found[1].split(",")]
        cells = list(_cells(found[2]))
        if len(cells) != len(names):
            unread.append(
                tr(
                    "Line {line} could not be read: it has {held} of {all} values.",
                    line=position + 1,
                    held=len(cells),
                    all=len(names),
                )
            )
            continue
        _take(runs, unread, dict(zip(names, cells, strict=True)), "SQL", source, position + 1)
    return runs, unread


def _cells(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        found = _CELL.match(text, position)
        if found is None or found.end() == position:
            return
        single, double, bare = found.groups()
        yield single.replace("''", "'") if single is not None else double if double is not None else bare
        position = found.end()


def _take(
    runs: list[ReportedRun], unread: list[str], fields: dict[str, Any], form: str, source: str, line: int
) -> None:
    try:
        run = run_of(fields, form, source)
    except ValueError as error:
        unread.append(tr("Line {line} could not be read: {error}.", line=line, error=error))
        return
    if run is not None:
        runs.append(run)
    elif fields.get("avg_ts") or fields.get("avg_ns"):
        unread.append(tr("Line {line} mixes reading and writing, which says nothing of either.", line=line))
