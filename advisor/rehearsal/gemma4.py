"""Gemma 4: as ``blueprint.py``. Its layers differ by whether they have a window.

Further numbers of its shape; those of the shape itself are of the layers with a window:

* ``full_every``: every n-th layer has full attention
* ``full_head``, ``full_kv``: length of a head and number of key-value heads in those
* ``keys_are_values``: 1 where full layers have no matrix for values
* ``per_layer``: elements of the embedding that each layer adds
* ``shared_caches``: last layers that use another layer's cache; ``wide``: 1 where those are twice as wide
"""

from advisor.rehearsal.draft import Draft
from advisor.rehearsal.parts import experts, feed_forward


def gemma4(draft: Draft) -> None:
    """All of its layers."""
    shape = draft.shape
    every, sharing, each = shape.extra("full_every", 6), shape.extra("shared_caches"), shape.extra("per_layer")
    full = tuple((layer + 1) % every == 0 for layer in range(shape.layers))
    kv_heads = tuple(shape.extra("full_kv", shape.kv_heads) if whole else shape.kv_heads for whole in full)
    widths = tuple(
        shape.feed_forward * (2 if shape.extra("wide") and layer >= shape.layers - sharing else 1)
        for layer in range(shape.layers)
    )
    head = shape.extra("full_head", shape.head_length)
    draft.key("attention.sliding_window_pattern", tuple(not whole for whole in full))
    draft.key("attention.head_count_kv", kv_heads)
    draft.key("feed_forward_length", widths)
    draft.key("attention.key_length", head)
    draft.key("attention.value_length", head)
    draft.key("attention.key_length_swa", shape.head_length)
    draft.key("attention.value_length_swa", shape.head_length)
    draft.key("rope.dimension_count", head)
    draft.key("rope.dimension_count_swa", shape.head_length)
    draft.key("attention.shared_kv_layers", sharing)
    draft.key("embedding_length_per_layer_input", each)
    draft.vector("rope_freqs", head // 2)
    if each:
        draft.matrix("per_layer_token_embd", each * shape.layers, shape.vocabulary)
        draft.matrix("per_layer_model_proj", shape.embedding, each * shape.layers)
        draft.vector("per_layer_proj_norm", each)
    for layer, whole in enumerate(full):
        block, length = f"blk.{layer}.", head if whole else shape.head_length
        _attention(draft, block, length, kv_heads[layer], whole)
        for norm in ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"):
            draft.vector(block + norm, shape.embedding)
        draft.vector(f"{block}layer_output_scale", 1)
        feed_forward(draft, block, widths[layer])
        if shape.experts:
            experts(draft, block, fused=True)
            draft.add(f"{block}ffn_gate_inp.scale", (shape.embedding,), "F32")
            draft.add(f"{block}ffn_down_exps.scale", (shape.experts,), "F32")
            for norm in ("pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2"):
                draft.vector(block + norm, shape.embedding)
        if each:
            draft.matrix(f"{block}inp_gate", shape.embedding, each)
            draft.matrix(f"{block}proj", each, shape.embedding)
            draft.vector(f"{block}post_norm", shape.embedding)


def _attention(draft: Draft, block: str, length: int, kv_heads: int, whole: bool) -> None:
    shape = draft.shape
    draft.matrix(f"{block}attn_q", shape.embedding, shape.heads * length)
    draft.vector(f"{block}attn_q_norm", length)
    # layers that use another one's cache have these as well in published files, and never use them
    draft.matrix(f"{block}attn_k", shape.embedding, kv_heads * length)
    draft.vector(f"{block}attn_k_norm", length)
    if not (whole and shape.extra("keys_are_values")):
        draft.matrix(f"{block}attn_v", shape.embedding, kv_heads * length)
    draft.matrix(f"{block}attn_output", shape.heads * length, shape.embedding)
