"""Tables as llama-bench and llama-batched-bench print them and people paste them.

Pipes may be gone (tabs or several spaces part the cells then), rows wrapped, the rule and even the header missing.
Without a header only the test and its speed are certain, and everything else stays unknown.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.core.translation import marked, tr
from advisor.importing import names
from advisor.importing.fields import TOOL, kv_type, switch
from advisor.importing.text import COUNTS, UNITS, amount, number, whole

FORM: Final = marked("Markdown table")
BATCHED: Final = "llama-batched-bench"
SWEPT: Final = "llama-sweep-bench"
_TEST: Final = re.compile(r"(pp|tg)\s?(\d+)(?:\s*@\s*d\s?(\d+))?", re.IGNORECASE)
_MIXED: Final = re.compile(r"pp\s?\d+\s?\+\s?tg\s?\d+(?:\s*@\s*d\s?\d+)?", re.IGNORECASE)
_SPEED: Final = re.compile(r"([\d.,' ]*\d)\s*(?:±\s*([\d.,]*\d))?\s*(?:t/s)?", re.IGNORECASE)
_BARE_ROW: Final = re.compile(
    r"(?:^|[\s|])(?P<test>(?:pp|tg)\s?\d+(?:\s*@\s*d\s?\d+)?)[\s|:]+(?P<speed>\d[\d.,]*\s*±\s*\d[\d.,]*)", re.IGNORECASE
)
_RULE: Final = re.compile(r"[\s|:+-]*-{2,}[\s|:+-]*")
_SPEED_COLUMNS: Final = ("t/s", "tokens/s", "avg t/s")


def read_tables(lines: list[str], source: str) -> tuple[list[ReportedRun], list[str]]:
    """Every row of every table; sentences on rows that look like one and cannot be read."""
    runs: list[ReportedRun] = []
    unread: list[str] = []
    gpus: list[str] = []
    head: list[str] = []
    separator = ""
    waiting = 0  # rows since the last line that named a build: it stands below its table
    for line_number, line in _whole_lines(lines):
        if device := names.device(line):
            gpus.append(device)
            continue
        if build := names.build(line):
            runs[len(runs) - waiting :] = [_built(run, build) for run in runs[len(runs) - waiting :]]
            waiting, gpus = 0, []
            continue
        if mark := _separator(line):
            separator = mark
        cells = _cells(line, separator if separator and separator in line and "|" not in line else "")
        lowered = [cell.lower() for cell in cells]
        if _is_head(lowered):
            head = lowered
            continue
        if not cells or _RULE.fullmatch(line):
            continue
        try:
            found = _rows(head, cells, line, source, tuple(gpus), line_number)
        except ValueError as error:
            unread.append(tr("Line {line} could not be read: {error}.", line=line_number, error=error))
            continue
        runs += found
        waiting += len(found)
    return runs, unread


def _whole_lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Number and text of each line; a row of pipes that was wrapped is put together again."""
    position = pipes = 0
    while position < len(lines):
        start, line = position, lines[position].strip()
        while line.startswith("|") and position + 1 < len(lines):
            following = lines[position + 1].strip()
            if not following or not _continues(line, following, pipes):
                break
            position += 1
            line = line + ("" if _cut_inside(line, following) else " ") + following
        if _is_head([cell.lower() for cell in _cells(line)]):
            pipes = line.count("|")
        yield start + 1, line
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
    if separator or "|" in line:
        return [cell.strip(" `*\"") for cell in line.strip().strip("|").split(separator or "|")]
    parts = re.split(r"\t+| {2,}", line.strip())
    return [part.strip() for part in parts] if len(parts) > 1 else []


def _separator(line: str) -> str:
    """The mark of a spreadsheet that parts the names of a head; "" for any other line."""
    for mark in (";", ","):
        if "|" not in line and _is_head([cell.lower() for cell in _cells(line, mark)]):
            return mark
    return ""


def _is_head(lowered: list[str]) -> bool:
    plain = "test" in lowered and any(name in lowered for name in _SPEED_COLUMNS)
    return plain or {"pp", "tg", "s_pp t/s", "s_tg t/s"} <= set(lowered) or _has_tests_across(lowered)


def _has_tests_across(head: list[str]) -> bool:
    """A table of people's own with a column for each test: "model | pp512 | tg128"."""
    tests = [cell for cell in head if _TEST.fullmatch(cell)]
    return len(tests) > 1 and all(number(cell) is None and "±" not in cell for cell in head)


def _rows(
    head: list[str], cells: list[str], line: str, source: str, gpus: tuple[str, ...], line_number: int
) -> list[ReportedRun]:
    """The tests in one row; none in a line that is no row. Raises ValueError."""
    fits = bool(head) and len(cells) == len(head)
    row = dict(zip(head, cells, strict=True)) if fits else {}
    if "s_pp t/s" in head:
        return _batched(row, source, gpus, line_number)
    if fits and _has_tests_across(head):
        across = [found for name in head if (found := _TEST.fullmatch(name)) and number(row[name].partition("±")[0])]
        return [_run({**row, "t/s": row[test[0]]}, test, source, gpus, line_number) for test in across]
    if not fits:
        bare = _BARE_ROW.search(line)
        if bare is None:
            if head and any(_TEST.fullmatch(cell) for cell in cells):
                raise ValueError(tr("it has other columns than its table, and no speed beside the test"))
            return []
        row = {"test": bare["test"], "t/s": bare["speed"]}
    if _MIXED.fullmatch(row["test"]):
        raise ValueError(tr("{test} mixes reading and writing, which says nothing of either", test=row["test"]))
    test = _TEST.fullmatch(row["test"])
    if test is None:
        return []
    return [_run(row, test, source, gpus, line_number)]


