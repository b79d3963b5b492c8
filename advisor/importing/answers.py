"""Answers of servers as JSON: whatever ``servers.engine_timings`` reads, alone, in a list or one object a line."""

from collections.abc import Mapping
from typing import Any, Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import WHY, ReportedRun, ReportedTest
from advisor.core.translation import marked
from advisor.importing.llama_bench import DAMAGED, inner_objects, is_test, take_test
from advisor.importing.objects import Found, objects_in
from advisor.importing.page import Page
from advisor.servers.engine_timings import kind_of, of_answer
from advisor.servers.facts import ServerKind

LM_STUDIO: Final = "LM Studio"
OLLAMA: Final = "Ollama"
API: Final = "API JSON"
CACHED: Final = marked("an answer of one chat, whose earlier turns may have been cached")
AT_LEAST: Final = marked("at least: from the time to the first token, which holds more than reading")
CUT_ANSWER: Final = marked("The answer that begins in line {line} is cut off: what stands before the cut was taken.")
CUT_AWAY: Final = marked("The answer that begins in line {line} is cut off before its figures.")
_NAMES: Final = ('"eval_duration"', '"eval_count"', '"prompt_eval_count"', '"tokens_per_second"', '"predicted_ms"',
                 '"predicted_per_second"', '"time_to_first_token')  # fmt: skip
"""Of figures of an answer, by which one that is damaged shows what it was."""


def read_objects(page: Page) -> None:
    """Every object of the page: tests of llama-bench and answers of servers."""
    for found in objects_in(page.left(None)):
        if is_test(found):
            take_test(page, found)
            page.take(range(found.first, found.last + 1))
        elif found.whole:
            _take_answer(page, found)
        elif any(name in found.text for name in _NAMES):
            _take_part(page, found)


def _take_answer(page: Page, found: Found) -> None:
    held = _answer(found.fields, page.source)
    page.runs += held
    inner = [] if held else [Found(found.first, found.last, each, True, "") for each in inner_objects(found.fields)]
    for each in inner:
        if is_test(each):
            take_test(page, each)
        else:
            page.runs += _answer(each.fields, page.source)
    page.take(range(found.first, found.last + 1))


def _take_part(page: Page, found: Found) -> None:
    if found.fields:
        held = _answer(found.fields, page.source)
        page.runs += held
        page.say(found.first, CUT_ANSWER if held else CUT_AWAY)
    else:
        page.say(found.first, DAMAGED, **{WHY: marked("its JSON is damaged")})
    lines = page.lines[found.first : found.last + 1]
    ends = next((at for at, line in enumerate(lines) if line.strip() and not _is_json(line)), len(lines))
    page.take(range(found.first, found.first + ends))


def _is_json(line: str) -> bool:
    return line.strip()[0] in '"{}[]-0123456789' or '":' in line


def _answer(answer: Mapping[str, Any], source: str) -> list[ReportedRun]:
    """The timings of one answer, whichever server gave it, read as ``server`` reads them."""
    timings = of_answer([answer]).or_none()
    if timings is None:
        return []
    kind = kind_of(answer)
    tool = str(kind)
    tests = []
    if timings.prompt_tokens and timings.prefill_tokens_per_s:
        remarks = (AT_LEAST,) if kind is ServerKind.LM_STUDIO else (CACHED,) if kind is ServerKind.OLLAMA else ()
        tests.append(_test(Phase.PREFILL, timings.prompt_tokens, timings.prefill_tokens_per_s, tool, remarks))
    if timings.decode_tokens and timings.decode_tokens_per_s:
        tests.append(_test(Phase.DECODE, timings.decode_tokens, timings.decode_tokens_per_s, tool))
    info = answer.get("model_info")
    label = str(info.get("quant") or "") if isinstance(info, dict) else ""
    run = ReportedRun(
        tool=tool, form=API, source=source, tests=tuple(tests), model=str(answer.get("model") or ""),
        quantisation=label.upper(), measured_at=str(answer.get("created_at") or ""), request=1,
    )  # fmt: skip
    return [run] if tests else []


def _test(phase: Phase, tokens: int, speed: float, tool: str, remarks: tuple[str, ...] = ()) -> ReportedTest:
    return ReportedTest(
        phase=phase, tokens=tokens, tokens_per_s=speed, n_streams=1, engine=tool, remarks=remarks
    )
