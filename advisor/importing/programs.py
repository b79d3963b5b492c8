"""What Ollama and LM Studio print below an answer for people: ``ollama run --verbose``, and a line of the window."""

import re
from collections.abc import Mapping
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.core.translation import marked
from advisor.importing.answers import AT_LEAST, CACHED, LM_STUDIO, OLLAMA
from advisor.importing.page import Page
from advisor.importing.text import number, whole

VERBOSE: Final = marked("--verbose text")
BELOW: Final = marked("line below an answer")
CUT_BLOCK: Final = marked("The figures that begin in line {line} are cut off; what is whole of them was taken.")
_LINE: Final = re.compile(r"\s*((?:prompt )?eval (?:count|duration|rate)|(?:total|load) duration):\s*(\S.*)")
_RATE: Final = re.compile(r"(\d[\d.,]*)\s*tokens?/s\b")
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(h|ms|µs|μs|us|ns|m|s)")
_UNITS_S: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "μs": 1e-6, "us": 1e-6, "ns": 1e-9}
STUDIO_LINES: Final = 7
"""Among which its figures stand when each has one of its own."""
_STUDIO_SPEED: Final = re.compile(r"\d[\d.,]*\s*tok/s(?:ec)?", re.IGNORECASE)
_STUDIO: Final = re.compile(
    r"(?P<speed>\d[\d.,]*)\s*tok/s(?:ec)?\W+(?P<tokens>\d[\d.,]*)\s*tokens?\W+\d[\d.,]*\s*s\s+to first token",
    re.IGNORECASE,
)
_STATS: Final = re.compile(
    r"^\s*(Tokens/Second|Time to First Token|Prompt Tokens|Predicted Tokens):\s*(\d[\d.,]*)", re.IGNORECASE
)
"""Of ``lms chat --stats``, one a line."""


def read_texts(page: Page) -> None:
    """Ollama's blocks and LM Studio's lines, each a request of its own."""
    _read_ollama(page)
    lines = page.left()
    stats: dict[str, str] = {}
    for at, line in enumerate(lines):
        if found := _STATS.match(line):
            stats = {**stats, found[1].lower(): found[2]} if found[1].lower() not in stats else {
                found[1].lower(): found[2]
            }
            page.take([at])
            if {"tokens/second", "predicted tokens"} <= stats.keys():
                page.runs += _stats(stats, page.source, at + 1)
                stats = {}
        elif studio := _STUDIO.search(line) or _studio_below(lines, at):
            speed, tokens = number(studio["speed"]), whole(studio["tokens"])
            if speed and tokens:
                test = _test(Phase.DECODE, tokens, speed, LM_STUDIO, line=at + 1)
                page.runs.append(_run(LM_STUDIO, BELOW, page.source, [test]))
                page.take(range(at, at + studio[0].count("\n") + 1))


def _studio_below(lines: list[str], position: int) -> re.Match[str] | None:
    """LM Studio's figures where copying has put each on a line of its own."""
    if not _STUDIO_SPEED.fullmatch(lines[position].strip()):
        return None
    return _STUDIO.search("\n".join(lines[position : position + STUDIO_LINES]))


def _stats(held: Mapping[str, str], source: str, line: int) -> list[ReportedRun]:
    first_s, prompt = number(held.get("time to first token", "")), whole(held.get("prompt tokens", ""))
    written, speed = whole(held["predicted tokens"]), number(held["tokens/second"])
    tests = []
    if first_s and prompt:
        tests.append(_test(Phase.PREFILL, prompt, prompt / first_s, LM_STUDIO, (AT_LEAST,), line))
    if written and speed:
        tests.append(_test(Phase.DECODE, written, speed, LM_STUDIO, line=line))
    return [_run(LM_STUDIO, BELOW, source, tests)] if tests else []


def _read_ollama(page: Page) -> None:
    held: dict[str, tuple[str, int]] = {}
    for at, line in enumerate(page.left()):
        found = _LINE.match(line)
        if found is None:
            continue
        if found[1] == "total duration" or found[1] in held:
            _take_block(page, held)
            held = {}
        held[found[1]] = found[2].strip(), at
        if found[1] == "eval rate":
            _take_block(page, held)
            held = {}
    _take_block(page, held)


def _take_block(page: Page, held: Mapping[str, tuple[str, int]]) -> None:
    """The figures of one answer, whole or cut off."""
    tests = []
    for phase, prefix in ((Phase.PREFILL, "prompt eval"), (Phase.DECODE, "eval")):
        count, at = held.get(f"{prefix} count", ("", 0))
        tokens = None if page.may_be_cut(at) and "token" not in count else whole(count.partition(" ")[0])
        speed = _speed(page, held, prefix, tokens)
        if speed and tokens != 0:
            _, line = held.get(f"{prefix} rate", held.get(f"{prefix} duration", ("", 0)))
            tests.append(_test(phase, tokens, speed, OLLAMA, line=line + 1))
    lines = [at for _, at in held.values()]
    wrote = any(test.phase is Phase.DECODE for test in tests)
    if not wrote and any(re.search(r"\d", words) for words, _ in held.values()):
        page.say(min(lines), CUT_BLOCK)
    page.take(lines)
    page.runs += [_run(OLLAMA, VERBOSE, page.source, tests)] if tests else []


def _speed(page: Page, held: Mapping[str, tuple[str, int]], prefix: str, tokens: int | None) -> float | None:
    """The rate where its unit shows that it is whole, else tokens over their time."""
    rate, at = held.get(f"{prefix} rate", ("", 0))
    if found := _RATE.match(rate):
        return number(found[1])
    duration, at = held.get(f"{prefix} duration", ("", 0))
    parts = _DURATION.findall(duration)
    if not tokens or not parts or page.may_be_cut(at) or "".join(map("".join, parts)) != duration:
        return None
    took_s = sum(float(figure) * _UNITS_S[unit] for figure, unit in parts)
    return tokens / took_s if took_s else None


def _run(tool: str, form: str, source: str, tests: list[ReportedTest]) -> ReportedRun:
    return ReportedRun(tool=tool, form=form, source=source, tests=tuple(tests), request=1)


def _test(
    phase: Phase, tokens: int | None, speed: float, tool: str, remarks: tuple[str, ...] = (), line: int | None = None
) -> ReportedTest:
    if phase is Phase.PREFILL and tool == OLLAMA:
        remarks = (*remarks, CACHED)
    return ReportedTest(
        phase=phase, tokens=tokens, tokens_per_s=speed, n_streams=1, engine=tool, remarks=remarks, line=line
    )
