"""Comparisons as Markdown, for issues and forums."""

from collections.abc import Sequence

from advisor.comparison.model import Comparison
from advisor.core.translation import tr
from advisor.report import compare_words as words
from advisor.report.exporters.markdown_table import escaped, listed_lines, table
from advisor.report.privacy import without_personal_paths


def compare_markdown(comparisons: Sequence[Comparison]) -> str:
    """All comparisons with the first side, each with its tables and what they come to."""
    clean = [without_personal_paths(each) for each in comparisons]
    first = clean[0].base
    opening = tr("**First, {name}:** {side}", name=escaped(first.name), side=escaped(words.side_words(first)))
    parts = [f"# {tr('Results compared')}", opening]
    for each in clean:
        parts += [f"## {escaped(words.title(each))}", escaped(words.side_words(each.other))]
        for head, rows, numbers in (
            (words.HEAD, words.pair_rows(each), frozenset({1, 2, 3, 4})),
            (words.CEILING_HEAD, words.ceiling_rows(each), frozenset({1, 2, 3})),
            (words.GAP_HEAD, words.gap_rows(each), frozenset({1, 2})),
        ):
            parts += [table(tuple(map(tr, head)), rows, numbers)] if rows else []
        parts.append(listed_lines(words.sentences(each)))
    return "\n\n".join(parts) + "\n"