def _run(
    row: dict[str, str], test: re.Match[str], source: str, gpus: tuple[str, ...], line_number: int
) -> ReportedRun:
    speed = _SPEED.fullmatch(next((row[name] for name in _SPEED_COLUMNS if name in row), ""))
    value = number(speed[1]) if speed else None
    if speed is None or not value:
        raise ValueError(tr("{test} has no speed that is a number", test=test[0]))
    deviation = number(speed[2]) if speed[2] else None
    model = row.get("model", "")
    kv = kv_type(row.get("type_k"), row.get("type_v"))
    reported = ReportedTest(
        phase=Phase.PREFILL if test[1].lower() == "pp" else Phase.DECODE,
        tokens=int(test[2]),
        tokens_per_s=value,
        deviation_tokens_per_s=deviation or None,
        n_depth=int(test[3] or 0),
        n_streams=1,
        n_threads=_setting(row, "threads"),
        n_batch=_setting(row, "n_batch"),
        n_ubatch=_setting(row, "n_ubatch"),
        n_gpu_layers=_setting(row, "ngl"),
        flash_attention=switch(row.get("fa")),
        kv_type=kv,
        engine=TOOL,
        device=_device(row),
        line=line_number,
    )
    return ReportedRun(
        tool=TOOL,
        form=FORM,
        source=source,
        tests=(reported,),
        model=model,
        quantisation=names.quantisation(model) or names.quantisation(row.get("quant", "")),
        model_bytes=amount(row.get("size", ""), UNITS),
        parameters=amount(row.get("params", ""), COUNTS),
        gpus=gpus,
    )


def _setting(row: dict[str, str], name: str) -> int | None:
    """A column that llama-bench prints only where it differs from its default, so that none is unknown."""
    value = whole(row.get(name, ""))
    return value if value is None or value >= 1 or name == "ngl" else None


def _device(row: dict[str, str]) -> str | None:
    backend = row.get("backend", "")
    parts = [part for part in backend.split(",") if part and part not in ("BLAS", "CPU", "RPC")]
    if backend and (not parts or whole(row.get("ngl", "")) == 0):
        return "CPU"
    return parts[0] if len(parts) == 1 else None


def _batched(
    row: dict[str, str], source: str, gpus: tuple[str, ...], line_number: int
) -> list[ReportedRun]:
    """Reading and writing of one row of llama-batched-bench. Raises ValueError."""
    sizes = [whole(row.get(name, "")) for name in ("pp", "tg", "b")]
    speeds = [number(row.get(name, "")) for name in ("s_pp t/s", "s_tg t/s")]
    prompt, written, streams = sizes
    if "b" not in row and (held := whole(row.get("n_kv", ""))) is not None and prompt is not None:
        return _at_depth(prompt, written or 0, held, speeds, source, gpus, line_number)
    if not row or prompt is None or written is None or not streams:
        raise ValueError(tr("it has no sizes that are whole numbers"))
    tests = [
        ReportedTest(
            phase=phase, tokens=tokens, tokens_per_s=speed, n_depth=depth, n_streams=streams, engine=BATCHED,
            on_curve=streams > 1, line=line_number,
        )
        for phase, tokens, speed, depth in (
            (Phase.PREFILL, prompt, speeds[0], 0), (Phase.DECODE, written, speeds[1], prompt),
        )
        if tokens and speed
    ]  # fmt: skip
    return [ReportedRun(tool=BATCHED, form=FORM, source=source, tests=(test,), gpus=gpus) for test in tests]


def _at_depth(
    prompt: int, written: int, depth: int, speeds: list[float | None], source: str, gpus: tuple[str, ...],
    line_number: int,
) -> list[ReportedRun]:
    """A row of llama-sweep-bench (ik_llama.cpp): both phases at the tokens that are in the cache already."""
    tests = [
        ReportedTest(
            phase=phase, tokens=tokens, tokens_per_s=speed, n_depth=depth, n_streams=1, engine=SWEPT,
            on_curve=depth > 0, line=line_number,
        )
        for phase, tokens, speed in ((Phase.PREFILL, prompt, speeds[0]), (Phase.DECODE, written, speeds[1]))
        if tokens and speed
    ]  # fmt: skip
    return [ReportedRun(tool=SWEPT, form=FORM, source=source, tests=(test,), gpus=gpus) for test in tests]


def _built(run: ReportedRun, build: str) -> ReportedRun:
    tests = tuple(replace(test, engine=f"{run.tool} {build}") for test in run.tests)
    return replace(run, build=build, tests=tests)
