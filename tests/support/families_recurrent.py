"""One tiny model per family that keeps a recurrent state: alone, or in turn with attention, or beside it."""

from collections.abc import Callable

from tests.support.families_attention import MOE, latent_attention
from tests.support.gguf_builder import Gguf
from tests.support.tiny import FF, FF_EXPERT, HEAD, HEADS, KV_HEADS, D, Tiny, ints

INNER, STATE, KERNEL, RANKS, GROUPS = 128, 16, 4, 8, 2
SSM: dict[str, object] = {
    "ssm.conv_kernel": KERNEL,
    "ssm.inner_size": INNER,
    "ssm.state_size": STATE,
    "ssm.time_step_rank": RANKS,
    "ssm.group_count": GROUPS,
}
SSM1 = {name: value for name, value in SSM.items() if name != "ssm.group_count"}
_NO_HEADS: dict[str, object] = {"attention.head_count": 0, "attention.head_count_kv": 0}


def mamba() -> Gguf:
    model = Tiny("mamba", 2, {**SSM1, **_NO_HEADS}, tied=True)
    for i in range(2):
        model.vector(f"blk.{i}.attn_norm", D)
        model.mamba(f"blk.{i}.", INNER, STATE, KERNEL, RANKS)
    return model.file()


def mamba2() -> Gguf:
    model = Tiny("mamba2", 2, {**SSM, **_NO_HEADS})
    for i in range(2):
        model.vector(f"blk.{i}.attn_norm", D)
        model.mamba2(f"blk.{i}.", INNER, STATE, KERNEL, RANKS, GROUPS)
    return model.file()


def jamba() -> Gguf:
    """Mamba, attention with a dense part, Mamba with experts."""
    keys = {**SSM1, **MOE, "attention.head_count_kv": ints([0, KV_HEADS, 0])}
    model = Tiny("jamba", 3, keys)
    for i in range(3):
        block = f"blk.{i}."
        if i == 1:
            model.attention(block)
        else:
            model.vector(f"{block}attn_norm", D)
            model.mamba(block, INNER, STATE, KERNEL, RANKS, norms=True)
        if i == 2:
            model.experts(block, FF)
        else:
            model.feed_forward(block)
    return model.file()


def granite_hybrid(experts: bool) -> Gguf:
    keys = {**SSM, "attention.head_count_kv": ints([0, 0, KV_HEADS, 0]), "attention.key_length": HEAD}
    if experts:
        keys |= {**MOE, "feed_forward_length": FF_EXPERT}
    model = Tiny("granitehybrid", 4, keys, tied=True)
    for i in range(4):
        block = f"blk.{i}."
        if i == 2:
            model.attention(block)
        else:
            model.vector(f"{block}attn_norm", D)
            model.mamba2(block, INNER, STATE, KERNEL, RANKS, GROUPS)
        if experts:
            model.experts(block)
            model.shared_expert(block)
        else:
            model.feed_forward(block)
    return model.file()


def falcon_h1() -> Gguf:
    model = Tiny("falcon-h1", 2, {**SSM, "attention.key_length": HEAD, "attention.value_length": HEAD})
    for i in range(2):
        block = f"blk.{i}."
        model.attention(block)
        model.mamba2(block, INNER, STATE, KERNEL, RANKS, GROUPS)
        model.bare(f"{block}ffn_norm", D)
        model.feed_forward(block, norm=False)
    return model.file()


def nemotron_h(experts: bool) -> Gguf:
    """Mamba-2, attention and feed-forward parts, each in layers of their own."""
    keys: dict[str, object] = {
        **SSM,
        "attention.head_count_kv": ints([0, KV_HEADS, 0, 0]),
        "feed_forward_length": ints([0, 0, FF, 0]),
        "attention.key_length": HEAD,
        "attention.value_length": HEAD,
    }
    if experts:
        keys |= MOE
    model = Tiny("nemotron_h_moe" if experts else "nemotron_h", 4, keys)
    for i in range(4):
        block = f"blk.{i}."
        if i == 1:
            model.attention(block)
        elif i == 2:
            model.vector(f"{block}attn_norm", D)
            if experts:
                model.experts(block, gate=False, norm=False, correction=True)
                model.shared_expert(block, gate=False)
            else:
                model.feed_forward(block, gate=False, norm=False)
        else:
            model.vector(f"{block}attn_norm", D)
            model.mamba2(block, INNER, STATE, KERNEL, RANKS, GROUPS)
    return model.file()


