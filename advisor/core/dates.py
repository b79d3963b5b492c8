"""Days and moments as people write them: the one place, for sentences, tables, reports and pictures.

Times are kept as ISO 8601 and turned into words where they are shown.
"""

import re
from datetime import date, datetime
from functools import cache
from typing import Final

from advisor.core.translation import LANGUAGES, marked, speaking, tr

_MONTHS: Final = (
    marked("January"), marked("February"), marked("March"), marked("April"), marked("May"), marked("June"),
    marked("July"), marked("August"), marked("September"), marked("October"), marked("November"), marked("December"),
)  # fmt: skip
"""Not from the locale: the same document reads the same everywhere."""
_WRITTEN: Final = re.compile(r"(\d{1,2})\.? ([^\W\d_]+) (\d{4})")
_STORED: Final = re.compile(r"\d{4}-\d\d-\d\d")


def day(iso: str) -> str:
    """The day of an ISO 8601 date or time: "29 November 2026"; a text that is none stays as it is."""
    try:
        found: date = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return tr("{day} {month} {year}", day=found.day, month=tr(_MONTHS[found.month - 1]), year=found.year)


def date_time(iso: str) -> str:
    """The same with its time: "29 November 2026, 14:05"."""
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return tr("{day}, {time}", day=day(iso), time=f"{moment:%H:%M}")


def sortable(iso: str) -> str:
    """Day and time as a column sorts them and as one types them into a filter: "2026-11-29 14:05"."""
    return iso[:16].replace("T", " ")


def day_in(text: str, language: str) -> str:
    """A day, as ``day`` wrote it in any language or as it is kept, written in ``language``; other texts stay."""
    iso = text if _STORED.fullmatch(text) else ""
    if (found := _WRITTEN.fullmatch(text)) and (month := _months().get(found[2])):
        iso = f"{found[3]}-{month:02}-{int(found[1]):02}"
    if not iso:
        return text
    with speaking(language):
        written = day(iso)
    return text if written == iso else written


@cache
def _months() -> dict[str, int]:
    """The number of every month's name, of all languages together."""
    names: dict[str, int] = {}
    for each in LANGUAGES:
        with speaking(each):
            names |= {tr(name): number for number, name in enumerate(_MONTHS, 1)}
    return names
