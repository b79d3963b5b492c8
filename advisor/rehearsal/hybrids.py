"""Models in which only some layers have attention, and the others keep a state: as ``blueprint.py``.

Further numbers of their shapes:

* ``full_every``: every n-th layer has attention (Qwen3-Next, Qwen3.5: 4)
* ``conv``, ``state``, ``groups``, ``ranks``, ``inner``: of a state-space model or a gated delta net: kernel of the
  convolution, size of the state, groups (key heads), ranks (value heads) and inner width
* ``attends``: which layers have attention, ``feeds`` which have nothing but a feed-forward part: bit n for layer n
* ``l_cache``: inputs that a short convolution sees (LFM2)
"""

from advisor.rehearsal.draft import Draft
from advisor.rehearsal.parts import attention, experts, feed_forward, has_experts
from advisor.rehearsal.shape import Shape
from advisor.rehearsal.styles import HeadNorms, Style

_NORMED = Style(head_norms=HeadNorms.HEAD)
_PLAIN = Style()
_SECTIONS = (11, 11, 10, 0)


def delta_net(draft: Draft) -> None:
    """Qwen3-Next and Qwen3.5: gated delta nets, and gated attention in every fourth layer."""
    shape = draft.shape
    state, key_heads, value_heads = shape.extra("state"), shape.extra("groups"), shape.extra("ranks")
    every, fused = shape.extra("full_every", 4), shape.architecture == "qwen3next"
    _state_keys(draft, state * value_heads)
    draft.key("full_attention_interval", every)
    if not fused:
        draft.key("rope.dimension_sections", _SECTIONS)
    keys, values = state * key_heads, state * value_heads
    for layer in range(shape.layers):
        block = f"blk.{layer}."
        draft.vector(f"{block}attn_norm", shape.embedding)
        draft.vector(f"{block}post_attention_norm", shape.embedding)
        if (layer + 1) % every == 0:
            attention(draft, block, _NORMED, gated=True)
        else:
            draft.matrix(f"{block}attn_qkv", shape.embedding, 2 * keys + values)
            draft.matrix(f"{block}attn_gate", shape.embedding, values)
            draft.vector(f"{block}ssm_conv1d", shape.extra("conv"), 2 * keys + values)
            draft.bias(f"{block}ssm_dt", value_heads)
            draft.bare(f"{block}ssm_a", value_heads)
            if fused:
                draft.matrix(f"{block}ssm_ba", shape.embedding, 2 * value_heads)
            else:
                draft.matrix(f"{block}ssm_beta", shape.embedding, value_heads)
                draft.matrix(f"{block}ssm_alpha", shape.embedding, value_heads)
            draft.vector(f"{block}ssm_norm", state)
            draft.matrix(f"{block}ssm_out", values, shape.embedding)
        if has_experts(shape, layer):
            experts(draft, block, shared_router=True)
        else:
            feed_forward(draft, block, shape.feed_forward)


def short_convolution(draft: Draft) -> None:
    """LFM2: short convolutions, and attention in some layers."""
    shape = draft.shape
    attends = _flags(shape, "attends")
    draft.key("shortconv.l_cache", shape.extra("l_cache", 3))
    draft.key("attention.head_count_kv", tuple(shape.kv_heads if there else 0 for there in attends))
    if shape.experts:
        draft.key("expert_gating_func", 2)
    draft.tensors = [tensor for tensor in draft.tensors if tensor.name != "output_norm.weight"]
    draft.vector("token_embd_norm", shape.embedding)
    for layer, there in enumerate(attends):
        block = f"blk.{layer}."
        draft.vector(f"{block}attn_norm", shape.embedding)
        draft.vector(f"{block}ffn_norm", shape.embedding)
        if there:
            attention(draft, block, _NORMED)
        else:
            draft.vector(f"{block}shortconv.conv", shape.extra("l_cache", 3), shape.embedding)
            draft.matrix(f"{block}shortconv.in_proj", shape.embedding, 3 * shape.embedding)
            draft.matrix(f"{block}shortconv.out_proj", shape.embedding, shape.embedding)
        if has_experts(shape, layer):
            experts(draft, block, correction=True)
        else:
            feed_forward(draft, block, shape.feed_forward)


def granite(draft: Draft) -> None:
    """Granite 4 H: Mamba-2, and attention in some layers; a feed-forward part or experts in all."""
    shape = draft.shape
    attends = _flags(shape, "attends")
    _state_keys(draft, shape.extra("inner"))
    draft.key("attention.head_count_kv", tuple(shape.kv_heads if there else 0 for there in attends))
    if shape.experts:
        draft.key("feed_forward_length", shape.expert_feed_forward)
    for layer, there in enumerate(attends):
        block = f"blk.{layer}."
        draft.vector(f"{block}attn_norm", shape.embedding)
        draft.vector(f"{block}ffn_norm", shape.embedding)
        if there:
            attention(draft, block, _PLAIN)
        else:
            mamba2(draft, block)
        if shape.experts:
            experts(draft, block)
        else:
            feed_forward(draft, block, shape.feed_forward)


def nemotron(draft: Draft) -> None:
    """Nemotron H: Mamba-2, attention and feed-forward parts, each in layers of their own."""
    shape = draft.shape
    attends, feeds = _flags(shape, "attends"), _flags(shape, "feeds")
    _state_keys(draft, shape.extra("inner"))
    width = shape.expert_feed_forward or shape.feed_forward
    draft.key("attention.head_count_kv", tuple(shape.kv_heads if there else 0 for there in attends))
    draft.key("feed_forward_length", tuple(width if there else 0 for there in feeds))
    if shape.experts:
        draft.key("expert_gating_func", 2)
    for layer in range(shape.layers):
        block = f"blk.{layer}."
        draft.vector(f"{block}attn_norm", shape.embedding)
        if attends[layer]:
            attention(draft, block, _PLAIN)
        elif feeds[layer] and shape.experts:
            experts(draft, block, correction=True, gate=False)
        elif feeds[layer]:
            feed_forward(draft, block, shape.feed_forward, gate=False)
        else:
            mamba2(draft, block)


def mamba2(draft: Draft, block: str) -> None:
    """A Mamba-2 part."""
    shape = draft.shape
    inner, ranks, groups = shape.extra("inner"), shape.extra("ranks"), shape.extra("groups")
    width = inner + 2 * groups * shape.extra("state")
    draft.matrix(f"{block}ssm_in", shape.embedding, inner + width + ranks)
    draft.vector(f"{block}ssm_conv1d", shape.extra("conv"), width)
    draft.bias(f"{block}ssm_conv1d", width)
    draft.bias(f"{block}ssm_dt", ranks)
    draft.bare(f"{block}ssm_a", 1, ranks)
    draft.bare(f"{block}ssm_d", 1, ranks)
    draft.vector(f"{block}ssm_norm", inner // groups, groups)
    draft.matrix(f"{block}ssm_out", inner, shape.embedding)


def _state_keys(draft: Draft, inner: int) -> None:
    shape = draft.shape
    draft.key("ssm.conv_kernel", shape.extra("conv"))
    draft.key("ssm.inner_size", inner)
    draft.key("ssm.state_size", shape.extra("state"))
    draft.key("ssm.time_step_rank", shape.extra("ranks"))
    draft.key("ssm.group_count", shape.extra("groups"))


def _flags(shape: Shape, name: str) -> tuple[bool, ...]:
    bits = shape.extra(name)
    return tuple(bool(bits >> layer & 1) for layer in range(shape.layers))
