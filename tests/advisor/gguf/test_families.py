"""Traffic of every family, with figures worked by hand or published (physics.md E5-E8, V10, model_files.md A18-A28)."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from advisor.core.evidence import Known, Unknown
from advisor.gguf.architecture import read_model
from advisor.gguf.layers import KV_TYPES
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from advisor.gguf.reader import read_header
from advisor.gguf.tensor_roles import Role, part_of
from advisor.gguf.traffic import Traffic
from tests.support.families import FAMILIES
from tests.support.gguf_builder import Gguf, Tensor
from tests.support.tiny import flags, ints

MIB = 2**20


def facts(file: Gguf, folder: Path) -> tuple[ModelFacts, Traffic]:
    model = read_model(file.write(folder / "m.gguf"))
    assert isinstance(model.traffic, Known), model.traffic
    return model, model.traffic.value


def why_unknown(file: Gguf, folder: Path) -> str:
    found = read_model(file.write(folder / "m.gguf")).traffic
    assert isinstance(found, Unknown)
    return found.reason


def skeleton(arch: str, keys: dict[str, object], blocks: Sequence[dict[str, tuple[int, ...]]]) -> Gguf:
    """A file with these tensors per block and an embedding table; real shapes, and the weights are a hole."""
    embed = keys["embedding_length"]
    assert isinstance(embed, int)
    tensors = [Tensor("token_embd.weight", (embed, 1000), "F16")]
    for index, block in enumerate(blocks):
        for name, dims in block.items():
            full = f"blk.{index}.{name}" + ("" if name in {"ssm_a", "ssm_d"} else ".weight")
            tensors.append(Tensor(full, dims, "F16" if len(dims) > 1 else "F32"))
    every: dict[str | bytes, object] = {"general.architecture": arch, f"{arch}.block_count": len(blocks)}
    return Gguf(every | {f"{arch}.{name}": value for name, value in keys.items()}, tensors)


def attention(embed: int, heads: int, kv: int, head: int, gated: bool = False) -> dict[str, tuple[int, ...]]:
    return {
        "attn_q": (embed, heads * head * (2 if gated else 1)),
        "attn_k": (embed, kv * head),
        "attn_v": (embed, kv * head),
        "attn_output": (heads * head, embed),
    }


@pytest.mark.parametrize("name", FAMILIES)
def test_every_byte_is_accounted_for(tmp_path: Path, name: str) -> None:
    model, traffic = facts(FAMILIES[name](), tmp_path)
    infos = read_header(model.path).tensors
    by_role = {role: sum(t.stored_bytes for t in infos if part_of(t.name).role is role) for role in Role}
    aside = by_role[Role.LOOKUP] + by_role[Role.IGNORED] + (0 if model.tied_head else by_role[Role.EMBEDDING])
    read = traffic.dense_bytes + traffic.head_bytes + traffic.expert_bytes
    assert read + aside + traffic.unread_bytes == model.weights_bytes
    assert traffic.unloaded_bytes <= traffic.unread_bytes
    assert traffic.basis
    assert isinstance(model.active_parameters, Known)
    assert traffic.block_elements + traffic.head_elements <= model.active_parameters.value + traffic.head_elements
    assert traffic.last_ffn_elements <= traffic.block_elements
    need = memory_needed(model, 1000)
    assert isinstance(need, Known)
    assert need.value.weights_bytes == model.weights_bytes - traffic.unloaded_bytes
    assert traffic.step_bytes(4, 100) <= 4 * traffic.step_bytes(1, 100)
    assert traffic.kv_windowed_bytes(9000) <= traffic.kv_allocated_bytes(9000)


def test_lfm2_12b(tmp_path: Path) -> None:
    """Six of sixteen layers attend (A18, V10); the others keep two inputs of a short convolution (E8)."""
    kv = [0, 0, 8, 0, 0, 8, 0, 0, 8, 0, 8, 0, 8, 0, 8, 0]
    convolution = {
        "shortconv.conv": (3, 2048), "shortconv.in_proj": (2048, 6144), "shortconv.out_proj": (2048, 2048),
    }  # fmt: skip
    file = skeleton(
        "lfm2",
        {
            "embedding_length": 2048, "attention.head_count": 32, "attention.head_count_kv": ints(kv),
            "shortconv.l_cache": 3,
        },
        [attention(2048, 32, 8, 64) if heads else convolution for heads in kv],
    )  # fmt: skip
    _, traffic = facts(file, tmp_path)
    assert traffic.kv_allocated_bytes(32_768) == 384 * MIB
    assert traffic.kv_read_bytes(32_768) == 384 * MIB
    assert traffic.kv_allocated_bytes(4096) == 48 * MIB
    assert traffic.state_bytes == 10 * 16_384
    assert traffic.basis == "grouped-query attention; short convolution in 10 layers"


def latent_layer(compressed: bool) -> dict[str, tuple[int, ...]]:
    own: dict[str, tuple[int, ...]] = (
        {"attn_k_b": (128, 512, 128), "attn_v_b": (512, 128, 128)}
        if compressed
        else {"attn_kv_b": (512, 128 * (128 + 128))}
    )
    return {
        "attn_q_a": (7168, 1536), "attn_q_b": (1536, 128 * 192), "attn_kv_a_mqa": (7168, 576),
        "attn_output": (128 * 128, 7168), **own,
    }  # fmt: skip


DEEPSEEK: dict[str, object] = {
    "embedding_length": 7168, "attention.head_count": 128, "attention.q_lora_rank": 1536,
    "attention.kv_lora_rank": 512, "rope.dimension_count": 64,
}  # fmt: skip
COMPRESSED: dict[str, object] = {
    **DEEPSEEK, "attention.head_count_kv": 1, "attention.key_length": 576, "attention.value_length": 512,
    "attention.key_length_mla": 192, "attention.value_length_mla": 128,
}  # fmt: skip
EXPANDED: dict[str, object] = {
    **DEEPSEEK, "attention.head_count_kv": 128, "attention.key_length": 192, "attention.value_length": 128,
}  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "compressed", "per_token", "basis"),
    [
        (COMPRESSED, True, 70_272, "latent attention, compressed cache"),
        (EXPANDED, False, 4_997_120, "latent attention, expanded cache"),
    ],
)
def test_deepseek_v3(tmp_path: Path, keys: dict[str, object], compressed: bool, per_token: int, basis: str) -> None:
    """61 layers; the cache per token of both storages (E7, A25)."""
    _, traffic = facts(skeleton("deepseek2", keys, [latent_layer(compressed)] * 61), tmp_path)
    assert traffic.kv_bytes_per_token() == per_token
    assert traffic.kv_read_bytes(1000) == 1000 * per_token
    assert traffic.basis == basis
    # a query meets each cached token with 576 + 512, or with 192 + 128 elements per head
    pair = 2 * 128 * (576 + 512 if compressed else 192 + 128)
    assert traffic.flop_per_decoded_token(10) - traffic.flop_per_decoded_token(0) == 61 * 10 * pair


def test_a_latent_cache_in_q8_0(tmp_path: Path) -> None:
    _, traffic = facts(skeleton("deepseek2", COMPRESSED, [latent_layer(True)]), tmp_path)
    # only keys are stored, so the type of the values does not matter
    assert traffic.kv_bytes_per_token(KV_TYPES["q8_0"], KV_TYPES["f32"]) == 576 * 34 // 32


@pytest.mark.parametrize(
    ("keys", "compressed", "reason"),
    [
        ({**COMPRESSED, "attention.head_count_kv": 128}, True, "not that of its latents"),
        ({**COMPRESSED, "attention.value_length": 128}, True, "not that of its latents"),
        (COMPRESSED, False, "not that of its latents"),
        (EXPANDED, True, "neither compressed nor expanded"),
        ({**EXPANDED, "attention.kv_lora_rank": 0}, False, "lengths of its latents"),
        ({**EXPANDED, "rope.dimension_count": 32}, False, "contradicts"),
    ],
)
def test_latents_that_do_not_add_up(tmp_path: Path, keys: dict[str, object], compressed: bool, reason: str) -> None:
    assert reason in why_unknown(skeleton("deepseek2", keys, [latent_layer(compressed)]), tmp_path)


DELTA: dict[str, tuple[int, ...]] = {
    "attn_qkv": (2048, 8192), "attn_gate": (2048, 4096), "ssm_conv1d": (4, 8192), "ssm_a": (32,),
    "ssm_ba": (2048, 64), "ssm_out": (4096, 2048),
}  # fmt: skip
QWEN: dict[str, object] = {
    "embedding_length": 2048, "attention.head_count": 16, "attention.head_count_kv": 2, "attention.key_length": 256,
    "attention.value_length": 256, "ssm.conv_kernel": 4, "ssm.inner_size": 4096, "ssm.state_size": 128,
    "ssm.time_step_rank": 32, "ssm.group_count": 16,
}  # fmt: skip


def test_qwen3_next_80b(tmp_path: Path) -> None:
    """36 delta nets of 548,864 elements and 12 layers of full attention (E8)."""
    full = attention(2048, 16, 2, 256, gated=True)
    _, traffic = facts(skeleton("qwen3next", QWEN, [full if (i + 1) % 4 == 0 else DELTA for i in range(48)]), tmp_path)
    assert traffic.state_bytes == 79_036_416
    assert traffic.kv_bytes_per_token() == 24_576
    step = traffic.step_bytes(1, 1000)
    assert step == traffic.dense_bytes + traffic.head_bytes + 24_576_000 + 2 * 79_036_416
    # a state belongs to one stream, weights to all
    assert traffic.step_bytes(3, 1000) == step + 2 * (24_576_000 + 2 * 79_036_416)


def test_a_prediction_block_behind_a_hybrid(tmp_path: Path) -> None:
    """65 blocks of which one predicts: 64 layers, every fourth attends, and the 65th is never read (A24)."""
    full = attention(2048, 16, 2, 256, gated=True)
    small = {name: dims for name, dims in DELTA.items() if name != "ssm_ba"}
    small |= {"ssm_alpha": (2048, 32), "ssm_beta": (2048, 32)}
    blocks = [full if (i + 1) % 4 == 0 else small for i in range(64)]
    last = {**full, "nextn.eh_proj": (4096, 2048), "ffn_up": (2048, 4096)}
    keys = {**QWEN, "nextn_predict_layers": 1, "full_attention_interval": 4}
    alone_keys = {**QWEN, "full_attention_interval": 4}
    model, traffic = facts(skeleton("qwen35", keys, [*blocks, last]), tmp_path)
    alone, without = facts(skeleton("qwen35", alone_keys, blocks), tmp_path)
    assert len(traffic.attention) == 16
    assert len(traffic.recurrent) == 48
    assert traffic.step_bytes() == without.step_bytes()
    assert traffic.unloaded_bytes == model.weights_bytes - alone.weights_bytes
    assert model.active_parameters.or_none() == alone.parameters
    assert sum(shape.count for shape in model.matmuls) == sum(shape.count for shape in alone.matmuls)
    need = memory_needed(model, 4096)
    assert isinstance(need, Known)
    assert need.value.weights_bytes == alone.weights_bytes


PREDICTS: dict[str, object] = {
    "embedding_length": 64, "attention.head_count": 4, "attention.head_count_kv": 2, "nextn_predict_layers": 1,
}  # fmt: skip


def test_ordinary_blocks_where_prediction_is_declared(tmp_path: Path) -> None:
    """43 layers, one of them said to predict, none that does: all 43 belong to the model (A24)."""
    model, traffic = facts(skeleton("glm4moe", PREDICTS, [attention(64, 4, 2, 16)] * 43), tmp_path)
    assert (len(traffic.attention), traffic.unread_bytes) == (43, 0)
    assert any("some engine versions leave them out" in note for note in model.notes)


def test_a_prediction_block_that_was_left_out_of_the_file(tmp_path: Path) -> None:
    file = skeleton("glm4moe", PREDICTS, [attention(64, 4, 2, 16)] * 43)
    assert isinstance(file.keys, dict)
    model, traffic = facts(Gguf(file.keys | {"glm4moe.block_count": 44}, file.tensors), tmp_path)
    assert (len(traffic.attention), traffic.unread_bytes, model.notes) == (43, 0, ())


def test_gemma_4_with_two_sizes_of_heads(tmp_path: Path) -> None:
    """40 of 48 layers have a window of 1024; keys are 512 long outside and 256 inside (A22)."""
    windows = [(i + 1) % 6 != 0 for i in range(48)]
    keys = {
        "embedding_length": 3840, "attention.head_count": 16,
        "attention.head_count_kv": ints([8 if w else 1 for w in windows]),
        "attention.key_length": 512, "attention.value_length": 512, "attention.key_length_swa": 256,
        "attention.value_length_swa": 256, "attention.sliding_window": 1024,
        "attention.sliding_window_pattern": flags(windows),
    }  # fmt: skip
    blocks = [attention(3840, 16, 8, 256) if w else attention(3840, 16, 1, 512) for w in windows]
    _, traffic = facts(skeleton("gemma4", keys, blocks), tmp_path)
    full, windowed = 8 * 1 * (512 + 512), 40 * 8 * (256 + 256)
    for depth in (100, 1024, 131_072):
        assert traffic.kv_read_bytes(depth) == 2 * (depth * full + min(depth, 1024) * windowed)
    # 131,072 cells for the full layers, 1024 + 512 for the others
    assert traffic.kv_windowed_bytes(131_072, element_bytes=34 / 32) == (131_072 * full + 1536 * windowed) * 34 // 32


def test_gemma_4_e2b_sharing_caches(tmp_path: Path) -> None:
    """One head for all layers and a list of 35 windows (A20); 20 layers store nothing and read all the same."""
    windows = [(i + 1) % 5 != 0 for i in range(35)]
    keys = {
        "embedding_length": 1536, "attention.head_count": 8, "attention.head_count_kv": 1, "attention.key_length": 512,
        "attention.value_length": 512, "attention.key_length_swa": 256, "attention.value_length_swa": 256,
        "attention.sliding_window": 512, "attention.sliding_window_pattern": flags(windows),
        "attention.shared_kv_layers": 20,
    }  # fmt: skip
    blocks = [attention(1536, 8, 1, 256 if w else 512) for w in windows]
    _, traffic = facts(skeleton("gemma4", keys, blocks), tmp_path)
    assert [layer.stores_kv for layer in traffic.attention] == [True] * 15 + [False] * 20
    assert traffic.kv_bytes_per_token() == 2 * (3 * 1024 + 12 * 512)
    assert traffic.kv_read_bytes(2000) == 2 * (7 * 1024 * 2000 + 28 * 512 * 512)
    # keys and values of a layer that uses another's cache are loaded and never read
    assert traffic.unread_bytes == 2 * 2 * 1536 * (16 * 256 + 4 * 512)
    assert traffic.unloaded_bytes == 0
    assert "20 layers use another layer's cache" in traffic.basis


def test_llama_4_attends_to_chunks(tmp_path: Path) -> None:
    keys = {"embedding_length": 64, "attention.head_count": 4, "attention.head_count_kv": 2}
    _, traffic = facts(skeleton("llama4", keys, [attention(64, 4, 2, 16)] * 4), tmp_path)
    assert [layer.window for layer in traffic.attention] == [8192, 8192, 8192, None]
    per_layer = 2 * 2 * 32
    assert traffic.kv_read_bytes(8192) == 4 * per_layer * 8192
    # the next token begins a new chunk
    assert traffic.kv_read_bytes(8193) == per_layer * (3 * 1 + 8193)
    pairs = 2 * 4 * 32 * sum(layer.reach(t) for layer in traffic.attention for t in range(8001, 8401))
    without = 2 * (400 * traffic.block_elements - 399 * traffic.last_ffn_elements + traffic.head_elements)
    assert traffic.prefill_flop(400, 8000) == without + pairs
    assert "chunks of 8192 tokens" in traffic.basis


@pytest.mark.parametrize(
    ("name", "elements"),
    [
        # (kernel - 1) × width + state × inner, per layer
        ("mamba", 2 * (3 * 128 + 16 * 128)),
        ("mamba2", 2 * (3 * (128 + 2 * 2 * 16) + 16 * 128)),
        ("jamba", 2 * (3 * 128 + 16 * 128)),
        ("falcon-h1", 2 * (3 * 192 + 16 * 128)),
        ("granitehybrid", 3 * (3 * 192 + 16 * 128)),
        ("nemotron_h", 2 * (3 * 192 + 16 * 128)),
        ("plamo2", 3 * 128 + 16 * 128),
        ("lfm2", 3 * 64 * 2),
        ("qwen35", 3 * (3 * (2 * 16 * 2 + 16 * 4) + 16 * 64)),
        # three convolutions of 4 heads × 16, and 16 × 16 per head
        ("kimi-linear", 2 * (3 * 3 * 64 + 16 * 16 * 4)),
        # two token shifts, or one, and 64 × 16
        ("rwkv6", 2 * (2 * 64 + 64 * 16)),
        ("rwkv7", 2 * (2 * 64 + 64 * 16)),
        ("rwkv6qwen2", 2 * (64 + 64 * 16)),
        ("arwkv7", 2 * (64 + 64 * 16)),
    ],
)
def test_states(tmp_path: Path, name: str, elements: int) -> None:
    model, traffic = facts(FAMILIES[name](), tmp_path)
    assert traffic.state_bytes == 4 * elements
    need = memory_needed(model, 4096, sequences=3)
    assert isinstance(need, Known)
    assert need.value.state_bytes == 12 * elements
    assert need.value.total_bytes >= need.value.weights_bytes + need.value.kv_bytes + need.value.state_bytes


@pytest.mark.parametrize("name", ["mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"])
def test_depth_costs_nothing_without_attention(tmp_path: Path, name: str) -> None:
    _, traffic = facts(FAMILIES[name](), tmp_path)
    assert traffic.attention == ()
    assert traffic.step_bytes(1, 100_000) == traffic.step_bytes(1, 0)
    assert traffic.flop_per_decoded_token(100_000) == traffic.flop_per_decoded_token(0)
    assert traffic.kv_allocated_bytes(100_000) == 0


@pytest.mark.parametrize(
    ("name", "key", "value", "reason"),
    [
        ("mamba", "ssm.state_size", 0, "ssm.state_size"),
        ("mamba", "ssm.inner_size", 64, "contradicts the state"),
        ("mamba2", "ssm.group_count", 0, "ssm.group_count"),
        ("lfm2", "shortconv.l_cache", 4, "contradicts the state"),
        ("lfm2", "attention.head_count_kv", ints([0, 2, 0, 0]), "recurrent part are not those"),
        ("plamo2", "ssm.group_count", 2, "groups of states"),
        ("rwkv7", "wkv.head_size", 0, "wkv.head_size"),
        ("qwen35", "full_attention_interval", 0, "is 0"),
        ("qwen35", "full_attention_interval", 2, "recurrent part are not those"),
        ("qwen35", "attention.recurrent_layers", ints([1]), "does not fit"),
        ("nemotron_h", "feed_forward_length", "x", "feed_forward_length"),
        ("nemotron_h", "feed_forward_length", ints([0, 128, 128, 0]), "layers with attention are not those"),
        ("gemma4", "attention.shared_kv_layers", 5, "more layers share a cache"),
        ("gemma4", "attention.sliding_window_pattern", 3, "which layers have a window"),
        ("kimi-linear", "kda.head_dim", 0, "kda.head_dim"),
        ("deepseek2 with a prediction block", "nextn_predict_layers", 2, "1 of the 2 blocks"),
        ("deepseek2 with a prediction block", "nextn_predict_layers", 0, "among the layers of plain decode"),
    ],
)
def test_contradictions_are_unknown(tmp_path: Path, name: str, key: str, value: object, reason: str) -> None:
    file = FAMILIES[name]()
    assert isinstance(file.keys, dict)
    keys = file.keys | {f"{file.keys['general.architecture']}.{key}": value}
    assert reason in why_unknown(Gguf(keys, file.tensors), tmp_path)


def test_another_familys_tensors_are_not_guessed(tmp_path: Path) -> None:
    file = FAMILIES["llama"]()
    for name in ("blk.0.ssm_in", "blk.0.attn_k_b", "blk.0.inp_gate", "blk.0.altup_router", "position_embd"):
        extra = [*file.tensors, Tensor(f"{name}.weight", (64, 64))]
        assert f"the role of tensor {name}.weight is not known" in why_unknown(Gguf(file.keys, extra), tmp_path)
