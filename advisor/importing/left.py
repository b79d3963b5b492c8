"""What no reader took and still looks like a speed is named, so that nothing of a text is lost without a word."""

import re
from typing import Final

from advisor.core.translation import marked
from advisor.importing.page import Page
from advisor.importing.phrases import ANY_PHASE, FIGURE, UNIT, WORDS
from advisor.importing.text import number

MOST_NAMED: Final = 4
NO_PHASE: Final = marked("Line {line} says “{figure}” and not whether of reading (pp) or of writing (tg).")
WHOLE_REQUEST: Final = marked("Line {line} says “{figure}” of a whole request, which tells neither phase.")
NOT_TAKEN: Final = marked("Line {line} says “{figure}”, which was not taken.")
AVERAGES: Final = marked("Line {line} holds averages of a server over all its requests, which tell neither phase.")
RANGE: Final = marked("Line {line} gives a range up to “{figure}”, and a result is one figure.")
NO_UNIT: Final = marked("Line {line} says “{figure}” without a unit, and was not taken: write it as pp512: 812 t/s.")
CUT_FIGURE: Final = marked("Line {line} ends inside a figure: the last line is cut off.")
MORE: Final = marked("Further lines with speeds that were not taken: {n}.")
_SPEED: Final = re.compile(FIGURE + UNIT, re.IGNORECASE)
_WHOLE_REQUEST: Final = re.compile(r"\btotal\b|\boutput generated in\b|\boverall\b|\baverage\b", re.IGNORECASE)
_AVERAGES: Final = re.compile(r"Avg prompt throughput:|(?:output|generation|request) throughput", re.IGNORECASE)
_PASSED_OVER: Final = re.compile(
    r"\b(?:sampling|sample|load|unaccounted) time\s*=|prompt processing progress|sampler_print", re.IGNORECASE
)
"""Lines of llama.cpp with a speed of something else."""
_TEST: Final = r"\b(?:pp|tg)\s?\d{2,9}(?!\d)(?:\s*@\s*d\d+)?"
_BEGUN: Final = re.compile(
    rf"(?:{_TEST}|\b(?:pp|tg|prompt|generation))\s*[:=]\s*(?P<rest>\d[\d.,]*\s*[a-z]{{0,7}}/?)$", re.IGNORECASE
)
_NO_UNIT: Final = re.compile(
    rf"{_TEST}\s*[:=|~≈→-]*>?\s*\d[\d.,]*(?![\d.,]|{UNIT})(?=$|[\s,;|)])", re.IGNORECASE
)
_RANGE: Final = re.compile(rf"\d\s*(?:-|–|to|\.\.)\s*{FIGURE}{UNIT}", re.IGNORECASE)


def name_what_is_left(page: Page) -> None:
    """A sentence for each of the first such lines, and one for how many more there are."""
    held = [test.tokens_per_s for run in page.runs for test in run.tests]
    in_words = all(run.form == WORDS for run in page.runs)
    named = more = 0
    for at, line in enumerate(page.left()):
        if not line or _PASSED_OVER.search(line):
            continue
        found = next((each for each in _SPEED.finditer(line) if not _is_held(each["speed"], held)), None)
        begun = _BEGUN.search(line) if page.runs and page.may_be_cut(at) else None
        if begun and _SPEED.fullmatch(begun["rest"]):
            begun = None
        bare = _NO_UNIT.search(line)
        if found is None and begun is None and bare is None:
            continue
        if named == MOST_NAMED:
            more += 1
            continue
        named += 1
        if begun:
            page.say(at, CUT_FIGURE)
        elif _AVERAGES.search(line):
            page.say(at, AVERAGES)
        elif found:
            page.say(at, _why(line, in_words), figure=found[0].strip())
        elif bare:
            page.say(at, NO_UNIT, figure=bare[0].strip())
    if more:
        page.add(MORE, n=more)


def _why(line: str, in_words: bool) -> str:
    if _RANGE.search(line):
        return RANGE
    if _WHOLE_REQUEST.search(line):
        return WHOLE_REQUEST
    return NO_PHASE if in_words or not ANY_PHASE.search(line) else NOT_TAKEN


def _is_held(figure: str, speeds: list[float]) -> bool:
    """Whether a figure of the text is, as finely as it is written, one that was taken."""
    value = number(figure.rstrip(".,"))
    if value is None:
        return False
    behind = figure.rstrip(".,").rpartition(".")[2] if "." in figure.rstrip(".,") else ""
    return any(abs(speed - value) <= 0.6 * 10.0 ** -len(behind) for speed in speeds)
