"""One row of a table, its cells under the names of its head, as the runs of its tests."""

import re
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.core.translation import marked
from advisor.importing import names
from advisor.importing.fields import TOOL, kv_type, switch
from advisor.importing.page import NotRead
from advisor.importing.text import COUNTS, UNITS, amount, number, whole

FORM: Final = marked("Markdown table")
BATCHED: Final = "llama-batched-bench"
SWEPT: Final = "llama-sweep-bench"
OWN: Final = "Two Machines"
_SIZE: Final = r"(?P<phase>pp|tg)\s?(?P<tokens>\d+|\?)(?:\s*x\s?(?P<streams>\d+))?(?:\s*@\s*d\s?(?P<depth>\d+))?"
TEST: Final = re.compile(_SIZE, re.IGNORECASE)
_OWN_TEST: Final = re.compile(_SIZE + r"(?:,? [^|]*)?", re.IGNORECASE)
"""Our report sets further words behind a test's name: ``tg32 with 4 threads``."""
_MIXED: Final = re.compile(r"pp\s?\d+\s?\+\s?tg\s?\d+(?:\s*@\s*d\s?\d+)?", re.IGNORECASE)
_UNIT: Final = r"(?:t/s|tok/s(?:ec)?|tokens?/s(?:ec)?|tps|tokens? per second)"
_SPEED: Final = re.compile(
    r"(?P<speed>[\d.,'’ ]*\d(?:e[+-]?\d+)?)"
    r"\s*(?:±\s*(?:(?P<spread>[\d.,]*\d(?:e[+-]?\d+)?)|[a-z]+\s+[\d.,]*\d))?\s*" + _UNIT + "?", re.IGNORECASE
)
"""A spread may be "under 0.1" of ours, which says no figure."""
BARE_ROW: Final = re.compile(
    r"(?:^|[\s|])(?P<test>(?:pp|tg)\s?\d+(?:\s*@\s*d\s?\d+)?)[\s|:]+(?P<speed>\d[\d.,]*\s*±\s*\d[\d.,]*)", re.IGNORECASE
)
_END_OF_ROW: Final = re.compile(
    r"(?:\||\t| {2,})\s*(?P<test>(?:pp|tg)\s?\d+(?:\s*@\s*d\s?\d+)?)\s*(?:\||\t| {2,})\s*(?P<speed>\d[\d.,]*)"
    r"\s*\|?\s*$", re.IGNORECASE,
)
"""The last two cells of a row whose head is missing."""
_SPEED_COLUMNS: Final = ("t/s", "tokens/s", "avg t/s", "tok/s", "tps")
_HEAD_OF_PHASE: Final = re.compile(
    rf"(?:(?P<test>{_SIZE})|(?P<read>pp|prompt(?: processing| eval(?:uation)?)?|prefill)"
    r"|(?P<write>tg|(?:token |text )?gen(?:eration)?|decod(?:e|ing)|eval))"
    rf"(?: speed| rate)?,?\s*(?P<unit>[(\[]?{_UNIT}[)\]]?)?",
    re.IGNORECASE,
)
_MAY_BE_HEAD: Final = re.compile(r"test|s_pp|/s|tps|per second|\b(?:pp|tg)\s?\d.*\b(?:pp|tg)\s?\d", re.IGNORECASE)
_NOTHING: Final = frozenset({"", "-", "–", "—", "n/a", "na", "none", "x", "oom", "?"})
"""Cells of those who did not measure this test."""
_GPU_COLUMNS: Final = ("gpu", "card", "graphics card", "gpus", "accelerator")

NO_SPEED: Final = marked("Line {line} could not be read: {test} has no speed that is a number.")
OTHER_COLUMNS: Final = marked(
    "Line {line} could not be read: it has other columns than its table, and no speed beside the test."
)
MIXED: Final = marked(
    "Line {line} could not be read: {test} mixes reading and writing, which says nothing of either."
)
NO_SIZES: Final = marked("Line {line} could not be read: it has no sizes that are whole numbers.")
NO_TEST: Final = marked("Line {line} could not be read: “{test}” is no test that is known here.")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands.

    Attributes:
        line: from 1.
        gpus: that the lines above it announced.
        decimal_comma: its figures are known to be of a language in which points part thousands.
    """

    source: str
    line: int
    gpus: tuple[str, ...] = ()
    decimal_comma: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The cells, the line as it is, and where it stands."""

    cells: list[str]
    line: str
    at: Place


