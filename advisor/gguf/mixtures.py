"""Which type llama.cpp's quantiser gives each tensor of a file, by the file's name ("Q4_K_M").

The rules of ``src/llama-quant.cpp`` without an importance matrix (ggml 0.25, read 2026-11-30), in its own order:
which tensors it leaves alone, what each kind of matrix gets, and what a row gets that the type's blocks do not fill.
Most matrices get the type that the file is named for, the head a finer one, and of those that quality depends on
most (values of the attention, the last step of the feed-forward part) some or all do, too.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from advisor.gguf.header import TensorInfo
from advisor.gguf.keys import Keys
from advisor.gguf.quant_types import BY_NAME

BASE_TYPES: Final[Mapping[str, str]] = MappingProxyType({
    "F32": "F32", "F16": "F16", "BF16": "BF16", "Q8_0": "Q8_0", "Q6_K": "Q6_K", "Q5_K_M": "Q5_K", "Q5_K_S": "Q5_K",
    "Q5_1": "Q5_1", "Q5_0": "Q5_0", "Q4_K_M": "Q4_K", "Q4_K_S": "Q4_K", "Q4_1": "Q4_1", "Q4_0": "Q4_0",
    "IQ4_NL": "IQ4_NL", "IQ4_XS": "IQ4_XS", "MXFP4_MOE": "MXFP4", "Q3_K_L": "Q3_K", "Q3_K_M": "Q3_K",
    "Q3_K_S": "Q3_K", "IQ3_M": "IQ3_S", "IQ3_S": "IQ3_S", "Q2_K": "Q2_K",
})  # fmt: skip
"""Files that are made without an importance matrix -> the type of most of their matrices; the finest first."""

NOT_QUANTISED: Final = frozenset({"F32", "F16", "BF16"})

FALLBACKS: Final[Mapping[str, str]] = MappingProxyType({
    "Q2_K": "Q4_0", "Q3_K": "Q4_0", "Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0", "IQ3_S": "IQ4_NL",
    "IQ4_XS": "IQ4_NL",
})  # fmt: skip
"""What a row gets that 256 does not divide; one that 32 does not divide either becomes F16."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What the rules ask of a model.

    Attributes:
        blocks: all of them, those for multi-token prediction included.
        heads, kv_heads: of the first layer.
    """

    architecture: str
    blocks: int
    heads: int
    kv_heads: int
    experts: int

    @property
    def grouped(self) -> int:
        """Query heads per key-value head; 0 for a first layer without any."""
        return self.heads // self.kv_heads if self.kv_heads else 0

    @property
    def is_70b(self) -> bool:
        """What llama.cpp takes for a 70B model, whose values are few and get more bits."""
        if self.architecture == "llama":
            return self.blocks == 80 and self.heads != self.kv_heads
        return self.blocks == 80 and self.architecture in {"qwen2", "deci", "olmo"}


def traits_of(keys: Keys) -> Traits:
    """The traits that a file's keys tell; 0 for what they do not."""
    heads = keys.per_layer("attention.head_count", 1) or (0,)
    kv_heads = keys.per_layer("attention.head_count_kv", 1) or heads
    return Traits(
        keys.architecture, keys.count("block_count") or 0, heads[0], kv_heads[0], keys.count("expert_count") or 0
    )


class _Kind(Enum):
    EMBEDDING = auto()
    HEAD = auto()
    VALUES = auto()
    FUSED = auto()
    """Queries, keys and values in one."""
    KEYS = auto()
    OUTPUT = auto()
    DOWN = auto()
    OTHER = auto()


_PARTS: Final = (
    ("attn_qkv.weight", _Kind.FUSED),
    ("attn_kv_b.weight", _Kind.VALUES),
    ("attn_v.weight", _Kind.VALUES),
    ("attn_k.weight", _Kind.KEYS),
    ("attn_q.weight", _Kind.OTHER),
    ("attn_output.weight", _Kind.OUTPUT),
    ("ffn_up", _Kind.OTHER),
    ("ffn_gate", _Kind.OTHER),
    ("ffn_down", _Kind.DOWN),
)
"""Parts of names, the first that is there decides."""

