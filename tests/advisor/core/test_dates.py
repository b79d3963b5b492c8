"""One way of writing dates, in both languages."""

import re
from pathlib import Path

import pytest

import advisor
from advisor.core.dates import date_time, day, day_in, sortable

MOMENT = "2026-11-09T14:05:33+01:00"


def test_a_moment_and_its_day() -> None:
    assert date_time(MOMENT) == "9 November 2026, 14:05"
    assert day(MOMENT) == day("2026-11-09") == "9 November 2026"
    assert sortable(MOMENT) == "2026-11-09 14:05"


def test_german(german: None) -> None:
    assert date_time("2026-03-09T14:05:33") == "9. März 2026, 14:05"
    assert day("2026-03-09") == "9. März 2026"


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01"])
def test_what_is_no_date_stays_as_it_is(text: str) -> None:
    assert day(text) == date_time(text) == text


def test_a_written_day_is_written_anew_in_the_other_language() -> None:
    for written in ("9 March 2026", "9. März 2026", "2026-03-09"):
        assert day_in(written, "de") == "9. März 2026"
        assert day_in(written, "en") == "9 March 2026"
    for other in ("9 Sheep 2026", "31 February 2026", "2026-13-01", "9 March 2026 and more", ""):
        assert day_in(other, "de") == other


def test_no_sentence_takes_a_stored_date_as_it_is() -> None:
    """A field that holds ISO 8601 stands in no text but through ``core.dates``."""
    raw = re.compile(
        r"(?:\{|\bdate=|\bday=|\btime=|\bwhen=)[a-z_.]*\.(?:looked_up|measured_on|since|created_at|started_at)\b[^=]"
    )
    root = Path(advisor.__file__).parents[1]
    found = [
        f"{path.name}: {line.strip()}"
        for folder in ("advisor", "ui")
        for path in sorted((root / folder).rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if raw.search(line)
    ]
    assert found == []
