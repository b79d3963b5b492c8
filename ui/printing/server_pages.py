"""The report of a measured server: verdict and settings first, then what was measured, then how."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.translation import tr
from advisor.report import formatting as f
from advisor.report import server_charts
from advisor.report.codec import json_text
from advisor.report.exporters.files import write_atomically
from advisor.report.exporters.server_json import server_json
from advisor.report.exporters.server_markdown import NO_ADVICE, made_by, problems, repeat_command, subject
from advisor.report.server_charts import TokenClock
from advisor.report.server_document import ServerDocument
from advisor.report.server_words import (
    STUTTER_TITLE,
    USERS_TITLE,
    Table,
    advice_words,
    server_pairs,
    server_tables,
    stamp_words,
)
from ui.printing import style
from ui.printing.batching import speeds_chart
from ui.printing.blocks import Column, code, paragraph, section, subheading, table
from ui.printing.canvas import CENTRE, RIGHT, Canvas
from ui.printing.details_pages import Attached
from ui.printing.flow import Piece, space
from ui.printing.paper import Paper
from ui.printing.pdf import Around, drawn

ROW: Final = 13.0
NAMES: Final = 58.0
PAIRS: Final = (Column("", 24, kind=style.SMALL_QUIET), Column("", 84))


def print_server(document: ServerDocument, path: Path, paper: Paper | None = None) -> None:
    """Draw the report and write it; as ``pdf.print_document``, which says what is raised."""
    write_atomically(path, server_pdf_bytes(document, paper))


def server_pdf_bytes(document: ServerDocument, paper: Paper | None = None) -> bytes:
    """The PDF itself. Raises CannotPrint."""
    result = document.result
    stamp = tr("suspect") if result.doubts else tr("valid")
    footer = f"{result.facts.kind} · two-machines {document.app_version} · {stamp}"
    around = Around(
        result.facts.model or result.facts.base_url, document.created_at, document.app_version, footer
    )
    body = json_text(server_json(result, document.settings, document.verdict))
    return drawn(around, body, lambda canvas, attached: _pieces(canvas, document, attached), paper)


def _pieces(canvas: Canvas, document: ServerDocument, attached: Attached) -> list[Piece]:
    return [
        *_top(canvas, document),
        *_said(canvas, tr("What its users feel"), document.verdict.findings),
        *_advice(canvas, document),
        *_said(canvas, tr("What will not help"), document.verdict.will_not_help),
        *(piece for each in server_tables(document.result) for piece in _table(canvas, document, each)),
        *_said(canvas, tr("What did not work"), problems(document)),
        *section(canvas, tr("The server")),
        *table(canvas, PAIRS, server_pairs(document.result)),
        *_method(canvas, document, attached),
    ]


def _top(canvas: Canvas, document: ServerDocument) -> list[Piece]:
    pieces = paragraph(canvas, document.verdict.sentence, replace(style.TITLE, size=15.0), max_lines=8)
    pieces = [replace(piece, mark=tr("The verdict")) for piece in pieces]
    pieces += [space(6), *paragraph(canvas, subject(document), style.SUBJECT)]
    if document.result.interrupted:
        words = tr("Not complete: {reason}", reason=document.result.interrupted)
        pieces += [space(4), *paragraph(canvas, words, style.STRONG)]
    stamp = tr("Stamp: {stamp}.", stamp=stamp_words(document.result))
    return [*pieces, space(4), *paragraph(canvas, stamp, style.QUIET)]


def _said(canvas: Canvas, title: str, sentences: "tuple[str, ...] | list[str]") -> list[Piece]:
    pieces = [piece for sentence in sentences for piece in (*paragraph(canvas, sentence), space(4))]
    return [*section(canvas, title), *pieces] if pieces else []


def _advice(canvas: Canvas, document: ServerDocument) -> list[Piece]:
    pieces = section(canvas, tr("What to set"))
    if not document.verdict.advice:
        return [*pieces, *paragraph(canvas, tr(NO_ADVICE))]
    for number, advice in enumerate(document.verdict.advice, 1):
        pieces += subheading(canvas, f"{number}. {advice.title}")
        for words in advice_words(advice):
            pieces += code(canvas, words) if words == advice.command else [*paragraph(canvas, words), space(3)]
    return pieces


def _table(canvas: Canvas, document: ServerDocument, found: Table) -> list[Piece]:
    pieces = [*section(canvas, tr(found.title)), *_chart(document, found.title)]
    if found.rows:
        columns = [Column(tr(name), 2.0 if at == 0 else 1.0, RIGHT if at else Column("", 1).align)
                   for at, name in enumerate(found.head)]  # fmt: skip
        pieces += [*table(canvas, columns, found.rows), space(4)]
    return [*pieces, *(piece for sentence in found.sentences for piece in paragraph(canvas, sentence, style.QUIET))]


def _chart(document: ServerDocument, title: str) -> list[Piece]:
    """The picture that belongs above a table; nothing where there is too little for one."""
    if title in (USERS_TITLE, tr(USERS_TITLE)) and (points := server_charts.speeds(document.result)):
        together = [(float(point.users), point.together) for point in points]
        each = [(float(point.users), point.each) for point in points]
        return speeds_chart(together, each, [], document.comfort.slowest_tokens_per_s, tr("users at once"))
    clock = server_charts.token_clock(document.result) if title in (STUTTER_TITLE, tr(STUTTER_TITLE)) else None
    return [_clock(clock)] if clock is not None else []


def _clock(clock: TokenClock) -> Piece:
    """Every stream's tokens as ticks, over the time in which the long prompt was read."""
    height = ROW * len(clock.rows)
    scale = (style.CONTENT_WIDTH - NAMES) / clock.length_s

    def draw(c: Canvas, x: float, y: float) -> None:
        begin, end = x + NAMES + clock.begin_s * scale, x + NAMES + clock.end_s * scale
        c.box(begin, y, end - begin, height, style.PREFILL_SOFT)
        for index, row in enumerate(clock.rows):
            top = y + ROW * index
            ink = style.PHASE_INK[Phase.PREFILL if index == len(clock.rows) - 1 else Phase.DECODE]
            c.write(row.name, style.CHART, x, top + 9)
            for at_s in row.at_s:
                across = x + NAMES + at_s * scale
                c.line([(across, top + 2.5), (across, top + ROW - 2.5)], ink, 0.8)
        words = tr("the prompt is read: {time}", time=f.seconds(clock.end_s - clock.begin_s))
        c.write(words, style.CHART, min((begin + end) / 2, x + style.CONTENT_WIDTH - 60), y + height + 10, CENTRE)

    return Piece(height + 16, draw, keep_with_next=True)


def _method(canvas: Canvas, document: ServerDocument, attached: Attached) -> list[Piece]:
    words = tr(
        "All figures of this report, with every single request, lie in it as the attached file {name}. Its SHA-256:",
        name=attached.name,
    )
    return [
        *section(canvas, tr("How to repeat this")),
        *code(canvas, repeat_command(document)),
        *section(canvas, tr("The data")),
        *paragraph(canvas, words, keep_with_next=True),
        *code(canvas, attached.sha256),
        space(6),
        *paragraph(canvas, tr("Made by {program}", program=made_by(document)), style.SMALL_QUIET),
    ]
