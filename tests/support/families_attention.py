"""One tiny model per family of attention: grouped heads, windows, latents, shared caches, experts."""

from collections.abc import Callable

from tests.support.gguf_builder import Gguf
from tests.support.tiny import (
    EXPERTS,
    FF,
    FF_EXPERT,
    HEAD,
    HEADS,
    KV_HEADS,
    USED,
    VOCAB,
    D,
    Tiny,
    flags,
    ints,
)

MOE = {
    "expert_count": EXPERTS,
    "expert_used_count": USED,
    "expert_feed_forward_length": FF_EXPERT,
    "expert_shared_count": 1,
    "expert_shared_feed_forward_length": FF_EXPERT,
    "leading_dense_block_count": 1,
    "expert_gating_func": 2,
}


def plain(arch: str, layers: int = 2, keys: dict[str, object] | None = None, tied: bool = False) -> Gguf:
    model = Tiny(arch, layers, keys, tied=tied)
    for i in range(layers):
        model.attention(f"blk.{i}.")
        model.feed_forward(f"blk.{i}.")
    return model.file()


def wide_heads() -> Gguf:
    """Heads wide enough for a quantised cache."""
    model = Tiny("llama", 2, {"attention.key_length": 64, "attention.value_length": 64, "rope.dimension_count": 64})
    for i in range(2):
        model.attention(f"blk.{i}.", key=64, value=64)
        model.feed_forward(f"blk.{i}.")
    return model.file()


def gemma2() -> Gguf:
    model = Tiny("gemma2", 4, {"attention.sliding_window": 64, "attn_logit_softcapping": 50.0}, tied=True)
    for i in range(4):
        model.attention(f"blk.{i}.")
        model.feed_forward(f"blk.{i}.")
        model.norms(f"blk.{i}.", "post_attention_norm", "post_ffw_norm")
    return model.file()


def gemma3(keys: dict[str, object] | None = None) -> Gguf:
    keys = {"attention.key_length": HEAD, "attention.value_length": HEAD, **(keys or {})}
    model = Tiny("gemma3", 7, {"attention.sliding_window": 64, **keys}, tied=True)
    for i in range(7):
        model.attention(f"blk.{i}.")
        model.head_norms(f"blk.{i}.")
        model.feed_forward(f"blk.{i}.")
        model.norms(f"blk.{i}.", "post_attention_norm", "post_ffw_norm")
    return model.file()


def gemma3n() -> Gguf:
    """25 layers, so that five of them use another layer's cache."""
    layers, per_layer = 25, 256
    model = Tiny(
        "gemma3n", layers, {"attention.sliding_window": 64, "embedding_length_per_layer_input": per_layer}, tied=True
    )
    model.matrix("altup_proj", D, D, 3)
    model.matrix("altup_unembd_proj", D, D, 3)
    model.matrix("per_layer_token_embd", per_layer * layers, VOCAB)
    model.matrix("per_layer_model_proj", D, per_layer * layers)
    model.vector("per_layer_proj_norm", per_layer)
    for i in range(layers):
        block = f"blk.{i}."
        model.attention(block)
        model.head_norms(block)
        model.feed_forward(block)
        model.norms(block, "post_attention_norm", "post_ffw_norm", "post_norm", "altup_correct_scale")
        model.norms(block, "altup_router_norm", "laurel_post_norm")
        model.matrix(f"{block}inp_gate", D, per_layer)
        model.matrix(f"{block}proj", per_layer, D)
        model.vector(f"{block}altup_correct_coef", 4, 4)
        model.vector(f"{block}altup_predict_coef", 4, 16)
        model.matrix(f"{block}altup_router", D, 4)
        model.matrix(f"{block}laurel_l", D, 64)
        model.matrix(f"{block}laurel_r", 64, D)
    return model.file()


