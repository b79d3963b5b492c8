"""A pasted text while it is being read: each reader takes its lines, and what is left over is for the next."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from advisor.benchmarks.reported import ReportedRun, Unread, unread

LONGEST_ROW: Final = 4_096
"""Characters of a line that may be a row or a log's timing. Expressions that look for numbers anywhere in a line take
minutes for a hundred thousand digits."""


class NotRead(Exception):
    """A line that looks like figures and gives none: the sentence that says why, with ``{line}`` among its places."""

    def __init__(self, sentence: str, **values: object) -> None:
        super().__init__(sentence)
        self.sentence, self.values = sentence, values


@dataclass(slots=True)
class Page:
    """The lines of a text, in which a taken one is seen by nobody else.

    Attributes:
        source: file name, for messages and the result.
        lines: position + 1 is the number that people know a line by.
        runs: found so far, in the order in which they were found.
        unread: sentences on what could not be read.
    """

    source: str
    lines: list[str]
    runs: list[ReportedRun] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    _taken: set[int] = field(default_factory=set)

    def left(self, longest: int | None = LONGEST_ROW) -> list[str]:
        """All lines, empty where one is taken, or longer than a row may be; the others keep their positions."""
        return [
            "" if at in self._taken or (longest is not None and len(line) > longest) else line
            for at, line in enumerate(self.lines)
        ]

    def take(self, positions: Iterable[int]) -> None:
        """These lines have been read."""
        self._taken.update(positions)

    def say(self, position: int, sentence: str, **values: object) -> None:
        """A line could not be read, and why; it counts as taken."""
        self._taken.add(position)
        self.unread.append(unread(sentence, line=position + 1, **values))

    def add(self, sentence: str, **values: object) -> None:
        """What is to be said of the text as a whole."""
        self.unread.append(unread(sentence, **values))

    def may_be_cut(self, position: int) -> bool:
        """Whether nothing, not even a line's end, stands behind this line, so that it may go on in the source."""
        return position == len(self.lines) - 1
