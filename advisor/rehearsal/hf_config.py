"""A shape from the ``config.json`` that Hugging Face keeps beside a model's weights."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from advisor.core.errors import BadFile
from advisor.core.numbers import count
from advisor.core.translation import tr
from advisor.gguf.modelling import MAX_LAYERS
from advisor.gguf.readable import readable
from advisor.rehearsal.shape import Shape

LIMIT_BYTES: Final = 4_000_000
_SHOWN_LETTERS: Final = 40
_SANE: Final = 2**24
"""No number of a shape comes near it: the longest context is ten million tokens, the largest vocabulary a quarter."""

ARCHITECTURES: Final[Mapping[str, str]] = MappingProxyType({
    "cohere": "command-r", "cohere2": "cohere2", "deepseek_v2": "deepseek2", "deepseek_v3": "deepseek2",
    "ernie4_5": "ernie4_5", "ernie4_5_moe": "ernie4_5-moe", "exaone4": "exaone4", "gemma2": "gemma2",
    "gemma3": "gemma3", "gemma3_text": "gemma3", "glm4": "glm4", "glm4_moe": "glm4moe", "gpt_oss": "gpt-oss",
    "granite": "granite", "kimi_k2": "deepseek2", "llama": "llama", "llama4": "llama4", "llama4_text": "llama4",
    "minimax_m2": "minimax-m2", "mistral": "llama", "mixtral": "llama", "olmo2": "olmo2", "phi3": "phi3",
    "qwen2": "qwen2", "qwen2_moe": "qwen2moe", "qwen3": "qwen3", "qwen3_moe": "qwen3moe", "seed_oss": "seed_oss",
    "smollm3": "smollm3",
})  # fmt: skip
"""``model_type`` -> llama.cpp's architecture."""
_TIED_BY_DEFAULT: Final = frozenset({"command-r", "cohere2", "gemma2", "gemma3"})
_WINDOWED: Final = frozenset({"cohere2", "exaone4", "gemma2", "gemma3", "gpt-oss"})
"""Where ``sliding_window`` means what llama.cpp honours; elsewhere it is often set and never used."""
_LEFT_OUT: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType({
    "gemma2": {"head_dim": 256, "num_key_value_heads": 4, "sliding_window": 4096, "vocab_size": 256000},
    "gemma3_text": {
        "head_dim": 256, "num_attention_heads": 8, "num_key_value_heads": 4, "sliding_window": 4096,
        "vocab_size": 262208, "max_position_embeddings": 131072,
    },
    "gpt_oss": {"head_dim": 64, "num_key_value_heads": 8, "sliding_window": 128},
    "qwen3": {"head_dim": 128},
})  # fmt: skip
"""What a file may leave out because the library that reads it (transformers) fills in these, and not what follows from
its other numbers; the published Gemma 3 files do."""
_EXPERTS_AS_WIDE_AS_DENSE: Final = frozenset({"gpt_oss", "llama4", "llama4_text", "minimax_m2", "mixtral"})
"""Mixtures whose experts' width is ``intermediate_size``; the others give it a name of its own."""
_MIXTURES: Final = _EXPERTS_AS_WIDE_AS_DENSE | {
    "deepseek_v2", "deepseek_v3", "ernie4_5_moe", "glm4_moe", "kimi_k2", "qwen2_moe", "qwen3_moe",
}  # fmt: skip
_LATENT: Final = frozenset({"deepseek_v2", "deepseek_v3", "kimi_k2"})
"""Whose keys and values have no heads of their own."""
_COUNTS_OF_EXPERTS: Final = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
_COUNTS_LEADING: Final = ("first_k_dense_replace", "moe_layer_start_index")
_COUNTS_USED: Final = ("num_experts_per_tok", "experts_per_token", "moe_k")