def plamo2() -> Gguf:
    rank = 64
    keys = {
        **SSM1,
        "ssm.group_count": 0,
        "attention.head_count_kv": ints([0, KV_HEADS]),
        "attention.key_length": HEAD,
        "attention.value_length": HEAD,
    }
    model = Tiny("plamo2", 2, keys)
    for i in range(2):
        block = f"blk.{i}."
        if i:
            model.fused_attention(block)
            model.vector(f"{block}attn_q_norm", HEAD, HEADS)
            model.vector(f"{block}attn_k_norm", HEAD, KV_HEADS)
        else:
            model.vector(f"{block}attn_norm", D)
            model.matrix(f"{block}ssm_in", D, 2 * INNER)
            model.vector(f"{block}ssm_conv1d", KERNEL, INNER)
            model.matrix(f"{block}ssm_x", INNER, rank + 2 * STATE)
            model.matrix(f"{block}ssm_dt", rank, RANKS)
            model.bias(f"{block}ssm_dt", RANKS)
            model.bare(f"{block}ssm_a", RANKS)
            model.bare(f"{block}ssm_d", RANKS)
            model.matrix(f"{block}ssm_out", INNER, D)
            model.bare(f"{block}ssm_dt_norm", rank)
            model.bare(f"{block}ssm_b_norm", STATE)
            model.bare(f"{block}ssm_c_norm", STATE)
        model.bare(f"{block}post_attention_norm", D)
        model.vector(f"{block}ffn_norm", D)
        model.matrix(f"{block}ffn_up", D, 2 * FF)
        model.matrix(f"{block}ffn_down", FF, D)
        model.bare(f"{block}post_ffw_norm", D)
    return model.file()


def lfm2(experts: bool = False, window: int = 0) -> Gguf:
    keys: dict[str, object] = {"shortconv.l_cache": 3, "attention.head_count_kv": ints([0, 0, KV_HEADS, 0])}
    if experts:
        keys |= MOE
    if window:
        keys["attention.sliding_window"] = window
    model = Tiny("lfm2moe" if experts else "lfm2", 4, keys, tied=True)
    model.tensors = [t for t in model.tensors if t.name != "output_norm.weight"]
    model.vector("token_embd_norm", D)
    for i in range(4):
        block = f"blk.{i}."
        if i == 2:
            model.attention(block)
            model.head_norms(block)
        else:
            model.vector(f"{block}attn_norm", D)
            model.vector(f"{block}shortconv.conv", 3, D)
            model.matrix(f"{block}shortconv.in_proj", D, 3 * D)
            model.matrix(f"{block}shortconv.out_proj", D, D)
        if experts and i:
            model.experts(block, correction=True)
        else:
            model.feed_forward(block)
    return model.file()


def qwen_delta(arch: str, nextn: bool = False, keys: dict[str, object] | None = None) -> Gguf:
    """Three delta nets, then full attention; ``nextn`` adds a block for multi-token prediction."""
    state, key_heads, value_heads = 16, 2, 4
    every: dict[str, object] = {
        "ssm.conv_kernel": KERNEL,
        "ssm.inner_size": state * value_heads,
        "ssm.state_size": state,
        "ssm.time_step_rank": value_heads,
        "ssm.group_count": key_heads,
        "attention.key_length": HEAD,
        "attention.value_length": HEAD,
        **(keys or {}),
    }
    experts = arch != "qwen35"
    if experts:
        every |= MOE
    if arch != "qwen3next":
        every["rope.dimension_sections"] = ints([4, 2, 2, 0])
    if nextn:
        every |= {"block_count": 5, "nextn_predict_layers": 1}
    model = Tiny(arch, 4, every)
    for i in range(4 + nextn):
        block = f"blk.{i}."
        if i >= 3:
            model.attention(block, gated=True)
            model.head_norms(block)
        else:
            model.delta_net(block, state, key_heads, value_heads, KERNEL, fused=arch == "qwen3next")
        model.vector(f"{block}post_attention_norm", D)
        if experts:
            model.experts(block, norm=False)
            model.shared_expert(block, router=True)
        else:
            model.feed_forward(block, norm=False)
        if i == 4:
            model.nextn(block)
    return model.file()


