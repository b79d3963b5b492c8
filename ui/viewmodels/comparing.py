"""Two runs held against each other, and a run beside the one before it, as the history page shows them."""

from dataclasses import dataclass, field

from advisor.comparison.model import Comparison
from advisor.comparison.trend import RunPast
from advisor.core.translation import tr
from advisor.gguf.readable import readable
from advisor.report import compare_words, trend_words

LONGEST = 2000


@dataclass(frozen=True, slots=True)
class CompareTable:
    """A table; ``name`` says which, the same in every language."""

    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class CompareState:
    """A comparison.

    Attributes:
        sides: what the first and the other run are.
        tables: those that have rows: tests, ceilings, compute gap and bandwidth gap.
    """

    title: str
    sides: tuple[str, str]
    tables: tuple[CompareTable, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PastState:
    """What changed since the run before; no sentences where there is none."""

    number: int
    sentences: tuple[str, ...]
    head: tuple[str, ...] = field(default_factory=lambda: tuple(tr(name) for name in trend_words.SERIES_HEAD))
    rows: tuple[tuple[str, ...], ...] = ()


def present_comparison(found: Comparison) -> CompareState:
    """The words and tables of ``compare``, as in a terminal."""
    tables = (
        ("Tests", compare_words.HEAD, compare_words.pair_rows(found)),
        ("Ceilings", compare_words.CEILING_HEAD, compare_words.ceiling_rows(found)),
        ("Gaps", compare_words.GAP_HEAD, compare_words.gap_rows(found)),
    )
    first, other = (compare_words.side_words(side) for side in (found.base, found.other))
    return CompareState(
        _shown(compare_words.title(found)),
        (
            _shown(tr("First, {name}: {what}", name=found.base.name, what=first)),
            _shown(tr("This, {name}: {what}", name=found.other.name, what=other)),
        ),
        tuple(
            CompareTable(
                name, tuple(tr(title) for title in head), tuple(tuple(_shown(cell) for cell in row) for row in rows)
            )
            for name, head, rows in tables
            if rows
        ),
        tuple(_shown(words) for words in compare_words.sentences(found)),
    )


def present_past(past: RunPast) -> PastState:
    """Sentences for each phase, and the runs with the same settings where there are several."""
    rows = [row for line in past.lines if len(line) > 1 for row in trend_words.series_rows(line[:6])]
    said = tuple(_shown(words) for words in trend_words.change_sentences(past.changes))
    return PastState(past.run, said, rows=tuple(rows))


def _shown(text: str) -> str:
    return readable(text, LONGEST)