def gemma4() -> Gguf:
    """Heads of 32 in full layers and 16 in windows, per-layer embeddings, the last two layers share a cache."""
    windows = [True, False, True, False, True, False]
    model = Tiny(
        "gemma4",
        6,
        {
            "attention.sliding_window": 64,
            "attention.sliding_window_pattern": flags(windows),
            "attention.shared_kv_layers": 2,
            "attention.key_length": 32,
            "attention.value_length": 32,
            "attention.key_length_swa": HEAD,
            "attention.value_length_swa": HEAD,
            "attention.head_count_kv": ints([2, 1, 2, 1, 2, 1]),
            "embedding_length_per_layer_input": 8,
            "rope.dimension_count": 32,
            "rope.dimension_count_swa": HEAD,
        },
        tied=True,
    )
    model.matrix("per_layer_token_embd", 8 * 6, VOCAB)
    model.matrix("per_layer_model_proj", D, 8 * 6)
    model.vector("per_layer_proj_norm", 8)
    model.vector("rope_freqs", 16)
    for i, window in enumerate(windows):
        block, head = f"blk.{i}.", HEAD if window else 32
        model.attention(block, kv=2 if window else 1, key=head, value=head)
        model.head_norms(block, head)
        model.feed_forward(block)
        model.norms(block, "post_attention_norm", "post_ffw_norm", "post_norm")
        model.vector(f"{block}layer_output_scale", 1)
        model.matrix(f"{block}inp_gate", D, 8)
        model.matrix(f"{block}proj", 8, D)
    return model.file()


def gpt_oss() -> Gguf:
    keys = {k: v for k, v in MOE.items() if "shared" not in k and "leading" not in k}
    model = Tiny("gpt-oss", 4, {"attention.sliding_window": 64, **keys})
    for i in range(4):
        block = f"blk.{i}."
        model.attention(block)
        model.vector(f"{block}attn_sinks", HEADS)
        model.vector(f"{block}post_attention_norm", D)
        model.experts(block, norm=False)
        for part, size in (("q", D), ("k", KV_HEADS * HEAD), ("v", KV_HEADS * HEAD), ("output", D)):
            model.bias(f"{block}attn_{part}", size)
        model.bias(f"{block}ffn_gate_inp", EXPERTS)
        for part, size in (("gate", FF_EXPERT), ("up", FF_EXPERT), ("down", D)):
            model.bias(f"{block}ffn_{part}_exps", size, EXPERTS)
    return model.file()


def mixture(
    arch: str,
    layers: int = 2,
    keys: dict[str, object] | None = None,
    *,
    leading: int = 0,
    shared: bool = False,
    router: bool = False,
    correction: bool = False,
    head_norms: bool = False,
    fused: bool = False,
    gate_rows: int = 0,
    extra_norms: tuple[str, ...] = (),
    ffn_norm: bool = True,
    kv: int = KV_HEADS,
    nextn: bool = False,
    width: int = FF_EXPERT,
) -> Gguf:
    """A mixture of experts; ``nextn`` adds a block for multi-token prediction behind the declared layers."""
    every = {**MOE, "leading_dense_block_count": leading, "attention.head_count_kv": kv, **(keys or {})}
    if nextn:
        every |= {"nextn_predict_layers": 1, "block_count": layers + 1}
    model = Tiny(arch, layers, every)
    for i in range(layers + nextn):
        block = f"blk.{i}."
        if fused:
            model.fused_attention(block, kv=kv)
        else:
            model.attention(block, kv=kv)
        if head_norms:
            model.head_norms(block)
        if gate_rows:
            model.matrix(f"{block}attn_gate", D, gate_rows)
        model.norms(block, *extra_norms)
        if i < leading:
            model.feed_forward(block, norm=ffn_norm)
        else:
            model.experts(block, width, norm=ffn_norm, correction=correction)
            if shared:
                model.shared_expert(block, router=router)
        if i >= layers:
            model.nextn(block)
            model.matrix(f"{block}nextn.embed_tokens", D, VOCAB)
    return model.file()


def latent(compressed: bool, nextn: bool = False) -> Gguf:
    """DeepSeek V3's shape in small: latents of 32, 16 rotated elements, whole keys of 32 and values of 16."""
    lora_q, lora_kv, rotated, key, value = 24, 32, 16, 32, 16
    keys: dict[str, object] = {
        **MOE,
        "attention.q_lora_rank": lora_q,
        "attention.kv_lora_rank": lora_kv,
        "rope.dimension_count": rotated,
        "expert_weights_scale": 2.5,
    }
    if compressed:
        keys |= {
            "attention.head_count_kv": 1,
            "attention.key_length": lora_kv + rotated,
            "attention.value_length": lora_kv,
            "attention.key_length_mla": key,
            "attention.value_length_mla": value,
        }
    else:
        keys |= {
            "attention.head_count_kv": HEADS,
            "attention.key_length": key,
            "attention.value_length": value,
        }
    if nextn:
        keys |= {"nextn_predict_layers": 1, "block_count": 4}
    model = Tiny("deepseek2", 3, keys)
    for i in range(3 + nextn):
        block = f"blk.{i}."
        model.vector(f"{block}attn_norm", D)
        latent_attention(model, block, lora_q, compressed)
        model.matrix(f"{block}attn_output", HEADS * value, D)
        if i == 0:
            model.feed_forward(block)
        else:
            model.experts(block, correction=True)
            model.shared_expert(block)
        if i == 3:
            model.nextn(block)
    return model.file()


