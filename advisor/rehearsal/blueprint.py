"""From a shape to the file that it has in llama.cpp's format: every key and every tensor, without a weight.

The further numbers of a shape (``Shape.more``) that this reads:

* ``rope``: elements of a head that are rotated; ``value``: length of a value where it is not that of a key
* ``moe_step``: only every n-th layer has experts (Llama 4)
* ``q_lora``, ``kv_lora``: ranks of latent attention, whose keys are ``head_length`` long and rotate ``rope`` elements
* ``qkv_bias``: 1 where queries, keys and values have biases that the architecture's other models lack
* ``softmax``: 1 where the router is a softmax without a correction
* ``shared_experts``: how many the shared width is made of, where an engine wants to know
* those of recurrent layers and of Gemma 4, see ``hybrids.py`` and ``gemma4.py``
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from advisor.core.errors import BadFile
from advisor.core.translation import tr
from advisor.gguf.architecture import model_facts
from advisor.gguf.header import Header, TensorInfo, Value
from advisor.gguf.model import ModelFacts
from advisor.gguf.quant_types import FILE_TYPE_LABELS
from advisor.gguf.shards import ModelFiles
from advisor.gguf.writer import laid_out
from advisor.rehearsal import hybrids
from advisor.rehearsal.draft import Draft
from advisor.rehearsal.gemma4 import gemma4
from advisor.rehearsal.parts import attention, experts, feed_forward, has_experts
from advisor.rehearsal.shape import Shape
from advisor.rehearsal.styles import QKV, STYLES, Style

_GATING_SIGMOID: Final = 2
_INTERLEAVED: Final = frozenset({"llama4", "ernie4_5-moe"})
_ROUTED_BY_SIGMOID: Final = frozenset({"deepseek2", "glm4moe", "dots1", "minimax-m2"})


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A model's file without its weights.

    Attributes:
        keys: as in the file's header, full names.
        tensors: their places in a file do not count.
    """

    keys: Mapping[str, Value]
    tensors: tuple[TensorInfo, ...]

    @property
    def architecture(self) -> str:
        """llama.cpp's name of it."""
        return str(self.keys.get("general.architecture", ""))

    @property
    def parameters(self) -> int:
        """Elements of all tensors."""
        return sum(tensor.elements for tensor in self.tensors)

    def facts(self, name: str, label: str = "", extra_bytes: int = 0) -> ModelFacts:
        """What ``inspect`` would say of the file; ``extra_bytes`` are those of a tokenizer that is not drawn up."""
        keys = dict(self.keys)
        number = next((number for number, known in FILE_TYPE_LABELS.items() if known == label), None)
        if number is not None:
            keys["general.file_type"] = number
        file = laid_out(keys, self.tensors)
        header = Header(
            version=3,
            keys=MappingProxyType(keys),
            tensors=file.tensors,
            data_start=file.data_start,
            alignment=file.alignment,
            file_bytes=file.file_bytes + extra_bytes,
        )
        path = Path(name)
        return model_facts(ModelFiles(header, file.tensors, header.file_bytes, 1, (), path), path)


@lru_cache(maxsize=4)  # the chooser asks for one model in every quantisation before the next one
def blueprint(shape: Shape) -> Blueprint:
    """The file of a shape, its matrices in F16.

    Raises:
        BadFile: for an architecture whose tensors are not known here.
    """
    style = STYLES.get(shape.architecture)
    builder = _OTHERS.get(shape.architecture)
    if style is None and builder is None:
        raise BadFile(
            tr(
                "Models of the architecture {architecture} cannot be drawn up from their shape yet.",
                architecture=shape.architecture,
            ),
            tr("Give the address of a GGUF file of the model instead."),
            {"architecture": shape.architecture},
        )
    draft = Draft(shape)
    _common(draft)
    if builder is not None:
        builder(draft)
    else:
        assert style is not None
        _transformer(draft, style)
    return Blueprint(MappingProxyType(draft.keys), tuple(draft.tensors))


def known_architectures() -> frozenset[str]:
    """Those that can be drawn up."""
    return frozenset(STYLES) | frozenset(_OTHERS)


