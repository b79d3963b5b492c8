"""The last lines of tools that print one or two: MLX, TabbyAPI and ExLlama, koboldcpp's benchmark, llama-cli."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.core.translation import marked
from advisor.importing.page import Page
from advisor.importing.text import number, whole

LAST_LINES: Final = marked("last lines")
"""Kept in English with the run, shown through ``tr``."""
_FIGURE: Final = r"(\d[\d.,]*\d|\d)"
_MLX: Final = re.compile(rf"^\s*(Prompt|Generation):\s*(\d+) tokens?,\s*{_FIGURE} tokens-per-sec")
_MLX_SIZES: Final = re.compile(r"prompt_tokens=(\d+), generation_tokens=(\d+), batch_size=(\d+)")
_MLX_TRIAL: Final = re.compile(rf"^\s*(Averages|Trial \d+):.*?prompt_tps={_FIGURE}, generation_tps={_FIGURE}")
_TABBY: Final = re.compile(
    rf"(\d+) tokens generated in .*?(\d+) new tokens at {_FIGURE} T/s, Generate: {_FIGURE} T/s"
)
_EXLLAMA: Final = re.compile(
    rf"(?P<read>Prompt processed in|Response generated in) {_FIGURE} seconds, (?P<tokens>\d+) tokens, "
    rf"(?P<speed>{_FIGURE}) tokens/second"
)
_EXLLAMA_PROMPT: Final = re.compile(rf"--\s+Length\s+(\d+) tokens:\s+{_FIGURE} t/s")
_EXLLAMA_WRITE: Final = re.compile(rf"--\s+Position\s+(\d+) \+ (\d+) tokens:\s+{_FIGURE} t/s")
_LLAMA_CLI: Final = re.compile(rf"\[ Prompt:\s*{_FIGURE} t/s \| Generation:\s*{_FIGURE} t/s")
_SGLANG: Final = re.compile(rf"Decode batch.*?#running-req: 1\b.*?gen throughput \(token/s\): {_FIGURE}")
_KOBOLD: Final = re.compile(r"^\s*(ProcessingSpeed|GenerationSpeed|GenAmount|MaxCtx|Model):\s*(\S.*?)\s*$")

Test = tuple[Phase, str | None, str, int]
"""Phase, tokens, speed and depth."""


def read_last_lines(page: Page) -> None:
    """Every such line, each tool's own."""
    kobold: dict[str, str] = {}
    sizes: tuple[str, str] | None = None
    trials: list[int] = []
    for at, line in enumerate(page.left()):
        if found := _KOBOLD.match(line):
            kobold[found[1]] = found[2]
            page.take([at] if found[1].endswith("Speed") else [])
        elif found := _MLX_SIZES.search(line):
            sizes = (found[1], found[2]) if found[3] == "1" else None
            page.take([at])
        elif found := _MLX_TRIAL.match(line):
            page.take([at])
            if found[1] != "Averages":
                trials.append(at)
                continue
            read, written = sizes or (None, None)
            _add(page, "MLX", at, [(Phase.PREFILL, read, found[2], 0), (Phase.DECODE, written, found[3], 0)])
        else:
            for tool, tests in _tests(line):
                _add(page, tool, at, tests)
    page.runs += _kobold(kobold, page.source)


def _tests(line: str) -> Iterator[tuple[str, list[Test]]]:
    if found := _MLX.match(line):
        phase = Phase.PREFILL if found[1] == "Prompt" else Phase.DECODE
        yield "MLX", [(phase, found[2], found[3], 0)]
    elif found := _TABBY.search(line):
        yield "TabbyAPI", [(Phase.PREFILL, found[2], found[3], 0), (Phase.DECODE, found[1], found[4], 0)]
    elif found := _LLAMA_CLI.search(line):
        yield "llama.cpp", [(Phase.PREFILL, None, found[1], 0), (Phase.DECODE, None, found[2], 0)]
    elif found := _EXLLAMA_PROMPT.search(line):
        yield "ExLlama", [(Phase.PREFILL, found[1], found[2], 0)]
    elif found := _EXLLAMA_WRITE.search(line):
        yield "ExLlama", [(Phase.DECODE, found[2], found[3], int(found[1][:15]))]
    elif found := _SGLANG.search(line):
        yield "SGLang", [(Phase.DECODE, None, found[1], 0)]
    for found in _EXLLAMA.finditer(line):
        phase = Phase.PREFILL if found["read"].startswith("Prompt") else Phase.DECODE
        yield "ExLlama", [(phase, found["tokens"], found["speed"], 0)]


def _add(page: Page, tool: str, at: int, tests: list[Test]) -> None:
    """The tests whose figures can be."""
    made = []
    for phase, tokens, speed, depth in tests:
        value, length = number(speed), whole(tokens) if tokens else None
        if not value or length == 0:
            continue
        try:
            made.append(ReportedTest(
                phase=phase, tokens=length, tokens_per_s=value, n_depth=depth or None, n_streams=1, engine=tool,
                line=at + 1,
            ))  # fmt: skip
        except ValueError:
            continue
    if made:
        page.take([at])
        page.runs.append(ReportedRun(tool=tool, form=LAST_LINES, source=page.source, tests=tuple(made)))


def _kobold(held: Mapping[str, str], source: str) -> list[ReportedRun]:
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
