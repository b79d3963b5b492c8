"""What Ollama and LM Studio say after an answer: their text for people and their JSON for programs.

Ollama: ``ollama run --verbose`` and the last object of its API (durations in nanoseconds, as in its docs/api.md).
LM Studio: ``stats`` of its REST API (v0), and the line below an answer in its window.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.importing.text import number, whole

OLLAMA: Final = "Ollama"
LM_STUDIO: Final = "LM Studio"
VERBOSE: Final = "--verbose text"
API: Final = "API JSON"
CACHED: Final = "an answer of one chat, whose earlier turns may have been cached"
AT_LEAST: Final = "at least: from the time to the first token, which holds more than reading"
_LINE: Final = re.compile(
    r"\s*((?:prompt )?eval (?:count|duration|rate)|total duration):\s*(\S.*)"
)
_STUDIO: Final = re.compile(
    r"(?P<speed>\d[\d.,]*)\s*tok/s(?:ec)?\W+(?P<tokens>\d+)\s*tokens?\W+\d[\d.,]*\s*s\s+to first token",
    re.IGNORECASE,
)
_NS: Final = 1e-9


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
        elif studio := _STUDIO.search(line):
            speed, tokens = number(studio["speed"]), whole(studio["tokens"])
            if speed and tokens:
                test = _test(Phase.DECODE, tokens, speed, LM_STUDIO, line=position + 1)
                runs.append(ReportedRun(tool=LM_STUDIO, form="line below an answer", source=source, tests=(test,)))
    return runs, []


def read_answers(text: str, source: str) -> tuple[list[ReportedRun], list[str]]:
    """Objects of either API, alone, in a list, or one a line."""
    runs: list[ReportedRun] = []
    for answer in _objects(text):
        stats, usage = answer.get("stats"), answer.get("usage")
        if "eval_duration" in answer:
            runs += _ollama(answer, source)
        elif isinstance(stats, dict) and "tokens_per_second" in stats:
            runs += _studio(answer, stats, usage if isinstance(usage, dict) else {}, source)
    return runs, []


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


def _ollama(answer: Mapping[str, Any], source: str) -> list[ReportedRun]:
    tests = []
    for phase, prefix in ((Phase.PREFILL, "prompt_eval"), (Phase.DECODE, "eval")):
        tokens, took = _figure(answer.get(f"{prefix}_count")), _figure(answer.get(f"{prefix}_duration"))
        if tokens and took:
            tests.append(_test(phase, int(tokens), tokens / (took * _NS), OLLAMA))
    model, at = str(answer.get("model") or ""), str(answer.get("created_at") or "")
    run = ReportedRun(tool=OLLAMA, form=API, source=source, tests=tuple(tests), model=model, measured_at=at)
    return [run] if tests else []


def _studio(
    answer: Mapping[str, Any], stats: Mapping[str, Any], usage: Mapping[str, Any], source: str
) -> list[ReportedRun]:
    tests = []
    prompt, first = _figure(usage.get("prompt_tokens")), _figure(stats.get("time_to_first_token"))
    written, speed = _figure(usage.get("completion_tokens")), _figure(stats.get("tokens_per_second"))
    if prompt and first:
        tests.append(_test(Phase.PREFILL, int(prompt), prompt / first, LM_STUDIO, (AT_LEAST,)))
    if speed:
        tests.append(_test(Phase.DECODE, int(written) if written else None, speed, LM_STUDIO))
    info = answer.get("model_info")
    label = str(info.get("quant") or "") if isinstance(info, dict) else ""
    model = str(answer.get("model") or "")
    run = ReportedRun(
        tool=LM_STUDIO, form=API, source=source, tests=tuple(tests), model=model, quantisation=label.upper()
    )
    return [run] if tests else []


def _test(
    phase: Phase, tokens: int | None, speed: float, tool: str, remarks: tuple[str, ...] = (), line: int | None = None
) -> ReportedTest:
    if phase is Phase.PREFILL and tool == OLLAMA:
        remarks = (*remarks, CACHED)
    return ReportedTest(
        phase=phase, tokens=tokens, tokens_per_s=speed, n_streams=1, engine=tool, remarks=remarks, line=line
    )


def _figure(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e18 else None
