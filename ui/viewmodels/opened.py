"""What was opened that is not a model: a run of the past, or figures that other tools have measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from advisor.benchmarks.reported import ReportedRun
from advisor.diagnosis.model import Workload
from advisor.gguf.readable import readable
from advisor.report import formatting as fmt
from advisor.report import import_words
from advisor.report.document import Document

LONGEST_LINE: Final = 2000


class KeptRun(Protocol):
    """A run's number in the history, and whether it was there before."""

    @property
    def number(self) -> int: ...  # noqa: D102
    @property
    def known(self) -> bool: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Banner:
    """What is said above it: what it is, and what can be done with it.

    ``can_export`` where it is a whole diagnosis, ``can_keep`` where it may go into the history.
    """

    title: str
    sentence: str
    can_export: bool
    can_keep: bool


@dataclass(frozen=True, slots=True)
class ImportedCard:
    """One model on one machine as another tool has measured it: the verdict first, then what is known."""

    title: str
    verdict: str
    facts: tuple[tuple[str, str], ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def present_past(source: str, document: Document) -> Banner:
    """The banner above a run of the past."""
    name = readable(document.model.name)
    sentence = (
        f"Measured {fmt.date_time(document.created_at)} by Two Machines {document.app_version}, read from {source}."
    )
    return Banner(
        f"A past run: {name}", f"{sentence} It can be read, exported and judged for other work, but not measured anew.",
        True, False,
    )  # fmt: skip


def present_import(source: str, runs: tuple[ReportedRun, ...]) -> Banner:
    """The banner above figures of other tools."""
    tools = ", ".join(dict.fromkeys(readable(run.tool) for run in runs))
    return Banner(
        f"{fmt.plural(len(runs), 'run')} from {readable(source)}",
        f"Measured by {tools}, not by Two Machines, and judged for the workload that is set on This computer.",
        False, True,
    )  # fmt: skip


def present_imported(runs: tuple[ReportedRun, ...], workload: Workload) -> tuple[ImportedCard, ...]:
    """A card for each run, judged for this work."""
    return tuple(_card(run, workload) for run in runs)


def kept_words(kept: Sequence[KeptRun]) -> str:
    """Under which numbers the history holds what was kept."""
    numbers = ", ".join(f"{one.number}{' (there before)' if one.known else ''}" for one in kept)
    return f"In the history as {'run' if len(kept) == 1 else 'runs'} {numbers}"


def _card(run: ReportedRun, workload: Workload) -> ImportedCard:
    verdict, *notes = [readable(words, LONGEST_LINE) for words in import_words.sentences(run, workload)]
    facts = [("Machine", import_words.machine_words(run)), ("Measured by", f"{run.tool} {run.build}".strip())]
    if run.measured_at:
        facts.append(("Measured", fmt.date_time(run.measured_at)))
    facts.append(("Read as", f"{run.form} from {run.source}"))
    rows = tuple(tuple(readable(cell) for cell in row) for row in import_words.rows(run))
    return ImportedCard(
        readable(import_words.model_words(run)), verdict,
        tuple((name, readable(words, LONGEST_LINE)) for name, words in facts), import_words.HEAD, rows, tuple(notes),
    )  # fmt: skip
