"""What the label hides: shares of the tensor types, of the head, and of what one token reads."""

from dataclasses import dataclass

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.gguf.model import ModelFacts
from advisor.gguf.quant_types import BY_NAME

_MIXES = ("_S", "_M", "_L", "_MOE")
"""Endings of labels that name a recipe around one type, not the type itself."""


@dataclass(frozen=True, slots=True)
class TypeShare:
    """One tensor type; ``share`` is its part of all weight bytes, 0 to 1."""

    name: str
    bytes: int
    share: float


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file holds, whatever its label says.

    Attributes:
        types: the tensor types, largest first.
        bits_per_weight: bits of all tensors per parameter; Unknown for a file without parameters.
        label_type: the tensor type that the label names ("Q4_K" of "Q4_K_M"), empty when it names none.
        label_share: part of the weight bytes in that type, 0 to 1.
        head_share: part of the weight bytes in the output matrix, 0 to 1.
        read_share: bytes moved for one token (batch 1, depth 0) per byte of the file; above 1 only where a recurrent
            state outweighs what is never read.
    """

    types: tuple[TypeShare, ...]
    bits_per_weight: Fact[float]
    label_type: str
    label_share: Fact[float]
    head_share: Fact[float]
    read_share: Fact[float]


def contents(model: ModelFacts) -> Contents:
    """What this model's file holds."""
    total = model.weights_bytes
    nothing = Unknown(tr("the file holds no weights"), Missing.NOT_APPLICABLE)
    named = type_in_label(model.label.or_none() or "")
    label_share: Fact[float] = nothing
    if not named:
        label_share = Unknown(tr("the label names no tensor type"), Missing.NOT_APPLICABLE)
    elif total:
        label_share = Known(model.types.get(named, 0) / total, Basis.COMPUTED, tr("tensor table of the file"))
    head_share: Fact[float] = nothing
    read_share: Fact[float] = nothing
    if isinstance(model.traffic, Unknown):
        head_share = read_share = model.traffic
    elif total:
        traffic = model.traffic.value
        head_share = Known(traffic.head_bytes / total, Basis.COMPUTED, tr("tensor table of the file"))
        read_share = Known(traffic.bytes_per_token() / model.file_bytes, Basis.COMPUTED, model.traffic.source)
    bits: Fact[float] = nothing
    if model.parameters:
        bits = Known(8 * total / model.parameters, Basis.COMPUTED, tr("tensor table of the file"))
    return Contents(
        types=tuple(TypeShare(name, size, size / total if total else 0.0) for name, size in model.types.items()),
        bits_per_weight=bits,
        label_type=named,
        label_share=label_share,
        head_share=head_share,
        read_share=read_share,
    )


def type_in_label(label: str) -> str:
    """The tensor type that a quantisation label names; empty when it names none (IQ3_M mixes several)."""
    if label in BY_NAME:
        return label
    for ending in _MIXES:
        if label.endswith(ending) and label.removesuffix(ending) in BY_NAME:
            return label.removesuffix(ending)
    return ""
