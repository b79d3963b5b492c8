"""Which files the window reads and writes, in the words of its file dialogs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from advisor.core.translation import marked, tr

PROMPT_FILTER: Final = marked("Text (*.txt *.md *.prompt);;All files (*)")
MODEL_FILTER: Final = marked("GGUF models (*.gguf);;All files (*)")
RESULT_FILTER: Final = marked("Results (*.json *.jsonl *.csv *.md *.txt *.log *.sql);;All files (*)")
SERVER_FILTERS: Final = {"json": marked("JSON result (*.json)"), "txt": marked("Text (*.txt)")}
REPORT_FILTERS: Final = {
    "pdf": marked("PDF report (*.pdf)"), "html": marked("Web page (*.html)"), "md": marked("Markdown (*.md)"),
    "csv": marked("Table (*.csv)"), "json": marked("JSON result (*.json)"),
}  # fmt: skip
OTHER_ENDINGS: Final = {"markdown": "md", "htm": "html"}


def said(filters: Mapping[str, str]) -> dict[str, str]:
    """The words of each ending in the user's language."""
    return {ending: tr(words) for ending, words in filters.items()}


def report_kind(path: Path) -> str:
    """The kind of report that a file's ending asks for; a PDF where it asks for none."""
    ending = path.suffix.lower().lstrip(".")
    kind = OTHER_ENDINGS.get(ending, ending)
    return kind if kind in REPORT_FILTERS else "pdf"
