"""llama-bench's forms for programs: its objects (JSON and JSON lines), CSV and SQL."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from advisor.benchmarks.reported import WHY, ReportedRun
from advisor.core.translation import marked
from advisor.importing.fields import run_of
from advisor.importing.objects import Found
from advisor.importing.page import Page
from advisor.importing.text import is_cut

DAMAGED: Final = marked("Line {line} could not be read: {why}.")
MIXED: Final = marked("Line {line} mixes reading and writing, which says nothing of either.")
CUT_TEST: Final = marked("The test that begins in line {line} is cut off and left out.")
CUT_LINE: Final = marked("Line {line} is cut off and left out.")
CELLS: Final = marked("Line {line} could not be read: it has {held} of {all} cells.")
VALUES: Final = marked("Line {line} could not be read: it has {held} of {all} values.")
FIELDS: Final = ("avg_ts", "avg_ns", "samples_ns", "n_prompt", "n_gen")
"""Names by which an object shows itself to be of llama-bench."""
_INSERT: Final = re.compile(r"INSERT\s+INTO\s+\S+\s*\(([^)]*)\)\s*VALUES\s*", re.IGNORECASE)
_VALUE: Final = re.compile(r"\s*(?:'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"|([^,'\"()]*?))\s*([,)])")
_PLENTY: Final = 10**5
"""Characters of a CSV cell or an SQL line above which it is no row of llama-bench's."""
_PRINTED: Final = 6
"""Decimals of every real figure in its CSV."""


def is_test(found: Found) -> bool:
    """Whether an object, whole or not, is one of its tests."""
    named = [name for name in FIELDS if (name in found.fields if found.fields else f'"{name}"' in found.text)]
    return len(named) > 1


def take_test(page: Page, found: Found) -> None:
    """The run of one object, which may lie in an object of somebody else."""
    if not found.whole:
        page.say(found.first, CUT_TEST)
        return
    run = _run(page, found.fields, "JSON", found.first)
    page.runs += [run] if run else []


def read_csv(page: Page) -> None:
    """Rows below a header that has ``avg_ts``; a header in the middle (files put together) starts anew."""
    names: list[str] = []
    mark, rows = ",", [("", "")]
    for at, line in enumerate(page.left(_PLENTY)):
        if "avg_ts" in line:
            mark = max(",;\t", key=line.count)
        if mark not in line:
            continue
        cells = next(csv.reader([line], delimiter=mark))
        if "avg_ts" in (stripped := [cell.strip() for cell in cells]):
            names, rows = stripped, []
            page.take([at])
            continue
        if not names:
            continue
        if _row_is_cut(page, at, line, cells, names, rows):
            page.say(at, CUT_LINE)
        elif len(cells) != len(names):
            if line.startswith('"') or 2 * len(cells) > len(names):  # else it is somebody's sentence
                page.say(at, CELLS, held=len(cells), all=len(names))
        else:
            rows.append((line, cells[-1]))
            run = _run(page, dict(zip(names, cells, strict=True)), "CSV", at)
            page.runs += [run] if run else []


def _row_is_cut(
    page: Page, at: int, line: str, cells: Sequence[str], names: Sequence[str], rows: Sequence[tuple[str, str]]
) -> bool:
    if line.count('"') % 2 and line.startswith('"'):
        return True
    if not page.may_be_cut(at):
        return False
    if len(cells) < len(names):
        return True
    quoted = [before.rstrip().endswith('"') for before, _ in rows]
    if quoted and all(quoted):
        return not line.rstrip().endswith('"')
    return is_cut(cells[-1], [last for _, last in rows], _PRINTED)


def read_sql(page: Page) -> None:
    """Rows of ``INSERT INTO test (…) VALUES (…), (…);``."""
    for at, line in enumerate(page.left(_PLENTY)):
        found = _INSERT.search(line)
        if found is None:
            continue
        names = [name.strip(" \"`'") for name in found[1].split(",")]
        position, several = found.end(), True
        while several:
            values, position = _values(line, position)
            if values is None:
                page.say(at, CUT_LINE)
            elif len(values) != len(names):
                page.say(at, VALUES, held=len(values), all=len(names))
            else:
                run = _run(page, dict(zip(names, values, strict=True)), "SQL", at)
                page.runs += [run] if run else []
            rest = line[position:].lstrip()
            several = values is not None and rest.startswith(",")
            position += len(line[position:]) - len(rest) + 1


def _values(line: str, position: int) -> tuple[list[str] | None, int]:
    """The values between two brackets, and where they end; None where the bracket is not closed."""
    values: list[str] = []
    opened = re.compile(r"\s*\(").match(line, position)
    position = opened.end() if opened else len(line)
    while found := _VALUE.match(line, position):
        single, double, bare, mark = found.groups()
        if single is not None:
            values.append(single.replace("''", "'"))
        else:
            values.append(double.replace('""', '"') if double is not None else _null(bare))
        position = found.end()
        if mark == ")":
            return values, position
    return None, len(line)


def _null(bare: str) -> str:
    return "" if bare.upper() == "NULL" else bare


def _run(page: Page, fields: Mapping[str, Any], form: str, at: int) -> ReportedRun | None:
    """The run of one row; None, and said why, where it is no test of one phase."""
    try:
        run = run_of(fields, form, page.source)
    except ValueError as error:
        page.say(at, DAMAGED, **{WHY: error})
        return None
    page.take([at])
    if run is None and (fields.get("avg_ts") or fields.get("avg_ns")):
        page.say(at, MIXED)
    return run


def inner_objects(fields: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The objects in the lists of an object: results with something of their own around them."""
    for value in fields.values():
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, dict):
                yield item
