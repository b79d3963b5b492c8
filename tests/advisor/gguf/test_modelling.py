"""Traffic from keys and tensor tables; the figures are worked by hand or published (physics.md E3, E4, E6, E10-E13)."""

from pathlib import Path

import pytest

from advisor.core.evidence import Known, Missing, Unknown
from advisor.gguf.architecture import read_model
from advisor.gguf.model import MatmulShape, ModelFacts
from advisor.gguf.traffic import Traffic
from tests.support.gguf_builder import Gguf, Tensor, Typed, TypedArray, decoder

GIB = 2**30


def facts(file: Gguf, folder: Path) -> ModelFacts:
    return read_model(file.write(folder / "m.gguf"))


def traffic(file: Gguf, folder: Path) -> Traffic:
    found = facts(file, folder).traffic
    assert isinstance(found, Known), found
    return found.value


def why_unknown(file: Gguf, folder: Path) -> str:
    found = facts(file, folder).traffic
    assert isinstance(found, Unknown)
    assert found.kind is Missing.NOT_SUPPORTED
    return found.reason


def llama_8b(quant: str) -> Gguf:
    return decoder(
        layers=32, embed=4096, heads=32, kv_heads=8, ff=14_336, vocab=128_256, quant=quant,
        extra=[Tensor("rope_freqs.weight", (64,))],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("quant", "published_gib", "streamed_bytes"), [("F16", 14.958, 15.010e9), ("Q8_0", 7.947, 7.975e9)]
)
def test_llama_31_8b(tmp_path: Path, quant: str, published_gib: float, streamed_bytes: float) -> None:
    model = facts(llama_8b(quant), tmp_path)
    assert model.parameters == 8_030_261_248 + 64
    assert model.weights_bytes / GIB == pytest.approx(published_gib, abs=6e-4)
    assert isinstance(model.traffic, Known)
    step = model.traffic.value
    assert step.bytes_per_token() == pytest.approx(streamed_bytes, rel=5e-4)
    assert step.row_bytes == (8192 if quant == "F16" else 4352)
    assert step.block_elements == 32 * 218_103_808
    assert step.head_elements == 525_336_576


def test_llama_31_8b_cache(tmp_path: Path) -> None:
    step = traffic(llama_8b("Q8_0"), tmp_path)
    assert step.kv_bytes_per_token() == 131_072
    assert step.kv_bytes_per_token(34 / 32) == 69_632
    assert step.kv_bytes_per_token(18 / 32) == 36_864
    assert step.kv_allocated_bytes(8192) == 1024 * 2**20
    assert step.step_bytes(depth=8192) == pytest.approx(9.0485e9, rel=5e-4)


