"""Counts what a step does beside matrices and attention: normalising, and what lies between feed-forward parts."""

from collections.abc import Iterable, Sequence
from math import prod

from advisor.gguf.layers import AttentionLayer
from advisor.gguf.modelling import SortedTensor
from advisor.gguf.small_counts import SmallWork
from advisor.gguf.tensor_roles import Role


def small_work(tensors: Sequence[SortedTensor], attention: Sequence[AttentionLayer], used: int) -> SmallWork:
    """Counted from the tensors of the trunk.

    Args:
        tensors: of the blocks that plain decode runs, and those around them.
        attention: the attention layers, whose heads are normalised one by one.
        used: experts of one token; 0 for a dense model.
    """
    norms = [t for t in tensors if "norm" in t.part.kind and t.info.name.endswith(".weight")]
    gates = [t for t in tensors if t.part.kind.startswith("ffn_down") and t.info.name.endswith(".weight")]
    return SmallWork(
        norms=len(norms),
        norm_elements=sum(_normalised(tensor, attention) for tensor in norms),
        gates=len(gates),
        gate_elements=sum(t.info.dims[0] * (used if t.part.role is Role.EXPERT else 1) for t in gates),
    )


def _normalised(tensor: SortedTensor, attention: Iterable[AttentionLayer]) -> int:
    """Elements that one normalisation goes over: a short weight is applied to every head."""
    elements = prod(tensor.info.dims)
    layer = next(iter(attention), None)
    if layer is None or elements != layer.key_length:
        return elements
    return elements * {"attn_q_norm": layer.heads, "attn_k_norm": layer.kv_heads}.get(tensor.part.kind, 1)
