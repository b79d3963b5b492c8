"""Finds the file that a quantised model was made from, if it lies on this machine."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from advisor.ceilings.quantised import is_original
from advisor.core.errors import AdvisorError
from advisor.gguf.architecture import read_model
from advisor.gguf.discover.model import FoundModel
from advisor.gguf.model import ModelFacts
from advisor.gguf.quant_types import FILE_TYPE_LABELS

_LABELS: Final = sorted({*FILE_TYPE_LABELS.values(), "FP16", "FP32", "Q3_K", "Q4_K", "Q5_K"}, key=len, reverse=True)
_QUANTISATION: Final = re.compile(rf"[-._ ]?(?:{'|'.join(_LABELS)})(?=$|[-._ ])|:latest$", re.IGNORECASE)
_SAME_SIZE: Final = 0.005
"""Share by which the parameters may differ: a tied head may be stored twice."""


def original_of(model: ModelFacts, there: Iterable[FoundModel]) -> ModelFacts | None:
    """The unquantised file of the same model among those on this machine; None where there is none.

    Names tell which files are worth opening, their headers which is the one.
    """
    wanted = bare_name(model.path.stem)
    for found in there:
        larger = found.size_bytes > model.file_bytes and not found.missing_shards
        if larger and bare_name(found.name) == wanted:
            try:
                other = read_model(found.path)
            except AdvisorError:
                continue
            if _same(model, other) and is_original(other):
                return other
    return None


def bare_name(name: str) -> str:
    """A file's name without its quantisation, shard number and case."""
    stem = re.sub(r"-\d{5}-of-\d{5}$", "", name)
    return _QUANTISATION.sub("", stem).casefold().strip("-._ ")


def _same(model: ModelFacts, other: ModelFacts) -> bool:
    facts: tuple[Callable[[ModelFacts], object], ...] = (
        lambda each: each.architecture,
        lambda each: each.layers.or_none(),
        lambda each: each.embedding_length.or_none(),
        lambda each: each.vocabulary.or_none(),
    )
    alike = all(fact(model) == fact(other) for fact in facts)
    return alike and abs(other.parameters - model.parameters) <= _SAME_SIZE * model.parameters
