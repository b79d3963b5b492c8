"""``compare`` in a terminal."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from advisor.cli import targets, terminal
from advisor.cli.progress_line import ProgressLine
from advisor.gguf.readable import readable
from advisor.session.events import Remark

if TYPE_CHECKING:
    from advisor.comparison.model import Comparison

SHOWN: int = 2000


def run_compare(arguments: argparse.Namespace) -> int:
    """The comparison as asked for; the exit code. Raises BadFile, StoreError, CannotWrite."""
    from advisor.benchmarks.store.store import Store
    from advisor.report.exporters.compare_json import compare_json
    from advisor.report.exporters.compare_markdown import compare_markdown
    from advisor.session.comparing import compared
    from advisor.session.paths import user_paths

    store = Store(user_paths().results, lambda sentence, hint: ProgressLine()(Remark(sentence, hint)))
    found = compared(arguments.results, store)
    if arguments.json:
        terminal.emit_json(arguments.json, compare_json(found))
    if arguments.md:
        targets.deliver(arguments.md, compare_markdown(found))
    if not targets.printed(arguments):
        show_comparisons(found)
        for path in (arguments.json, arguments.md):
            if path:
                print(f"Written: {path}")
    return 0


def show_comparisons(found: "Sequence[Comparison]") -> None:
    """Every other side against the first, as tables and sentences."""
    from advisor.report import compare_words as words

    terminal.show_paragraph(_shown(f"First, {found[0].base.name}: {words.side_words(found[0].base)}"))
    for each in found:
        print()
        print(_shown(words.title(each)))
        if each.other != each.base:
            terminal.show_paragraph(_shown(words.side_words(each.other)), "  ")
        for head, rows in (
            (words.HEAD, words.pair_rows(each)),
            (words.CEILING_HEAD, words.ceiling_rows(each)),
            (words.GAP_HEAD, words.gap_rows(each)),
        ):
            if rows:
                terminal.columns([head, *(tuple(_shown(cell) for cell in row) for row in rows)])
        for sentence in words.sentences(each):
            terminal.show_paragraph(_shown(sentence), "  ")


def _shown(text: str) -> str:
    return readable(text, SHOWN)