def test_llama_31_8b_prefill(tmp_path: Path) -> None:
    step = traffic(llama_8b("F16"), tmp_path)
    assert step.flop_per_prompt_token() * 4096 == pytest.approx(57.17e12, rel=1e-3)
    whole = step.prefill_flop(4096)
    attention = 4 * 32 * 32 * 128 * (4096 * 4097 // 2)
    assert attention == pytest.approx(4.398e12, rel=1e-3)
    last_ffn = 2 * 176_160_768 * 4095
    assert whole == 57.174604644352e12 - last_ffn + attention + 2 * 525_336_576
    assert step.prefill_flop(1, outputs=1) - step.prefill_flop(1, outputs=0) == pytest.approx(
        2 * (525_336_576 + 176_160_768)
    )


def gpt_oss(layers: int, experts: int, used: int) -> Gguf:
    ff = embed = 2880
    biases = [
        tensor
        for i in range(layers)
        for tensor in (
            Tensor(f"blk.{i}.attn_sinks.weight", (64,)),
            Tensor(f"blk.{i}.attn_q.bias", (4096,)),
            Tensor(f"blk.{i}.ffn_gate_inp.bias", (experts,)),
            Tensor(f"blk.{i}.ffn_gate_exps.bias", (ff, experts)),
            Tensor(f"blk.{i}.ffn_up_exps.bias", (ff, experts)),
            Tensor(f"blk.{i}.ffn_down_exps.bias", (embed, experts)),
        )
    ]
    return decoder(
        "gpt-oss", layers=layers, embed=embed, heads=64, kv_heads=8, head_dim=64, ff=ff, vocab=201_088, quant="Q8_0",
        experts=experts, used=used, expert_quant="MXFP4", extra=biases,
        keys={"gpt-oss.attention.sliding_window": 128},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("layers", "experts", "expert_bytes", "step_bytes"), [(24, 32, 10.179e9, 2.58e9), (36, 128, 61.07e9, 3.59e9)]
)
def test_gpt_oss(tmp_path: Path, layers: int, experts: int, expert_bytes: float, step_bytes: float) -> None:
    model = facts(gpt_oss(layers, experts, 4), tmp_path)
    assert isinstance(model.traffic, Known)
    step = model.traffic.value
    assert step.expert_bytes == pytest.approx(expert_bytes, rel=1e-3)
    assert step.bytes_per_token() == pytest.approx(step_bytes, rel=3e-3)
    assert (model.experts, model.experts_used) == (experts, 4)
    assert step.weight_bytes(batch=2) > step.weight_bytes()
    assert [layer.window for layer in step.attention[:4]] == [128, None, 128, None]


def test_gpt_oss_20b_cache(tmp_path: Path) -> None:
    step = traffic(gpt_oss(24, 32, 4), tmp_path)
    full = 12 * 2048 * 8192
    assert full == 201_326_592
    assert step.kv_read_bytes(8192) == full + 3_145_728
    assert step.kv_windowed_bytes(8192) == full + 18_874_368
    # 128 + 2048 and 4 × 128 + 512 are rounded up to 2304 and 1024 cells
    assert step.kv_windowed_bytes(8192, ubatch=2048) == full + 12 * 2048 * 2304
    assert step.kv_windowed_bytes(8192, sequences=4) == full + 12 * 2048 * 1024
    assert step.kv_allocated_bytes(8192) == 2 * full


def test_qwen3_30b_a3b(tmp_path: Path) -> None:
    file = decoder(
        "qwen3moe", layers=48, embed=2048, heads=32, kv_heads=4, head_dim=128, ff=768, vocab=151_936, quant="Q8_0",
        experts=128, used=8,
    )  # fmt: skip
    model = facts(file, tmp_path)
    assert model.weights_bytes / GIB == pytest.approx(30.25, abs=0.01)
    assert model.active_parameters.or_none() == pytest.approx(3.35e9, rel=0.01)
    assert isinstance(model.traffic, Known)
    step = model.traffic.value
    assert step.bytes_per_token() == pytest.approx(3.27e9, rel=3e-3)
    assert step.bytes_per_token(depth=512) == pytest.approx(3.32e9, rel=3e-3)
    assert step.kv_bytes_per_token() == 98_304
    attention, router, routed = 18_874_368, 2048 * 128, 3 * 2048 * 768 * 8
    assert step.block_elements == 48 * (attention + router + routed)
    assert step.last_ffn_elements == router + routed
    expert = next(shape for shape in model.matmuls if shape.expert)
    assert expert == MatmulShape("Q8_0", 8, 2048, 768, 2 * 48 * 128 * 768 * 2176, 2 * 48 * 128, expert=True)


def test_a_dense_file_of_a_mixture_architecture(tmp_path: Path) -> None:
    model = facts(decoder("llama", keys={"llama.expert_count": 0}), tmp_path)
    assert isinstance(model.traffic, Known)
    assert (model.traffic.value.experts, model.traffic.value.expert_bytes) == (0, 0)


def test_a_tied_head_is_read_whole_and_its_rows_are_not_counted_twice(tmp_path: Path) -> None:
    tied, own = traffic(decoder(tied=True), tmp_path), traffic(decoder(tied=False), tmp_path)
    assert tied.head_bytes == own.head_bytes == 2 * 64 * 256
    assert (tied.row_bytes, own.row_bytes) == (0, 128)
    assert own.bytes_per_token() - tied.bytes_per_token() == 128


def test_the_embedding_table_is_a_matrix_only_where_it_is_the_head(tmp_path: Path) -> None:
    def vocabulary_matrices(file: Gguf) -> int:
        return sum(shape.count for shape in facts(file, tmp_path).matmuls if shape.outputs == 256)

    assert vocabulary_matrices(decoder(tied=True)) == 1
    assert vocabulary_matrices(decoder(tied=False)) == 1


def test_a_shared_expert_and_leading_dense_layers(tmp_path: Path) -> None:
    shared = [
        Tensor("blk.1.ffn_gate_inp_shexp.weight", (64,)),
        Tensor("blk.1.ffn_up_shexp.weight", (64, 32), "F16"),
        Tensor("blk.1.ffn_down_shexp.weight", (32, 64), "F16"),
    ]
    lead = [Tensor("blk.0.ffn_up.weight", (64, 96), "F16"), Tensor("blk.0.ffn_down.weight", (96, 64), "F16")]
    drop = [f"blk.0.ffn_{part}.weight" for part in ("gate_inp", "gate_exps", "up_exps", "down_exps")]
    step = traffic(decoder("qwen2moe", experts=4, used=2, extra=shared + lead, drop=drop), tmp_path)
    attention = 4096 + 2 * 2048 + 4096
    last = 64 * 4 + 3 * 8192 * 2 + 64 + 2 * 2048
    assert step.last_ffn_elements == last
    assert step.block_elements == 2 * attention + 2 * 64 * 96 + last
    assert step.expert_bytes == 3 * 8192 * 4 * 2


@pytest.mark.parametrize(
    ("arch", "keys", "windows"),
    [
        ("gemma3", {"gemma3.attention.sliding_window": 512}, [512] * 5 + [None] + [512] * 2),
        ("gemma3", {}, [None] * 8),
        ("gemma3", {"gemma3.attention.sliding_window": 0}, [None] * 8),
        ("gemma2", {}, [4096, None] * 4),
        ("gemma2", {"gemma2.attention.sliding_window": 64}, [64, None] * 4),
        ("olmo2", {"olmo2.attention.sliding_window": 64}, [64, 64, 64, None] * 2),
        ("cohere2", {"cohere2.attention.sliding_window": 64}, [64, 64, 64, None] * 2),
        # engines ignore the window of these
        ("phi3", {"phi3.attention.sliding_window": 2047}, [None] * 8),
        ("qwen2", {"qwen2.attention.sliding_window": 2047}, [None] * 8),
        (
            "gemma3",
            {"gemma3.attention.sliding_window": 9, "gemma3.attention.sliding_window_pattern": 3},
            [9, 9, None, 9, 9, None, 9, 9],
        ),
        (
            "gemma3",
            {"gemma3.attention.sliding_window": 9, "gemma3.attention.sliding_window_pattern": 0},
            [9] * 8,
        ),
        (
            "gemma3",
            {"gemma3.attention.sliding_window": 9, "gemma3.attention.sliding_window_pattern": [True, False] * 4},
            [9, None] * 4,
        ),
    ],
)
def test_sliding_windows(tmp_path: Path, arch: str, keys: dict[str, object], windows: list[int | None]) -> None:
    step = traffic(decoder(arch, layers=8, keys=keys), tmp_path)
    assert [layer.window for layer in step.attention] == windows


def test_a_pattern_that_is_too_short(tmp_path: Path) -> None:
    keys = {"gemma3.attention.sliding_window": 9, "gemma3.attention.sliding_window_pattern": [True]}
    assert "does not fit the 2 layers" in why_unknown(decoder("gemma3", keys=keys), tmp_path)


def test_heads_per_layer(tmp_path: Path) -> None:
    scalar = traffic(decoder(), tmp_path)
    keys = {"llama.attention.head_count_kv": TypedArray(5, [2, 2]), "llama.attention.head_count": [4, 4]}
    assert traffic(decoder(keys=keys), tmp_path).attention == scalar.attention


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("attention.kv_lora_rank", 512, "compressed attention (MLA)"),
        ("attention.shared_kv_layers", 20, "share a cache"),
        ("nextn_predict_layers", 1, "multi-token prediction"),
        ("ssm.state_size", 128, "recurrent layers"),
        ("full_attention_interval", 4, "recurrent layers"),
        ("attention.recurrent_layers", [True, False], "recurrent layers"),
        ("embedding_length_per_layer_input", 256, "per-layer embeddings"),
        ("attention.head_count_kv", TypedArray(5, [0, 2]), "every layer's attention heads"),
        ("attention.head_count_kv", TypedArray(5, [2]), "does not fit the 2 layers"),
        ("attention.head_count_kv", 1, "blk.0.attn_k.weight contradicts"),
        ("attention.head_count", 8, "contradicts"),
        ("attention.key_length", 32, "contradicts"),
        ("embedding_length", "x", "attention heads"),
        ("block_count", 0, "how many layers"),
        ("block_count", 513, "how many layers"),
        ("block_count", 1, "outside the 1 layer that"),
        ("block_count", 3, "1 of 3 layers has no attention part"),
    ],
)
def test_what_is_not_modelled_is_unknown(tmp_path: Path, key: str, value: object, reason: str) -> None:
    assert reason in why_unknown(decoder(keys={f"llama.{key}": value}), tmp_path)


