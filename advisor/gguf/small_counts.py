"""Counts of what a step does beside matrices and attention, as a frozen value."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class SmallWork:
    """Small operations of one token over all layers.

    Attributes:
        norms: normalisations, each with its scaling.
        norm_elements: that they go over.
        gates: feed-forward parts, routed experts of one layer together.
        gate_elements: between their two matrices, the used experts of a token only.
    """

    norms: int = 0
    norm_elements: int = 0
    gates: int = 0
    gate_elements: int = 0


NOT_COUNTED: Final = SmallWork()
"""Of models that are not understood."""
