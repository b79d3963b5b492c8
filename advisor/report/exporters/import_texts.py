"""Figures of another tool as Markdown and as one HTML file: the answer first, then its device, figures and source."""

from collections.abc import Iterable

from advisor.report import formatting as f
from advisor.report.exporters.as_html import html_page
from advisor.report.exporters.markdown_table import escaped, table
from advisor.report.import_report import STAMP, ImportReport


def import_markdown(report: ImportReport) -> str:
    """The whole report."""
    sections = (
        f"# {escaped(report.model)}",
        escaped(report.answer),
        f"**Stamp:** {escaped(STAMP)}.",
        _list("## The device", report.device),
        "## What was measured\n\n" + table(report.head, report.rows, frozenset({2, 3})),
        *(escaped(words) for words in report.remarks),
        _list("## Where it comes from", [f"{name}: {words}" for name, words in report.facts]),
        escaped(made_by(report)),
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def import_html(report: ImportReport) -> str:
    """The same as one file without network."""
    return html_page(f"{report.model}: imported figures", import_markdown(report), {})


def made_by(report: ImportReport) -> str:
    """Program, version and moment."""
    return f"Two Machines {report.app_version}, {f.date_time(report.created_at)}."


def _list(heading: str, lines: Iterable[str]) -> str:
    items = [f"- {escaped(line)}" for line in lines]
    return f"{heading}\n\n" + "\n".join(items) if items else ""
