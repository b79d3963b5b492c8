"""A kit for tiny models of any architecture that llama.cpp loads: 64 wide, a vocabulary of 96 and no tokenizer."""

from collections.abc import Mapping, Sequence

from tests.support.gguf_builder import Gguf, Tensor, TypedArray

D, VOCAB, HEADS, KV_HEADS, HEAD, FF = 64, 96, 4, 2, 16, 128
EXPERTS, USED, FF_EXPERT = 4, 2, 32

INT32, BOOL = 5, 7


def ints(values: Sequence[int]) -> TypedArray:
    """A per-layer array as converters write it."""
    return TypedArray(INT32, values)


def flags(values: Sequence[bool]) -> TypedArray:
    """A per-layer array of truth values."""
    return TypedArray(BOOL, values)


class Tiny:
    """Collects keys and tensors of one model; every method adds the tensors that its name says."""

    def __init__(self, arch: str, layers: int, keys: Mapping[str, object] | None = None, *, tied: bool = False) -> None:
        self.arch = arch
        self.layers = layers
        self.keys: dict[str, object] = {
            "context_length": 4096,
            "embedding_length": D,
            "block_count": layers,
            "feed_forward_length": FF,
            "attention.head_count": HEADS,
            "attention.head_count_kv": KV_HEADS,
            "attention.layer_norm_rms_epsilon": 1e-5,
            "attention.layer_norm_epsilon": 1e-5,
            "vocab_size": VOCAB,
            **(keys or {}),
        }
        self.tensors: list[Tensor] = []
        self.matrix("token_embd", D, VOCAB)
        self.vector("output_norm", D)
        if not tied:
            self.matrix("output", D, VOCAB)

    def file(self) -> Gguf:
        """The model as a file; keys of value None are left out."""
        keys: dict[str | bytes, object] = {"general.architecture": self.arch, "tokenizer.ggml.model": "no_vocab"}
        keys |= {f"{self.arch}.{name}": value for name, value in self.keys.items() if value is not None}
        return Gguf(keys, self.tensors)

    def matrix(self, name: str, *dims: int) -> None:
        self.tensors.append(Tensor(f"{name}.weight", dims, "F16"))

    def vector(self, name: str, *dims: int) -> None:
        self.tensors.append(Tensor(f"{name}.weight", dims))

    def bias(self, name: str, *dims: int) -> None:
        self.tensors.append(Tensor(f"{name}.bias", dims))

    def bare(self, name: str, *dims: int) -> None:
        """A tensor whose name has no ending."""
        self.tensors.append(Tensor(name, dims))

    def norms(self, block: str, *names: str, size: int = D) -> None:
        for name in names:
            self.vector(block + name, size)

    def attention(
        self,
        block: str,
        heads: int = HEADS,
        kv: int = KV_HEADS,
        key: int = HEAD,
        value: int = HEAD,
        gated: bool = False,
    ) -> None:
        self.vector(f"{block}attn_norm", D)
        self.matrix(f"{block}attn_q", D, heads * key * (2 if gated else 1))
        self.matrix(f"{block}attn_k", D, kv * key)
        self.matrix(f"{block}attn_v", D, kv * value)
        self.matrix(f"{block}attn_output", heads * value, D)

    def fused_attention(self, block: str, heads: int = HEADS, kv: int = KV_HEADS, head: int = HEAD) -> None:
        self.vector(f"{block}attn_norm", D)
        self.matrix(f"{block}attn_qkv", D, (heads + 2 * kv) * head)
        self.matrix(f"{block}attn_output", heads * head, D)

    def head_norms(self, block: str, size: int = HEAD) -> None:
        self.norms(block, "attn_q_norm", "attn_k_norm", size=size)

    def feed_forward(self, block: str, width: int = FF, *, gate: bool = True, norm: bool = True) -> None:
        if norm:
            self.vector(f"{block}ffn_norm", D)
        if gate:
            self.matrix(f"{block}ffn_gate", D, width)
        self.matrix(f"{block}ffn_up", D, width)
        self.matrix(f"{block}ffn_down", width, D)

    def experts(
        self, block: str, width: int = FF_EXPERT, *, gate: bool = True, norm: bool = True, correction: bool = False
    ) -> None:
        if norm:
            self.vector(f"{block}ffn_norm", D)
        self.vector(f"{block}ffn_gate_inp", D, EXPERTS)
        if gate:
            self.matrix(f"{block}ffn_gate_exps", D, width, EXPERTS)
        self.matrix(f"{block}ffn_up_exps", D, width, EXPERTS)
        self.matrix(f"{block}ffn_down_exps", width, D, EXPERTS)
        if correction:
            self.bias(f"{block}exp_probs_b", EXPERTS)

    def shared_expert(self, block: str, width: int = FF_EXPERT, *, gate: bool = True, router: bool = False) -> None:
        if router:
            self.vector(f"{block}ffn_gate_inp_shexp", D)
        if gate:
            self.matrix(f"{block}ffn_gate_shexp", D, width)
        self.matrix(f"{block}ffn_up_shexp", D, width)
        self.matrix(f"{block}ffn_down_shexp", width, D)

    def nextn(self, block: str) -> None:
        """What makes a block one for multi-token prediction."""
        self.matrix(f"{block}nextn.eh_proj", 2 * D, D)
        self.norms(block, "nextn.enorm", "nextn.hnorm", "nextn.shared_head_norm")

    def mamba(self, block: str, inner: int, state: int, kernel: int, rank: int, *, norms: bool = False) -> None:
        self.matrix(f"{block}ssm_in", D, 2 * inner)
        self.vector(f"{block}ssm_conv1d", kernel, inner)
        self.bias(f"{block}ssm_conv1d", inner)
        self.matrix(f"{block}ssm_x", inner, rank + 2 * state)
        self.matrix(f"{block}ssm_dt", rank, inner)
        self.bias(f"{block}ssm_dt", inner)
        self.bare(f"{block}ssm_a", state, inner)
        self.bare(f"{block}ssm_d", inner)
        self.matrix(f"{block}ssm_out", inner, D)
        if norms:
            self.vector(f"{block}ssm_dt_norm", rank)
            self.norms(block, "ssm_b_norm", "ssm_c_norm", size=state)

    def mamba2(self, block: str, inner: int, state: int, kernel: int, ranks: int, groups: int) -> None:
        width = inner + 2 * groups * state
        self.matrix(f"{block}ssm_in", D, inner + width + ranks)
        self.vector(f"{block}ssm_conv1d", kernel, width)
        self.bias(f"{block}ssm_conv1d", width)
        self.bias(f"{block}ssm_dt", ranks)
        self.bare(f"{block}ssm_a", 1, ranks)
        self.bare(f"{block}ssm_d", 1, ranks)
        self.vector(f"{block}ssm_norm", inner // groups, groups)
        self.matrix(f"{block}ssm_out", inner, D)

    def delta_net(self, block: str, state: int, key_heads: int, value_heads: int, kernel: int, *, fused: bool) -> None:
        """Qwen's; ``fused`` keeps two small matrices in one, as Qwen3-Next does."""
        values = state * value_heads
        self.vector(f"{block}attn_norm", D)
        self.matrix(f"{block}attn_qkv", D, 2 * state * key_heads + values)
        self.matrix(f"{block}attn_gate", D, values)
        self.vector(f"{block}ssm_conv1d", kernel, 2 * state * key_heads + values)
        self.bias(f"{block}ssm_dt", value_heads)
        self.bare(f"{block}ssm_a", value_heads)
        if fused:
            self.matrix(f"{block}ssm_ba", D, 2 * value_heads)
        else:
            self.matrix(f"{block}ssm_alpha", D, value_heads)
            self.matrix(f"{block}ssm_beta", D, value_heads)
        self.vector(f"{block}ssm_norm", state)
        self.matrix(f"{block}ssm_out", values, D)
