"""Tiny models of the remaining architectures: variations of norms, biases, fused matrices and tied heads."""

from collections.abc import Callable, Mapping

from tests.support.families_attention import MOE, latent_attention, mixture
from tests.support.gguf_builder import Gguf, Tensor
from tests.support.tiny import FF, HEAD, HEADS, KV_HEADS, D, Tiny, ints

_SECTIONS = {"rope.dimension_sections": ints([4, 2, 2, 0])}


def dense(
    arch: str,
    keys: Mapping[str, object] | None = None,
    *,
    tied: bool = False,
    biases: bool = False,
    head_norms: bool = False,
    gate: bool = True,
    fused: bool = False,
    wide_up: bool = False,
    norms: tuple[str, ...] = ("attn_norm", "ffn_norm", "output_norm"),
    extra_norms: tuple[str, ...] = (),
    extra_globals: tuple[str, ...] = (),
    kv: int = KV_HEADS,
) -> Gguf:
    """A dense decoder of two layers.

    ``biases`` adds one to every norm and matrix, ``wide_up`` keeps gate and up in one matrix, ``norms`` are those that
    the architecture has among the usual ones.
    """
    model = Tiny(arch, 2, {"attention.head_count_kv": kv, **(keys or {})}, tied=tied)
    for i in range(2):
        block = f"blk.{i}."
        if fused:
            model.fused_attention(block, kv=kv)
        else:
            model.attention(block, kv=kv)
        if head_norms:
            model.head_norms(block)
        if wide_up:
            model.vector(f"{block}ffn_norm", D)
            model.matrix(f"{block}ffn_up", D, 2 * FF)
            model.matrix(f"{block}ffn_down", FF, D)
        else:
            model.feed_forward(block, gate=gate)
        model.norms(block, *extra_norms)
    model.norms("", *extra_globals)
    usual = {"attn_norm", "ffn_norm", "output_norm"}
    model.tensors = [t for t in model.tensors if str(t.name).split(".")[-2] not in usual - set(norms)]
    if biases:
        for tensor in [t for t in model.tensors if t.name not in {"token_embd.weight", "output.weight"}]:
            model.bias(str(tensor.name).removesuffix(".weight"), tensor.dims[-1])
    return model.file()


def mistral4() -> Gguf:
    keys = {
        **MOE, "attention.q_lora_rank": 24, "attention.kv_lora_rank": 32, "rope.dimension_count": 16,
        "attention.head_count_kv": 1, "attention.key_length": 48, "attention.value_length": 32,
        "attention.key_length_mla": 32, "attention.value_length_mla": 16,
    }  # fmt: skip
    model = Tiny("mistral4", 2, keys)
    for i in range(2):
        block = f"blk.{i}."
        model.vector(f"{block}attn_norm", D)
        latent_attention(model, block, 24, compressed=True)
        model.matrix(f"{block}attn_output", HEADS * 16, D)
        if i:
            model.experts(block)
            model.shared_expert(block)
        else:
            model.feed_forward(block)
    return model.file()


def arctic() -> Gguf:
    """A dense part and experts side by side."""
    model = Tiny("arctic", 2, MOE)
    for i in range(2):
        block = f"blk.{i}."
        model.attention(block)
        model.feed_forward(block, D)
        model.vector(f"{block}ffn_norm_exps", D)
        model.experts(block, FF, norm=False)
    return model.file()


def minimax_m2() -> Gguf:
    model = Tiny("minimax-m2", 2, MOE)
    for i in range(2):
        block = f"blk.{i}."
        model.attention(block)
        model.vector(f"{block}attn_q_norm", HEADS * HEAD)
        model.vector(f"{block}attn_k_norm", KV_HEADS * HEAD)
        model.experts(block, FF, correction=True)
    return model.file()


_ALL_BUT_FFN = ("attn_norm", "output_norm")


def norm_biases(arch: str) -> Gguf:
    """Norms with biases, matrices without."""
    model = Tiny(arch, 2)
    model.bias("output_norm", D)
    for i in range(2):
        block = f"blk.{i}."
        model.attention(block)
        model.feed_forward(block)
        model.bias(f"{block}attn_norm", D)
        model.bias(f"{block}ffn_norm", D)
    return model.file()