@pytest.mark.parametrize("key", ["attention.kv_lora_rank", "nextn_predict_layers", "attention.shared_kv_layers"])
def test_a_zero_counts_as_absent(tmp_path: Path, key: str) -> None:
    assert traffic(decoder(keys={f"llama.{key}": 0}), tmp_path).block_elements > 0


@pytest.mark.parametrize(
    "name", ["blk.0.ssm_in.weight", "blk.0.ffn_gate.3.weight", "cls.output.weight", "mystery", "position_embd.weight"]
)
def test_a_tensor_of_unknown_role(tmp_path: Path, name: str) -> None:
    reason = why_unknown(decoder(extra=[Tensor(name, (64, 64)), Tensor("other", (1,))]), tmp_path)
    assert name in reason or "1 more" in reason


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"llama.expert_count": 8}, "do not match the number of experts"),
        ({"llama.expert_count": 0}, "do not match the number of experts"),
        ({"llama.expert_used_count": 0}, "one token is routed to"),
        ({"llama.expert_used_count": 5}, "one token is routed to"),
        ({"llama.expert_used_count": [1, 2]}, "one token is routed to"),
    ],
)
def test_routing_that_does_not_add_up(tmp_path: Path, keys: dict[str, object], reason: str) -> None:
    assert reason in why_unknown(decoder(experts=4, used=2, keys=keys), tmp_path)


