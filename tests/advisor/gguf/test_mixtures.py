"""The quantiser's mixtures, tensor by tensor, against the engine's own dry run on files of true shapes."""

from pathlib import Path

import pytest

from advisor.gguf.header import TensorInfo
from advisor.gguf.keys import Keys
from advisor.gguf.mixtures import BASE_TYPES, fitting, gets_more_bits, is_left_alone, mixed, traits_of
from advisor.gguf.quant_types import FILE_TYPE_LABELS, TYPES
from advisor.gguf.writer import laid_out
from advisor.rehearsal.blueprint import Blueprint, blueprint
from advisor.rehearsal.catalogue import find
from tests.support.dry_run import dry_run

MODELS = (
    "Llama-3.1-8B", "Llama-3.3-70B", "Mixtral-8x7B", "Qwen2.5-0.5B", "Qwen3-30B-A3B", "Gemma-3-270M", "Phi-3.5-mini",
    "gpt-oss-20b", "DeepSeek-V2-Lite", "Gemma-4-E4B", "Qwen3.5-35B-A3B", "Nemotron-3-Nano-30B-A3B", "LFM2-8B-A1B",
)  # fmt: skip
"""Heads tied and not, grouped and not, rows that 256 does not divide, eight experts, fused matrices, latents, 70B."""
NUMBERS = {label: number for number, label in FILE_TYPE_LABELS.items()}
LABELS = tuple(label for label in BASE_TYPES if label != "F32")


def empty_file(plan: Blueprint, path: Path) -> Path:
    """The model with a hole for weights, whatever its size."""
    made = laid_out(plan.keys, plan.tensors)
    path.write_bytes(made.header)
    with path.open("r+b") as file:
        file.truncate(made.file_bytes)
    return path


@pytest.mark.engine
@pytest.mark.parametrize("name", MODELS)
def test_every_tensor_gets_the_type_that_the_engine_gives_it(name: str, tmp_path: Path) -> None:
    plan = blueprint(find(name).shape)
    path = empty_file(plan, tmp_path / "model.gguf")
    answers = dry_run([(path, NUMBERS[label]) for label in LABELS])
    for label, answer in zip(LABELS, answers, strict=True):
        made = mixed(plan.tensors, traits_of(Keys(plan.keys, plan.architecture)), label)
        ours = {tensor.name: TYPES[tensor.type_id].name for tensor in made}
        differing = {tensor: (ours[tensor], said) for tensor, said in answer.items() if ours[tensor] != said}
        assert not differing, label
        assert ours.keys() == answer.keys()
        assert all(tensor.bytes == TYPES[tensor.type_id].bytes_of(tensor.elements) for tensor in made)


def test_more_bits_go_to_the_ends_and_to_every_third_layer_between() -> None:
    more = [layer for layer in range(32) if gets_more_bits(layer, 32)]
    assert more[:4] == [0, 1, 2, 3]
    assert more[-4:] == [28, 29, 30, 31]
    assert more[4:-4] == [6, 9, 12, 15, 18, 21, 24, 27]


def test_rows_that_no_block_fills_fall_back() -> None:
    assert fitting("Q4_K", 4096) == "Q4_K"
    assert fitting("Q4_K", 896) == "Q5_0"
    assert fitting("Q6_K", 2880) == "Q8_0"
    assert fitting("Q8_0", 100) == "F16"
    assert fitting("Q4_K", 100) == "F16"


@pytest.mark.parametrize(
    ("name", "dims"),
    [
        ("blk.0.attn_norm.weight", (64,)), ("blk.0.attn_q.bias", (64, 64)), ("blk.0.ffn_gate_inp.weight", (64, 8)),
        ("blk.0.ssm_conv1d.weight", (4, 64)), ("blk.0.ssm_norm.weight", (64, 1)), ("output_norm.weight", (64, 64)),
    ],
)  # fmt: skip
def test_what_is_small_is_left_alone(name: str, dims: tuple[int, ...]) -> None:
    assert is_left_alone(TensorInfo(name, dims, 0, 0, 0))
    assert not is_left_alone(TensorInfo("blk.0.attn_q.weight", (64, 64), 1, 0, 0))


def test_an_unknown_label_is_refused() -> None:
    plan = blueprint(find("Qwen2.5-0.5B").shape)
    with pytest.raises(KeyError):
        mixed(plan.tensors, traits_of(Keys(plan.keys, plan.architecture)), "IQ1_S")