def latent_attention(model: Tiny, block: str, lora_q: int, compressed: bool, lora_kv: int = 32) -> None:
    """Queries (through a bottleneck unless ``lora_q`` is 0), latents, and the two ways to expand them."""
    rotated, key, value = 16, 32, 16
    if lora_q:
        model.matrix(f"{block}attn_q_a", D, lora_q)
        model.vector(f"{block}attn_q_a_norm", lora_q)
        model.matrix(f"{block}attn_q_b", lora_q, HEADS * key)
    else:
        model.matrix(f"{block}attn_q", D, HEADS * key)
    model.matrix(f"{block}attn_kv_a_mqa", D, lora_kv + rotated)
    model.vector(f"{block}attn_kv_a_norm", lora_kv)
    if compressed:
        model.matrix(f"{block}attn_k_b", key - rotated, lora_kv, HEADS)
        model.matrix(f"{block}attn_v_b", lora_kv, value, HEADS)
    else:
        model.matrix(f"{block}attn_kv_b", lora_kv, HEADS * (key - rotated + value))


def minicpm3() -> Gguf:
    """Latents that are always expanded."""
    keys = {
        "attention.q_lora_rank": 24,
        "attention.kv_lora_rank": 32,
        "attention.head_count_kv": HEADS,
        "attention.key_length": 32,
        "attention.value_length": 16,
        "rope.dimension_count": 16,
    }
    model = Tiny("minicpm3", 2, keys)
    for i in range(2):
        model.vector(f"blk.{i}.attn_norm", D)
        latent_attention(model, f"blk.{i}.", 24, compressed=False)
        model.matrix(f"blk.{i}.attn_output", HEADS * 16, D)
        model.feed_forward(f"blk.{i}.")
    return model.file()


def exaone4() -> Gguf:
    model = Tiny("exaone4", 2)
    for i in range(2):
        block = f"blk.{i}."
        model.attention(block)
        model.tensors = [t for t in model.tensors if t.name != f"{block}attn_norm.weight"]
        model.head_norms(block)
        model.feed_forward(block, norm=False)
        model.norms(block, "post_attention_norm", "post_ffw_norm")
    return model.file()


def plamo3() -> Gguf:
    keys = {"attention.sliding_window": 64, "attention.key_length": HEAD, "attention.value_length": HEAD}
    model = Tiny("plamo3", 8, keys)
    for i in range(8):
        block = f"blk.{i}."
        model.fused_attention(block)
        model.head_norms(block)
        model.vector(f"{block}ffn_norm", D)
        model.bare(f"{block}post_attention_norm", D)
        model.bare(f"{block}post_ffw_norm", D)
        model.matrix(f"{block}ffn_up", D, 2 * FF)
        model.matrix(f"{block}ffn_down", FF, D)
    return model.file()


def per_layer_heads() -> Gguf:
    """Step 3.5's shape: query heads differ between windowed and full layers."""
    windows = [True, False]
    keys = {
        **MOE,
        "attention.head_count": ints([HEADS, 2]),
        "attention.head_count_kv": ints([KV_HEADS, KV_HEADS]),
        "attention.key_length": HEAD,
        "attention.value_length": HEAD,
        "attention.sliding_window": 64,
        "attention.sliding_window_pattern": flags(windows),
    }
    model = Tiny("step35", 2, keys)
    for i, heads in enumerate((HEADS, 2)):
        block = f"blk.{i}."
        model.attention(block, heads=heads)
        model.matrix(f"{block}attn_gate", D, heads)
        if i == 0:
            model.feed_forward(block)
        else:
            model.experts(block)
            model.shared_expert(block)
    return model.file()


_FULL_AFTER_THREE = {"attention.sliding_window": 64}


def mixture_free(arch: str, layers: int, keys: dict[str, object]) -> Gguf:
    """A dense model whose attention and feed-forward part share one norm."""
    model = Tiny(arch, layers, keys, tied=True)
    for i in range(layers):
        model.attention(f"blk.{i}.")
        model.feed_forward(f"blk.{i}.", norm=False)
    return model.file()


