"""Shapes from ``config.json``, held against the catalogue's."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.errors import BadFile
from advisor.rehearsal import hf_config
from advisor.rehearsal.catalogue import find
from advisor.rehearsal.hf_config import read, shape_of
from advisor.rehearsal.shape import Shape

# As the makers publish them, fields that do not matter left out.
CONFIGS: dict[str, dict[str, Any]] = {
    "Llama-3.1-8B": {
        "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
        "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
        "attention_bias": False, "tie_word_embeddings": False,
    },
    "Qwen3-30B-A3B": {
        "model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144, "moe_intermediate_size": 768,
        "num_attention_heads": 32, "num_hidden_layers": 48, "num_key_value_heads": 4, "head_dim": 128,
        "num_experts": 128, "num_experts_per_tok": 8, "vocab_size": 151936, "max_position_embeddings": 40960,
        "sliding_window": None, "tie_word_embeddings": False,
    },
    "gpt-oss-20b": {
        "model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880, "num_attention_heads": 64,
        "num_hidden_layers": 24, "num_key_value_heads": 8, "head_dim": 64, "num_local_experts": 32,
        "experts_per_token": 4, "num_experts_per_tok": 4, "vocab_size": 201088, "sliding_window": 128,
        "max_position_embeddings": 131072, "tie_word_embeddings": False, "attention_bias": True,
    },
    "DeepSeek-V3": {
        "model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048,
        "num_attention_heads": 128, "num_key_value_heads": 128, "num_hidden_layers": 61, "n_routed_experts": 256,
        "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3, "q_lora_rank": 1536,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "topk_method": "noaux_tc", "vocab_size": 129280, "max_position_embeddings": 163840,
    },
    "Gemma-3-270M": {
        "model_type": "gemma3_text", "hidden_size": 640, "intermediate_size": 2048, "num_attention_heads": 4,
        "num_hidden_layers": 18, "num_key_value_heads": 1, "head_dim": 256, "vocab_size": 262144,
        "sliding_window": 512, "max_position_embeddings": 32768,
    },
    "Gemma-3-12B": {
        "model_type": "gemma3",
        "text_config": {
            "model_type": "gemma3_text", "hidden_size": 3840, "intermediate_size": 15360, "num_attention_heads": 16,
            "num_hidden_layers": 48, "num_key_value_heads": 8, "sliding_window": 1024,
        },
    },
    "Phi-4-mini": {
        "model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192, "num_attention_heads": 24,
        "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 200064, "partial_rotary_factor": 0.75,
        "max_position_embeddings": 131072, "tie_word_embeddings": True, "sliding_window": 262144,
    },
    "GLM-4.5-Air": {
        "model_type": "glm4_moe", "hidden_size": 4096, "intermediate_size": 10944, "moe_intermediate_size": 1408,
        "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128, "num_hidden_layers": 46,
        "n_routed_experts": 128, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 1,
        "partial_rotary_factor": 0.5, "attention_bias": True, "vocab_size": 151552,
        "max_position_embeddings": 131072, "tie_word_embeddings": False,
    },
    "Llama-4-Maverick-17B-128E": {
        "model_type": "llama4",
        "text_config": {
            "model_type": "llama4_text", "hidden_size": 5120, "intermediate_size": 8192,
            "intermediate_size_mlp": 16384, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
            "num_hidden_layers": 48, "num_local_experts": 128, "num_experts_per_tok": 1,
            "interleave_moe_layer_step": 2, "vocab_size": 202048, "max_position_embeddings": 1048576,
        },
    },
    "ERNIE-4.5-21B-A3B": {
        "model_type": "ernie4_5_moe", "hidden_size": 2560, "intermediate_size": 12288, "moe_intermediate_size": 1536,
        "num_attention_heads": 20, "num_key_value_heads": 4, "num_hidden_layers": 28, "moe_num_experts": 64,
        "moe_k": 6, "moe_num_shared_experts": 2, "moe_layer_start_index": 1, "vocab_size": 103424,
        "max_position_embeddings": 131072, "tie_word_embeddings": True,
    },
}  # fmt: skip


def plain(shape: Shape) -> Shape:
    """Without what says the same in another way."""
    more = {name: value for name, value in shape.more if (name, value) not in {("moe_step", 1), ("shared_experts", 1)}}
    window = 0 if shape.architecture == "llama4" else shape.window
    return replace(shape, more=tuple(sorted(more.items())), window=window)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_gives_the_shape_of_the_catalogue(name: str) -> None:
    known = find(name).shape
    if not known.dense_layers and known.extra("moe_step", 1) == 1 and known.experts:
        known = replace(known, feed_forward=0)
    found = plain(shape_of(CONFIGS[name]))
    wanted = plain(known)
    if wanted.architecture == "glm4moe":  # its biases belong to the architecture
        found = replace(found, more=tuple(pair for pair in found.more if pair[0] != "qkv_bias"))
    if name == "Gemma-3-12B":  # the catalogue counts the rows that have words, the library fills in 64 more
        found = replace(found, vocabulary=found.vocabulary - 64)
    assert found == wanted


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIGS["Llama-3.1-8B"]))
    assert read(path) == find("Llama-3.1-8B").shape


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no JSON file"), ("[1]", "does not describe a model"), ("{}", "cannot be drawn up"),
        ('{"model_type": "mamba9"}', "mamba9"), ('{"model_type": "llama"}', "does not give hidden_size"),
        ('{"model_type": "llama", "hidden_size": -1}', "hidden_size as -1"), ("[" * 100_000, "no JSON file"),
    ],
)  # fmt: skip
def test_what_is_no_config_is_refused_in_a_sentence(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(BadFile, match=says):
        read(path)
    with pytest.raises(BadFile, match="cannot be read"):
        read(tmp_path / "none.json")


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hf_config, "LIMIT_BYTES", 10)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIGS["Llama-3.1-8B"]))
    with pytest.raises(BadFile, match="too large"):
        read(path)


@given(
    st.dictionaries(
        st.sampled_from(sorted({key for config in CONFIGS.values() for key in config})),
        st.one_of(st.none(), st.booleans(), st.integers(-2, 2**40), st.floats(), st.text(max_size=3)),
    ),
    st.sampled_from(sorted(CONFIGS)),
)
def test_damaged_fields_are_a_shape_or_a_sentence(changed: dict[str, Any], name: str) -> None:
    try:
        found = shape_of({**CONFIGS[name], **changed})
    except BadFile as refused:
        assert str(refused)
    else:
        assert found.layers > 0


@pytest.mark.parametrize(("name", "says"), [("num_hidden_layers", "999,999 layers"), ("hidden_size", "hidden_size")])
def test_sizes_that_no_model_has_are_a_sentence(name: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    number = 999_999 if name == "num_hidden_layers" else 999_999_999
    path.write_text(json.dumps(CONFIGS["Llama-3.1-8B"] | {name: number}), encoding="utf-8")
    with pytest.raises(BadFile, match=says):
        read(path)


@pytest.mark.parametrize(
    ("model", "field", "value"),
    [
        ("Llama-3.1-8B", "num_key_value_heads", "8"), ("Llama-3.1-8B", "intermediate_size", -3),
        ("Llama-3.1-8B", "intermediate_size", 14336.5), ("Llama-3.1-8B", "num_key_value_heads", 7),
        ("Llama-3.1-8B", "num_key_value_heads", 64), ("Llama-3.1-8B", "num_attention_heads", 33),
        ("Llama-3.1-8B", "tie_word_embeddings", "true"), ("Phi-4-mini", "partial_rotary_factor", -0.5),
        ("Qwen3-30B-A3B", "moe_intermediate_size", "768"), ("Qwen3-30B-A3B", "num_experts", [128]),
        ("Qwen3-30B-A3B", "num_experts_per_tok", 129), ("DeepSeek-V3", "first_k_dense_replace", 61),
        ("DeepSeek-V3", "q_lora_rank", {}), ("Gemma-3-270M", "sliding_window", 1e30),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_is_not_taken_as_absent(model: str, field: str, value: object) -> None:
    """Absent, it would be filled in, and the figures would be another model's."""
    with pytest.raises(BadFile, match=f"gives {field} as"):
        shape_of({**CONFIGS[model], field: value})


