"""What a quantisation costs in quality, from published comparisons in ``resources/quantisation_loss.csv``; pure.

Nothing here measures answers. A model's own size and what its quantisation loses are put on one scale, doublings of
parameters, by how much perplexity fell from one size to the next in one family of models.
"""

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from advisor.core.dates import day
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import count, fixed, percent
from advisor.core.translation import marked, tr, trc
from advisor.gguf.mixtures import NOT_QUANTISED

FILE: Final = "quantisation_loss.csv"

LOG_PERPLEXITY_PER_DOUBLING: Final = math.log(5.9066 / 5.2543) / math.log2(13.02 / 6.74)
"""LLaMA 7B and 13B in F16 (llama.cpp pull request 1684): 0.123. By it 13B in Q2_K (5.8545) is worth a little more than
7B in F16 (5.9066), as it was measured to be."""

NATIVE: Final = frozenset({"MXFP4_MOE", "MXFP4"})
"""Published by their makers in this form only, after training for it."""

MOST_LOSS: Final = 0.05
"""Rise of perplexity up to which a quantisation is offered for speed or size alone: Q4_K_S and finer on an 8B model.
Below it speed hardly rises any more while the loss explodes (llama.cpp's tools/quantize/README.md)."""


IMATRIX: Final = ", with an importance matrix"
"""Stands behind the name of a model that was quantised with one."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What a quantisation loses against the model in 16 bits.

    Attributes:
        perplexity: rise as a share, 0.028 for 2.8 %.
        divergence: mean KL divergence in nats; None where it was not published.
        same_top: share of positions with the same likeliest token; None likewise.
        model: on which it was measured, and whether with an importance matrix.
        parameters: of that model.
        source, looked_up: where it is from.
    """

    perplexity: float
    divergence: float | None
    same_top: float | None
    model: str
    parameters: int
    source: str
    looked_up: str

    @property
    def model_words(self) -> str:
        """The model, and how it was quantised, in the user's language."""
        if self.model.endswith(IMATRIX):
            return tr("{model}, with an importance matrix", model=self.model.removesuffix(IMATRIX))
        return tr(self.model)


@cache
def shipped() -> tuple[tuple[str, Loss], ...]:
    """(Recipe, loss) of every published row."""
    from importlib.resources import files  # 10 ms that other commands need not cost

    return parse(files("resources").joinpath(FILE).read_text(encoding="utf-8").splitlines())


def parse(lines: Iterable[str]) -> tuple[tuple[str, Loss], ...]:
    """Rows of the table's text; raises ValueError or KeyError for a table that is not ours."""
    return tuple(
        (
            row["recipe"],
            Loss(
                float(row["perplexity_ratio"]) - 1,
                float(row["divergence"]) if row["divergence"] else None,
                float(row["same_top"]) if row["same_top"] else None,
                row["model"] + (IMATRIX if row["imatrix"] == "yes" else ""),
                int(row["parameters"]),
                row["source"],
                row["looked_up"],
            ),
        )
        for row in csv.DictReader(lines)
    )


def loss_of(recipe: str, parameters: int) -> Fact[Loss]:
    """The loss on the published model nearest in size; Unknown for a recipe that nobody compared."""
    if recipe in NOT_QUANTISED:
        source = tr("16 bits are what others are compared with")
        none = Loss(0.0, 0.0, 1.0, marked("any model"), parameters, source, "")
        return Known(none, Basis.TABLE, none.source)
    if recipe in NATIVE:
        return Unknown(tr("its makers publish no finer form to compare it with"), Missing.NOT_APPLICABLE)
    rows = [loss for name, loss in shipped() if name == recipe]
    if not rows:
        return Unknown(tr("no comparison was found"), Missing.NOT_SUPPORTED)
    nearest = min(rows, key=lambda loss: abs(math.log(loss.parameters / parameters)))
    read = tr("{source}, read {day}", source=nearest.source, day=day(nearest.looked_up))
    return Known(nearest, Basis.TABLE, read)


def doublings(parameters: int, active: int, loss: Fact[Loss]) -> float:
    """A model's worth as the logarithm of a dense model's parameters, its quantisation's loss taken off.

    Of a mixture the geometric mean of all and of active parameters counts: a rule of thumb, which is said wherever it
    decides an order. An unknown loss counts as none.
    """
    size = math.log2(math.sqrt(parameters * active))
    known = loss.or_none()
    return size - (math.log1p(known.perplexity) / LOG_PERPLEXITY_PER_DOUBLING if known else 0.0)


def loss_words(loss: Fact[Loss]) -> str:
    """One clause for a table: "+2.8 % perplexity"."""
    if isinstance(loss, Unknown):
        return tr("as published") if loss.kind is Missing.NOT_APPLICABLE else tr("unknown")
    rise = loss.value.perplexity
    if rise <= 0:
        return trc("rise of perplexity", "none")
    return f"+{fixed(rise * 100, 1)}\u00a0%" if rise >= 0.001 else tr("under 0.1\u00a0%")


def loss_sentence(recipe: str, loss: Fact[Loss]) -> str:
    """What the quantisation costs, on which model and by whom it was measured."""
    if isinstance(loss, Unknown):
        return f"{recipe}: {loss.reason}."
    held = loss.value
    if held.perplexity <= 0 and held.divergence == 0:
        return f"{recipe}: {held.source}."
    more = []
    if held.divergence is not None:
        more.append(tr("mean divergence {value}", value=fixed(held.divergence, 4)))
    if held.same_top is not None:
        more.append(tr("the same likeliest token at {share} of the positions", share=percent(held.same_top)))
    said = f", {', '.join(more)}" if more else ""
    size = f"{count(held.parameters / 1e9)}B" if held.parameters >= 2e9 else f"{fixed(held.parameters / 1e9, 1)}B"
    return tr(
        "{recipe}: perplexity {rise} on {model} ({size}){more} ({source}).",
        recipe=recipe, rise=loss_words(loss), model=held.model_words, size=size, more=said, source=loss.source,
    )  # fmt: skip
