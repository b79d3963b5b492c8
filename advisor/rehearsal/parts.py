"""The parts that layers of most architectures are made of."""

from advisor.rehearsal.draft import Draft
from advisor.rehearsal.shape import Shape
from advisor.rehearsal.styles import HeadNorms, Style


def has_experts(shape: Shape, layer: int) -> bool:
    """Whether a layer has routed experts."""
    return bool(shape.experts) and layer >= shape.dense_layers and (layer + 1) % shape.extra("moe_step", 1) == 0


def attention(draft: Draft, block: str, style: Style, *, gated: bool = False) -> None:
    """Matrices and norms of ordinary attention; ``gated`` queries make a gate of the same size as well."""
    shape = draft.shape
    queries, keys = shape.heads * shape.head_length, shape.kv_heads * shape.head_length
    values = shape.extra("value", shape.head_length)
    if style.fused:
        draft.matrix(f"{block}attn_qkv", shape.embedding, queries + keys + shape.kv_heads * values)
    else:
        draft.matrix(f"{block}attn_q", shape.embedding, 2 * queries if gated else queries)
        draft.matrix(f"{block}attn_k", shape.embedding, keys)
        draft.matrix(f"{block}attn_v", shape.embedding, shape.kv_heads * values)
    draft.matrix(f"{block}attn_output", shape.heads * values, shape.embedding)
    if style.head_norms is HeadNorms.HEAD:
        draft.vector(f"{block}attn_q_norm", shape.head_length)
        draft.vector(f"{block}attn_k_norm", shape.head_length)
    if style.head_norms is HeadNorms.WHOLE:
        draft.vector(f"{block}attn_q_norm", queries)
        draft.vector(f"{block}attn_k_norm", keys)
    if style.sinks:
        draft.vector(f"{block}attn_sinks", shape.heads)


def feed_forward(draft: Draft, block: str, width: int, *, wide_up: bool = False, gate: bool = True) -> None:
    """A dense feed-forward part."""
    embedding = draft.shape.embedding
    if gate and not wide_up:
        draft.matrix(f"{block}ffn_gate", embedding, width)
    draft.matrix(f"{block}ffn_up", embedding, 2 * width if wide_up else width)
    draft.matrix(f"{block}ffn_down", width, embedding)


def experts(
    draft: Draft,
    block: str,
    *,
    correction: bool = False,
    shared_router: bool = False,
    gate: bool = True,
    fused: bool = False,
) -> None:
    """Routed experts with their router, and what all tokens pass beside them; ``fused`` has gate and up in one."""
    shape = draft.shape
    width, count, embedding = shape.expert_feed_forward, shape.experts, shape.embedding
    draft.vector(f"{block}ffn_gate_inp", embedding, count)
    if fused:
        draft.matrix(f"{block}ffn_gate_up_exps", embedding, 2 * width, count)
    else:
        if gate:
            draft.matrix(f"{block}ffn_gate_exps", embedding, width, count)
        draft.matrix(f"{block}ffn_up_exps", embedding, width, count)
    draft.matrix(f"{block}ffn_down_exps", width, embedding, count)
    if correction:
        draft.bias(f"{block}exp_probs_b", count)
    if shape.shared_feed_forward:
        if shared_router:
            draft.vector(f"{block}ffn_gate_inp_shexp", embedding)
        if gate:
            draft.matrix(f"{block}ffn_gate_shexp", embedding, shape.shared_feed_forward)
        draft.matrix(f"{block}ffn_up_shexp", embedding, shape.shared_feed_forward)
        draft.matrix(f"{block}ffn_down_shexp", shape.shared_feed_forward, embedding)