@pytest.mark.parametrize(
    ("model", "field"),
    [
        ("Llama-3.1-8B", "intermediate_size"), ("Qwen3-30B-A3B", "moe_intermediate_size"),
        ("Qwen3-30B-A3B", "num_experts"), ("gpt-oss-20b", "num_local_experts"), ("GLM-4.5-Air", "num_experts_per_tok"),
        ("DeepSeek-V3", "n_routed_experts"), ("DeepSeek-V3", "intermediate_size"),
    ],
)  # fmt: skip
def test_what_no_other_number_tells_must_be_there(model: str, field: str) -> None:
    config = {name: value for name, value in CONFIGS[model].items() if name != field}
    with pytest.raises(BadFile, match="does not give"):
        shape_of(config)


def test_dense_layers_among_experts_are_refused() -> None:
    with pytest.raises(BadFile, match="some layers experts"):
        shape_of({**CONFIGS["Qwen3-30B-A3B"], "mlp_only_layers": [3, 7]})
    with pytest.raises(BadFile, match="some layers experts"):
        shape_of({**CONFIGS["Qwen3-30B-A3B"], "decoder_sparse_step": 2})
    assert shape_of({**CONFIGS["Qwen3-30B-A3B"], "mlp_only_layers": [], "decoder_sparse_step": 1}).experts == 128