def read(path: Path) -> Shape:
    """The shape that a file describes.

    Raises:
        BadFile: it cannot be read, is no such file, or describes a model that is not known here.
    """
    shown = readable(path.name)
    try:
        if path.stat().st_size > LIMIT_BYTES:
            raise BadFile(tr("{shown} is too large to be the description of a model.", shown=shown))
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(
            tr("{shown} cannot be read.", shown=shown), tr("Look at its name and whether you may read it.")
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadFile(tr("{shown} is no JSON file.", shown=shown), tr("Give the config.json of a model.")) from error
    if not isinstance(config, dict):
        raise BadFile(tr("{shown} does not describe a model.", shown=shown), tr("Give the config.json of a model."))
    return shape_of(config, shown)


def shape_of(config: Mapping[str, Any], shown: str = "") -> Shape:
    """The shape that the parsed file describes; of a model that sees or hears, its text part.

    Raises:
        BadFile: as ``read``.
    """
    shown = shown or tr("The file")
    inner = config.get("text_config")
    given = {**config, **inner} if isinstance(inner, dict) else dict(config)
    kind = str(given.get("model_type", ""))
    absent = {name: value for name, value in _LEFT_OUT.get(kind, {}).items() if given.get(name) is None}
    fields = _Fields({**given, **absent}, shown)
    architecture = ARCHITECTURES.get(kind)
    if architecture is None:
        raise BadFile(
            tr(
                "{name} describes a model of the type {kind}, which cannot be drawn up yet.",
                name=shown, kind=readable(kind) or tr("(none)"),
            ),
            tr("Give the address of a GGUF file of the model instead."),
        )
    embedding, heads = fields.need("hidden_size"), fields.need("num_attention_heads")
    head = fields.count("head_dim") or embedding // heads
    more: dict[str, int] = {}
    experts = fields.need(*_COUNTS_OF_EXPERTS) if kind in _MIXTURES else 0
    used = fields.need(*_COUNTS_USED) if experts else 0
    kv_heads = fields.count("num_key_value_heads") or heads
    _check(fields, kind, heads, kv_heads, experts)
    width = 0
    if experts:
        width = fields.need("intermediate_size" if kind in _EXPERTS_AS_WIDE_AS_DENSE else "moe_intermediate_size")
    shared = fields.count("shared_expert_intermediate_size")
    together = fields.first("n_shared_experts", "moe_num_shared_experts")
    if together:
        shared, more["shared_experts"] = together * width, together
    leading = fields.first(*_COUNTS_LEADING) if experts else 0
    if architecture == "llama4":
        shared = width
        more["moe_step"] = fields.count("interleave_moe_layer_step") or 1
    if architecture == "deepseek2":
        head = fields.need("qk_nope_head_dim") + fields.need("qk_rope_head_dim")
        more |= {"kv_lora": fields.need("kv_lora_rank"), "rope": fields.need("qk_rope_head_dim")}
        more |= {"value": fields.need("v_head_dim"), "q_lora": fields.count("q_lora_rank")}
        more["softmax"] = int(fields.values.get("topk_method") != "noaux_tc")
    some_dense = not experts or leading > 0 or more.get("moe_step", 1) > 1
    plain = "intermediate_size_mlp" if architecture == "llama4" else "intermediate_size"
    rotated = fields.count("rotary_dim") or round(head * fields.share("partial_rotary_factor"))
    if architecture != "deepseek2" and rotated != head:
        more["rope"] = rotated
    if architecture in {"glm4", "granite", "llama"} and fields.values.get("attention_bias") is True:
        more["qkv_bias"] = 1
    return Shape(
        architecture=architecture,
        layers=fields.layers(),
        embedding=embedding,
        heads=heads,
        kv_heads=kv_heads,
        head_length=head,
        feed_forward=fields.need(plain) if some_dense else 0,
        vocabulary=fields.need("vocab_size"),
        context=fields.count("max_position_embeddings") or 2048,
        tied=fields.flag("tie_word_embeddings", architecture in _TIED_BY_DEFAULT),
        experts=experts,
        experts_used=used,
        expert_feed_forward=width,
        shared_feed_forward=shared if experts else 0,
        dense_layers=leading,
        window=fields.count("sliding_window") if architecture in _WINDOWED else 0,
        more=tuple(sorted((name, value) for name, value in more.items() if value)),
    )


def _check(fields: "_Fields", kind: str, heads: int, kv_heads: int, experts: int) -> None:
    """Raises BadFile where numbers contradict each other, or layers are mixed as no engine mixes them."""
    if not fields.count("head_dim") and fields.count("hidden_size") % heads and kind not in _LATENT:
        raise fields.strange("num_attention_heads")
    if kv_heads > heads or (heads % kv_heads and kind not in _LATENT):
        raise fields.strange("num_key_value_heads")
    for names, most in ((_COUNTS_USED, experts), (_COUNTS_LEADING, fields.layers() - 1)):
        if experts and fields.first(*names) > most:
            raise fields.strange(next(name for name in names if fields.values.get(name)))
    if fields.values.get("mlp_only_layers") or fields.count("decoder_sparse_step") > 1:
        raise BadFile(
            tr("{file} gives some layers experts and others none, in an order that is not known here.",
               file=fields.shown),
            tr("Give the address of a GGUF file of the model instead."),
        )  # fmt: skip


class _Fields:
    """Typed look-up among the file's fields."""

    def __init__(self, values: Mapping[str, Any], shown: str) -> None:
        self.values = values
        self.shown = shown

    def strange(self, name: str) -> BadFile:
        """The refusal of a value: taken as absent it would make another model, with figures of its own."""
        return BadFile(
            tr("{file} gives {name} as {value}, which no model can have.",
               file=self.shown, name=name, value=readable(repr(self.values.get(name))[:_SHOWN_LETTERS])),
            tr("Look at the file again."),
        )  # fmt: skip

    def count(self, name: str) -> int:
        """A whole number; 0 where it is absent. Raises BadFile for anything else."""
        value = self.values.get(name)
        if value is None:
            return 0
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _SANE:
            raise self.strange(name)
        return value

    def first(self, *names: str) -> int:
        """The first of several that is there."""
        return next((found for found in map(self.count, names) if found), 0)

    def layers(self) -> int:
        """How many there are. Raises BadFile for none, or more than any engine runs."""
        found = self.need("num_hidden_layers")
        if found > MAX_LAYERS:
            sentence = tr(
                "{name} claims {found} layers, and no engine runs more than {most}.",
                name=self.shown, found=count(found), most=MAX_LAYERS,
            )
            raise BadFile(sentence, tr("Look at the file again."))
        return found

    def need(self, *names: str) -> int:
        """A number above 0, by the first of these names. Raises BadFile where it is missing."""
        found = self.first(*names)
        if not found:
            raise BadFile(
                tr("{file} does not give {name}.", file=self.shown, name=names[0]),
                tr("Give the config.json of a language model."),
            )
        return found

    def share(self, name: str) -> float:
        """A number above 0 and up to 1; 1 where it is absent. Raises BadFile for anything else."""
        value = self.values.get(name)
        rope = self.values.get("rope_parameters")
        if value is None and isinstance(rope, dict):
            value = rope.get(name)
        if value is None:
            return 1.0
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
            raise self.strange(name)
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        """A truth value. Raises BadFile for anything else."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, bool):
            raise self.strange(name)
        return default if value is None else value
