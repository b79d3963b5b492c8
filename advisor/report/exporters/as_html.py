"""The report as one HTML file without network: the Markdown report's words and numbers, with charts as SVG.

The text is rendered from our own Markdown, so that words have one place. Colours follow the reader's system, light or
dark; on paper it is light. The same document gives the same bytes.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from advisor.core.translation import language, tr
from advisor.report import wording
from advisor.report.answering import spoken
from advisor.report.document import Document
from advisor.report.exporters import svg
from advisor.report.exporters.markdown import ONE_REQUEST, TWO_MACHINES, document_markdown
from advisor.report.privacy import without_personal_paths
from advisor.report.waterfall_words import TITLE as WATERFALL_TITLE

STYLE: Final = """
:root { color-scheme: light dark; --ground: #f4f5f7; --surface: #ffffff; --line: #e3e6eb; --text: #1b1f27;
  --muted: #5d6678; --prefill: #b14d06; --prefill-soft: #fff1e6; --decode: #1257c4; --decode-soft: #e8f0fe; }
@media screen and (prefers-color-scheme: dark) { :root { --ground: #14171c; --surface: #1d2127; --line: #2d333c;
  --text: #eceff4; --muted: #98a2b3; --prefill: #ff9d57; --prefill-soft: #33241a; --decode: #7db0ff;
  --decode-soft: #1b2740; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, "Segoe UI", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; background: var(--surface); overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { margin-top: 2rem; border-top: 1px solid var(--line);
  padding-top: 1rem; font-size: 1.25rem; } h3 { font-size: 1.05rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; } .number { text-align: right; font-variant-numeric: tabular-nums; }
pre, code { font-family: ui-monospace, Consolas, monospace; font-size: .9rem; background: var(--ground); }
code { padding: 0 .2rem; } pre { padding: .7rem; white-space: pre-wrap; } pre code { padding: 0; }
figure { margin: 1rem 0; } figure svg { display: block; width: 100%; height: auto; }
@media print { body, main { background: #ffffff; font-size: 10pt; } main { max-width: none; padding: 0; }
  figure, tr, pre { break-inside: avoid; } h2, h3 { break-after: avoid; } .wide { overflow: visible; } }
"""
"""The palette of the window (ui/theme/palette.py); a test holds the two against each other."""

Charts = dict[str, list[str]]
"""Chart texts by the heading that they stand under."""

_INLINE: Final = re.compile(r"\\(.)|\*\*(.+?)\*\*|`([^`]+)`|([^\\*`]+)|([\\*`])", re.DOTALL)
_RULE: Final = re.compile(r"\|(?: (?:---|--:) \|)+")
_ITEM: Final = re.compile(r"( *)- (.*)")


def document_html(document: Document) -> str:
    """The whole report, ready to be written."""
    clean = without_personal_paths(spoken(document), model_path=document.model.path)
    title = f"{wording.model_words(clean.model)}: {wording.headline(clean)}"
    return html_page(title, document_markdown(clean), _charts(clean))


def html_page(title: str, markdown: str, charts: Charts) -> str:
    """A whole page out of our own Markdown, with charts below the headings that they belong to."""
    body = "\n".join(_blocks(markdown.splitlines(), charts))
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _charts(document: Document) -> Charts:
    drawn = {
        f"## {tr(ONE_REQUEST)}": [svg.request_bar(document)],
        f"## {tr(TWO_MACHINES)}": [svg.phases(document), svg.roofline(document)],
        f"## {tr(WATERFALL_TITLE)}": [svg.waterfall(found) for found in document.waterfalls],
        **{f"### {title}": [text] for title, text in svg.sweeps(document)},
    }
    return {heading: [text for text in texts if text] for heading, texts in drawn.items()}


def _blocks(lines: list[str], charts: Charts) -> Iterator[str]:
    """Our own Markdown, line by line: headings, tables, lists, fenced code, paragraphs."""
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            fence = line.strip()
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip() == fence), len(lines))
            yield f"<pre><code>{escape(chr(10).join(lines[at + 1 : end]))}</code></pre>"
            at = end + 1
        elif line.startswith("#"):
            marks, _, words = line.partition(" ")
            yield f"<h{len(marks)}>{_inline(words)}</h{len(marks)}>"
            yield from (f"<figure>{text}</figure>" for text in charts.get(line, ()))
            at += 1
        elif line.startswith("| ") and at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1]):
            end = next((i for i in range(at, len(lines)) if not lines[i].startswith("|")), len(lines))
            yield _table(lines[at], lines[at + 1], lines[at + 2 : end])
            at = end
        elif _ITEM.match(line):
            end = next((i for i in range(at, len(lines)) if not lines[i].strip()), len(lines))
            yield _list(lines[at:end])
            at = end
        else:
            if line.strip():
                yield f"<p>{_inline(line.strip())}</p>"
            at += 1


def _inline(text: str) -> str:
    """Escapes, bold and code of one line as HTML; everything else is text."""
    parts = []
    for found in _INLINE.finditer(text):
        literal, bold, code, plain, mark = found.groups()
        if bold is not None:
            parts.append(f"<strong>{_inline(bold)}</strong>")
        elif code is not None:
            parts.append(f"<code>{escape(code)}</code>")
        else:
            parts.append(escape(literal or plain or mark))
    return "".join(parts)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


def _table(head: str, rule: str, rows: Iterable[str]) -> str:
    kinds = [' class="number"' if cell == "--:" else "" for cell in _cells(rule)]

    def row(line: str, tag: str) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        cells = zip(_cells(line), kinds, strict=False)
        return "<tr>" + "".join(f"<{tag}{scope}{kind}>{_inline(cell)}</{tag}>" for cell, kind in cells) + "</tr>"

    body = "\n".join(row(line, "td") for line in rows)
    return f'<div class="wide"><table>\n<thead>{row(head, "th")}</thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _list(lines: list[str]) -> str:
    """One list, its items' own items inside; a line without a mark goes on with the item before."""
    items: list[tuple[str, list[str]]] = []
    for line in lines:
        found = _ITEM.match(line)
        if found is None:
            if items:
                words, inner = items[-1]
                items[-1] = f"{words}<br>{_inline(line.strip())}", inner
        elif found[1] and items:
            items[-1][1].append(f"<li>{_inline(found[2])}</li>")
        else:
            items.append((_inline(found[2]), []))
    made = [f"<li>{words}{f'<ul>{chr(10).join(inner)}</ul>' if inner else ''}</li>" for words, inner in items]
    return "<ul>\n" + "\n".join(made) + "\n</ul>"
