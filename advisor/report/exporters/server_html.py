"""A measured server as one HTML file: the Markdown report's words and numbers, with charts as SVG."""

from advisor.core.translation import tr
from advisor.report.exporters import server_svg
from advisor.report.exporters.as_html import html_page
from advisor.report.exporters.server_markdown import server_markdown
from advisor.report.server_document import ServerDocument
from advisor.report.server_words import STUTTER_TITLE, USERS_TITLE, WAITS_TITLE


def server_html(document: ServerDocument) -> str:
    """The whole report, ready to be written."""
    result = document.result
    drawn = {
        WAITS_TITLE: server_svg.first_token(result),
        USERS_TITLE: server_svg.speeds(result),
        STUTTER_TITLE: server_svg.token_clock(result),
    }
    charts = {f"## {tr(title)}": [text] for title, text in drawn.items() if text}
    name = result.facts.model or result.facts.base_url
    return html_page(f"{name}: {document.verdict.sentence}", server_markdown(document), charts)
