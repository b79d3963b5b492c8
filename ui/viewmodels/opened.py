"""What was opened that is not a model: a run of the past, or figures that other tools have measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from advisor.benchmarks.reported import ReportedRun
from advisor.core.translation import tr, trn
from advisor.diagnosis.model import Workload
from advisor.gguf.readable import readable
from advisor.hardware.catalog import Accelerator
from advisor.report import formatting as fmt
from advisor.report import import_words
from advisor.report.device_words import device_names, device_words, placed
from advisor.report.document import Document

LONGEST_LINE: Final = 2000


class KeptRun(Protocol):
    """A run's number in the history, whether it was there before, and whether it was deleted until now."""

    @property
    def number(self) -> int: ...  # noqa: D102
    @property
    def known(self) -> bool: ...  # noqa: D102
    @property
    def restored(self) -> bool: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Banner:
    """What is said above it: what it is, and what can be done with it.

    ``can_export`` where it is a whole diagnosis, ``can_keep`` where it may go into the history; ``devices`` are those
    of the table, one of which the user may say that the figures were measured on.
    """

    title: str
    sentence: str
    can_export: bool
    can_keep: bool
    devices: tuple[str, ...] = ()


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
    sentence = tr(
        "Measured {time} by Two Machines {version}, read from {source}. It can be read, exported and judged for other "
        "work, but not measured anew.",
        time=fmt.date_time(document.created_at),
        version=document.app_version,
        source=tr(source),
    )
    return Banner(tr("A past run: {model}", model=name), sentence, True, False)


def present_import(source: str, runs: tuple[ReportedRun, ...]) -> Banner:
    """The banner above figures of other tools."""
    tools = ", ".join(dict.fromkeys(readable(tr(run.tool)) for run in runs))
    return Banner(
        trn(
            "{n}\u00a0run from {source}", "{n}\u00a0runs from {source}", len(runs),
            n=fmt.count(len(runs)), source=readable(tr(source)),
        ),
        tr(
            "Measured by {tools}, not by Two Machines, and judged for the workload that is set on This computer.",
            tools=tools,
        ),
        False, True, device_names(),
    )  # fmt: skip


def present_imported(
    runs: tuple[ReportedRun, ...], workload: Workload, device: Accelerator | None = None
) -> tuple[ImportedCard, ...]:
    """A card for each run, judged for this work and by the device that the user names, else by the source's own."""
    return tuple(_card(run, workload, device) for run in placed(runs, device))


def kept_words(kept: Sequence[KeptRun]) -> str:
    """Under which numbers the history holds what was kept."""
    numbers = ", ".join(map(_number, kept))
    return trn("In the history as run {numbers}", "In the history as runs {numbers}", len(kept), numbers=numbers)


def _number(kept: KeptRun) -> str:
    if kept.restored:
        return tr("{number} (deleted before, now back)", number=kept.number)
    return tr("{number} (there before)", number=kept.number) if kept.known else str(kept.number)


def _card(run: ReportedRun, workload: Workload, device: Accelerator | None) -> ImportedCard:
    answer, *rest = import_words.sentences(run, workload)
    verdict, *notes = (
        readable(words, LONGEST_LINE) for words in (answer, *device_words(run, workload, device), *rest)
    )
    facts = [
        (tr("Machine"), import_words.machine_words(run)), (tr("Measured by"), f"{tr(run.tool)} {run.build}".strip()),
    ]  # fmt: skip
    if run.measured_at:
        facts.append((tr("Measured"), fmt.date_time(run.measured_at)))
    facts.append((tr("Read as"), tr("{form} from {source}", form=import_words.form_words(run), source=tr(run.source))))
    rows = tuple(tuple(readable(cell) for cell in row) for row in import_words.rows(run))
    return ImportedCard(
        readable(import_words.model_words(run)), verdict,
        tuple((name, readable(words, LONGEST_LINE)) for name, words in facts),
        tuple(tr(name) for name in import_words.HEAD), rows, tuple(notes),
    )  # fmt: skip
