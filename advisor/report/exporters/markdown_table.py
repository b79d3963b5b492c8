"""The two things that every Markdown of ours needs: text that shows as it is, and tables."""

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*\[\]<>|~])")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line, safe in a table cell."""
    return _SPECIAL.sub(r"\\\1", re.sub(r"[\r\n\t]+", " ", text))


def listed_lines(lines: Iterable[str]) -> str:
    """A list of texts, each an item that Markdown shows as it is; "" for none."""
    return "\n".join(f"- {escaped(line)}" for line in lines)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """A table; ``right`` are the columns that hold numbers."""
    rule = ["--:" if i in right else "---" for i in range(len(head))]
    lines = [head, rule, *[[escaped(cell) for cell in row] for row in rows]]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