def kimi_linear() -> Gguf:
    """Delta attention with a head size of its own, then latent attention."""
    size = 16
    keys: dict[str, object] = {
        **MOE,
        "kda.head_dim": size,
        "ssm.conv_kernel": KERNEL,
        "attention.head_count_kv": ints([0, 0, 1]),
        "attention.kv_lora_rank": 32,
        "attention.key_length": 48,
        "attention.value_length": 32,
        "attention.key_length_mla": 32,
        "attention.value_length_mla": 16,
        "rope.dimension_count": 16,
    }
    model = Tiny("kimi-linear", 3, keys)
    width = HEADS * size
    for i in range(3):
        block = f"blk.{i}."
        model.vector(f"{block}attn_norm", D)
        if i == 2:
            latent_attention(model, block, 0, compressed=True)
            model.matrix(f"{block}attn_output", HEADS * 16, D)
        else:
            for part in "qkv":
                model.vector(f"{block}ssm_conv1d_{part}", KERNEL, 1, width)
                model.matrix(f"{block}attn_{part}", D, width)
            model.matrix(f"{block}ssm_f_a", D, size)
            model.matrix(f"{block}ssm_f_b", size, width)
            model.matrix(f"{block}ssm_beta", D, HEADS)
            model.bare(f"{block}ssm_a", 1, HEADS)
            model.bias(f"{block}ssm_dt", width)
            model.matrix(f"{block}ssm_g_a", D, size)
            model.matrix(f"{block}ssm_g_b", size, width)
            model.vector(f"{block}ssm_norm", size)
            model.matrix(f"{block}attn_output", width, D)
        if i == 0:
            model.feed_forward(block)
        else:
            model.experts(block, correction=True)
            model.shared_expert(block)
    return model.file()


