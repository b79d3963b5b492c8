"""Which of the known forms a text holds, and all runs in it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from advisor.benchmarks.reported import ReportedRun, Unread
from advisor.core.errors import BadFile
from advisor.core.translation import ENGLISH, language, marked, tr
from advisor.importing.answers import read_objects
from advisor.importing.last_lines import read_last_lines
from advisor.importing.left import name_what_is_left
from advisor.importing.llama_bench import read_csv, read_sql
from advisor.importing.logs import read_logs
from advisor.importing.own_csv import read_own_csv
from advisor.importing.page import Page
from advisor.importing.phrases import read_phrases
from advisor.importing.programs import read_texts
from advisor.importing.rendered import with_rows_from_columns, without_tags
from advisor.importing.rows import OWN
from advisor.importing.tables import read_tables
from advisor.importing.text import plain_lines

MAX_CHARACTERS: Final = 20_000_000
OWN_SCHEMA: Final = re.compile(r'"schema":\s*"two-machines/')
OWN_WITHIN: Final = 200
"""Characters at the beginning of our JSON, within which its schema stands."""
OWN_REPORT: Final = re.compile(r"Two Machines \d[\w.+-]*, \d")
"""Begins the last line of our reports."""
FORMS: Final = marked(
    "Known are the output of llama-bench and llama-batched-bench, timings of llama.cpp, koboldcpp and Ollama, LM "
    "Studio's stats, and speeds in words such as: pp512: 812 t/s, tg128: 23.5 t/s."
)
MOST_REQUESTS: Final = 10
"""Requests of one source that are taken, the newest; more are a server's, which ``server-log`` judges."""
NEWEST: Final = marked("Only the newest {most} of {all} requests are taken; server-log judges all of a log.")
_CERTAIN: Final[tuple[Callable[[Page], None], ...]] = (
    read_objects, read_sql, read_csv, read_own_csv, read_tables, read_texts, read_logs, read_last_lines,
)  # fmt: skip
"""From the most certain form to the least; each takes its lines. Words in a sentence count where nothing else is."""


def read_report(text: str, source: str) -> tuple[ReportedRun, ...]:
    """Every run in the text, tests of one model and machine together, in the text's order.

    Args:
        text: as pasted, logged or saved.
        source: file name, for messages and the result.

    Raises:
        BadFile: nothing in it can be read.
    """
    if len(text) > MAX_CHARACTERS:
        raise BadFile(tr("{source} is too large for a list of results.", source=source), tr(FORMS))
    if text.lstrip("\ufeff \r\n\t").startswith("{") and OWN_SCHEMA.search(text[:OWN_WITHIN]):
        hint = tr("Name it where it is wanted: {command}", command="two-machines compare RUN FILE")
        raise BadFile(tr("{source} is a result of Two Machines, which needs no import.", source=source), hint)
    page = Page(source, with_rows_from_columns(plain_lines(without_tags(text))))
    for read in _CERTAIN:
        read(page)
    if _is_own_report(page):  # which says the same again in its sentences and other tables
        page.runs = [run for run in page.runs if run.tool == OWN]
    else:
        if not page.runs:
            read_phrases(page)
        name_what_is_left(page)
    if page.runs:
        return _merged(page)
    if page.unread:
        why = _behind_colon(page.unread[0].words)
        raise BadFile(tr("No figure in {source} can be read: {why}", source=tr(source), why=why), tr(FORMS))
    raise BadFile(tr("{source} holds no speeds in a form that is known here.", source=tr(source)), tr(FORMS))


def _is_own_report(page: Page) -> bool:
    return any(OWN_REPORT.match(line.strip()) for line in page.lines)


def _behind_colon(sentence: str) -> str:
    """A sentence as it goes on inside another one; German keeps the capital letter of its first word, a noun."""
    return sentence[:1].lower() + sentence[1:] if language() == ENGLISH else sentence


def _merged(page: Page) -> tuple[ReportedRun, ...]:
    """Tests of one model, machine and build as one run; what could not be read goes with the first."""
    runs, unread = _numbered(page.runs, page.unread)
    groups: dict[ReportedRun, list[ReportedRun]] = {}
    for run in runs:
        groups.setdefault(replace(run, tests=(), measured_at=""), []).append(run)
    merged = [
        replace(each[0], tests=tuple(test for run in each for test in run.tests), unread=())
        for each in groups.values()
    ]
    merged[0] = replace(merged[0], unread=tuple(unread))
    return tuple(merged)


def _numbered(runs: Iterable[ReportedRun], unread: list[Unread]) -> tuple[list[ReportedRun], list[Unread]]:
    """The runs with the numbers of their requests, of which the newest are kept; a single one has no number."""
    every = list(runs)
    requests = [at for at, run in enumerate(every) if run.request is not None]
    numbers = {at: number for number, at in enumerate(requests, 1)} if len(requests) > 1 else {}
    early = set(requests[:-MOST_REQUESTS])
    said = [Unread(NEWEST, (("most", str(MOST_REQUESTS)), ("all", str(len(requests)))))] if early else []
    kept = [replace(run, request=numbers.get(at)) for at, run in enumerate(every) if at not in early]
    return kept, [*unread, *said]
