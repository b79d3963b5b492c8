"""Tables of web pages made rows of bars again: their source, and what copying from the page leaves of them."""

import re
from typing import Final

_ROW: Final = re.compile(r"<tr\b[^>]*>(.*?)</tr\s*>", re.IGNORECASE | re.DOTALL)
_CELL: Final = re.compile(r"<t[dh]\b[^>]*>(.*?)(?=</t[dh]|<t[dh]\b|$)", re.IGNORECASE | re.DOTALL)
_TAG: Final = re.compile(r"</?[a-z][a-z0-9]*\b[^<>]{0,500}>", re.IGNORECASE)
_UNSEEN: Final = re.compile(r"<(style|script|svg)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
FEWEST, MOST = 3, 20
"""Columns of a table whose cells may stand on lines of their own."""
_TEST: Final = re.compile(r"(?:pp|tg)\s?\d")
_LAST_OF_HEAD: Final = frozenset({"t/s", "tokens/s"})


def without_tags(text: str) -> str:
    """The text of a page's source, each row of a table as one line of bars; other texts stay as they are."""
    if "</tr" not in text.lower():
        return text
    text = _UNSEEN.sub(lambda found: "\n" * found[0].count("\n"), text)
    return _TAG.sub(" ", _ROW.sub(_row, text))


def _row(found: re.Match[str]) -> str:
    cells = (" ".join(_TAG.sub(" ", cell[1]).split()).replace("|", "/") for cell in _CELL.finditer(found[1]))
    return "\n| " + " | ".join(cells) + " |" + "\n" * found[0].count("\n")


def with_rows_from_columns(lines: list[str]) -> list[str]:
    """Cells that copying has put on a line each are put into one row, in the place of its first cell."""
    result = list(lines)
    held = [(at, word) for at, line in enumerate(lines) if (word := line.strip().lower())]
    start = 0
    while start < len(held):
        columns = _columns(held, start) if held[start][1] == "model" else 0
        if not columns:
            start += 1
            continue
        first, row = "", held[start : start + columns]
        while row:
            for at, _ in row[1:]:
                result[at] = ""
            cells = " | ".join(lines[at].strip() for at, _ in row)
            result[row[0][0]] = f"| {cells}" + (" |" if len(row) == columns else "")
            start += len(row)
            row = held[start : start + columns]
            whole = len(row) == columns and _TEST.match(row[-2][1])
            first = first or (row[0][1] if row else "")
            if not whole and (len(row) == columns or not row or row[0][1] != first):
                break
    return result


def _columns(held: list[tuple[int, str]], start: int) -> int:
    """How many columns a head has that begins here and ends with the test and its speed; 0 where none does."""
    words = [word for _, word in held[start : start + MOST]]
    ends = (at for at in range(FEWEST - 1, len(words)) if words[at] in _LAST_OF_HEAD and words[at - 1] == "test")
    return next(ends, -1) + 1
