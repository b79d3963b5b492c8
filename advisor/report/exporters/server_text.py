"""What was measured of a server, as plain text."""

from advisor.core.translation import tr
from advisor.report.server_words import Table, advice_words, failure_words, server_pairs, server_tables
from advisor.servers.advice import ServerVerdict
from advisor.servers.model import ServerResult


def server_text(result: ServerResult, verdict: ServerVerdict) -> str:
    """The figures, tables, verdict and settings that the command ``server`` prints; never a key."""
    lines = [tr("Server {url}", url=result.facts.base_url), ""]
    lines += [f"{label}: {value}" for label, value in server_pairs(result)]
    for table in server_tables(result):
        lines += ["", *_table(table)]
    lines += ["", tr("Verdict"), verdict.sentence, *verdict.findings, *verdict.will_not_help]
    for number, advice in enumerate(verdict.advice, 1):
        lines += ["", f"{number}. {advice.title}", *advice_words(advice)]
    missing = [f"{failure_words(part, failure)} {failure.hint}".strip() for part, failure in result.failures.items()]
    missing += [*result.left_out, *([result.interrupted] if result.interrupted else [])]
    if missing:
        lines += ["", tr("What did not work"), *missing]
    return "\n".join(lines) + "\n"


def _table(table: Table) -> list[str]:
    rows = [table.head, *table.rows] if table.rows else []
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.head))] if rows else []
    shown = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return [table.title, *shown, *table.sentences]
