"""Speeds as people write them in a sentence, and the last lines of tools that print a line or two.

Only what names a phase, a figure and a unit of tokens per second counts; a speed of the whole request says nothing of
either phase and is passed over.
"""

import re
from collections.abc import Iterator
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.core.translation import marked
from advisor.importing.text import number, whole

UNKNOWN_TOOL: Final = marked("an unknown tool")
WORDS: Final = marked("words")
LAST_LINES: Final = marked("last lines")
"""Kept in English with the run, shown through ``tr``."""
_UNIT: Final = r"\s*(?:t/s|tps|tok/s(?:ec)?|tokens?/s(?:ec(?:ond)?)?|tokens?[ -]per[ -]sec(?:ond)?)\b"
_FIGURE: Final = r"(?P<speed>\d[\d.,]*)"
_SPEED: Final = r"(?: speed| rate)?\s*(?:[:=~≈|]|is|at)*\s*" + _FIGURE + _UNIT
_NAMED: Final = re.compile(
    r"\b(?P<phase>pp|tg)\s?(?P<tokens>\d+)(?:\s*@\s*d\s?(?P<depth>\d+))?\s*(?:[:=~≈|]|is|at|->|→)+\s*"
    + _FIGURE + _UNIT,
    re.IGNORECASE,
)
_LOOSE: Final = (
    (Phase.PREFILL, re.compile(
        r"\b(?:pp|prompt(?: processing| eval(?:uation)?)?|prefill)\b" + _SPEED, re.IGNORECASE,
    )),
    (Phase.DECODE, re.compile(
        r"\b(?:tg|(?:token |text )?generation|gen|decod(?:e|ing))\b" + _SPEED, re.IGNORECASE,
    )),
)  # fmt: skip
_MLX: Final = re.compile(r"^\s*(Prompt|Generation):\s*(\d+) tokens?,\s*(\d[\d.,]*) tokens-per-sec")
_TABBY: Final = re.compile(
    r"(\d+) tokens generated in .*?(\d+) new tokens at (\d[\d.,]*) T/s, Generate: (\d[\d.,]*) T/s"
)
_KOBOLD: Final = re.compile(r"^\s*(ProcessingSpeed|GenerationSpeed|GenAmount|MaxCtx|Model):\s*(\S.*?)\s*$")


def read_phrases(lines: list[str], source: str) -> tuple[list[ReportedRun], list[str]]:
    """Every speed of a phase in the text."""
    runs: list[ReportedRun] = []
    kobold: dict[str, str] = {}
    for position, line in enumerate(lines):
        if found := _KOBOLD.match(line):
            kobold[found[1]] = found[2]
            continue
        for tool, form, test in _tests(line, position + 1):
            runs.append(ReportedRun(tool=tool, form=form, source=source, tests=(test,)))
    return [*_kobold(kobold, source), *runs], []


def _tests(line: str, at: int) -> Iterator[tuple[str, str, ReportedTest]]:
    if found := _MLX.match(line):
        phase = Phase.PREFILL if found[1] == "Prompt" else Phase.DECODE
        yield from _made("MLX", LAST_LINES, phase, found[2], found[3], at)
    elif found := _TABBY.search(line):
        yield from _made("TabbyAPI", LAST_LINES, Phase.PREFILL, found[2], found[3], at)
        yield from _made("TabbyAPI", LAST_LINES, Phase.DECODE, found[1], found[4], at)
    elif named := list(_NAMED.finditer(line)):
        for each in named:
            phase = Phase.PREFILL if each["phase"].lower() == "pp" else Phase.DECODE
            yield from _made(UNKNOWN_TOOL, WORDS, phase, each["tokens"], each["speed"], at, each["depth"])
    else:
        tool = "llama.cpp" if line.lstrip().startswith("[ Prompt:") else UNKNOWN_TOOL
        for phase, pattern in _LOOSE:
            for each in pattern.finditer(line):
                yield from _made(tool, WORDS if tool == UNKNOWN_TOOL else LAST_LINES, phase, None, each["speed"], at)


def _made(
    tool: str, form: str, phase: Phase, tokens: str | None, speed: str, at: int, depth: str | None = None
) -> Iterator[tuple[str, str, ReportedTest]]:
    """The test, unless its figures cannot be."""
    value, length = number(speed.rstrip(".,")), whole(tokens) if tokens else None
    try:
        if value:
            yield tool, form, ReportedTest(
                phase=phase, tokens=length, tokens_per_s=value, n_depth=whole(depth) if depth else None, n_streams=1,
                engine=None if tool == UNKNOWN_TOOL else tool, line=at,
            )  # fmt: skip
    except ValueError:
        return


def _kobold(held: dict[str, str], source: str) -> list[ReportedRun]:
    """The benchmark of koboldcpp: the whole context but the answer is read, then the answer written."""
    largest, written = whole(held.get("MaxCtx", "")), whole(held.get("GenAmount", ""))
    reading, writing = (
        number(held.get(f"{name}Speed", "").removesuffix("T/s")) for name in ("Processing", "Generation")
    )
    if not largest or not written or largest <= written:
        return []
    figures = ((Phase.PREFILL, largest - written, reading), (Phase.DECODE, written, writing))
    tests = tuple(
        ReportedTest(
            phase=phase, tokens=tokens, tokens_per_s=speed, n_streams=1, engine="koboldcpp",
            n_depth=largest - written if phase is Phase.DECODE else 0,
        )
        for phase, tokens, speed in figures if speed
    )  # fmt: skip
    run = ReportedRun(
        tool="koboldcpp", form="benchmark", source=source, tests=tests, model=held.get("Model", ""),
    )  # fmt: skip
    return [run] if tests else []