def normal_head(cell: str) -> str:
    """A column's name without its capitals; one that holds a phase's speeds as its test: "PP512 (t/s)" is pp512."""
    lowered = " ".join(cell.lower().split())
    found = _HEAD_OF_PHASE.fullmatch(lowered)
    if found is None or not (found["test"] or found["unit"]):
        return lowered
    if found["test"] and found["unit"] and " " in found["test"] and found["unit"][0] not in "([":
        return lowered  # "pp 812 t/s" is a speed, not a length
    return found["test"] or ("pp?" if found["read"] else "tg?")


def names_of_head(cells: list[str], line: str) -> list[str]:
    """The columns' names where the line is a table's head; none for any other line, most of which show it at once."""
    if _MAY_BE_HEAD.search(line) is None:
        return []
    lowered = [normal_head(cell) for cell in cells]
    return lowered if is_head(lowered) else []


def is_head(lowered: list[str]) -> bool:
    """Whether these names, as ``normal_head`` gives them, are those of a table of speeds."""
    plain = "test" in lowered and any(name in lowered for name in _SPEED_COLUMNS)
    return plain or {"pp", "tg", "s_pp t/s", "s_tg t/s"} <= set(lowered) or _has_tests_across(lowered)


def _has_tests_across(head: list[str]) -> bool:
    """A table of people's own with a column for each test: "model | pp512 | tg128"."""
    tests = [cell for cell in head if TEST.fullmatch(cell)]
    enough = len(tests) > 1 or any(cell.endswith("?") for cell in tests)
    return enough and len(head) > 1 and all(number(cell) is None and not _with_figure(cell) for cell in head)


def _with_figure(cell: str) -> bool:
    return "±" in cell or re.search(rf"\d\s*{_UNIT}", cell, re.IGNORECASE) is not None


def runs_in(head: list[str], row: Row) -> list[ReportedRun]:
    """The tests in one row; none in a line that is no row. Raises NotRead, ValueError."""
    fits = bool(head) and len(row.cells) == len(head)
    cells = dict(zip(head, row.cells, strict=True)) if fits else {}
    if "s_pp t/s" in head:
        return _batched(cells, row.at) if fits or row.line.startswith("|") else []
    if fits and _has_tests_across(head):
        return [run for name in head if (run := _across(cells, name, row.at)) is not None]
    if not fits:
        bare = BARE_ROW.search(row.line) or _END_OF_ROW.search(row.line)
        if bare is None:
            if head and any(TEST.fullmatch(cell) for cell in row.cells):
                raise NotRead(OTHER_COLUMNS)
            return []
        cells = {"test": bare["test"], "t/s": bare["speed"]}
    named = cells["test"]
    if _MIXED.fullmatch(named):
        raise NotRead(MIXED, test=named)
    test = (_OWN_TEST if "curve" in cells or "kurve" in cells else TEST).fullmatch(named)
    if test is None:
        if named and _SPEED.fullmatch(_speed_cell(cells)):
            raise NotRead(NO_TEST, test=named)
        return []
    return [_run(cells, test, row.at)]


def _across(cells: dict[str, str], name: str, at: Place) -> ReportedRun | None:
    test = TEST.fullmatch(name)
    if test is None or cells[name].lower() in _NOTHING or not re.search(r"\d", cells[name]):
        return None
    return _run({**cells, "t/s": cells[name]}, test, at)


def _speed_cell(cells: dict[str, str]) -> str:
    return next((cells[name] for name in _SPEED_COLUMNS if name in cells), "")


