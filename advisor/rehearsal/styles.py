"""How the architectures of ordinary transformers differ: norms, biases, fused matrices.

From ``src/models/*.cpp`` of llama.cpp (ggml 0.25, read 2026-11-30).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType
from typing import Final


class HeadNorms(Enum):
    """Norms of queries and keys."""

    NONE = auto()
    HEAD = auto()
    """One head long, the same for all."""
    WHOLE = auto()
    """As long as all heads together."""


@dataclass(frozen=True, slots=True)
class Style:
    """What a layer of an architecture is made of.

    Attributes:
        before: norms ahead of the attention and of the feed-forward part.
        after: further norms of the embedding's length.
        biases: matrices that have a bias.
        fused: queries, keys and values in one matrix.
        wide_up: gate and up in one matrix.
        sinks: a number per head that attention may fall into.
        correction: a bias per expert for the router.
        shared_router: the shared expert has a router of its own.
    """

    before: tuple[str, ...] = ("attn_norm", "ffn_norm")
    after: tuple[str, ...] = ()
    head_norms: HeadNorms = HeadNorms.NONE
    biases: frozenset[str] = frozenset()
    fused: bool = False
    wide_up: bool = False
    sinks: bool = False
    correction: bool = False
    shared_router: bool = False


QKV: Final = frozenset({"attn_q", "attn_k", "attn_v"})
_AFTER: Final = ("post_attention_norm", "post_ffw_norm")
_SECOND_IS_POST: Final = ("attn_norm", "post_attention_norm")
"""The norm ahead of the feed-forward part goes by the name of the one behind the attention."""

STYLES: Final[Mapping[str, Style]] = MappingProxyType({
    "cohere2": Style(before=("attn_norm",)),
    "command-r": Style(before=("attn_norm",)),
    "deepseek2": Style(correction=True),
    "dots1": Style(head_norms=HeadNorms.HEAD, correction=True),
    "ernie4_5": Style(),
    "ernie4_5-moe": Style(correction=True),
    "exaone4": Style(before=(), after=_AFTER, head_norms=HeadNorms.HEAD),
    "gemma": Style(),
    "gemma2": Style(after=_AFTER),
    "gemma3": Style(after=_AFTER, head_norms=HeadNorms.HEAD),
    "glm4": Style(after=_AFTER, wide_up=True),
    "glm4moe": Style(before=_SECOND_IS_POST, biases=QKV, correction=True),
    "gpt-oss": Style(
        before=_SECOND_IS_POST, sinks=True,
        biases=QKV | {"attn_output", "ffn_gate_inp", "ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"},
    ),
    "granite": Style(),
    "granitemoe": Style(),
    "hunyuan-dense": Style(head_norms=HeadNorms.HEAD),
    "hunyuan-moe": Style(head_norms=HeadNorms.HEAD),
    "llama": Style(),
    "llama4": Style(),
    "minimax-m2": Style(head_norms=HeadNorms.WHOLE, correction=True),
    "mistral3": Style(),
    "olmo2": Style(before=(), after=_AFTER, head_norms=HeadNorms.WHOLE),
    "olmoe": Style(head_norms=HeadNorms.WHOLE),
    "phi3": Style(fused=True, wide_up=True),
    "qwen2": Style(biases=QKV),
    "qwen2moe": Style(biases=QKV, shared_router=True),
    "qwen3": Style(head_norms=HeadNorms.HEAD),
    "qwen3moe": Style(head_norms=HeadNorms.HEAD),
    "seed_oss": Style(before=_SECOND_IS_POST, biases=QKV),
    "smollm3": Style(),
})  # fmt: skip
"""Architecture -> what its layers are made of."""
