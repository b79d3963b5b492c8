"""Timings in logs: llama.cpp's programs and servers (read by ``servers.logs``) and koboldcpp's line after an answer."""

import re
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import LARGEST, ReportedRun, ReportedTest
from advisor.core.translation import marked, tr, trn
from advisor.importing import names
from advisor.importing.text import UNITS, amount, number
from advisor.servers.logs import LogReader

TOOL: Final = "llama.cpp"
KOBOLD: Final = "koboldcpp"
FORM: Final = marked("log")
MOST: Final = 50
"""Requests of one log that are taken, the newest; more are a server's, which ``server-log`` judges."""
NOT_CACHED: Final = marked("only what the cache did not hold was read")
_NAME: Final = re.compile(r"general\.name\s*(?:str\s*)?=\s*(.+)$")
_TYPE: Final = re.compile(r"(?:file type|model ftype)\s*=\s*(.+)$")
_SIZE: Final = re.compile(r"(?:file size|model size)\s*=\s*([\d.]+ [KMGT]iB)")
_KOBOLD: Final = re.compile(
    r"(?:CtxLimit|ContextLimit):.*?Process(?:ing)?:\s*(?P<read_s>[\d.]+)s \((?P<read>[^)]*)\).*?"
    r"Generat(?:e|ion):\s*(?P<write_s>[\d.]+)s \((?P<write>[^)]*)\)"
)
_RATE: Final = re.compile(r"([\d.]+)\s*T/s")
_EACH: Final = re.compile(r"([\d.]+)\s*ms/T")


def read_logs(lines: list[str], source: str) -> tuple[list[ReportedRun], list[str]]:
    """Reading and writing of every request, and the model where the log names it."""
    reader = LogReader()
    kobold: list[ReportedTest] = []
    model = label = ""
    size: int | None = None
    gpus: list[str] = []
    for position, line in enumerate(lines):
        reader.feed(line)
        if device := names.device(line):
            gpus.append(device)
        if found := _NAME.search(line):
            model = found[1].strip()
        elif found := _TYPE.search(line):
            label = names.quantisation(found[1])
        elif found := _SIZE.search(line):
            size = amount(found[1], UNITS)
        elif found := _KOBOLD.search(line):
            kobold += _kobold(found, position + 1)
    record = reader.record()
    tests = []
    for request in record.requests[-MOST:]:
        tests += _timed(Phase.PREFILL, request.prompt_tokens, request.prefill_s)
        tests += _timed(Phase.DECODE, request.decode_tokens, request.decode_s)
    unread = [_damaged(record.damaged)] if record.damaged else []
    if len(record.requests) > MOST:
        unread.append(tr("Only the newest {most} of {all} requests are taken.", most=MOST, all=len(record.requests)))
    return [
        ReportedRun(
            tool=tool, form=FORM, source=source, tests=tuple(found), model=model, quantisation=label,
            model_bytes=size, gpus=tuple(gpus),
        )
        for tool, found in ((TOOL, tests), (KOBOLD, kobold)) if found
    ], unread  # fmt: skip


def _damaged(lines: int) -> str:
    return trn("{n} line with timings could not be read.", "{n} lines with timings could not be read.", lines, n=lines)


def _timed(phase: Phase, tokens: int, seconds: float) -> list[ReportedTest]:
    if not 1 <= tokens <= LARGEST or seconds <= 0:
        return []
    remarks = (tr(NOT_CACHED),) if phase is Phase.PREFILL else ()
    return [
        ReportedTest(
            phase=phase, tokens=tokens, tokens_per_s=tokens / seconds, n_streams=1, engine=TOOL, remarks=remarks
        )
    ]


def _kobold(found: re.Match[str], line: int) -> list[ReportedTest]:
    """Tokens follow from time and speed, since not every version counts them."""
    tests = []
    for phase, name in ((Phase.PREFILL, "read"), (Phase.DECODE, "write")):
        rate, each = _RATE.search(found[name]), _EACH.search(found[name])
        speed = number(rate[1]) if rate else None
        if speed is None and each and (milliseconds := number(each[1])):
            speed = 1000 / milliseconds
        tokens = round((number(found[f"{name}_s"]) or 0.0) * (speed or 0.0))
        if speed and 1 <= tokens <= LARGEST:
            tests.append(
                ReportedTest(phase=phase, tokens=tokens, tokens_per_s=speed, n_streams=1, engine=KOBOLD, line=line)
            )
    return tests
