"""The report files that ``diagnose`` was asked for."""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.progress_line import ProgressLine
from advisor.cli.targets import deliver
from advisor.core.errors import AdvisorError
from advisor.core.processes import module_command, own_environment
from advisor.core.translation import ENGLISH, language
from advisor.report.codec import json_text
from advisor.report.document import Document
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.markdown import document_markdown
from advisor.session.events import Remark

if TYPE_CHECKING:
    from advisor.report.import_report import ImportReport
    from advisor.report.server_document import ServerDocument

PRINT_LIMIT_S = 60.0


def write_texts(document: Document, arguments: argparse.Namespace) -> tuple[list[Path], list[AdvisorError]]:
    """Write JSON, Markdown, HTML, CSV and llama-bench's shapes as asked for, JSON first, since it holds everything.

    Returns the files that were written and the errors of those that could not be; one failing does not keep the
    other from being written.
    """
    jobs: list[tuple[Path, Callable[[Path], None]]] = []
    if arguments.json:
        jobs.append((Path(arguments.json), lambda path: deliver(path, json_text(document_json(document)))))
    renders = ((arguments.md, document_markdown), (arguments.html, _html), (arguments.csv, _csv))
    for target, render in renders:
        if target:
            jobs.append((target, partial(_write, render, document)))
    if arguments.llama_bench:
        jobs.append((arguments.llama_bench, lambda path: deliver(path, _llama_bench(document, path))))
    return _run_jobs(jobs)


def write_server_reports(
    document: "ServerDocument", arguments: argparse.Namespace
) -> tuple[list[Path], list[AdvisorError]]:
    """Write Markdown, HTML and PDF of a measured server as asked for; returns as ``write_texts``."""
    jobs: list[tuple[Path, Callable[[Path], None]]] = []
    if arguments.md:
        from advisor.report.exporters.server_markdown import server_markdown

        jobs.append((arguments.md, lambda path: deliver(path, server_markdown(document))))
    if arguments.html:
        from advisor.report.exporters.server_html import server_html

        jobs.append((arguments.html, lambda path: deliver(path, server_html(document))))
    if arguments.pdf:
        jobs.append((arguments.pdf, lambda path: print_server_pdf(document, path, arguments.paper)))
    return _run_jobs(jobs)


def _html(document: Document) -> str:
    from advisor.report.exporters.as_html import document_html

    return document_html(document)


def _csv(document: Document) -> str:
    from advisor.report.exporters.as_csv import document_csv

    return document_csv(document)


def _llama_bench(document: Document, path: Path) -> str:
    from advisor.report.exporters.llama_bench import document_rows, left_out
    from advisor.report.exporters.llama_bench_text import text_for

    if said := left_out(document):
        ProgressLine()(Remark(said))
    return text_for(path.suffix, document_rows(document))


def _write(render: Callable[[Document], str], document: Document, path: Path) -> None:
    deliver(path, render(document))


def write_pdf(document: Document, path: Path, paper: str = "") -> tuple[list[Path], list[AdvisorError]]:
    """Draw the PDF; returns as ``write_texts``."""
    return _run_jobs([(path, lambda target: print_pdf(document, target, paper))])


def _run_jobs(jobs: list[tuple[Path, Callable[[Path], None]]]) -> tuple[list[Path], list[AdvisorError]]:
    written: list[Path] = []
    failed: list[AdvisorError] = []
    for path, write in jobs:
        try:
            write(path)
            written.append(path)
        except AdvisorError as error:
            failed.append(error)
    return written, failed


def print_pdf(document: Document, path: Path, paper: str = "") -> None:
    """Draw the PDF in a process of its own, in this one's language: the engine knows no toolkit.

    Args:
        document: what to draw.
        path: where to.
        paper: "a4" or "letter"; "" for the one of this user's country.

    Raises:
        AdvisorError: PySide6 is missing, or drawing failed.
    """
    _print(json_text(document_json(document)), path, paper)


def print_server_pdf(document: "ServerDocument", path: Path, paper: str = "") -> None:
    """The same of a measured server. Raises as ``print_pdf``."""
    from advisor.report.server_document import document_text

    _print(document_text(document), path, paper)


def print_import_pdf(report: "ImportReport", path: Path, paper: str = "") -> None:
    """The same of imported figures. Raises as ``print_pdf``."""
    from advisor.report.import_report import report_text

    _print(report_text(report), path, paper)


def _print(result: str, path: Path, paper: str) -> None:
    try:
        with tempfile.TemporaryDirectory() as scratch:
            source = Path(scratch) / "result.json"
            source.write_text(result, encoding="utf-8")
            wishes = [wish for wish in (paper, language()) if wish not in ("", ENGLISH)]
            command = [*module_command("ui.printing"), str(source), str(path.absolute()), *wishes]
            done = subprocess.run(
                command,
                env=own_environment(os.environ),
                capture_output=True,
                text=True,
                timeout=PRINT_LIMIT_S,
                check=False,
                start_new_session=sys.platform != "win32",  # Ctrl+C is for us, not for the drawing
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AdvisorError(f"The PDF could not be drawn: {error}.", "Write --md or --json instead.") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        reason = lines[-1] if "Traceback" in done.stderr else lines[0].removeprefix("two-machines: ")
        raise AdvisorError(
            f"The PDF could not be written: {reason.rstrip('.')}.",
            "The other reports do not need it: --md FILE, --json FILE.",
        )