def test_experts_used_may_be_given_per_layer(tmp_path: Path) -> None:
    step = traffic(decoder(experts=4, used=2, keys={"llama.expert_used_count": [2, 2]}), tmp_path)
    assert (step.experts, step.experts_used) == (4, 2)


def test_no_embedding_table(tmp_path: Path) -> None:
    assert "no embedding table" in why_unknown(decoder(drop=["token_embd.weight"]), tmp_path)
    assert "no embedding table" in why_unknown(decoder(drop=["token_embd.weight", "output.weight"]), tmp_path)


def test_fused_attention_biases_and_scales(tmp_path: Path) -> None:
    fused = [
        Tensor(f"blk.{i}.{name}", dims, "F32" if len(dims) == 1 else "F16")
        for i in range(2)
        for name, dims in (("attn_qkv.weight", (64, 128)), ("attn_qkv.bias", (128,)), ("attn_output.scale", (1,)))
    ]
    drop = [f"blk.{i}.attn_{part}.weight" for i in range(2) for part in "qkv"]
    plain = traffic(decoder("phi3"), tmp_path)
    step = traffic(decoder("phi3", extra=fused, drop=drop), tmp_path)
    assert step.block_elements == plain.block_elements
    assert step.dense_bytes == plain.dense_bytes + 2 * 4 * 129


def test_small_tensors_outside_matrix_products(tmp_path: Path) -> None:
    extra = [
        Tensor("output.bias", (256,)),
        Tensor("output_norm.bias", (64,)),
        Tensor("blk.0.ffn_up.bias", (128,)),
        Tensor("rope_factors_long.weight", (8,)),
        Tensor("blk.0.rope_freqs.weight", (8,)),
    ]
    plain, step = traffic(decoder(), tmp_path), traffic(decoder(extra=extra), tmp_path)
    # position tables are left out
    assert step.dense_bytes == plain.dense_bytes + 4 * (256 + 64 + 128)
    assert step.block_elements == plain.block_elements


def test_unknown_types_still_give_traffic(tmp_path: Path) -> None:
    file = decoder(tied=True, extra=[Tensor("output.weight", (64, 256), 153)])
    path = file.write(tmp_path / "m.gguf", size=file.file_bytes + 4096)
    found = read_model(path)
    assert isinstance(found.traffic, Known)
    assert found.traffic.value.head_bytes == 4096
    assert found.matmuls[-1].type_name in {"type 153", "F16"}


def test_keys_stored_as_64_bit(tmp_path: Path) -> None:
    assert traffic(decoder(keys={"llama.block_count": Typed(10, 2)}), tmp_path).block_elements > 0