def phi2() -> Gguf:
    """One norm for both parts, biases everywhere, at the head as well."""
    model = Tiny("phi2", 2, {"attention.head_count_kv": HEADS})
    model.bias("output_norm", D)
    model.bias("output", 96)
    for i in range(2):
        block = f"blk.{i}."
        model.fused_attention(block, kv=HEADS)
        model.feed_forward(block, gate=False, norm=False)
        for part, size in (("attn_norm", D), ("attn_qkv", 3 * D), ("attn_output", D), ("ffn_up", FF), ("ffn_down", D)):
            model.bias(block + part, size)
    return model.file()


def falcon() -> Gguf:
    """One key-value head, one norm for both parts."""
    model = Tiny("falcon", 2, {"attention.head_count_kv": 1})
    model.bias("output_norm", D)
    for i in range(2):
        block = f"blk.{i}."
        model.fused_attention(block, kv=1)
        model.bias(f"{block}attn_norm", D)
        model.feed_forward(block, gate=False, norm=False)
    return model.file()


def positions(arch: str) -> Gguf:
    """A table of positions beside that of tokens."""
    file = dense(arch, {"context_length": 128}, tied=True, fused=True, gate=False, biases=True)
    return Gguf(file.keys, [*file.tensors, Tensor("position_embd.weight", (D, 128))])


def bitnet() -> Gguf:
    file = dense("bitnet", tied=True)
    norms = [Tensor(f"blk.{i}.{name}_sub_norm.weight", (size,)) for i in range(2) for name, size in _SUB_NORMS]
    scales = [Tensor(f"blk.{i}.{name}.scale", (1,)) for i in range(2) for name in ("attn_q", "ffn_down")]
    return Gguf(file.keys, [*file.tensors, *norms, *scales])


_SUB_NORMS = (("attn", D), ("ffn", FF))


def qwen() -> Gguf:
    """The first Qwen: only the fused matrix has a bias, and the declared width is that of two matrices."""
    file = dense("qwen", {"feed_forward_length": 2 * FF}, fused=True, kv=HEADS)
    return Gguf(file.keys, [*file.tensors, *(Tensor(f"blk.{i}.attn_qkv.bias", (3 * D,)) for i in range(2))])


def pangu() -> Gguf:
    file = dense("pangu-embedded")
    return Gguf(file.keys, [*file.tensors, *(Tensor(f"blk.{i}.attn_output.bias", (D,)) for i in range(2))])


def granite_swa() -> Gguf:
    keys = {"logit_scale": 1.0, "attention.sliding_window": 64, "attention.sliding_window_pattern": ints([1, 0])}
    file = dense("granite_swa", keys)
    return Gguf(file.keys, [*file.tensors, *(Tensor(f"blk.{i}.attn_sinks.weight", (HEADS,)) for i in range(2))])


def openelm() -> Gguf:
    """Heads and widths that differ from layer to layer."""
    shapes = ((4, 2, FF), (8, 4, 2 * FF))
    keys = {
        "attention.head_count": ints([heads for heads, _, _ in shapes]),
        "attention.head_count_kv": ints([kv for _, kv, _ in shapes]),
        "feed_forward_length": ints([width for _, _, width in shapes]),
        "attention.key_length": HEAD, "attention.value_length": HEAD,
    }  # fmt: skip
    model = Tiny("openelm", 2, keys, tied=True)
    for i, (heads, kv, width) in enumerate(shapes):
        model.fused_attention(f"blk.{i}.", heads, kv)
        model.head_norms(f"blk.{i}.")
        model.feed_forward(f"blk.{i}.", width)
    return model.file()


def grok() -> Gguf:
    """A dense part beside the experts, and a norm behind each part."""
    model = Tiny("grok", 2, MOE)
    for i in range(2):
        block = f"blk.{i}."
        model.attention(block)
        model.feed_forward(block)
        model.experts(block, norm=False)
        model.norms(block, "attn_output_norm", "post_ffw_norm")
    return model.file()


def phimoe() -> Gguf:
    """Biases at norms, at the attention's output and at the head."""
    model = Tiny("phimoe", 2, MOE)
    model.bias("output_norm", D)
    model.bias("output", 96)
    for i in range(2):
        block = f"blk.{i}."
        model.attention(block)
        model.experts(block, FF)
        for part in ("attn_norm", "attn_output", "ffn_norm"):
            model.bias(block + part, D)
    return model.file()


