"""JSON objects in a text, whoever put them there: one a line, an array over many lines, behind a prompt, cut off."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from advisor.benchmarks.engines.llama_bench_output import MAX_ROW_CHARACTERS, parsed

_START: Final = re.compile(r"\{\s*(?=[\"}]|$)")
_MARKS: Final = re.compile(r"[\"\\{}\[\]]")
_CLOSING: Final = {"{": "}", "[": "]"}
ATTEMPTS: Final = 50
"""Members that are given up, the last first, before an object that was cut off counts as lost."""
LONGEST_CUT: Final = 200_000
"""Characters of an object that was cut off and may still be looked through; an answer of Ollama holds its context."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object and the lines that it stands on.

    Attributes:
        fields: empty where nothing of it can be read.
        whole: False where its end is missing, and only its members before that are here.
        text: as it came.
    """

    first: int
    last: int
    fields: Mapping[str, Any]
    whole: bool
    text: str


def objects_in(lines: Sequence[str]) -> Iterator[Found]:
    """Every object of the outermost level, in the text's order."""
    alone = {at: fields for at, line in enumerate(lines) if (fields := _alone(line)) is not None}
    start = 0
    for at in (*sorted(alone), len(lines)):
        yield from _spread(lines, start, at)
        if at < len(lines):
            yield Found(at, at, alone[at], True, lines[at])
        start = at + 1


def _alone(line: str) -> Mapping[str, Any] | None:
    """The object that fills a line, but for what parts it from others."""
    text = line.strip().removeprefix("data:").strip(" ,")
    if not (text.startswith("{") and text.endswith("}")):
        return None
    held = parsed(text)
    return held if isinstance(held, dict) else None


def _spread(lines: Sequence[str], start: int, end: int) -> Iterator[Found]:
    """The objects in these lines; one that is open when they end was cut off there."""
    opened: list[str] = []
    held: list[str] = []
    length = first = begun = 0
    in_string = False
    for at in range(start, end):
        line, position, begun = lines[at], 0, 0
        while True:
            mark = (_MARKS if opened else _START).search(line, position)
            if mark is None:
                break
            position = mark.end()
            if not opened:
                opened, first, begun, in_string, length = ["{"], at, mark.start(), False, 0
                position = begun + 1
            elif in_string:
                position += mark[0] == "\\"
                in_string = mark[0] != '"'
            elif mark[0] == '"':
                in_string = True
            elif mark[0] in _CLOSING:
                opened.append(mark[0])
            elif mark[0] in "}]":
                opened.pop()
                if not opened:
                    text = "\n".join([*held, line[begun:position]])
                    held = []
                    yield _found(first, at, text)
        if opened:
            held.append(line[begun:])
            length += len(held[-1])
            if length > MAX_ROW_CHARACTERS:
                yield Found(first, at, {}, False, "\n".join(held))
                opened, held = [], []
    if opened:
        text = "\n".join(held)
        yield Found(first, end - 1, _before_the_cut(text, end == len(lines)), False, text)


def _found(first: int, last: int, text: str) -> Found:
    fields = parsed(text)
    return Found(first, last, fields if isinstance(fields, dict) else {}, isinstance(fields, dict), text)


def _before_the_cut(text: str, at_the_end: bool) -> Mapping[str, Any]:
    """The members of an object that were whole before its end was lost; a last figure may have lost digits."""
    if len(text) > LONGEST_CUT:
        return {}
    ends = [found.start() for found in re.finditer(",", text)][-ATTEMPTS:]
    sure = not at_the_end or text[-1:].isspace() or text.endswith(('"', "]", "}"))
    for end in (*([len(text)] if sure else []), *reversed(ends)):
        part = text[:end]
        try:
            fields = json.loads(part + "".join(_CLOSING[mark] for mark in reversed(_open_in(part))))
        except (ValueError, RecursionError):
            continue
        if isinstance(fields, dict):
            return fields
    return {}


def _open_in(text: str) -> list[str]:
    opened: list[str] = []
    in_string = False
    position = 0
    while mark := _MARKS.search(text, position):
        position = mark.end()
        if in_string:
            position += mark[0] == "\\"
            in_string = mark[0] != '"'
        elif mark[0] == '"':
            in_string = True
        elif mark[0] in _CLOSING:
            opened.append(mark[0])
        elif opened:
            opened.pop()
    return opened
