"""Tables as llama-bench and llama-batched-bench print them and people paste them.

Pipes may be gone (tabs or several spaces part the cells then, or a single one), rows wrapped, the rule and even the
header missing. Without a header only the test and its speed are certain, and everything else stays unknown.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from advisor.benchmarks.reported import WHY, ReportedRun
from advisor.importing import names
from advisor.importing.llama_bench import CUT_LINE, DAMAGED
from advisor.importing.page import NotRead, Page
from advisor.importing.rows import BARE_ROW, TEST, Place, Row, names_of_head, runs_in
from advisor.importing.text import is_cut

_RULE: Final = re.compile(r"[\s|:+-]*-{2,}[\s|:+-]*")
_WHOLE: Final = re.compile(r"\d[.,](\d{2,}) ± \d[\d,.]*[.,](\d{2,})(?: t/s)?[\s|`*\"]*$")
"""The end of a row that lost nothing: a figure and its spread, equally fine, as llama-bench prints them."""
_LLAMA_BENCH: Final = frozenset({"model", "size", "params", "backend"})
"""Columns of its own table, in which each speed has its spread."""
_PRINTED: Final = 2
"""Decimals of every speed and spread in its table."""
_END: Final = re.compile(r"([\d.,]+)(?:\s*±\s*([\d.,]*))?[\s`*\"]*$")
_ONE_SPACE: Final = re.compile(
    r"^(?P<model>\S.*?) (?P<size>[\d.,]+ [KMGT]iB) (?P<params>[\d.,]+ [KMBT]) (?P<backend>[A-Za-z][\w,/-]*) "
    r"(?:(?P<ngl>\d+) )?(?P<test>(?:pp|tg)\d+(?: ?@ ?d\d+)?) (?P<speed>\d[\d.,]* ?±? ?[\d.,]*)$"
)
"""A row whose cells lost everything but one space between them; the columns are its usual ones."""


@dataclass(slots=True)
class _Table:
    """What is known while its rows come: the head and its line, what parts its cells, and the rows so far."""

    head: list[str] = field(default_factory=list)
    closed: bool = False
    separator: str = ""
    rows: list[tuple[str, list[str]]] = field(default_factory=list)
    comma: bool = False


def read_tables(page: Page) -> None:
    """Every row of every table; sentences on rows that look like one and cannot be read."""
    table = _Table()
    gpus: list[str] = []
    waiting = len(page.runs)  # the first run behind the last line that named a build: it stands below its table
    for first, last, line in _whole_lines(page.left()):
        held = range(first, last + 1)
        if device := names.device(line):
            gpus.append(device)
            continue
        if build := names.build(line):
            page.runs[waiting:] = [_built(run, build) for run in page.runs[waiting:]]
            waiting, gpus = len(page.runs), []
            page.take(held)
            continue
        separator = _separator(line)
        own = separator or (table.separator if table.separator in line and "|" not in line else "")
        cells = _cells(line, own)
        if head := names_of_head(cells, line):
            comma = {"tokens/s", "gerät"} <= set(head)  # our own report in German
            table = _Table(head, line.rstrip().endswith("|"), separator, comma=comma)
            page.take(held)
        elif _RULE.fullmatch(line):
            page.take(held if table.head else ())
        elif line:
            _take(page, table, Row(cells, line, Place(page.source, first + 1, tuple(gpus), table.comma)), held)


def _take(page: Page, table: _Table, row: Row, held: range) -> None:
    if _row_is_cut(page, table, row, held[-1]):
        page.say(held[0], CUT_LINE)
        page.take(held)
        return
    if found := _ONE_SPACE.match(row.line):
        spaced = {name.replace("speed", "t/s"): words or "" for name, words in found.groupdict().items()}
        row, head = replace(row, cells=list(spaced.values())), list(spaced)
    else:
        head = table.head
    try:
        found_runs = runs_in(head, row)
    except NotRead as error:
        page.say(held[0], error.sentence, **error.values)
        page.take(held)
        return
    except ValueError as error:
        page.say(held[0], DAMAGED, **{WHY: error})
        page.take(held)
        return
    if found_runs:
        page.runs += found_runs
        page.take(held)
        table.rows.append((row.line, row.cells))


def _row_is_cut(page: Page, table: _Table, row: Row, last: int) -> bool:
    """Whether the row lost its end: its closing bar, some of its cells, the spread, or digits that others have."""
    line, cells = row.line.rstrip(), row.cells
    looks = bool(BARE_ROW.search(line) or any(TEST.fullmatch(cell) for cell in cells))
    if line.startswith("|"):
        lacks_bar = not line.endswith("|") and not _whole_end(line)
        alike = bool(table.rows) and bool(cells) and cells[0] == table.rows[-1][1][0]
        return lacks_bar and (looks or alike or (page.may_be_cut(last) and bool(table.head)))
    if not page.may_be_cut(last) or line.endswith("|"):
        return False
    if set(table.head) >= _LLAMA_BENCH and looks and all(_whole_end(text) for text, _ in table.rows):
        return not _whole_end(line)
    if not table.rows:
        return False
    if table.head and cells and len(cells) < len(table.head):
        return cells[0] == table.rows[-1][1][0] or looks
    found = _END.search(line)
    if not looks or found is None or _whole_end(line):
        return looks and found is None and line.endswith("±")
    ends = [end for text, _ in table.rows if (end := _END.search(text.rstrip("| ")))]
    spreads = [end[2] for end in ends if end[2]]
    if spreads and len(spreads) == len(ends):
        return not found[2] or is_cut(found[2], spreads, _PRINTED)
    return not spreads and is_cut(found[1], [end[1] for end in ends], _PRINTED)


def _whole_end(line: str) -> bool:
    found = _WHOLE.search(line)
    return found is not None and len(found[1]) == len(found[2])


def _whole_lines(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """First and last position and text of each line; a row of pipes that was wrapped is put together again."""
    position = pipes = 0
    while position < len(lines):
        start, line = position, lines[position].strip()
        while line.startswith("|") and position + 1 < len(lines):
            following = lines[position + 1].strip()
            if not following or not _continues(line, following, pipes):
                break
            position += 1
            line = line + ("" if _cut_inside(line, following) else " ") + following
        if names_of_head(_cells(line), line):
            pipes = line.count("|")
        yield start, position, line
        position += 1


def _continues(line: str, following: str, pipes: int) -> bool:
    """Whether a line belongs to the row that was begun; ``pipes`` are those of a whole one, 0 while unknown."""
    if _RULE.fullmatch(following):
        return False
    if pipes and line.count("|") < pipes:
        return line.count("|") + following.count("|") <= pipes
    return not following.startswith("|") and (not line.endswith("|") or following.endswith("|"))


def _cut_inside(line: str, following: str) -> bool:
    """Whether a terminal's edge went through a number or a test's name."""
    figure = line[-1] in "0123456789.," and following[0] in "0123456789.,"
    return figure or (line.lower().endswith(("pp", "tg", "| p", "| t")) and following[0] in "0123456789pPgG")


def _cells(line: str, separator: str = "") -> list[str]:
    """The cells of a row: between pipes, tabs or several spaces, or what the table's head was parted by."""
    if separator:
        return [cell.strip(" `*\"") for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]
    if "|" in line:
        inner = line.strip().removeprefix("|").removesuffix("|")
        return [cell.strip(" `*\"") for cell in inner.split("|")]
    parts = re.split(r"\t+| {2,}", line.strip())
    return [part.strip() for part in parts] if len(parts) > 1 else []


def _separator(line: str) -> str:
    """The mark of a spreadsheet that parts the names of a head; "" for any other line."""
    for mark in ("\t", ";", ","):
        if "|" in line or mark not in line:
            continue
        cells = names_of_head(_cells(line, mark), line)
        if cells and (mark != "\t" or all(cells)):
            return mark
    return ""


def _built(run: ReportedRun, build: str) -> ReportedRun:
    tests = tuple(replace(test, engine=f"{run.tool} {build}") for test in run.tests)
    return replace(run, build=build, tests=tests)
