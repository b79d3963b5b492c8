"""Which architectures are modelled, and what is special about them.

Checked against ``src/models/*.cpp``, ``src/llama-model.cpp`` and ``src/llama-hparams.cpp`` of the llama.cpp that
llama-cpp-python 0.3.36 vendors (2026-11-29). Everything that is not listed here is reported as not modelled, never
guessed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType

from advisor.core.translation import marked


@dataclass(frozen=True, slots=True)
class Windowing:
    """How windows alternate with full attention when the file has no pattern of its own.

    Attributes:
        period: layer ``i`` has a window when ``i % period < period - 1``, and all have when it is 0; None where the
            file must bring a pattern.
        default_tokens: window when the file does not say; 0 means that all layers are full then.
        dense_first: layer ``i`` has a window when ``i % period != 0`` instead.
        fixed_tokens: window whatever number the file gives, once it gives one.
        chunked: the window counts from fixed borders instead of sliding.
        only_layers: windows only in the model of so many layers, whatever the file says; 0 for all.
    """

    period: int | None
    default_tokens: int = 0
    dense_first: bool = False
    fixed_tokens: int = 0
    chunked: bool = False
    only_layers: int = 0


WINDOWED: Mapping[str, Windowing] = MappingProxyType(
    {
        "afmoe": Windowing(4),
        "cohere2": Windowing(4),
        "cohere2moe": Windowing(4, dense_first=True),
        "exaone-moe": Windowing(4, 128),
        "exaone4": Windowing(4, 4096, only_layers=64),
        "gemma2": Windowing(2, 4096),
        "gemma3": Windowing(6),
        "gemma3n": Windowing(5),
        "gemma4": Windowing(None),
        "gpt-oss": Windowing(2),
        "granite_swa": Windowing(None),
        "laguna": Windowing(4, dense_first=True),
        "lfm2": Windowing(0),
        "llama4": Windowing(4, 8192, fixed_tokens=8192, chunked=True),
        "mellum": Windowing(4),
        "mimo2": Windowing(None),
        "olmo2": Windowing(4),
        "plamo3": Windowing(8),
        "smallthinker": Windowing(4, fixed_tokens=4096, dense_first=True),
        "step35": Windowing(None),
    }
)
"""Architectures whose windows llama.cpp honours; elsewhere a window key is ignored by the engine (phi3, qwen2)."""


class Recurs(Enum):
    """Which layers keep a state instead of, or beside, a KV cache."""

    ALL = auto()
    NO_KV_HEADS = auto()
    """Those with 0 in ``attention.head_count_kv``."""
    NO_KV_HEADS_NO_FFN = auto()
    """Those with 0 there and 0 in ``feed_forward_length``; a layer with a feed-forward part has nothing else."""
    BESIDE_ATTENTION = auto()
    """All layers, which have attention as well."""
    INTERVAL = auto()
    """By ``attention.recurrent_layers``, else all but every ``full_attention_interval``-th (4 by default)."""


class State(Enum):
    """How a layer's state is sized; ``tr`` of the value names it for people."""

    MAMBA = marked("Mamba state")
    MAMBA2 = marked("Mamba-2 state")
    RWKV = marked("RWKV state")
    SHORT_CONVOLUTION = marked("short convolution")
    DELTA_NET = marked("gated delta net")
    KDA = marked("Kimi delta attention")


@dataclass(frozen=True, slots=True)
class Recurrence:
    """An architecture's recurrent layers; ``marker`` is a tensor that every such layer has, and no other."""

    which: Recurs
    state: State
    marker: str


