"""From tensors and keys to ``Traffic``: bytes and FLOPs of one step, or the reason why they are not known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr, trn
from advisor.gguf.attending import attention_layers, compressed
from advisor.gguf.basis import basis
from advisor.gguf.header import TensorInfo
from advisor.gguf.keys import Keys
from advisor.gguf.model import MatmulShape
from advisor.gguf.profiles import (
    DEFAULTED,
    MODELLED,
    NEXTN,
    PER_LAYER,
    RECURRENT,
    RUN_TWICE,
    SKIPPED_IN_FIRST_BLOCK,
    UNMODELLED_KEYS,
    is_foreign,
    known_keys,
)
from advisor.gguf.quant_types import type_name
from advisor.gguf.readable import readable
from advisor.gguf.reasons import NotModelledError
from advisor.gguf.states import attending_layers, recurrent_layers, state_of
from advisor.gguf.tensor_roles import Part, Role, part_of
from advisor.gguf.traffic import AttentionLayer, RecurrentLayer, Traffic

MAX_LAYERS = 512
"""LLAMA_MAX_LAYERS; a file that claims more cannot be run."""

_BLOCK_MATRICES = frozenset({Role.ATTENTION, Role.FEED_FORWARD, Role.AROUND})
_MATRICES = _BLOCK_MATRICES | {Role.HEAD, Role.EXPERT}
_OWN_KV = frozenset({"attn_k", "attn_v", "attn_k_norm"})


@dataclass(frozen=True, slots=True)
class SortedTensor:
    """A tensor with its role."""

    info: TensorInfo
    part: Part


@dataclass(frozen=True, slots=True)
class _Cache:
    """What the layers keep between steps; ``sharing`` are the blocks that use another layer's cache."""

    attention: tuple[AttentionLayer, ...]
    recurrent: tuple[RecurrentLayer, ...]
    sharing: frozenset[int]


def sort_out(tensors: Sequence[TensorInfo]) -> tuple[SortedTensor, ...]:
    """Every tensor with its role."""
    return tuple(SortedTensor(info, part_of(info.name)) for info in tensors)


def head_is_tied(tensors: Sequence[SortedTensor]) -> bool:
    """Whether the output matrix is the embedding table itself: there is a table and no matrix of its own."""
    roles = {tensor.part.role for tensor in tensors}
    return Role.EMBEDDING in roles and Role.HEAD not in roles


def model_traffic(keys: Keys, tensors: Sequence[SortedTensor]) -> Fact[Traffic]:
    """Bytes and FLOPs of one step.

    Returns:
        Unknown, with kind "not supported here" and the reason, for what is not modelled.
    """
    try:
        return Known(_traffic(keys, tensors), Basis.COMPUTED, tr("tensor table and keys of the file"))
    except NotModelledError as reason:
        return Unknown(str(reason), Missing.NOT_SUPPORTED)


def trunk_layers(keys: Keys, tensors: Sequence[SortedTensor]) -> int:
    """Blocks that plain decode runs: those declared, without those for multi-token prediction.

    Some files declare such blocks without holding any: either the last blocks are missing, or they are ordinary ones
    and belong to the trunk (``declares_absent_prediction``). 0 when the file does not say.
    """
    declared = keys.count("block_count") or 0
    extra = _prediction_blocks(keys)
    if not 0 < extra < declared or declares_absent_prediction(keys, tensors):
        return declared
    return declared - extra


def declares_absent_prediction(keys: Keys, tensors: Sequence[SortedTensor]) -> bool:
    """Whether the blocks declared for multi-token prediction are there, and are ordinary ones."""
    declared, extra = keys.count("block_count") or 0, _prediction_blocks(keys)
    last = [tensor for tensor in tensors if (tensor.part.block or 0) >= max(declared - extra, 0)]
    held = any(tensor.part.role is Role.NEXTN for tensor in tensors)
    return 0 < extra < declared and bool(last) and not held


