"""Which architectures are modelled, and what is special about them.

Checked against ``src/models/*.cpp`` and ``src/llama-arch.cpp`` of the llama.cpp that llama-cpp-python 0.3.36 vendors
(2026-11-29). Everything that is not listed here is reported as not modelled yet, never guessed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Windowing:
    """How sliding windows alternate with full attention when the file has no pattern of its own.

    Attributes:
        period: layer ``i`` has a window when ``i % period < period - 1``.
        default_tokens: window when the file does not say; 0 means that all layers are full then.
    """

    period: int
    default_tokens: int = 0


WINDOWED: Mapping[str, Windowing] = MappingProxyType(
    {
        "cohere2": Windowing(4),
        "gemma2": Windowing(2, 4096),
        "gemma3": Windowing(6),
        "gpt-oss": Windowing(2),
        "olmo2": Windowing(4),
    }
)
"""Architectures whose windows llama.cpp honours; elsewhere a window key is ignored by the engine (phi3, qwen2)."""

MODELLED = frozenset(
    {
        # dense, with or without their own head
        "apertus", "arcee", "baichuan", "chatglm", "cohere2", "command-r", "exaone", "falcon", "gemma", "gemma2",
        "gemma3", "glm4", "gptneox", "granite", "internlm2", "llama", "minicpm", "mistral3", "nemotron", "olmo",
        "olmo2", "orion", "phi2", "phi3", "qwen2", "qwen2vl", "qwen3", "qwen3vl", "seed_oss", "smollm3", "stablelm",
        "starcoder2", "xverse",
        # mixture of experts; llama, mistral3, granite and minicpm above can be one, too
        "dbrx", "deepseek", "gpt-oss", "granitemoe", "hunyuan-moe", "olmoe", "phimoe", "qwen2moe", "qwen3moe",
        "qwen3vlmoe",
    }
)  # fmt: skip
"""Transformer decoders with plain attention in every layer, whose tensors ``tensor_roles.py`` can tell apart."""

UNMODELLED_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "attention.kv_lora_rank": "compressed attention (MLA)",
        "attention.key_length_mla": "compressed attention (MLA)",
        "attention.shared_kv_layers": "layers that share a cache",
        "attention.key_length_swa": "windows with their own head size",
        "attention.recurrent_layers": "recurrent layers",
        "attention.compress_ratios": "compressed attention",
        "attention.indexer.head_count": "sparse attention",
        "embedding_length_per_layer_input": "per-layer embeddings",
        "full_attention_interval": "recurrent layers",
        "hyper_connection.count": "hyper-connections",
        "interleave_moe_layer_step": "interleaved experts",
        "nextn_predict_layers": "blocks for multi-token prediction",
        "num_loops": "looped layers",
        "shortconv.l_cache": "convolution layers",
        "ssm.inner_size": "recurrent layers",
        "ssm.state_size": "recurrent layers",
        "wkv.head_size": "recurrent layers",
    }
)
"""Keys (below the architecture's name) that change the traffic in ways not modelled yet; 0 counts as absent."""

_ENCODER = "it is an encoder: it turns text into vectors and writes none, so there is no decode phase to measure"
_DIFFUSION = "it is a diffusion model: it writes all tokens at once in several passes and has no decode phase"
_DRAFT = "it is a draft head that only works beside its main model"
_PROJECTOR = "it is the vision or audio part of a model; pick the main file beside it"
_AUDIO = "it makes sound, not text, so there is no decode phase to measure"

WITHOUT_DECODE: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                "bert", "eurobert", "gemma-embedding", "jina-bert-v2", "jina-bert-v3", "llama-embed", "modern-bert",
                "neo-bert", "nomic-bert", "nomic-bert-moe", "t5encoder",
            ),
            _ENCODER,
        ),
        **dict.fromkeys(("dream", "llada", "llada-moe", "rnd1"), _DIFFUSION),
        **dict.fromkeys(("dflash", "eagle3", "gemma4-assistant"), _DRAFT),
        "clip": _PROJECTOR,
        "pockettts": _AUDIO,
        "wavtokenizer-dec": _AUDIO,
        "controlvector": "it is a control vector, an addition to a model and no model itself",
        "imatrix": "it is an importance matrix, an aid for quantising and no model",
    }
)  # fmt: skip
"""Architectures that cannot answer a prompt token by token -> what they are, as a clause."""

TYPES_WITHOUT_DECODE: Mapping[str, str] = MappingProxyType(
    {
        "adapter": "it is an adapter (LoRA), an addition to a model and no model itself; pick its base model",
        "imatrix": WITHOUT_DECODE["imatrix"],
        "mmproj": _PROJECTOR,
        "clip-vision": _PROJECTOR,
        "vocab": "it holds a vocabulary only, no weights",
    }
)
"""The same for ``general.type``."""
