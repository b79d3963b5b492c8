"""Timings in logs: llama.cpp's programs and servers (read by ``servers.logs``) and koboldcpp's line after an answer."""

import re
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import LARGEST, ReportedRun, ReportedTest
from advisor.core.translation import marked
from advisor.importing import names
from advisor.importing.llama_bench import CUT_LINE
from advisor.importing.page import Page
from advisor.importing.text import UNITS, amount, number
from advisor.servers.logs import LOOKS_TIMED, timing_in

TOOL: Final = "llama.cpp"
KOBOLD: Final = "koboldcpp"
FORM: Final = marked("log")
NOT_CACHED: Final = marked("only what the cache did not hold was read")
CUT_AFTER_READING: Final = marked("Line {line} is cut off behind the time of reading.")
UNREAD_TIMING: Final = marked("Line {line} holds a timing that could not be read.")
SHORTEST_S, LONGEST_S = 1e-6, 1e9
"""Between which a phase may take; a time outside is that of nothing, or damage."""
_NAME: Final = re.compile(r"general\.name\s*(?:str\s*)?=\s*(.+)$")
_TYPE: Final = re.compile(r"(?:file type|model ftype)\s*=\s*(.+)$")
_SIZE: Final = re.compile(r"(?:file size|model size)\s*=\s*([\d.]+ [KMGT]iB)")
_KOBOLD: Final = re.compile(r"\b(?:CtxLimit|ContextLimit):|Time Taken - Process")
_PARTS: Final = (
    (Phase.PREFILL, re.compile(r"Process(?:ing)?:\s*([\d.,]+)s \(([^)]*)\)")),
    (Phase.DECODE, re.compile(r"Generat(?:e|ion):\s*([\d.,]+)s \(([^)]*)\)")),
)
_RATE: Final = re.compile(r"([\d.,]+)\s*T/s")
_EACH: Final = re.compile(r"([\d.,]+)\s*ms/T")


def read_logs(page: Page) -> None:
    """Reading and writing of every request, each a run of its own, and the model where the log names it."""
    found: list[tuple[str, list[ReportedTest]]] = []
    waiting: dict[str, list[ReportedTest]] = {}
    model = label = ""
    size: int | None = None
    gpus: list[str] = []
    for at, line in enumerate(page.left()):
        if not line:
            continue
        if device := names.device(line):
            gpus.append(device)
        if held := _NAME.search(line):
            model = held[1].strip()
        elif held := _TYPE.search(line):
            label = names.quantisation(held[1])
        elif held := _SIZE.search(line):
            size = amount(held[1], UNITS)
        elif _KOBOLD.search(line):
            found.append((KOBOLD, _kobold(page, line, at)))
        elif timing := timing_in(line):
            page.take([at])
            phase = Phase.PREFILL if timing.is_prompt else Phase.DECODE
            request = waiting.get(timing.request)
            if request is None or (phase is Phase.PREFILL and request):
                request = waiting[timing.request] = []
                found.append((TOOL, request))
            request += _timed(phase, timing.tokens, timing.seconds, at + 1)
            if phase is Phase.DECODE:
                del waiting[timing.request]
        elif LOOKS_TIMED.search(line) and re.search(r"\d", line):
            page.say(at, UNREAD_TIMING)
    page.runs += [
        ReportedRun(
            tool=tool, form=FORM, source=page.source, tests=tuple(tests), model=model if tool == TOOL else "",
            quantisation=label if tool == TOOL else "", model_bytes=size if tool == TOOL else None, gpus=tuple(gpus),
            request=1,
        )
        for tool, tests in found if tests
    ]  # fmt: skip


def _timed(phase: Phase, tokens: int, seconds: float, line: int) -> list[ReportedTest]:
    """The test; none of a prompt that lay in the cache, of which nothing was read."""
    if not 1 <= tokens <= LARGEST or not SHORTEST_S < seconds < LONGEST_S:
        return []
    remarks = (NOT_CACHED,) if phase is Phase.PREFILL else ()
    return [
        ReportedTest(
            phase=phase, tokens=tokens, tokens_per_s=tokens / seconds, n_streams=1, engine=TOOL, remarks=remarks,
            line=line,
        )
    ]  # fmt: skip


def _kobold(page: Page, line: str, at: int) -> list[ReportedTest]:
    """Tokens follow from time and speed, since not every version counts them."""
    tests: list[ReportedTest] = []
    page.take([at])
    for phase, pattern in _PARTS:
        found = pattern.search(line)
        if found is None:
            page.say(at, CUT_LINE if not tests else CUT_AFTER_READING)
            break
        rate, each = _RATE.search(found[2]), _EACH.search(found[2])
        speed = number(rate[1]) if rate else None
        if speed is None and each and (milliseconds := number(each[1])):
            speed = 1000 / milliseconds
        tokens = round((number(found[1]) or 0.0) * (speed or 0.0))
        if speed and 1 <= tokens <= LARGEST:
            tests.append(
                ReportedTest(phase=phase, tokens=tokens, tokens_per_s=speed, n_streams=1, engine=KOBOLD, line=at + 1)
            )
    return tests