RECURRENT: Mapping[str, Recurrence] = MappingProxyType(
    {
        "arwkv7": Recurrence(Recurs.ALL, State.RWKV, "time_mix_output"),
        "falcon-h1": Recurrence(Recurs.BESIDE_ATTENTION, State.MAMBA2, "ssm_out"),
        "granitehybrid": Recurrence(Recurs.NO_KV_HEADS, State.MAMBA2, "ssm_out"),
        "jamba": Recurrence(Recurs.NO_KV_HEADS, State.MAMBA, "ssm_out"),
        "kimi-linear": Recurrence(Recurs.NO_KV_HEADS, State.KDA, "ssm_f_a"),
        "lfm2": Recurrence(Recurs.NO_KV_HEADS, State.SHORT_CONVOLUTION, "shortconv.out_proj"),
        "lfm2moe": Recurrence(Recurs.NO_KV_HEADS, State.SHORT_CONVOLUTION, "shortconv.out_proj"),
        "mamba": Recurrence(Recurs.ALL, State.MAMBA, "ssm_out"),
        "mamba2": Recurrence(Recurs.ALL, State.MAMBA2, "ssm_out"),
        "nemotron_h": Recurrence(Recurs.NO_KV_HEADS_NO_FFN, State.MAMBA2, "ssm_out"),
        "nemotron_h_moe": Recurrence(Recurs.NO_KV_HEADS_NO_FFN, State.MAMBA2, "ssm_out"),
        "plamo2": Recurrence(Recurs.NO_KV_HEADS, State.MAMBA, "ssm_out"),
        "qwen35": Recurrence(Recurs.INTERVAL, State.DELTA_NET, "ssm_out"),
        "qwen35moe": Recurrence(Recurs.INTERVAL, State.DELTA_NET, "ssm_out"),
        "qwen3next": Recurrence(Recurs.INTERVAL, State.DELTA_NET, "ssm_out"),
        "rwkv6": Recurrence(Recurs.ALL, State.RWKV, "time_mix_output"),
        "rwkv6qwen2": Recurrence(Recurs.ALL, State.RWKV, "time_mix_output"),
        "rwkv7": Recurrence(Recurs.ALL, State.RWKV, "time_mix_output"),
    }
)

LATENT = frozenset({"deepseek2", "kimi-linear", "mistral4"})
"""Latent attention whose cache holds latents when the file gives ``key_length_mla`` and ``value_length_mla``."""

LATENT_EXPANDED = frozenset({"minicpm3"})
"""Latent attention that llama.cpp always expands before caching. (It knows "plm", too, but gives up on a prompt.)"""

GATED_QUERIES = frozenset({"qwen35", "qwen35moe", "qwen3next"})
"""Their query matrix makes a gate of the same size as well."""

SHARED_KV_FROM: Mapping[str, int] = MappingProxyType({"gemma3n": 20})
"""First layer that stores nothing and attends to an earlier layer's cache; hard-coded in llama.cpp."""

SHARED_KV_KEY = frozenset({"gemma4"})
"""The same, told by ``attention.shared_kv_layers``, counted from the end."""

NEXTN = frozenset(
    {
        "bailingmoe2", "cohere2moe", "deepseek2", "exaone-moe", "exaone4", "glm4", "glm4moe", "mimo2", "mistral4",
        "nemotron_h", "nemotron_h_moe", "qwen35", "qwen35moe", "qwen3next", "step35",
    }
)  # fmt: skip
"""Architectures whose files may end in blocks for multi-token prediction that llama.cpp skips in plain decode."""

RUN_TWICE: Mapping[str, frozenset[str]] = MappingProxyType({"gemma3n": frozenset({"altup_router"})})
"""Matrices that each token passes twice (the second time from a cache, so that they count once as traffic)."""

SKIPPED_IN_FIRST_BLOCK: Mapping[str, frozenset[str]] = MappingProxyType(
    dict.fromkeys(("rwkv7", "arwkv7"), frozenset({"time_mix_v0", "time_mix_v1", "time_mix_v2"}))
)
"""Tensors of block 0 that are loaded but never read: there is no earlier layer whose values could be mixed in."""

MODELLED = frozenset(
    {
        # dense, with or without their own head
        "apertus", "arcee", "baichuan", "bitnet", "bloom", "chatglm", "codeshell", "cohere2", "command-r", "deci",
        "exaone", "exaone4", "falcon", "gemma", "gemma2", "gemma3", "gemma3n", "gemma4", "glm4", "gpt2", "gptneox",
        "granite", "granite_swa", "hunyuan-dense", "hunyuan_vl", "internlm2", "jais", "llama", "maincoder", "minicpm",
        "minicpm3", "mistral3", "mpt", "nemotron", "olmo", "olmo2", "openelm", "orion", "paddleocr", "pangu-embedded",
        "phi2", "phi3", "qwen", "qwen2", "qwen2vl", "qwen3", "qwen3vl", "refact", "seed_oss", "smollm3", "stablelm",
        "starcoder", "starcoder2", "xverse",
        # mixture of experts; llama, mistral3, granite and minicpm above can be one, too
        "afmoe", "arctic", "bailingmoe", "bailingmoe2", "cohere2moe", "dbrx", "deepseek", "deepseek2", "dots1",
        "ernie4_5", "ernie4_5-moe", "exaone-moe", "glm4moe", "gpt-oss", "granitemoe", "grok", "hunyuan-moe",
        "laguna", "llama4", "mellum", "mimo2", "minimax-m2", "mistral4", "olmoe", "phimoe", "plamo3", "qwen2moe",
        "qwen3moe", "qwen3vlmoe", "smallthinker", "step35",
        *RECURRENT,
    }
)  # fmt: skip
"""Decoders whose attention, states and tensors are known; ``tensor_roles.py`` must know each of their tensors."""

