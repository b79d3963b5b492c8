"""Mixtures of experts as reports name them: what of such a model one token uses.

A report tells the size and the number of parameters of a whole file. Shapes are those of the models' published
``config.json``; the share of the experts in the bytes is taken as that in the parameters.
"""

import re
from dataclasses import dataclass
from typing import Final

from advisor.gguf.traffic import RecurrentLayer, Traffic

_ACTIVE: Final = re.compile(r"(\d+(?:\.\d+)?)B[.-]A(\d+(?:\.\d+)?)B", re.IGNORECASE)
_MIXTURE: Final = re.compile(
    r"moe\b|\d+x\d+(?:\.\d+)?B|deepseek[ -]?(?:2|v[23]|r1)\b(?!.?distill)|gpt-?oss|llama-?4|grok|dbrx",
    re.IGNORECASE,
)  # fmt: skip
SAME: Final = 0.003
"""Counts of parameters that differ by less belong to one model."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A published mixture; counts of parameters in billions."""

    name: str
    total: float
    of_experts: float
    experts: int
    used: int
    layers: int


SHAPES: Final = (
    Shape("8x7B", 46.7, 45.0978, 8, 2, 32),
    Shape("30B.A3B", 30.53, 28.9911, 128, 8, 48),
    Shape("235B.A22B", 235.09, 227.0950, 128, 8, 94),
    Shape("35B.A3B", 34.66, 32.2123, 256, 8, 40),
    Shape("gpt-oss 20B", 20.91, 19.1103, 32, 4, 24),
    Shape("gpt-oss 120B", 116.83, 114.6618, 128, 4, 36),
    Shape("nemotron 31B", 31.58, 29.3729, 128, 6, 52),
    Shape("671B", 671.03, 653.9087, 256, 8, 61),
)


def is_mixture(name: str) -> bool:
    """Whether the name alone says that a token does not use all weights."""
    return bool(_ACTIVE.search(name) or _MIXTURE.search(name))


def shape_of(name: str, parameters: int | None) -> Shape | None:
    """The published shape of what its name calls a mixture, by its count of parameters, else by its name."""
    if not is_mixture(name):
        return None
    if parameters:
        near = (shape for shape in SHAPES if abs(parameters / 1e9 / shape.total - 1) < SAME)
        return next(near, None)
    words = _plain(name)
    return next((shape for shape in SHAPES if _plain(shape.name) in words), None)


def active_share(name: str) -> float | None:
    """Share of the weights that a token uses, as names tell it ("30B.A3B"); None where they do not."""
    found = _ACTIVE.search(name)
    return float(found[2]) / float(found[1]) if found and float(found[1]) > 0 else None


def traffic_of(shape: Shape, model_bytes: int, parameters: int) -> Traffic:
    """Of a file of that size, attention left out."""
    in_experts = shape.of_experts / shape.total
    expert_bytes, expert_elements = model_bytes * in_experts, parameters * in_experts
    return Traffic(
        dense_bytes=round(model_bytes - expert_bytes), head_bytes=0, expert_bytes=round(expert_bytes),
        experts=shape.experts, experts_used=shape.used, row_bytes=0,
        block_elements=round(parameters - expert_elements * (1 - shape.used / shape.experts)), head_elements=0,
        last_ffn_elements=0, attention=(),
        recurrent=unseen_layers(shape.layers),
    )  # fmt: skip


def unseen_layers(count: int) -> tuple[RecurrentLayer, ...]:
    """So many layers of which nothing else is known."""
    return (RecurrentLayer("not looked at", 0, 0),) * count


def _plain(name: str) -> str:
    return re.sub(r"[ ._-]", "", name.lower())
