"""What Ollama, LM Studio and servers say after an answer: their text for people and their JSON for programs.

Text: ``ollama run --verbose``, and the line below an answer in LM Studio's window. JSON: whatever
``servers.engine_timings`` reads, alone, in a list or one object a line.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.core.translation import marked, tr
from advisor.importing.text import number, whole
from advisor.servers.engine_timings import kind_of, of_answer

OLLAMA: Final = "Ollama"
LM_STUDIO: Final = "LM Studio"
VERBOSE: Final = marked("--verbose text")
API: Final = "API JSON"
BELOW: Final = marked("line below an answer")
CACHED: Final = marked("an answer of one chat, whose earlier turns may have been cached")
AT_LEAST: Final = marked("at least: from the time to the first token, which holds more than reading")
_LINE: Final = re.compile(
    r"\s*((?:prompt )?eval (?:count|duration|rate)|total duration):\s*(\S.*)"
)
STUDIO_LINES: Final = 7
"""Among which its figures stand when each has one of its own."""
_STUDIO_SPEED: Final = re.compile(r"\d[\d.,]*\s*tok/s(?:ec)?", re.IGNORECASE)
_STUDIO: Final = re.compile(
    r"(?P<speed>\d[\d.,]*)\s*tok/s(?:ec)?\W+(?P<tokens>\d+)\s*tokens?\W+\d[\d.,]*\s*s\s+to first token",
    re.IGNORECASE,
)


def read_texts(lines: list[str], source: str) -> tuple[list[ReportedRun], list[str]]:
    """Ollama's blocks of ``--verbose`` and LM Studio's lines."""
    runs: list[ReportedRun] = []
    held: dict[str, str] = {}
    for position, line in enumerate(lines):
        if found := _LINE.match(line):
            if found[1] == "total duration" or found[1] in held:
                held = {}
            held[found[1]] = found[2].strip()
            if found[1] == "eval rate":
                runs += _verbose(held, source, position + 1)
                held = {}
        elif studio := _STUDIO.search(line) or _studio_below(lines, position):
            speed, tokens = number(studio["speed"]), whole(studio["tokens"])
            if speed and tokens:
                test = _test(Phase.DECODE, tokens, speed, LM_STUDIO, line=position + 1)
                runs.append(ReportedRun(tool=LM_STUDIO, form=BELOW, source=source, tests=(test,)))
    return runs, []


def _studio_below(lines: list[str], position: int) -> re.Match[str] | None:
    """LM Studio's figures where copying has put each on a line of its own."""
    if not _STUDIO_SPEED.fullmatch(lines[position].strip()):
        return None
    return _STUDIO.search("\n".join(lines[position : position + STUDIO_LINES]))


def read_answers(text: str, source: str) -> tuple[list[ReportedRun], list[str]]:
    """Objects of either API, alone, in a list, or one a line."""
    return [run for answer in _objects(text) for run in _answer(answer, source)], []


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    try:
        whole_text = json.loads(text)
    except (ValueError, RecursionError):
        whole_text = [_object(line) for line in text.splitlines() if line.lstrip().startswith(("{", "data: {"))]
    for item in whole_text if isinstance(whole_text, list) else [whole_text]:
        if isinstance(item, dict):
            yield item


def _object(line: str) -> object:
    try:
        return json.loads(line.strip().removeprefix("data: "))
    except (ValueError, RecursionError):
        return None


def _verbose(held: Mapping[str, str], source: str, line: int) -> list[ReportedRun]:
    tests = []
    for phase, prefix in ((Phase.PREFILL, "prompt eval"), (Phase.DECODE, "eval")):
        tokens = whole(held.get(f"{prefix} count", "").partition(" ")[0])
        speed = number(held.get(f"{prefix} rate", "").partition(" ")[0])
        if tokens and speed:
            tests.append(_test(phase, tokens, speed, OLLAMA, line=line))
    return [ReportedRun(tool=OLLAMA, form=VERBOSE, source=source, tests=tuple(tests))] if tests else []


def _answer(answer: Mapping[str, Any], source: str) -> list[ReportedRun]:
    """The timings of one answer, whichever server gave it, read as ``server`` reads them."""
    timings = of_answer([answer]).or_none()
    if timings is None:
        return []
    tool = str(kind_of(answer))
    tests = []
    if timings.prompt_tokens and timings.prefill_tokens_per_s:
        remarks = (tr(AT_LEAST),) if tool == LM_STUDIO else ()
        tests.append(_test(Phase.PREFILL, timings.prompt_tokens, timings.prefill_tokens_per_s, tool, remarks))
    if timings.decode_tokens and timings.decode_tokens_per_s:
        tests.append(_test(Phase.DECODE, timings.decode_tokens, timings.decode_tokens_per_s, tool))
    info = answer.get("model_info")
    label = str(info.get("quant") or "") if isinstance(info, dict) else ""
    run = ReportedRun(
        tool=tool, form=API, source=source, tests=tuple(tests), model=str(answer.get("model") or ""),
        quantisation=label.upper(), measured_at=str(answer.get("created_at") or ""),
    )  # fmt: skip
    return [run] if tests else []


def _test(
    phase: Phase, tokens: int | None, speed: float, tool: str, remarks: tuple[str, ...] = (), line: int | None = None
) -> ReportedTest:
    if phase is Phase.PREFILL and tool == OLLAMA:
        remarks = (*remarks, tr(CACHED))
    return ReportedTest(
        phase=phase, tokens=tokens, tokens_per_s=speed, n_streams=1, engine=tool, remarks=remarks, line=line
    )