_LEFT_ALONE: Final = (
    "_norm.weight", "ffn_gate_inp.weight", "ffn_gate_tid2eid.weight", "altup", "laurel", "per_layer_model_proj",
    "ssm_conv1d", "shortconv.conv.weight", "indexer.k_proj.weight", "indexer.q_proj.weight", "time_mix_first.weight",
    "time_mix_w0.weight", "time_mix_w1.weight", "time_mix_w2.weight", "time_mix_v0.weight", "time_mix_v1.weight",
    "time_mix_v2.weight", "time_mix_a0.weight", "time_mix_a1.weight", "time_mix_a2.weight", "time_mix_g1.weight",
    "time_mix_g2.weight", "time_mix_decay_w1.weight", "time_mix_decay_w2.weight", "time_mix_lerp_fused.weight",
    "attn_rel_b.weight", "position_embd", "token_types.weight",
)  # fmt: skip
_BLOCK: Final = re.compile(r"blk\.(\d+)\.")
NAMES: Final = 8192
"""Tensor names whose kind is remembered: a model is drawn up in every quantisation, each time with the same names."""


def is_left_alone(tensor: TensorInfo) -> bool:
    """Whether the quantiser copies the tensor as it is: vectors, norms, routers, small matrices."""
    width = len(tensor.dims)
    while width and tensor.dims[width - 1] == 1:
        width -= 1
    return width < 2 or _is_left_alone(tensor.name)


@lru_cache(maxsize=NAMES)
def _is_left_alone(name: str) -> bool:
    return not name.endswith("weight") or any(part in name for part in _LEFT_ALONE)


def mixed(tensors: Sequence[TensorInfo], traits: Traits, label: str) -> tuple[TensorInfo, ...]:
    """The tensors, in the same order, with the types and sizes that the file ``label`` of them has.

    Raises:
        KeyError: ``label`` is none of ``BASE_TYPES``.
    """
    rule = _Rule(traits, label, BASE_TYPES[label], tied=not any(t.name == "output.weight" for t in tensors))
    rule.values = sum(_kind(tensor.name) in {_Kind.VALUES, _Kind.FUSED} for tensor in tensors)
    types: dict[str, str] = {}
    for tensor in sorted(tensors, key=lambda tensor: (_block(tensor.name), tensor.name)):
        if not is_left_alone(tensor):
            types[tensor.name] = fitting(rule.type_of(tensor), tensor.dims[0])
    return tuple(retyped(tensor, types[tensor.name]) if tensor.name in types else tensor for tensor in tensors)


def retyped(tensor: TensorInfo, name: str) -> TensorInfo:
    """The tensor in another type."""
    found = BY_NAME[name]
    size = found.bytes_of(tensor.elements)
    return TensorInfo(tensor.name, tensor.dims, found.id, tensor.offset, size, tensor.span_bytes)


def fitting(name: str, row: int) -> str:
    """The type, or what the quantiser takes instead for rows that its blocks do not fill."""
    if row % BY_NAME[name].block_elements:
        name = FALLBACKS.get(name, name)
    return name if row % BY_NAME[name].block_elements == 0 else "F16"


def gets_more_bits(layer: int, layers: int) -> bool:
    """Whether a layer's sensitive matrices get more bits: the first and the last eighth, and every third between."""
    return layer < layers // 8 or layer >= 7 * layers // 8 or (layer - layers // 8) % 3 == 2


def head_type(label: str, base: str, row: int, architecture: str = "") -> str:
    """Type of the output matrix, and of the embeddings where they are that matrix."""
    if base in NOT_QUANTISED:
        return base
    if label == "MXFP4_MOE" or architecture == "falcon" or row % BY_NAME[base].block_elements or base == "Q8_0":
        return "Q8_0"
    return "Q6_K"