_OWN_TENSORS: tuple[tuple[tuple[str, ...], frozenset[str]], ...] = (
    (("ssm_", "shortconv.", "time_mix_", "channel_mix_"), frozenset(RECURRENT)),
    (("attn_q_a", "attn_q_b", "attn_kv_", "attn_k_b", "attn_v_b"), LATENT | LATENT_EXPANDED),
    (("per_layer_", "inp_gate", "proj", "post_norm"), frozenset({"gemma3n", "gemma4"})),
    (("altup_", "laurel_"), frozenset({"gemma3n"})),
    (("position_embd",), frozenset({"gpt2", "mpt", "starcoder"})),
)
"""Beginnings of tensor kinds -> the only architectures whose use of them is known."""


def is_foreign(kind: str, architecture: str) -> bool:
    """Whether a tensor of this kind has no known part in this architecture."""
    return any(kind.startswith(starts) and architecture not in owners for starts, owners in _OWN_TENSORS)


UNMODELLED_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "attention.kv_lora_rank": marked("compressed attention (MLA)"),
        "attention.key_length_mla": marked("compressed attention (MLA)"),
        "attention.shared_kv_layers": marked("layers that share a cache"),
        "attention.key_length_swa": marked("windows with their own head size"),
        "attention.recurrent_layers": marked("recurrent layers"),
        "attention.compress_ratios": marked("compressed attention"),
        "attention.indexer.head_count": marked("sparse attention"),
        "embedding_length_per_layer_input": marked("per-layer embeddings"),
        "full_attention_interval": marked("recurrent layers"),
        "hyper_connection.count": marked("hyper-connections"),
        "interleave_moe_layer_step": marked("interleaved experts"),
        "nextn_predict_layers": marked("blocks for multi-token prediction"),
        "num_loops": marked("looped layers"),
        "shortconv.l_cache": marked("convolution layers"),
        "ssm.inner_size": marked("recurrent layers"),
        "ssm.state_size": marked("recurrent layers"),
        "wkv.head_size": marked("recurrent layers"),
    }
)
"""Keys (below the architecture's name) that change the traffic where the architecture is not known to have them; 0
counts as absent."""

DEFAULTED = (
    "attention.head_count", "attention.head_count_kv", "attention.key_length", "attention.key_length_mla",
    "attention.key_length_swa", "attention.shared_kv_layers", "attention.sliding_window",
    "attention.sliding_window_pattern", "attention.value_length", "attention.value_length_mla",
    "attention.value_length_swa", "full_attention_interval", "nextn_predict_layers", "ssm.conv_kernel",
    "ssm.group_count", "token_shift_count",
)  # fmt: skip
"""Keys whose absence means something; a value that is no number must not pass for that (llama.cpp refuses it)."""

PER_LAYER = frozenset({"attention.head_count", "attention.head_count_kv", "attention.sliding_window_pattern"})
"""Those of them that may have a value for each layer."""

_SSM = frozenset({"ssm.inner_size", "ssm.state_size"})
_MLA = frozenset({"attention.kv_lora_rank", "attention.key_length_mla"})
_KNOWN_KEYS_OF_STATE: Mapping[State, frozenset[str]] = MappingProxyType(
    {
        State.MAMBA: _SSM,
        State.MAMBA2: _SSM,
        State.RWKV: frozenset({"wkv.head_size"}),
        State.SHORT_CONVOLUTION: frozenset({"shortconv.l_cache"}),
        State.DELTA_NET: _SSM | {"full_attention_interval", "attention.recurrent_layers"},
        State.KDA: _SSM,
    }
)


def known_keys(architecture: str) -> frozenset[str]:
    """Those of ``UNMODELLED_KEYS`` that are modelled for this architecture."""
    known: set[str] = set()
    if architecture in RECURRENT:
        known |= _KNOWN_KEYS_OF_STATE[RECURRENT[architecture].state]
    if architecture in LATENT | LATENT_EXPANDED:
        known |= _MLA
    if architecture in NEXTN:
        known.add("nextn_predict_layers")
    if architecture in {"gemma3n", "gemma4"}:
        known |= {"embedding_length_per_layer_input", "attention.shared_kv_layers"}
    if architecture in {"llama4", "ernie4_5-moe"}:
        known.add("interleave_moe_layer_step")
    if architecture in WINDOWED:
        known.add("attention.key_length_swa")
    return frozenset(known)
