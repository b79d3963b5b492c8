"""``history export``: a stored run as every report, as CSV, and in llama-bench's shapes."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store.model import StoredRun
from advisor.benchmarks.store.store import Store
from advisor.cli import targets
from advisor.cli.progress_line import ProgressLine
from advisor.core.errors import BadFile, UsageError
from advisor.report.codec import json_text
from advisor.report.exporters.files import write_atomically
from advisor.session.events import Remark

if TYPE_CHECKING:
    from advisor.report.server_document import ServerDocument


@dataclass(frozen=True, slots=True)
class _Report:
    """A run's report, whatever kind of run it is: the texts of it, and what draws it."""

    json: Callable[[], str]
    markdown: Callable[[], str]
    html: Callable[[], str]
    pdf: Callable[[Path, str], None]


def run_export(results: Path, arguments: argparse.Namespace) -> int:
    """Write what was asked for; the exit code. Raises UsageError, BadFile, StoreError, CannotWrite."""
    texts = _texts(arguments)
    paths = [*[target for target, _ in texts], *([arguments.pdf] if arguments.pdf else [])]
    if not paths:
        hint = "Name at least one: --pdf, --html, --md, --csv, --llama-bench or --json, each with a FILE."
        raise UsageError("What the run is to be written as is missing.", hint)
    store = Store(results, lambda sentence, hint: ProgressLine()(Remark(sentence, hint)))
    held = _Held(store, store.run(arguments.run), arguments.workload)
    for target, render in texts:
        targets.deliver(target, render(held))
    if arguments.pdf:
        held.report.pdf(arguments.pdf, arguments.paper)
    if not targets.printed(arguments):
        for target in paths:
            print(f"Written: {target}")
    return 0


def write_run(results: Path, number: int, path: Path, kind: str) -> None:
    """The report of a run as ``pdf``, ``html``, ``md``, ``csv`` or ``json``.

    Raises:
        BadFile: nothing is there to be written in this form.
        StoreError: the history cannot be read.
        CannotWrite: the file could not be written.
    """
    store = Store(results)
    held = _Held(store, store.run(number), None)
    if kind == "pdf":
        held.report.pdf(path, "")
        return
    texts: dict[str, Callable[[], str]] = {
        "html": lambda: held.report.html(), "md": lambda: held.report.markdown(), "json": lambda: held.report.json(),
        "csv": lambda: _csv(held),
    }  # fmt: skip
    write_atomically(path, texts[kind]())


class _Held:
    """The run, and its report, which is made when the first format needs it; figures alone need none."""

    def __init__(self, store: Store, run: StoredRun, workload: str | None) -> None:
        self.store, self.run, self._workload = store, run, workload
        self._report: _Report | None = None

    @property
    def report(self) -> _Report:
        """The whole result. Raises BadFile."""
        if self._report is None:
            self._report = _report(self.store, self.run, self._workload)
        return self._report

    def measured(self) -> StoredRun:
        """The run where it holds tests, in rows. Raises BadFile."""
        if not self.run.tests and self.run.imported is None:
            raise BadFile(f"Run {self.run.number} holds no test of one phase.", "Its report may tell more: --md.")
        return self.run


def _report(store: Store, run: StoredRun, workload: str | None) -> _Report:
    from advisor.report.server_document import ServerDocument
    from advisor.report.stored import experiment_of

    if run.imported is not None:
        return _imported(run, run.imported, workload)
    experiment = experiment_of(run.document) if run.document is not None else None
    if isinstance(experiment, ServerDocument):
        return _served(experiment)
    return _diagnosed(store, run, workload)


def _diagnosed(store: Store, run: StoredRun, workload: str | None) -> _Report:
    from advisor.cli.reports import print_pdf
    from advisor.diagnosis.workload import preset
    from advisor.report.exporters.as_html import document_html
    from advisor.report.exporters.as_json import document_json
    from advisor.report.exporters.markdown import document_markdown
    from advisor.session.past import document_of

    document = document_of(run, store, preset(workload) if workload else None)
    return _Report(
        lambda: json_text(document_json(document)), lambda: document_markdown(document),
        lambda: document_html(document), lambda path, paper: print_pdf(document, path, paper),
    )  # fmt: skip


def _imported(run: StoredRun, imported: ReportedRun, workload: str | None) -> _Report:
    from advisor.cli.reports import print_import_pdf
    from advisor.cli.workloads import DEFAULT
    from advisor.diagnosis.workload import preset
    from advisor.report.device_words import device_words
    from advisor.report.exporters.import_texts import import_html, import_markdown
    from advisor.report.import_report import import_report

    work = preset(workload or DEFAULT)
    said = device_words(imported, work)
    report = import_report(imported, run.number, work, said, run.started_at, run.setup.app_version)
    return _Report(
        lambda: report.data, lambda: import_markdown(report), lambda: import_html(report),
        lambda path, paper: print_import_pdf(report, path, paper),
    )  # fmt: skip


def _served(document: "ServerDocument") -> _Report:
    from advisor.cli.reports import print_server_pdf
    from advisor.report.exporters.server_html import server_html
    from advisor.report.exporters.server_json import server_json
    from advisor.report.exporters.server_markdown import server_markdown

    return _Report(
        lambda: json_text(server_json(document.result, document.settings, document.verdict)),
        lambda: server_markdown(document), lambda: server_html(document),
        lambda path, paper: print_server_pdf(document, path, paper),
    )  # fmt: skip


def _texts(arguments: argparse.Namespace) -> list[tuple[Path, Callable[[_Held], str]]]:
    """Where each text goes, and how it is made."""

    def llama_bench(held: _Held) -> str:
        from advisor.report.exporters.llama_bench import left_out, run_rows
        from advisor.report.exporters.llama_bench_text import text_for
        from advisor.session.past import kept_document

        rows = run_rows(held.measured(), kept_document(held.run, held.store))
        if said := left_out(held.run):
            ProgressLine()(Remark(said))
        return text_for(arguments.llama_bench.suffix, rows)

    every: list[tuple[Path | None, Callable[[_Held], str]]] = [
        (Path(arguments.json) if arguments.json else None, lambda held: held.report.json()),
        (arguments.md, lambda held: held.report.markdown()), (arguments.html, lambda held: held.report.html()),
        (arguments.csv, _csv), (arguments.llama_bench, llama_bench),
    ]  # fmt: skip
    return [(target, render) for target, render in every if target is not None]


def _csv(held: _Held) -> str:
    from advisor.report.exporters.as_csv import run_csv

    return run_csv(held.measured())
