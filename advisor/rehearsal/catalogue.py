"""Current open models, from ``resources/models.csv``: their shapes, and where those are from."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from advisor.core.errors import UsageError
from advisor.core.translation import tr
from advisor.gguf.readable import readable
from advisor.rehearsal.shape import Shape

FILE: Final = "models.csv"
_COUNTS: Final = (
    "layers", "embedding", "heads", "kv_heads", "head_length", "feed_forward", "vocabulary", "context", "experts",
    "experts_used", "expert_feed_forward", "shared_feed_forward", "dense_layers", "window",
)  # fmt: skip
"""Columns that are fields of ``Shape``; empty means 0."""


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """One row.

    Attributes:
        name: as its makers write it, without theirs ("Qwen3-8B").
        maker: who made it.
        shape: what its tensors follow from.
        parameters: of the text model, as published; exact where the card or the files give the number.
        source: address of the ``config.json`` that the shape is from, and of the count where it is elsewhere.
        looked_up: ISO date.
    """

    name: str
    maker: str
    shape: Shape
    parameters: int
    source: str
    looked_up: str


@cache
def load() -> tuple[CatalogueModel, ...]:
    """Every row, in the file's order: by maker, then by size."""
    text = files("resources").joinpath(FILE).read_text(encoding="utf-8")
    return tuple(parse(text.splitlines()))


def parse(lines: Iterable[str]) -> Iterable[CatalogueModel]:
    """The rows of a table with a line of names."""
    for row in csv.DictReader(lines):
        counts = {name: int(row[name] or 0) for name in _COUNTS}
        more = tuple((name, int(value)) for name, _, value in (pair.partition("=") for pair in row["more"].split()))
        yield CatalogueModel(
            name=row["name"],
            maker=row["maker"],
            shape=Shape(architecture=row["architecture"], tied=row["tied"] == "yes", more=more, **counts),
            parameters=int(row["parameters"]),
            source=row["source"],
            looked_up=row["looked_up"],
        )


def find(name: str) -> CatalogueModel:
    """The model of this name; case, spaces, dots and dashes do not count.

    Raises:
        UsageError: there is none, or the beginning fits several.
    """
    wanted = _plain(name)
    found = [model for model in load() if _plain(model.name) == wanted]
    if not found:
        found = [model for model in load() if wanted and wanted in _plain(model.name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            tr("Several models have {name} in their names.", name=readable(name)),
            tr("Choose one of: {names}.", names=", ".join(model.name for model in found)),
        )
    raise UsageError(
        tr("There is no model named {name} in the catalogue.", name=readable(name) or tr("(empty)")),
        tr("See two-machines rehearse --list, or give a config.json or the address of a GGUF file."),
    )


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
