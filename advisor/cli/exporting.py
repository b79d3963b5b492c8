"""``history export``: a stored run as every report, as CSV, and in llama-bench's shapes."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from advisor.benchmarks.store.model import StoredRun
from advisor.benchmarks.store.store import Store
from advisor.cli.progress_line import ProgressLine
from advisor.cli.reports import llama_bench_text, print_pdf
from advisor.core.errors import UsageError
from advisor.report.codec import json_text
from advisor.report.document import Document
from advisor.report.exporters.files import write_atomically
from advisor.session.events import Remark

STANDARD_OUTPUT: Final = Path("-")


def run_export(results: Path, arguments: argparse.Namespace) -> int:
    """Write what was asked for; the exit code. Raises UsageError, BadFile, StoreError, CannotWrite."""
    texts = _texts(arguments)
    targets = [*[target for target, _ in texts], *([arguments.pdf] if arguments.pdf else [])]
    _check(targets)
    store = Store(results, lambda sentence, hint: ProgressLine()(Remark(sentence, hint)))
    held = _Held(store, store.run(arguments.run), arguments.workload)
    for target, render in texts:
        text = render(held)
        if target == STANDARD_OUTPUT:
            sys.stdout.write(text)
        else:
            write_atomically(target, text)
    if arguments.pdf:
        print_pdf(held.document, arguments.pdf, arguments.paper)
    if STANDARD_OUTPUT not in targets:
        for target in targets:
            print(f"Written: {target}")
    return 0


class _Held:
    """The run, and its document, which is made when the first format needs it; figures alone need none."""

    def __init__(self, store: Store, run: StoredRun, workload: str | None) -> None:
        self.store, self.run, self._workload = store, run, workload
        self._document: Document | None = None

    @property
    def document(self) -> Document:
        """The whole result. Raises BadFile."""
        from advisor.diagnosis.workload import preset
        from advisor.session.past import document_of

        if self._document is None:
            work = preset(self._workload) if self._workload else None
            self._document = document_of(self.run, self.store, work)
        return self._document


def _check(targets: list[Path]) -> None:
    if not targets:
        hint = "Name at least one: --pdf, --html, --md, --csv, --llama-bench or --json, each with a FILE."
        raise UsageError("What the run is to be written as is missing.", hint)
    if STANDARD_OUTPUT in targets and len(targets) > 1:
        raise UsageError("A printed format stands alone.", "Give a file, or leave the other formats out.")


def _texts(arguments: argparse.Namespace) -> list[tuple[Path, Callable[[_Held], str]]]:
    """Where each text goes, and how it is made."""

    def llama_bench(held: _Held) -> str:
        from advisor.report.exporters.llama_bench import run_rows
        from advisor.session.past import kept_document

        return llama_bench_text(run_rows(held.run, kept_document(held.run, held.store)), arguments.llama_bench)

    every: list[tuple[Path | None, Callable[[_Held], str]]] = [
        (Path(arguments.json) if arguments.json else None, _json), (arguments.md, _markdown),
        (arguments.html, _html), (arguments.csv, _csv), (arguments.llama_bench, llama_bench),
    ]  # fmt: skip
    if arguments.pdf == STANDARD_OUTPUT:
        raise UsageError("A PDF cannot be printed to the terminal.", "Give it a file: --pdf FILE")
    return [(target, render) for target, render in every if target is not None]


def _json(held: _Held) -> str:
    from advisor.report.exporters.as_json import document_json

    return json_text(document_json(held.document))


def _markdown(held: _Held) -> str:
    from advisor.report.exporters.markdown import document_markdown

    return document_markdown(held.document)


def _html(held: _Held) -> str:
    from advisor.report.exporters.as_html import document_html

    return document_html(held.document)


def _csv(held: _Held) -> str:
    from advisor.report.exporters.as_csv import run_csv

    return run_csv(held.run)
