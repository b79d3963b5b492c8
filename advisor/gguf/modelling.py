"""From tensors and keys to ``Traffic``: bytes and FLOPs of one step, or the reason why they are not known."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.gguf.header import TensorInfo
from advisor.gguf.keys import Keys
from advisor.gguf.model import MatmulShape
from advisor.gguf.profiles import MODELLED, UNMODELLED_KEYS, WINDOWED
from advisor.gguf.quant_types import type_name
from advisor.gguf.readable import readable
from advisor.gguf.tensor_roles import Part, Role, part_of
from advisor.gguf.traffic import AttentionLayer, Traffic

MAX_LAYERS = 512
"""LLAMA_MAX_LAYERS; a file that claims more cannot be run."""

_MATRICES = frozenset({Role.HEAD, Role.ATTENTION, Role.FEED_FORWARD, Role.EXPERT})


class _NotModelledError(Exception):
    """Carries the reason, as a clause, to the one place that makes an ``Unknown`` of it."""


@dataclass(frozen=True, slots=True)
class _Tensor:
    info: TensorInfo
    part: Part


def sort_out(tensors: Sequence[TensorInfo]) -> tuple[_Tensor, ...]:
    """Every tensor with its role."""
    return tuple(_Tensor(info, part_of(info.name)) for info in tensors)


def head_is_tied(tensors: Sequence[_Tensor]) -> bool:
    """Whether the output matrix is the embedding table itself: there is a table and no matrix of its own."""
    roles = {tensor.part.role for tensor in tensors}
    return Role.EMBEDDING in roles and Role.HEAD not in roles


def model_traffic(keys: Keys, tensors: Sequence[_Tensor]) -> Fact[Traffic]:
    """Bytes and FLOPs of one step.

    Returns:
        Unknown, with kind "not supported here" and the reason, for what is not modelled yet.
    """
    try:
        return Known(_traffic(keys, tensors), Basis.COMPUTED, "tensor table and keys of the file")
    except _NotModelledError as reason:
        return Unknown(str(reason), Missing.NOT_SUPPORTED)


def active_parameters(keys: Keys, tensors: Sequence[_Tensor], traffic: Fact[Traffic]) -> Fact[int]:
    """Parameters that take part in one token: routed experts by their share, everything else whole."""
    if isinstance(traffic, Unknown):
        return traffic
    count, used = traffic.value.experts, traffic.value.experts_used
    total = sum(tensor.info.elements for tensor in tensors)
    routed = sum(tensor.info.elements for tensor in tensors if _is_routed(tensor))
    active = total - routed + (routed * used // count if count else 0)
    return Known(active, Basis.COMPUTED, "tensor shapes, and the share of experts that one token is routed to")


def matmul_shapes(tensors: Sequence[_Tensor]) -> tuple[MatmulShape, ...]:
    """The kinds of matrices that take part in matrix products, those with most bytes first."""
    tied = head_is_tied(tensors)

    def kind(tensor: _Tensor) -> tuple[int, int, int, bool]:
        dims = (*tensor.info.dims, 1, 1)
        return tensor.info.type_id, dims[0], dims[1], tensor.part.role is Role.EXPERT

    used = [
        tensor
        for tensor in tensors
        if tensor.info.elements and (tensor.part.role in _MATRICES or (tied and tensor.part.role is Role.EMBEDDING))
    ]
    shapes = []
    for (type_id, inputs, outputs, expert), group in groupby(sorted(used, key=kind), key=kind):
        members = [tensor.info for tensor in group]
        shapes.append(
            MatmulShape(
                type_name=type_name(type_id),
                type_id=type_id,
                inputs=inputs,
                outputs=outputs,
                bytes=sum(info.stored_bytes for info in members),
                count=sum(info.elements // (inputs * outputs) for info in members),
                expert=expert,
            )
        )
    return tuple(sorted(shapes, key=lambda shape: -shape.bytes))


def _is_routed(tensor: _Tensor) -> bool:
    return tensor.part.role in {Role.EXPERT, Role.EXPERT_SMALL}


def _traffic(keys: Keys, tensors: Sequence[_Tensor]) -> Traffic:
    _refuse_the_unmodelled(keys, tensors)
    layers = keys.count("block_count") or 0
    if not 0 < layers <= MAX_LAYERS:
        raise _NotModelledError("the file does not say how many layers the model has")
    _check_layers(tensors, layers)
    experts, used = _routing(keys, tensors, layers)
    by_role: dict[Role, list[TensorInfo]] = {role: [] for role in Role}
    for tensor in tensors:
        by_role[tensor.part.role].append(tensor.info)
    table = next(iter(by_role[Role.EMBEDDING]), None)
    head = next(iter(by_role[Role.HEAD]), table)
    if table is None or head is None or not table.elements:
        raise _NotModelledError("the file has no embedding table")

    def applied(infos: Sequence[tuple[Role, TensorInfo]]) -> int:
        whole = sum(info.elements for role, info in infos if role in {Role.ATTENTION, Role.FEED_FORWARD})
        routed = sum(info.elements for role, info in infos if role is Role.EXPERT)
        return whole + (routed * used // experts if experts else 0)

    last_ffn = [
        (tensor.part.role, tensor.info)
        for tensor in tensors
        if tensor.part.block == layers - 1 and tensor.part.role in {Role.FEED_FORWARD, Role.EXPERT}
    ]
    dense = (Role.ATTENTION, Role.FEED_FORWARD, Role.SMALL)
    return Traffic(
        dense_bytes=sum(info.stored_bytes for role in dense for info in by_role[role]),
        head_bytes=head.stored_bytes,
        expert_bytes=sum(tensor.info.stored_bytes for tensor in tensors if _is_routed(tensor)),
        experts=experts,
        experts_used=used,
        row_bytes=0 if head is table else table.stored_bytes // (table.elements // table.dims[0]),
        block_elements=applied([(tensor.part.role, tensor.info) for tensor in tensors]),
        head_elements=head.elements,
        # gpt-oss prunes in some engine versions only; leaving the part out keeps the figure a lower bound in all
        last_ffn_elements=applied(last_ffn),
        attention=_attention(keys, tensors, layers),
    )


def _refuse_the_unmodelled(keys: Keys, tensors: Sequence[_Tensor]) -> None:
    if keys.architecture not in MODELLED:
        raise _NotModelledError(f"bytes per token of architecture {keys.architecture} are not modelled yet")
    for name, what in UNMODELLED_KEYS.items():
        if keys.says_so(name):
            raise _NotModelledError(f"the model has {what}, which are not modelled yet ({keys.full_name(name)})")
    strangers = [tensor.info.name for tensor in tensors if tensor.part.role is Role.UNKNOWN]
    if strangers:
        more = f" and {len(strangers) - 1} more" if len(strangers) > 1 else ""
        raise _NotModelledError(f"the role of tensor {readable(strangers[0])}{more} is not known")


def _check_layers(tensors: Sequence[_Tensor], layers: int) -> None:
    beyond = [tensor for tensor in tensors if tensor.part.block is not None and tensor.part.block >= layers]
    if beyond:
        raise _NotModelledError(f"tensor {beyond[0].info.name} lies outside the {layers} layers that the file declares")
    attending = {
        tensor.part.block
        for tensor in tensors
        if tensor.part.role is Role.ATTENTION and tensor.part.kind == "attn_output"
    }
    if len(attending) != layers:
        raise _NotModelledError(f"{layers - len(attending)} of {layers} layers have no attention part")


def _routing(keys: Keys, tensors: Sequence[_Tensor], layers: int) -> tuple[int, int]:
    """Experts per layer and experts used per token; zeros for a dense model."""
    stacks = [tensor.info for tensor in tensors if tensor.part.role is Role.EXPERT]
    if not stacks:
        return 0, 0
    experts = keys.count("expert_count") or 0
    used = set(keys.per_layer("expert_used_count", layers) or ())
    if not experts or any(info.dims[2:] != (experts,) for info in stacks):
        raise _NotModelledError("the expert tensors do not match the number of experts that the file declares")
    if len(used) != 1 or not 0 < max(used) <= experts:
        raise _NotModelledError("the file does not say how many experts one token is routed to")
    return experts, max(used)


def _attention(keys: Keys, tensors: Sequence[_Tensor], layers: int) -> tuple[AttentionLayer, ...]:
    heads = keys.per_layer("attention.head_count", layers)
    kv_heads = keys.per_layer("attention.head_count_kv", layers) or heads
    embedding = keys.count("embedding_length")
    if not heads or not kv_heads or not embedding or 0 in heads or 0 in kv_heads:
        raise _NotModelledError("the file does not give every layer's attention heads")
    key_length = keys.count("attention.key_length") or embedding // heads[0]
    value_length = keys.count("attention.value_length") or embedding // heads[0]
    windows = _windows(keys, layers)
    found = tuple(AttentionLayer(heads[i], kv_heads[i], key_length, value_length, windows[i]) for i in range(layers))
    for tensor in tensors:
        if tensor.part.role is Role.ATTENTION and tensor.part.block is not None:
            _check_shape(tensor, found[tensor.part.block])
    return found


def _windows(keys: Keys, layers: int) -> list[int | None]:
    windowing = WINDOWED.get(keys.architecture)
    if windowing is None:
        return [None] * layers
    window = keys.count("attention.sliding_window")
    tokens = windowing.default_tokens if window is None else window
    pattern = "attention.sliding_window_pattern"
    if not tokens:
        return [None] * layers
    if keys.length(pattern) is not None:
        flags = keys.per_layer(pattern, layers)
        if flags is None:
            raise _NotModelledError(f"{keys.full_name(pattern)} does not fit the {layers} layers")
        return [tokens if flag else None for flag in flags]
    period = keys.count(pattern)
    if period is None:
        period = windowing.period
    # as llama.cpp: period 0 means a window everywhere
    return [tokens if period == 0 or i % period < period - 1 else None for i in range(layers)]


def _check_shape(tensor: _Tensor, layer: AttentionLayer) -> None:
    """Keys and tensors must tell the same story, or the cache would be wrong without anybody noticing."""
    queries = layer.heads * layer.key_length
    key_rows, value_rows = layer.kv_heads * layer.key_length, layer.kv_heads * layer.value_length
    expected = {
        "attn_q": queries,
        "attn_k": key_rows,
        "attn_v": value_rows,
        "attn_qkv": queries + key_rows + value_rows,
    }.get(tensor.part.kind)
    if expected is not None and tensor.info.dims[1:] != (expected,):
        raise _NotModelledError(f"the shape of {tensor.info.name} contradicts the heads that the file declares")