def _common(draft: Draft) -> None:
    """Keys that all have, and the tensors outside the layers."""
    shape = draft.shape
    draft.keys["general.architecture"] = shape.architecture
    draft.keys["tokenizer.ggml.model"] = "no_vocab"
    draft.key("vocab_size", shape.vocabulary)
    draft.key("context_length", shape.context)
    draft.key("embedding_length", shape.embedding)
    draft.key("block_count", shape.layers)
    draft.key("feed_forward_length", shape.feed_forward or shape.expert_feed_forward)
    draft.key("attention.head_count", shape.heads)
    draft.key("attention.head_count_kv", shape.kv_heads)
    draft.key("attention.key_length", shape.head_length)
    draft.key("attention.value_length", shape.extra("value", shape.head_length))
    draft.key("attention.layer_norm_rms_epsilon", 1e-5)
    draft.key("attention.layer_norm_epsilon", 1e-5)
    draft.key("rope.dimension_count", shape.extra("rope", shape.head_length))
    if shape.window:
        draft.key("attention.sliding_window", shape.window)
    if shape.experts:
        draft.key("expert_count", shape.experts)
        draft.key("expert_used_count", shape.experts_used)
        draft.key("expert_feed_forward_length", shape.expert_feed_forward)
        draft.key("leading_dense_block_count", shape.dense_layers)
        if shape.architecture in _INTERLEAVED:
            draft.key("interleave_moe_layer_step", shape.extra("moe_step", 1))
        if shape.shared_feed_forward:
            draft.key("expert_shared_count", shape.extra("shared_experts", 1))
            draft.key("expert_shared_feed_forward_length", shape.shared_feed_forward)
        if shape.architecture in _ROUTED_BY_SIGMOID and not shape.extra("softmax"):
            draft.key("expert_gating_func", _GATING_SIGMOID)
    draft.matrix("token_embd", shape.embedding, shape.vocabulary)
    draft.vector("output_norm", shape.embedding)
    if not shape.tied:
        draft.matrix("output", shape.embedding, shape.vocabulary)


def _transformer(draft: Draft, style: Style) -> None:
    shape = draft.shape
    if shape.architecture in {"cohere2", "command-r", "granite", "granitemoe"}:
        draft.key("logit_scale", 1.0)
    if shape.extra("kv_lora"):
        _latent_keys(draft)
    biases = style.biases | (QKV if shape.extra("qkv_bias") else frozenset())
    correction = style.correction and not shape.extra("softmax")
    for layer in range(shape.layers):
        block, first = f"blk.{layer}.", len(draft.tensors)
        for norm in style.before + style.after:
            draft.vector(block + norm, shape.embedding)
        if shape.extra("kv_lora"):
            _latent_attention(draft, block)
        else:
            attention(draft, block, style)
        if has_experts(shape, layer):
            experts(draft, block, correction=correction, shared_router=style.shared_router)
        else:
            feed_forward(draft, block, shape.feed_forward, wide_up=style.wide_up)
        for tensor in draft.tensors[first:]:
            name = tensor.name.removesuffix(".weight")
            if name.removeprefix(block) in biases:
                draft.bias(name, *tensor.dims[1:])


def _latent_keys(draft: Draft) -> None:
    shape = draft.shape
    latent, rotated = shape.extra("kv_lora"), shape.extra("rope")
    draft.key("attention.head_count_kv", 1)
    draft.key("attention.key_length", latent + rotated)
    draft.key("attention.value_length", latent)
    draft.key("attention.key_length_mla", shape.head_length)
    draft.key("attention.value_length_mla", shape.extra("value", shape.head_length))
    draft.key("attention.kv_lora_rank", latent)
    draft.key("attention.q_lora_rank", shape.extra("q_lora"))  # 0 where queries are not compressed


def _latent_attention(draft: Draft, block: str) -> None:
    """DeepSeek's attention, whose cache holds latents."""
    shape = draft.shape
    latent, rotated, low = shape.extra("kv_lora"), shape.extra("rope"), shape.extra("q_lora")
    value, key = shape.extra("value", shape.head_length), shape.head_length
    if low:
        draft.matrix(f"{block}attn_q_a", shape.embedding, low)
        draft.vector(f"{block}attn_q_a_norm", low)
        draft.matrix(f"{block}attn_q_b", low, shape.heads * key)
    else:
        draft.matrix(f"{block}attn_q", shape.embedding, shape.heads * key)
    draft.matrix(f"{block}attn_kv_a_mqa", shape.embedding, latent + rotated)
    draft.vector(f"{block}attn_kv_a_norm", latent)
    draft.matrix(f"{block}attn_k_b", key - rotated, latent, shape.heads)
    draft.matrix(f"{block}attn_v_b", latent, value, shape.heads)
    draft.matrix(f"{block}attn_output", shape.heads * value, shape.embedding)


_OTHERS: Final[Mapping[str, Callable[[Draft], None]]] = MappingProxyType({
    "gemma4": gemma4,
    "granitehybrid": hybrids.granite,
    "lfm2": hybrids.short_convolution,
    "lfm2moe": hybrids.short_convolution,
    "nemotron_h": hybrids.nemotron,
    "nemotron_h_moe": hybrids.nemotron,
    "qwen35": hybrids.delta_net,
    "qwen35moe": hybrids.delta_net,
    "qwen3next": hybrids.delta_net,
})
