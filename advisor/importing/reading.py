"""Which of the known forms a text holds, and all runs in it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from advisor.benchmarks.reported import ReportedRun
from advisor.core.errors import BadFile
from advisor.core.translation import ENGLISH, language, marked, tr
from advisor.importing.llama_bench import read_csv, read_objects, read_sql
from advisor.importing.logs import read_logs
from advisor.importing.phrases import read_phrases
from advisor.importing.programs import read_answers, read_texts
from advisor.importing.tables import read_tables
from advisor.importing.text import plain_lines

MAX_CHARACTERS: Final = 20_000_000
LONGEST_ROW: Final = 4_096
"""Characters of a line that may be a row or a log's timing. Expressions that look for numbers anywhere in a line take
minutes for a hundred thousand digits."""
OWN_SCHEMA: Final = re.compile(r'"schema":\s*"two-machines/')
OWN_WITHIN: Final = 200
"""Characters at the beginning of our JSON, within which its schema stands."""
FORMS: Final = marked(
    "Known are the output of llama-bench and llama-batched-bench, timings of llama.cpp, koboldcpp and Ollama, LM "
    "Studio's stats, and speeds in words such as: pp512: 812 t/s, tg128: 23.5 t/s."
)
Read = tuple[list[ReportedRun], list[str]]


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
    if text.lstrip().startswith("{") and OWN_SCHEMA.search(text[:OWN_WITHIN]):
        hint = tr("Name it where it is wanted: {command}", command="two-machines compare RUN FILE")
        raise BadFile(tr("{source} is a result of Two Machines, which needs no import.", source=source), hint)
    lines = plain_lines(text)
    unread: list[str] = []
    for read in _readers(lines, source):
        runs, complaints = read()
        unread += complaints
        if runs:
            return _merged(runs, complaints)
    if unread:
        raise BadFile(
            tr("No figure in {source} can be read: {why}", source=source, why=_behind_colon(unread[0])), tr(FORMS)
        )
    raise BadFile(tr("{source} holds no speeds in a form that is known here.", source=source), tr(FORMS))


def _behind_colon(sentence: str) -> str:
    """A sentence as it goes on inside another one; German keeps the capital letter of its first word, a noun."""
    return sentence[:1].lower() + sentence[1:] if language() == ENGLISH else sentence


def _readers(lines: list[str], source: str) -> tuple[Callable[[], Read], ...]:
    """From the most certain form to the least."""
    short = [line if len(line) <= LONGEST_ROW else "" for line in lines]  # the others keep their numbers
    return (
        lambda: read_objects(lines, source),
        lambda: read_answers("\n".join(lines), source),
        lambda: read_sql(lines, source),
        lambda: read_csv(lines, source),
        lambda: read_tables(short, source),
        lambda: read_texts(short, source),
        lambda: read_logs(short, source),
        lambda: read_phrases(short, source),
    )


def _merged(runs: Iterable[ReportedRun], unread: list[str]) -> tuple[ReportedRun, ...]:
    """Tests of one model, machine and build as one run; what could not be read goes with the first."""
    groups: dict[ReportedRun, list[ReportedRun]] = {}
    for run in runs:
        groups.setdefault(replace(run, tests=(), measured_at=""), []).append(run)
    merged = [
        replace(each[0], tests=tuple(test for run in each for test in run.tests), unread=())
        for each in groups.values()
    ]
    merged[0] = replace(merged[0], unread=tuple(unread))
    return tuple(merged)
