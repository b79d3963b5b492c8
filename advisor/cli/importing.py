"""``import`` in a terminal."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from advisor.cli import terminal
from advisor.cli.parser import PROGRAM
from advisor.cli.progress_line import ProgressLine
from advisor.gguf.readable import readable
from advisor.session.events import Remark

if TYPE_CHECKING:
    from advisor.benchmarks.reported import ReportedRun
    from advisor.diagnosis.model import Workload
    from advisor.session.importing import Kept

SHOWN: Final = 2000


def run_import(arguments: argparse.Namespace) -> int:
    """Read, keep unless told otherwise, and show; the exit code. Raises BadFile, StoreError, UsageError."""
    from advisor.benchmarks.store.store import Store
    from advisor.cli.workloads import workload_from
    from advisor.report.device_words import device_words, placed
    from advisor.report.exporters.import_json import import_json
    from advisor.session.import_device import device_from
    from advisor.session.importing import keep, read_source
    from advisor.session.paths import user_paths

    workload = workload_from(arguments)
    given = device_from(arguments.device, arguments.bandwidth, arguments.tflops)
    runs = placed(read_source(arguments.file), given)
    kept: tuple[Kept, ...] = ()
    if not arguments.show_only:
        store = Store(user_paths().results, lambda sentence, hint: ProgressLine()(Remark(sentence, hint)))
        kept = keep(runs, store)
    numbers = [each.number for each in kept]
    said = [device_words(run, workload, given) for run in runs]

    def show() -> None:
        _show(runs, kept, workload, said)

    terminal.present(arguments.json, lambda: import_json(runs, numbers, workload, said), show)
    return 0


def _show(
    runs: "Sequence[ReportedRun]", kept: "tuple[Kept, ...]", workload: "Workload", said: "Sequence[Sequence[str]]"
) -> None:
    for position, run in enumerate(runs):
        show_report(run, workload, kept[position] if kept else None)
        for words in said[position]:
            terminal.show_paragraph(_shown(words), "  ")
    numbers = [each.number for each in kept]
    if numbers:
        print(
            f"To compare: {PROGRAM} compare {' '.join(str(number) for number in numbers[:2])}"
            + ("" if len(numbers) > 1 else " RESULT")
        )


def show_report(run: "ReportedRun", workload: "Workload", kept: "Kept | None") -> None:
    """One imported run; ``kept`` is its place in the history, None where it is not kept."""
    from advisor.report import import_words as words

    place = "Not kept" if kept is None else f"Run {kept.number}{_before(kept)}"
    form = words.form_words(run)
    print(_shown(f"{place}, imported from {run.source} ({run.tool}, {form}): {words.model_words(run)} on "
                 f"{words.machine_words(run)}"))
    terminal.columns([words.HEAD, *(tuple(_shown(cell) for cell in row) for row in words.rows(run))])
    for sentence in words.sentences(run, workload):
        terminal.show_paragraph(_shown(sentence), "  ")


def _before(kept: "Kept") -> str:
    if kept.restored:
        return " (kept before, deleted, and now back)"
    return " (kept before)" if kept.known else ""


def _shown(text: str) -> str:
    return readable(text, SHOWN)
