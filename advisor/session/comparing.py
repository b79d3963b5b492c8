"""From what a user types to the sides of a comparison: a run's number or label, or a file."""

import os
from pathlib import Path
from typing import Final

from advisor.benchmarks.store.model import StoredRun
from advisor.benchmarks.store.store import Store
from advisor.comparison.compare import compare
from advisor.comparison.model import Comparison, Side
from advisor.core.errors import BadFile
from advisor.core.translation import tr
from advisor.importing.reading import read_report
from advisor.importing.text import decoded
from advisor.report.loader import file_bytes
from advisor.report.sides import side_of_json, side_of_report, side_of_run
from advisor.session.own_result import own_result
from advisor.session.past import kept_document

MOST_DIGITS: Final = 20
"""Of a run's number; more digits are a name."""


def compared(words: list[str], store: Store) -> tuple[Comparison, ...]:
    """Every other side against the first.

    Raises:
        BadFile: no such label or file, a file that cannot be used, or fewer than two sides in all.
        StoreError: no such run, a deleted one, or a history that cannot be read.
    """
    sides = [side for word in words for side in sides_of(word, store)]
    if len(sides) < 2:
        raise BadFile(
            tr("There is one result only, and nothing to hold it against."), tr("Name another run, label or file.")
        )
    return tuple(compare(sides[0], other) for other in sides[1:])


def sides_of(word: str, store: Store) -> list[Side]:
    """The sides that one word names: a number is a run; then files; then labels.

    A file with several models gives a side for each.

    Raises:
        BadFile: no such label or file, or a file that cannot be used.
        StoreError: no such run, a deleted one, or a history that cannot be read.
    """
    if word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS:
        return [_side(store.run(int(word)), store)]
    if os.path.exists(word):  # noqa: PTH110  # unlike Path.exists it does not raise for a label that no file could have
        return _sides_of_file(Path(word))
    labelled = store.labelled(word)
    if labelled is None:
        raise BadFile(
            tr("There is no run or file {name}.", name=word), tr("See the runs there are: two-machines history")
        )
    return [_side(labelled, store)]


def _side(run: StoredRun, store: Store) -> Side:
    """The side of a run. Raises BadFile where nothing was measured in it."""
    side = side_of_run(run, kept_document(run, store) if run.imported is None else None)
    if not side.tests:
        raise BadFile(
            tr("Nothing was measured in {name}.", name=side.name), tr("See the runs there are: two-machines history")
        )
    return side


def _sides_of_file(path: Path) -> list[Side]:
    text = decoded(file_bytes(path, tr("Name a run's number or label, or a file of results.")), path.name)
    ours = own_result(text, path.name)
    if ours is not None:
        return [side_of_json(ours, path.name)]
    runs = read_report(text, path.name)
    names = [path.name] if len(runs) == 1 else [f"{path.name}, {i + 1}" for i in range(len(runs))]
    return [side_of_report(run, name) for run, name in zip(runs, names, strict=True)]
