"""Speeds as people write them in a sentence: a phase, a figure and a unit of tokens per second.

A speed of the whole request says nothing of either phase and is not taken; neither is one without a phase.
"""

import re
from collections.abc import Iterator
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.core.translation import marked
from advisor.importing.names import UNKNOWN_TOOL
from advisor.importing.page import Page
from advisor.importing.text import number, whole

WORDS: Final = marked("words")
"""Kept in English with the run, shown through ``tr``."""
UNIT: Final = r"\s*(?:t/s|tps|tok/s(?:ec)?|tokens?/s(?:ec(?:ond)?)?|tokens?[ -]per[ -]sec(?:ond)?)\b"
FIGURE: Final = r"(?P<speed>\d(?:[\d.,]|['’ ](?=\d{3}(?!\d)))*)"
_WITH_UNIT: Final = FIGURE + UNIT
_NAMED: Final = re.compile(
    r"\b(?P<phase>pp|tg)\s?(?P<tokens>\d+)(?:\s*@\s*d\s?(?P<depth>\d+))?\s*(?:[:=~≈|]|is|at|->|→)+\s*"
    + _WITH_UNIT,
    re.IGNORECASE,
)
_PHASES: Final = {
    Phase.PREFILL: r"(?:pp|prompt(?: processing| eval(?:uation)?)?|prefill(?:ing)?"
                   r"|prompt-?(?:verarbeitung|auswertung))",
    Phase.DECODE: r"(?:tg|(?:token |text )?generation|gen|generat(?:es|ed|ing|e)|writ(?:es|ing|e)|inference"
                  r"|decod(?:e|ing)|generierung|ausgabe|schreiben)",
}  # fmt: skip
_BETWEEN: Final = r"(?: speed| rate)?\s*\*{0,2}\s*(?:\([^()]{1,40}\)\s*)?(?:[:=~≈|*]|is|at|around|about|of|->|→|\s)*"
_LOOSE: Final = tuple(
    (phase, re.compile(rf"\b{words}{_BETWEEN}{_WITH_UNIT}", re.IGNORECASE)) for phase, words in _PHASES.items()
)
_COUNTED: Final = tuple(
    (phase, re.compile(
        rf"\b{words}\W{{1,3}}(?P<tokens>\d[\d,]*) tokens?\W{{1,3}}(?:in )?"
        rf"(?:\d[\d.,]*\s*m?s\W{{1,3}})?{_WITH_UNIT}", re.IGNORECASE,
    )) for phase, words in _PHASES.items()
)  # fmt: skip
"""With the tokens before it, as llama-server's page says it: "Prompt: 26 tokens (0.13s, 199.88 t/s)"."""
_OTHERS: Final = (
    (Phase.PREFILL, re.compile(rf"\bprompt_token/s\W+{FIGURE}", re.IGNORECASE)),
    (Phase.DECODE, re.compile(rf"\bresponse_token/s\W+{FIGURE}", re.IGNORECASE)),
)
"""Open WebUI's names, which hold the unit."""
_REVERSED: Final = tuple(
    (phase, re.compile(rf"{_WITH_UNIT}\s*[(\[]?\s*(?:of |for |in |on )?(?:the )?{words}\b", re.IGNORECASE))
    for phase, words in _PHASES.items()
)
_ANY: Final = re.compile(_WITH_UNIT, re.IGNORECASE)
ANY_PHASE: Final = re.compile(r"\b(?:" + "|".join(_PHASES.values()) + r")\b", re.IGNORECASE)
_HEADING: Final = tuple(
    (phase, re.compile(rf"^\W*{words}\W*$", re.IGNORECASE)) for phase, words in _PHASES.items()
)
_BELOW: Final = re.compile(rf"^\W*(?:speed|rate)\W+{_WITH_UNIT}", re.IGNORECASE)
_TOKENS_BELOW: Final = re.compile(r"^\W*tokens\W+(?P<tokens>\d[\d.,]*)\W*$", re.IGNORECASE)
REACH: Final = 4
"""Lines below a phase that stands alone, as llama-server's page shows it, in which its figures may be."""

Said = tuple[Phase, str | None, str, str | None]
"""Phase, tokens, speed and depth, as written."""


def read_phrases(page: Page) -> None:
    """Every speed of a phase in the text."""
    lines = page.left()
    under: tuple[Phase, int, str | None] | None = None
    for at, line in enumerate(lines):
        if not line:
            continue
        if heading := next((phase for phase, pattern in _HEADING if pattern.match(line)), None):
            under = heading, at, None
            continue
        if under and at - under[1] <= REACH:
            if tokens := _TOKENS_BELOW.match(line):
                under = under[0], under[1], tokens["tokens"]
            elif below := _BELOW.match(line):
                _take(page, at, [(under[0], under[2], below["speed"], None)])
                continue
        _take(page, at, list(_said(line)))


def _take(page: Page, at: int, said: list[Said]) -> None:
    """The tests whose figures can be; the line stays, since another figure in it may have no phase."""
    for phase, tokens, speed, depth in said:
        value, length = number(speed.rstrip(".,")), whole(tokens) if tokens else None
        try:
            if not value:
                continue
            test = ReportedTest(
                phase=phase, tokens=length, tokens_per_s=value, n_depth=whole(depth) if depth else None, n_streams=1,
                line=at + 1,
            )  # fmt: skip
        except ValueError:
            continue
        page.runs.append(ReportedRun(tool=UNKNOWN_TOOL, form=WORDS, source=page.source, tests=(test,)))


def _said(line: str) -> Iterator[Said]:
    if named := list(_NAMED.finditer(line)):
        for each in named:
            phase = Phase.PREFILL if each["phase"].lower() == "pp" else Phase.DECODE
            yield phase, each["tokens"], each["speed"], each["depth"]
        line = _NAMED.sub(lambda found: " " * len(found[0]), line)
    for phase, pattern in _COUNTED:
        for each in pattern.finditer(line):
            yield phase, each["tokens"], each["speed"], None
        line = pattern.sub(lambda found: " " * len(found[0]), line)
    patterns = _REVERSED if _figures_first(line) else _LOOSE
    for phase, pattern in (*patterns, *_OTHERS):
        for each in pattern.finditer(line):
            yield phase, None, each["speed"], None


def _figures_first(line: str) -> bool:
    """Whether the line names each phase behind its speed: "812 t/s pp, 23 t/s tg"."""
    marks = sorted([(found.start(), True) for found in _ANY.finditer(line)]
                   + [(found.start(), False) for found in ANY_PHASE.finditer(line)])  # fmt: skip
    turns = [is_speed for _, is_speed in marks]
    return bool(turns) and turns[0] and not turns[-1]