def apertus() -> Gguf:
    """Its activation has parameters, in keys without the architecture's name."""
    file = dense("apertus", head_norms=True, gate=False)
    assert isinstance(file.keys, dict)
    return Gguf({**file.keys, **{f"xielu.{name}": 0.5 for name in ("alpha_n", "alpha_p", "beta", "eps")}}, file.tensors)


DENSE_FAMILIES: dict[str, Callable[[], Gguf]] = {
    "arcee": lambda: dense("arcee", gate=False),
    "apertus": apertus,
    "baichuan": lambda: dense("baichuan"),
    "bitnet": bitnet,
    "bloom": lambda: dense(
        "bloom", fused=True, gate=False, biases=True, kv=HEADS, extra_globals=("token_embd_norm",)
    ),
    "codeshell": lambda: dense("codeshell", gate=False, biases=True),
    "deci": lambda: dense("deci"),
    "gpt2": lambda: positions("gpt2"),
    "granite_swa": granite_swa,
    "grok": grok,
    "hunyuan-dense": lambda: dense("hunyuan-dense", head_norms=True),
    "hunyuan_vl": lambda: dense("hunyuan_vl", _SECTIONS, head_norms=True),
    "jais": lambda: dense("jais", fused=True, biases=True),
    "maincoder": lambda: dense("maincoder", head_norms=True),
    "mpt": lambda: dense("mpt", {"attention.max_alibi_bias": 8.0}, fused=True, gate=False),
    "openelm": openelm,
    "paddleocr": lambda: dense("paddleocr", _SECTIONS),
    "pangu-embedded": pangu,
    "phimoe": phimoe,
    "qwen": qwen,
    "refact": lambda: dense("refact"),
    "starcoder": lambda: positions("starcoder"),
    "chatglm": lambda: dense("chatglm", fused=True, wide_up=True),
    "command-r": lambda: dense("command-r", {"logit_scale": 1.0}, tied=True, norms=_ALL_BUT_FFN),
    "dbrx": lambda: mixture(
        "dbrx", keys={"attention.clamp_kqv": 8.0}, fused=True, extra_norms=("attn_output_norm",), ffn_norm=False,
        width=FF,
    ),
    "ernie4_5": lambda: dense("ernie4_5"),
    "exaone": lambda: dense("exaone"),
    "falcon": falcon,
    "gemma": lambda: dense("gemma", tied=True),
    "glm4": lambda: dense(
        "glm4", wide_up=True, extra_norms=("post_attention_norm", "post_ffw_norm")
    ),
    "gptneox": lambda: dense(
        "gptneox", {"use_parallel_residual": True}, fused=True, gate=False, biases=True, kv=HEADS
    ),
    "granite": lambda: dense("granite", {"logit_scale": 1.0}),
    "hunyuan-moe": lambda: mixture("hunyuan-moe", head_norms=True, shared=True, width=FF),
    "internlm2": lambda: dense("internlm2"),
    "minicpm": lambda: dense("minicpm"),
    "nemotron": lambda: dense("nemotron", gate=False, biases=True),
    "olmo": lambda: dense("olmo", norms=()),
    "orion": lambda: norm_biases("orion"),
    "phi2": phi2,
    "phi3": lambda: dense("phi3", fused=True, wide_up=True),
    "qwen2vl": lambda: dense("qwen2vl", _SECTIONS),
    "qwen3": lambda: dense("qwen3", head_norms=True),
    "qwen3vl": lambda: dense("qwen3vl", _SECTIONS, head_norms=True),
    "qwen3vlmoe": lambda: mixture("qwen3vlmoe", keys=_SECTIONS, head_norms=True),
    "seed_oss": lambda: dense("seed_oss", norms=_ALL_BUT_FFN, extra_norms=("post_attention_norm",)),
    "smollm3": lambda: dense("smollm3"),
    "stablelm": lambda: norm_biases("stablelm"),
    "starcoder2": lambda: dense("starcoder2", gate=False, biases=True),
    "xverse": lambda: dense("xverse"),
    "bailingmoe": lambda: mixture("bailingmoe", shared=True, keys={"rope.dimension_count": HEAD}),
    "mistral4": mistral4,
    "arctic": arctic,
    "minimax-m2": minimax_m2,
}  # fmt: skip
"""Name -> builder."""