def _run(row: dict[str, str], test: re.Match[str], at: Place) -> ReportedRun:
    speed = _SPEED.fullmatch(_speed_cell(row))
    value = number(speed["speed"], at.decimal_comma) if speed else None
    if speed is None or not value:
        raise NotRead(NO_SPEED, test=test[0])
    deviation = number(speed["spread"], at.decimal_comma) if speed["spread"] else None
    own = "± mad" in row or ("phase" in row and ("device" in row or "gerät" in row))  # the report of an import
    model = row.get("model", "")
    stamp = row.get("stamp", row.get("stempel", ""))
    curve = row.get("curve", row.get("kurve", ""))
    reported = ReportedTest(
        phase=Phase.PREFILL if test["phase"].lower() == "pp" else Phase.DECODE,
        tokens=None if test["tokens"] == "?" else int(test["tokens"]),
        tokens_per_s=value,
        deviation_tokens_per_s=deviation or None,
        n_depth=int(test["depth"] or 0) if test["tokens"] != "?" or test["depth"] else None,
        n_streams=int(test["streams"] or 1),
        n_threads=_setting(row, "threads"),
        n_batch=_setting(row, "n_batch"),
        n_ubatch=_setting(row, "n_ubatch"),
        n_gpu_layers=_setting(row, "ngl"),
        flash_attention=switch(row.get("fa")),
        kv_type=kv_type(row.get("type_k"), row.get("type_v")),
        engine=None if own or test["tokens"] == "?" else TOOL,
        device=_device(row),
        on_curve=bool(curve) and not curve.lower().startswith("phase"),
        remarks=(stamp,) if stamp and not stamp.endswith(("valid", "gültig")) else (),
        line=at.line,
    )
    card = next((row[name] for name in _GPU_COLUMNS if row.get(name)), "")
    return ReportedRun(
        tool=OWN if own else names.UNKNOWN_TOOL if test["tokens"] == "?" else TOOL,
        form=FORM,
        source=at.source,
        tests=(reported,),
        model=model,
        quantisation=names.quantisation(model) or names.quantisation(row.get("quant", "")),
        model_bytes=amount(row.get("size", ""), UNITS),
        parameters=amount(row.get("params", ""), COUNTS),
        gpus=(card,) if card else at.gpus,
    )


def _setting(row: dict[str, str], name: str) -> int | None:
    """A column that llama-bench prints only where it differs from its default, so that none is unknown."""
    value = whole(row.get(name, ""))
    return value if value is None or value >= 1 or name == "ngl" else None


def _device(row: dict[str, str]) -> str | None:
    named = row.get("device", row.get("gerät", ""))
    if named and named.lower() not in ("unknown", "unbekannt"):
        return named
    backend = row.get("backend", "")
    parts = [part for part in backend.split(",") if part and part not in ("BLAS", "CPU", "RPC")]
    if backend and (not parts or whole(row.get("ngl", "")) == 0):
        return "CPU"
    return parts[0] if len(parts) == 1 else None


def _batched(row: dict[str, str], at: Place) -> list[ReportedRun]:
    """Reading and writing of one row of llama-batched-bench. Raises NotRead, ValueError."""
    sizes = [whole(row.get(name, "")) for name in ("pp", "tg", "b")]
    speeds = [number(row.get(name, "")) for name in ("s_pp t/s", "s_tg t/s")]
    prompt, written, streams = sizes
    if "b" not in row and (held := whole(row.get("n_kv", ""))) is not None and prompt is not None:
        return _at_depth(prompt, written or 0, held, speeds, at)
    if not row or prompt is None or written is None or not streams:
        raise NotRead(NO_SIZES)
    tests = [
        ReportedTest(
            phase=phase, tokens=tokens, tokens_per_s=speed, n_depth=depth, n_streams=streams, engine=BATCHED,
            on_curve=streams > 1, line=at.line,
        )
        for phase, tokens, speed, depth in (
            (Phase.PREFILL, prompt, speeds[0], 0), (Phase.DECODE, written, speeds[1], prompt),
        )
        if tokens and speed
    ]  # fmt: skip
    return [_of_one(test, BATCHED, at) for test in tests]


def _at_depth(
    prompt: int, written: int, depth: int, speeds: list[float | None], at: Place
) -> list[ReportedRun]:
    """A row of llama-sweep-bench (ik_llama.cpp): both phases at the tokens that are in the cache already."""
    tests = [
        ReportedTest(
            phase=phase, tokens=tokens, tokens_per_s=speed, n_depth=depth, n_streams=1, engine=SWEPT,
            on_curve=depth > 0, line=at.line,
        )
        for phase, tokens, speed in ((Phase.PREFILL, prompt, speeds[0]), (Phase.DECODE, written, speeds[1]))
        if tokens and speed
    ]  # fmt: skip
    return [_of_one(test, SWEPT, at) for test in tests]


def _of_one(test: ReportedTest, tool: str, at: Place) -> ReportedRun:
    return ReportedRun(tool=tool, form=FORM, source=at.source, tests=(test,), gpus=at.gpus)