def rwkv6() -> Gguf:
    extra, decay, size = 8, 8, 16
    keys = {"wkv.head_size": size, "time_mix_extra_dim": extra, "time_decay_extra_dim": decay, **_NO_HEADS}
    model = Tiny("rwkv6", 2, keys)
    model.vector("token_embd_norm", D)
    model.bias("token_embd_norm", D)
    model.bias("output_norm", D)
    for i in range(2):
        block = f"blk.{i}."
        for norm in ("attn_norm", "attn_norm_2", "time_mix_ln"):
            model.vector(block + norm, D)
            model.bias(block + norm, D)
        model.matrix(f"{block}time_mix_w1", D, 5 * extra)
        model.matrix(f"{block}time_mix_w2", extra, D, 5)
        model.vector(f"{block}time_mix_lerp_x", D, 1, 1)
        model.vector(f"{block}time_mix_lerp_fused", D, 1, 1, 5)
        model.vector(f"{block}time_mix_first", size, D // size)
        model.vector(f"{block}time_mix_decay", D)
        model.matrix(f"{block}time_mix_decay_w1", D, decay)
        model.matrix(f"{block}time_mix_decay_w2", decay, D)
        for part in ("key", "value", "receptance", "gate", "output"):
            model.matrix(f"{block}time_mix_{part}", D, D)
        model.vector(f"{block}channel_mix_lerp_k", D, 1, 1)
        model.vector(f"{block}channel_mix_lerp_r", D, 1, 1)
        model.matrix(f"{block}channel_mix_key", D, FF)
        model.matrix(f"{block}channel_mix_value", FF, D)
        model.matrix(f"{block}channel_mix_receptance", D, D)
    return model.file()


def rwkv6_qwen2() -> Gguf:
    extra, decay, size, kv = 8, 8, 16, 2
    keys = {
        "wkv.head_size": size, "time_mix_extra_dim": extra, "time_decay_extra_dim": decay, "token_shift_count": 1,
        "attention.head_count": 0, "attention.head_count_kv": kv,
    }  # fmt: skip
    model = Tiny("rwkv6qwen2", 2, keys)
    for i in range(2):
        block = f"blk.{i}."
        model.vector(f"{block}attn_norm", D)
        model.matrix(f"{block}time_mix_w1", D, 5 * extra)
        model.matrix(f"{block}time_mix_w2", extra, D, 5)
        model.vector(f"{block}time_mix_lerp_x", D, 1, 1)
        model.vector(f"{block}time_mix_lerp_fused", D, 1, 1, 5)
        model.vector(f"{block}time_mix_decay", D)
        model.matrix(f"{block}time_mix_decay_w1", D, decay)
        model.matrix(f"{block}time_mix_decay_w2", decay, D)
        for part in ("key", "value"):
            model.matrix(f"{block}time_mix_{part}", D, kv * size)
            model.bias(f"{block}time_mix_{part}", kv * size)
        for part in ("receptance", "gate", "output"):
            model.matrix(f"{block}time_mix_{part}", D, D)
        model.bias(f"{block}time_mix_receptance", D)
        model.feed_forward(block)
    return model.file()


def rwkv7(arch: str) -> Gguf:
    """RWKV 7, or its transformer-converted sibling with one token shift and a gated feed-forward part."""
    rank, own = 8, arch == "rwkv7"
    keys = {f"attention.{name}_lora_rank": rank for name in ("decay", "iclr", "value_residual_mix", "gate")}
    shifts: dict[str, object] = {} if own else {"token_shift_count": 1}
    model = Tiny(arch, 2, {**keys, **_NO_HEADS, "wkv.head_size": 16, **shifts})
    if own:
        model.vector("token_embd_norm", D)
        model.bias("token_embd_norm", D)
        model.bias("output_norm", D)
    for i in range(2):
        block = f"blk.{i}."
        for norm in ("attn_norm", "attn_norm_2", "time_mix_ln") if own else ():
            model.vector(block + norm, D)
            model.bias(block + norm, D)
        if not own:
            model.vector(f"{block}attn_norm", D)
        for part in "wav":
            model.vector(f"{block}time_mix_{part}0", D)
        for part in "wavg":
            model.matrix(f"{block}time_mix_{part}1", D, rank)
            model.matrix(f"{block}time_mix_{part}2", rank, D)
        model.vector(f"{block}time_mix_lerp_fused", D, 1, 1, 6)
        for part in ("k_k", "k_a", "r_k"):
            model.vector(f"{block}time_mix_{part}", D)
        for part in ("key", "value", "receptance", "output"):
            model.matrix(f"{block}time_mix_{part}", D, D)
        if own:
            model.vector(f"{block}channel_mix_lerp_k", D, 1, 1)
            model.matrix(f"{block}channel_mix_key", D, FF)
            model.matrix(f"{block}channel_mix_value", FF, D)
        else:
            model.feed_forward(block)
    return model.file()


RECURRENT_FAMILIES: dict[str, Callable[[], Gguf]] = {
    "mamba": mamba,
    "mamba2": mamba2,
    "jamba": jamba,
    "granitehybrid": lambda: granite_hybrid(experts=False),
    "granitehybrid with experts": lambda: granite_hybrid(experts=True),
    "falcon-h1": falcon_h1,
    "nemotron_h": lambda: nemotron_h(experts=False),
    "nemotron_h_moe": lambda: nemotron_h(experts=True),
    "plamo2": plamo2,
    "lfm2": lfm2,
    "lfm2 with a window": lambda: lfm2(window=64),
    "lfm2moe": lambda: lfm2(experts=True),
    "qwen3next": lambda: qwen_delta("qwen3next"),
    "qwen3next with a prediction block": lambda: qwen_delta("qwen3next", nextn=True),
    "qwen35": lambda: qwen_delta("qwen35", keys={"full_attention_interval": 4}),
    "qwen35 with a list of layers": lambda: qwen_delta(
        "qwen35", keys={"attention.recurrent_layers": ints([1, 1, 1, 0])}
    ),
    "qwen35moe with a prediction block": lambda: qwen_delta("qwen35moe", nextn=True),
    "kimi-linear": kimi_linear,
    "rwkv6": rwkv6,
    "rwkv6qwen2": rwkv6_qwen2,
    "rwkv7": lambda: rwkv7("rwkv7"),
    "arwkv7": lambda: rwkv7("arwkv7"),
}
"""Name -> builder."""