@dataclass(slots=True)
class _Rule:
    """The quantiser's rules while it goes through one model; it counts as that does."""

    traits: Traits
    label: str
    base: str
    tied: bool
    values: int = 0
    """Matrices with values in the whole model."""
    seen_values: int = field(default=0)
    seen_down: int = field(default=0)

    def type_of(self, tensor: TensorInfo) -> str:
        kind = _kind(tensor.name)
        if self.base in NOT_QUANTISED:
            return self.base
        if kind is _Kind.HEAD or (self.tied and kind is _Kind.EMBEDDING):
            return head_type(self.label, self.base, tensor.dims[0], self.traits.architecture)
        if self.label == "MXFP4_MOE":
            return "MXFP4" if len(tensor.dims) > 2 and tensor.dims[2] > 1 else "Q8_0"
        match kind:
            case _Kind.VALUES | _Kind.FUSED:
                return self._values()
            case _Kind.KEYS:
                return "Q8_0" if self.traits.experts == 8 else self.base
            case _Kind.DOWN:
                return self._down(tensor.name)
            case _Kind.OUTPUT:
                return self._output()
        return self.base

    def _values(self) -> str:
        index, base, many = self.seen_values, self.base, self.traits.grouped >= 4
        self.seen_values += 1
        if self.traits.experts == 8:
            return "Q8_0"
        match self.label:
            case "Q2_K":
                base = "Q4_K" if many else "Q3_K"
            case "IQ3_S" if many:
                base = "Q4_K"
            case "IQ3_M":
                base = "Q4_K"
            case "Q3_K_M":
                base = "Q5_K" if index < 2 else "Q4_K"
            case "Q3_K_L":
                base = "Q5_K"
            case "IQ4_NL" | "IQ4_XS" if many:
                base = "Q5_K"
            case "Q4_K_M" | "Q5_K_M" if gets_more_bits(index, self.values):
                base = "Q6_K"
            case "Q4_K_S" if index < 4:
                base = "Q5_K"
        return "Q5_K" if self.traits.is_70b and base in {"Q3_K", "Q4_K"} else base

    def _down(self, name: str) -> str:
        falcon, layers = self.traits.architecture == "falcon", self.traits.blocks
        layer = _block(name) if self.traits.experts > 1 else self.seen_down
        self.seen_down += 1
        first, more = layer < layers // 8, gets_more_bits(layer, layers)
        match self.label:
            case "Q2_K":
                return "Q3_K"
            case "Q3_K_M":
                if layer < layers // 16:
                    return "Q5_K"
                return "Q4_K" if more or not falcon else self.base
            case "Q3_K_L":
                return "Q4_K" if falcon else "Q5_K"
            case "IQ3_M" if first or (self.traits.experts == 8 and more):
                return "Q4_K"
            case "Q4_K_M" if falcon:
                return "Q6_K" if layer < layers // 16 else "Q5_K" if more else self.base
            case "Q4_K_M" | "Q5_K_M" if more:
                return "Q6_K"
            case "Q4_K_S" if first and not falcon:
                return "Q5_K"
            case "IQ4_NL" | "IQ4_XS" if first:
                return "Q5_K"
        return self.base

    def _output(self) -> str:
        if self.traits.architecture == "falcon":
            return "Q4_K" if self.label == "Q3_K_L" else self.base
        if self.traits.experts == 8:
            return "Q5_K" if self.label in _FINER_OUTPUT_OF_EIGHT else self.base
        return _OUTPUT.get(self.label, self.base)


_OUTPUT: Final = {"Q2_K": "Q3_K", "Q3_K_M": "Q4_K", "Q3_K_L": "Q5_K", "IQ3_M": "Q4_K"}
_FINER_OUTPUT_OF_EIGHT: Final = frozenset(
    {"Q2_K", "Q3_K_S", "Q3_K_M", "IQ4_NL", "Q4_K_S", "Q4_K_M", "IQ3_S", "IQ3_M", "IQ4_XS"}
)


@lru_cache(maxsize=NAMES)
def _kind(name: str) -> _Kind:
    if name == "output.weight":
        return _Kind.HEAD
    if name in {"token_embd.weight", "per_layer_token_embd.weight"}:
        return _Kind.EMBEDDING
    return next((kind for part, kind in _PARTS if part in name), _Kind.OTHER)


@lru_cache(maxsize=NAMES)
def _block(name: str) -> int:
    found = _BLOCK.match(name)
    return int(found[1]) if found else -1