def _prediction_blocks(keys: Keys) -> int:
    return (keys.count("nextn_predict_layers") or 0) if keys.architecture in NEXTN else 0


def active_parameters(keys: Keys, tensors: Sequence[SortedTensor], traffic: Fact[Traffic]) -> Fact[int]:
    """Parameters that take part in one token: routed experts by their share, prediction blocks not, others whole."""
    if isinstance(traffic, Unknown):
        return traffic
    count, used = traffic.value.experts, traffic.value.experts_used
    trunk = trunk_layers(keys, tensors)
    own = [tensor for tensor in tensors if tensor.part.block is None or tensor.part.block < trunk]
    total = sum(tensor.info.elements for tensor in own)
    routed = sum(tensor.info.elements for tensor in own if _is_routed(tensor))
    active = total - routed + (routed * used // count if count else 0)
    return Known(active, Basis.COMPUTED, tr("tensor shapes, and the share of experts that one token is routed to"))


def matmul_shapes(tensors: Sequence[SortedTensor]) -> tuple[MatmulShape, ...]:
    """The kinds of matrices that take part in matrix products, those with most bytes first."""
    tied = head_is_tied(tensors)

    def kind(tensor: SortedTensor) -> tuple[int, int, int, bool]:
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


def _is_routed(tensor: SortedTensor) -> bool:
    return tensor.part.role in {Role.EXPERT, Role.EXPERT_SMALL}


def _traffic(keys: Keys, tensors: Sequence[SortedTensor]) -> Traffic:
    _refuse_the_unmodelled(keys, tensors)
    declared = keys.count("block_count") or 0
    if not 0 < declared <= MAX_LAYERS:
        raise NotModelledError(tr("the file does not say how many layers the model has"))
    layers = trunk_layers(keys, tensors)
    _refuse_unusable(keys, layers)
    inside = [tensor for tensor in tensors if tensor.part.block is None or tensor.part.block < layers]
    beyond = [tensor for tensor in tensors if tensor.part.block is not None and tensor.part.block >= layers]
    _check_beyond(beyond, inside, layers, declared)
    cache = _cache(keys, inside, layers)
    read = [tensor for tensor in inside if not _never_read(keys, tensor, cache)]
    experts, used = _routing(keys, read, layers)
    by_role: dict[Role, list[TensorInfo]] = {role: [] for role in Role}
    for tensor in read:
        by_role[tensor.part.role].append(tensor.info)
    table = next(iter(by_role[Role.EMBEDDING]), None)
    head = next(iter(by_role[Role.HEAD]), table)
    if table is None or head is None or not table.elements or not head.elements:
        raise NotModelledError(tr("the file has no embedding table"))
    if {_row_elements(table), _row_elements(head)} != {keys.count("embedding_length")}:
        raise NotModelledError(
            tr("the shape of {table} or {head} contradicts the embedding length", table=table.name, head=head.name)
        )

    def applied(members: Iterable[SortedTensor]) -> int:
        members = list(members)
        twice = RUN_TWICE.get(keys.architecture, frozenset())
        whole = sum(
            tensor.info.elements * (2 if tensor.part.kind in twice else 1)
            for tensor in members
            if tensor.part.role in _BLOCK_MATRICES
        )
        routed = sum(tensor.info.elements for tensor in members if tensor.part.role is Role.EXPERT)
        return whole + (routed * used // experts if experts else 0)

    unloaded = sum(tensor.info.stored_bytes for tensor in beyond)
    return Traffic(
        dense_bytes=sum(info.stored_bytes for role in (*_BLOCK_MATRICES, Role.SMALL) for info in by_role[role]),
        head_bytes=head.stored_bytes,
        expert_bytes=sum(tensor.info.stored_bytes for tensor in read if _is_routed(tensor)),
        experts=experts,
        experts_used=used,
        row_bytes=0 if head is table else _row_bytes(table),
        block_elements=applied(read),
        head_elements=head.elements,
        # some engine versions prune less; leaving the part out keeps the figure a lower bound in all
        last_ffn_elements=applied(
            tensor
            for tensor in read
            if tensor.part.block == layers - 1 and tensor.part.role in {Role.FEED_FORWARD, Role.EXPERT}
        ),
        attention=cache.attention,
        recurrent=cache.recurrent,
        lookup_bytes=sum(_row_bytes(info) for info in by_role[Role.LOOKUP]),
        unread_bytes=unloaded + sum(t.info.stored_bytes for t in inside) - sum(t.info.stored_bytes for t in read),
        unloaded_bytes=unloaded,
        basis=basis(keys, cache.attention, cache.recurrent, (experts, used), latent=compressed(keys)),
    )


def _row_bytes(table: TensorInfo) -> int:
    if not table.elements:
        raise NotModelledError(tr("{name} is empty", name=readable(table.name)))
    return table.stored_bytes // (table.elements // _row_elements(table))


def _row_elements(table: TensorInfo) -> int:
    """Elements of one row; a tensor without dimensions is a single number."""
    return table.dims[0] if table.dims else 1


def _routing(keys: Keys, tensors: Sequence[SortedTensor], layers: int) -> tuple[int, int]:
    """Experts per layer and experts used per token; zeros for a dense model."""
    stacks = [tensor for tensor in tensors if tensor.part.role is Role.EXPERT]
    if not stacks:
        return 0, 0
    experts = keys.count("expert_count") or 0
    per_layer = keys.per_layer("expert_used_count", layers) or ()
    used = {per_layer[tensor.part.block or 0] for tensor in stacks} if per_layer else set()
    if not experts or any(tensor.info.dims[2:] != (experts,) for tensor in stacks):
        raise NotModelledError(tr("the expert tensors do not match the number of experts that the file declares"))
    if len(used) != 1 or not 0 < max(used) <= experts:
        raise NotModelledError(tr("the file does not say how many experts one token is routed to"))
    return experts, max(used)


def _refuse_the_unmodelled(keys: Keys, tensors: Sequence[SortedTensor]) -> None:
    if keys.architecture not in MODELLED:
        raise NotModelledError(
            tr("bytes per token of architecture {architecture} are not modelled yet", architecture=keys.architecture)
        )
    known = known_keys(keys.architecture)
    for name, what in UNMODELLED_KEYS.items():
        if name not in known and keys.says_so(name):
            raise NotModelledError(
                tr("the model has {what}, which are not modelled yet ({key})", what=tr(what), key=keys.full_name(name))
            )
    strangers = [
        tensor.info.name
        for tensor in tensors
        if tensor.part.role is Role.UNKNOWN or is_foreign(tensor.part.kind, keys.architecture)
    ]
    if strangers:
        first, more = readable(strangers[0]), len(strangers) - 1
        if more:
            raise NotModelledError(tr("the role of tensor {name} and {more} more is not known", name=first, more=more))
        raise NotModelledError(tr("the role of tensor {name} is not known", name=first))


def _refuse_unusable(keys: Keys, layers: int) -> None:
    for name in DEFAULTED:
        usable = keys.count(name) is not None or (name in PER_LAYER and keys.per_layer(name, layers) is not None)
        if keys.full_name(name) in keys.values and not usable:
            raise NotModelledError(
                trn(
                    "{key} is no number, or does not fit the {layers} layer",
                    "{key} is no number, or does not fit the {layers} layers",
                    layers, key=keys.full_name(name), layers=layers,
                )
            )


def _check_beyond(beyond: list[SortedTensor], inside: list[SortedTensor], layers: int, declared: int) -> None:
    outside = [tensor for tensor in beyond if (tensor.part.block or 0) >= declared]
    if outside or (beyond and layers == declared):
        name = readable((outside or beyond)[0].info.name)
        raise NotModelledError(
            trn(
                "tensor {name} lies outside the {declared} layer that the file declares",
                "tensor {name} lies outside the {declared} layers that the file declares",
                declared, name=name, declared=declared,
            )
        )
    early = [tensor for tensor in inside if tensor.part.role is Role.NEXTN]
    if early:
        raise NotModelledError(
            tr("tensor {name} lies among the layers of plain decode", name=readable(early[0].info.name))
        )
    predicting = {tensor.part.block for tensor in beyond if tensor.part.role is Role.NEXTN}
    if beyond and len(predicting) != declared - layers:
        raise NotModelledError(
            trn(
                "{held} of the {declared} block for multi-token prediction that the file declares is there",
                "{held} of the {declared} blocks for multi-token prediction that the file declares are there",
                declared - layers,
                held=len(predicting),
                declared=declared - layers,
            )
        )


def _never_read(keys: Keys, tensor: SortedTensor, cache: _Cache) -> bool:
    """Whether a loaded tensor has no part in plain decode."""
    block, kind = tensor.part.block, tensor.part.kind
    if block in cache.sharing and kind in _OWN_KV:
        return True
    return block == 0 and kind in SKIPPED_IN_FIRST_BLOCK.get(keys.architecture, frozenset())


def _cache(keys: Keys, tensors: Sequence[SortedTensor], layers: int) -> _Cache:
    """What the layers keep between steps, checked against the tensors that are there."""
    weights: list[dict[str, TensorInfo]] = [{} for _ in range(layers)]
    for tensor in tensors:
        # a few vectors of state-space models are stored without an ending
        if tensor.part.block is not None and tensor.info.name.endswith((".weight", tensor.part.kind)):
            weights[tensor.part.block][tensor.part.kind] = tensor.info
    embedding = keys.count("embedding_length")
    heads = keys.per_layer("attention.head_count", layers) or (0,) * layers
    kv_heads = keys.per_layer("attention.head_count_kv", layers) or heads
    if not embedding:
        raise NotModelledError(tr("the file does not give every layer's attention heads"))
    recurs = recurrent_layers(keys, layers, kv_heads)
    attends = attending_layers(keys, layers, recurs)
    _check_parts(keys, weights, recurs, attends)
    attention = attention_layers(keys, attends, heads, kv_heads, embedding, weights)
    recurrent = tuple(
        state_of(keys, heads[0], embedding, weights[block]) for block, there in enumerate(recurs) if there
    )
    if not attention and not recurrent:
        raise NotModelledError(tr("none of its layers has attention or a recurrent state"))
    blocks = [block for block, there in enumerate(attends) if there]
    sharing = frozenset(block for block, layer in zip(blocks, attention, strict=True) if not layer.stores_kv)
    return _Cache(attention, recurrent, sharing)


def _check_parts(
    keys: Keys, weights: Sequence[dict[str, TensorInfo]], recurs: tuple[bool, ...], attends: tuple[bool, ...]
) -> None:
    """Each layer must have the parts that the keys say it has, and no other."""
    recurrence = RECURRENT.get(keys.architecture)
    if recurrence is None:
        lacking = sum("attn_output" not in kinds for kinds in weights)
        if lacking:
            raise NotModelledError(_lacking_attention(lacking, len(weights)))
        return
    if tuple(recurrence.marker in kinds for kinds in weights) != recurs:
        raise NotModelledError(tr("the layers with a recurrent part are not those that the file declares"))
    # delta attention ends in an attn_output of its own
    if tuple("attn_output" in kinds and "ssm_f_a" not in kinds for kinds in weights) != attends:
        raise NotModelledError(tr("the layers with attention are not those that the file declares"))


def _lacking_attention(lacking: int, layers: int) -> str:
    if layers == 1:
        return tr("1 of 1 layer has no attention part")
    return trn(
        "{n} of {all} layers has no attention part", "{n} of {all} layers have no attention part",
        lacking, n=lacking, all=layers,
    )  # fmt: skip
