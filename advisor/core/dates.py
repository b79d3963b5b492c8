"""Days and moments as people write them: the one place, for sentences, tables, reports and pictures.

Times are kept as ISO 8601 and turned into words where they are shown.
"""

from datetime import date, datetime
from typing import Final

from advisor.core.translation import marked, tr

_MONTHS: Final = (
    marked("January"), marked("February"), marked("March"), marked("April"), marked("May"), marked("June"),
    marked("July"), marked("August"), marked("September"), marked("October"), marked("November"), marked("December"),
)  # fmt: skip
"""Not from the locale: the same document reads the same everywhere."""


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