def olmo2() -> Gguf:
    model = Tiny("olmo2", 4, _FULL_AFTER_THREE)
    for i in range(4):
        block = f"blk.{i}."
        model.attention(block)
        model.tensors = [t for t in model.tensors if t.name != f"{block}attn_norm.weight"]
        model.vector(f"{block}attn_q_norm", D)
        model.vector(f"{block}attn_k_norm", KV_HEADS * HEAD)
        model.feed_forward(block, norm=False)
        model.norms(block, "post_attention_norm", "post_ffw_norm")
    return model.file()


def olmoe() -> Gguf:
    model = Tiny("olmoe", 2, {**MOE, "attention.head_count_kv": HEADS})
    for i in range(2):
        block = f"blk.{i}."
        model.attention(block, kv=HEADS)
        model.norms(block, "attn_q_norm", "attn_k_norm")
        model.experts(block, width=FF)
    return model.file()


ATTENTION_FAMILIES: dict[str, Callable[[], Gguf]] = {
    "llama": lambda: plain("llama"),
    "llama with experts": lambda: mixture("llama", width=FF),
    "llama with wide heads": wide_heads,
    "qwen2": lambda: plain("qwen2", tied=True),
    "mistral3": lambda: plain("mistral3"),
    "cohere2": lambda: mixture_free("cohere2", 4, {**_FULL_AFTER_THREE, "logit_scale": 1.0}),
    "olmo2": olmo2,
    "gemma2": gemma2,
    "gemma3": gemma3,
    "gemma3 with a pattern": lambda: gemma3(
        {"attention.sliding_window_pattern": flags([True, False, True, False, True, False, True])}
    ),
    "gemma3 with a period": lambda: gemma3({"attention.sliding_window_pattern": 3}),
    "gemma3n": gemma3n,
    "gemma4": gemma4,
    "gpt-oss": gpt_oss,
    "exaone4": exaone4,
    "plamo3": plamo3,
    "step35": per_layer_heads,
    "llama4": lambda: mixture("llama4", 4, {"interleave_moe_layer_step": 1}, shared=True),
    "qwen2moe": lambda: mixture("qwen2moe", shared=True, router=True),
    "qwen3moe": lambda: mixture("qwen3moe", head_norms=True),
    "olmoe": olmoe,
    "granitemoe": lambda: mixture("granitemoe", keys={"logit_scale": 1.0}, shared=True, width=FF),
    "glm4moe": lambda: mixture(
        "glm4moe", leading=1, shared=True, correction=True, extra_norms=("post_attention_norm",), ffn_norm=False,
        nextn=True,
    ),
    "bailingmoe2": lambda: mixture("bailingmoe2", leading=1, shared=True, fused=True, head_norms=True),
    "dots1": lambda: mixture("dots1", leading=1, shared=True, head_norms=True, kv=HEADS),
    "deepseek": lambda: mixture("deepseek", leading=1, shared=True, kv=HEADS, keys={"expert_weights_scale": 1.0}),
    "ernie4_5-moe": lambda: mixture("ernie4_5-moe", leading=1, shared=True, keys={"interleave_moe_layer_step": 1}),
    "exaone-moe": lambda: mixture(
        "exaone-moe", 4, _FULL_AFTER_THREE, leading=1, shared=True, correction=True, head_norms=True
    ),
    "cohere2moe": lambda: mixture(
        "cohere2moe", 4, {**_FULL_AFTER_THREE, "logit_scale": 1.0}, leading=1, shared=True, ffn_norm=False
    ),
    "smallthinker": lambda: mixture("smallthinker", 4, _FULL_AFTER_THREE),
    "mellum": lambda: mixture("mellum", 4, _FULL_AFTER_THREE, head_norms=True),
    "laguna": lambda: mixture(
        "laguna", 4, _FULL_AFTER_THREE, leading=1, shared=True, correction=True, head_norms=True, gate_rows=HEADS
    ),
    "afmoe": lambda: mixture(
        "afmoe", 4, _FULL_AFTER_THREE, leading=1, shared=True, correction=True, head_norms=True, gate_rows=D,
        extra_norms=("post_attention_norm", "post_ffw_norm"),
    ),
    "mimo2": lambda: mixture(
        "mimo2", keys={**_FULL_AFTER_THREE, "attention.sliding_window_pattern": flags([True, False])}, leading=1
    ),
    "deepseek2, compressed": lambda: latent(True),
    "deepseek2, expanded": lambda: latent(False),
    "deepseek2 with a prediction block": lambda: latent(True, nextn=True),
    "minicpm3": minicpm3,
}  # fmt: skip
"""Name -> builder."""
