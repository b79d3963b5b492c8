"""The real model, whose figures were worked out by hand and checked against llama.cpp (physics.md E2, E5, E11)."""

import tracemalloc
from pathlib import Path

from advisor.core.evidence import Known
from advisor.gguf.architecture import read_model
from advisor.gguf.header import ArrayInfo
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from advisor.gguf.reader import read_header
from advisor.gguf.traffic import Traffic

MIB = 2**20


def traffic_of(model: ModelFacts) -> Traffic:
    assert isinstance(model.traffic, Known)
    return model.traffic.value


def test_header(sample: Path) -> None:
    header = read_header(sample)
    assert (header.version, header.alignment, header.data_start, header.file_bytes) == (3, 32, 6_525_120, 253_113_024)
    assert (len(header.keys), len(header.tensors)) == (33, 236)
    assert header.keys["tokenizer.ggml.tokens"] == ArrayInfo("string", 262_144)
    assert header.keys["tokenizer.ggml.scores"] == ArrayInfo("float32", 262_144)
    last = max(header.tensors, key=lambda tensor: tensor.offset)
    assert last.bytes is not None
    assert header.data_start + last.offset + last.bytes == header.file_bytes


def test_facts(sample: Path) -> None:
    model = read_model(sample)
    assert (model.name, model.architecture, model.label.or_none()) == ("Gemma 3 270m", "gemma3", "Q4_K_M")
    assert model.parameters == model.active_parameters.or_none() == 268_098_176
    assert (model.file_bytes, model.weights_bytes) == (253_113_024, 246_587_904)
    assert list(model.types.items()) == [
        ("Q8_0", 179_824_640),
        ("Q5_0", 43_591_680),
        ("Q4_K", 13_271_040),
        ("Q6_K", 9_676_800),
        ("F32", 223_744),
    ]
    assert (model.layers.or_none(), model.embedding_length.or_none()) == (18, 640)
    assert (model.heads.or_none(), model.kv_heads.or_none()) == (4, 1)
    assert (model.vocabulary.or_none(), model.context_length.or_none()) == (262_144, 32_768)
    assert (model.tied_head, model.experts, model.has_decode, model.notes) == (True, 0, True, ())


def test_traffic(sample: Path) -> None:
    traffic = traffic_of(read_model(sample))
    assert traffic.bytes_per_token() == 246_587_904
    assert (traffic.head_bytes, traffic.dense_bytes, traffic.row_bytes) == (178_257_920, 68_329_984, 0)
    assert traffic.flop_per_prompt_token() == 200_540_160
    assert traffic.flop_per_decoded_token() == 536_084_480
    assert 2 * (traffic.block_elements - traffic.last_ffn_elements) == 192_675_840
    assert traffic.kv_bytes_per_token() == 18_432
    assert [i for i, layer in enumerate(traffic.attention) if layer.window is None] == [5, 11, 17]


def test_windows_save_cache(sample: Path) -> None:
    traffic = traffic_of(read_model(sample))
    assert [traffic.kv_read_bytes(n) for n in (512, 2048, 8192, 32_768)] == [
        9_437_184,
        14_155_776,
        33_030_144,
        108_527_616,
    ]
    assert [traffic.kv_allocated_bytes(n) for n in (2048, 8192, 32_768)] == [37_748_736, 150_994_944, 603_979_776]
    # llama.cpp prints 24 MiB and 15 MiB for 8192 and 1024 cells
    assert traffic.kv_windowed_bytes(8192) == 39 * MIB


def test_prefill_runs_the_last_ffn_and_the_head_for_output_tokens_only(sample: Path) -> None:
    traffic = traffic_of(read_model(sample))
    attention = 4 * 18 * 4 * 256 * (128 * 129 // 2)
    last_ffn, head = 2 * 3 * 640 * 2048, 2 * 262_144 * 640
    assert traffic.prefill_flop(128) == 128 * 192_675_840 + last_ffn + head + attention


def test_memory(sample: Path) -> None:
    model = read_model(sample)
    need = memory_needed(model, 2048)
    assert isinstance(need, Known)
    # what llama.cpp prints for this model: 36 MiB of cache, 514.50 MiB of compute buffer
    assert (need.value.weights_bytes, need.value.kv_bytes) == (246_587_904, 36 * MIB)
    assert need.value.buffers_bytes == 514.5 * MIB


def test_matrices(sample: Path) -> None:
    shapes = [(s.type_name, s.inputs, s.outputs, s.count) for s in read_model(sample).matmuls]
    assert shapes[:3] == [("Q8_0", 640, 262_144, 1), ("Q5_0", 640, 2048, 36), ("Q6_K", 2048, 640, 9)]
    assert sum(count for _, _, _, count in shapes) == 1 + 18 * 7


def test_reading_costs_little_memory(sample: Path) -> None:
    read_model(sample)
    tracemalloc.start()
    try:
        read_model(sample)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < 10 * MIB
