"""Facts from headers of many kinds of files."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from tests.support.gguf_builder import Gguf, Tensor, TypedArray, decoder


def facts(file: Gguf, folder: Path, name: str = "m.gguf") -> ModelFacts:
    return read_model(file.write(folder / name))


def test_a_small_dense_model(tmp_path: Path) -> None:
    model = facts(decoder(keys={"general.name": "Tiny", "general.file_type": 1}), tmp_path)
    # by layer: q 64×64, k and v 64×32, o 64×64, three 64×128, two norms of 64
    layer = 4096 + 2 * 2048 + 4096 + 3 * 8192 + 2 * 64
    assert model.parameters == 2 * layer + 2 * 64 * 256 + 64
    assert model.weights_bytes == 2 * (model.parameters - 5 * 64) + 4 * 5 * 64
    assert model.active_parameters == Known(
        model.parameters,
        Basis.COMPUTED,
        "tensor shapes, and the share of experts that one token is routed to",
    )
    assert (model.name, model.label.or_none(), model.tied_head, model.has_decode) == ("Tiny", "F16", False, True)
    assert (model.vocabulary.or_none(), model.kv_heads.or_none(), model.notes) == (256, 2, ())


def test_the_stem_stands_in_for_a_missing_name(tmp_path: Path) -> None:
    model = facts(decoder(), tmp_path, "my model.gguf")
    assert model.name == "my model"
    assert model.label == Unknown("the file does not name its quantisation", Missing.NOT_APPLICABLE)


def test_no_tensors_and_no_keys(tmp_path: Path) -> None:
    model = facts(Gguf(), tmp_path)
    assert not model.has_decode
    assert model.notes == ("This file cannot be benchmarked: it holds no tensors, so it is no model that can run.",)
    assert isinstance(model.traffic, Unknown)
    assert model.architecture == "unknown"
    assert (model.parameters, model.matmuls, dict(model.types)) == (0, (), {})


def test_a_vocabulary_without_weights(tmp_path: Path) -> None:
    file = Gguf({"general.architecture": "llama", "tokenizer.ggml.tokens": ["a", "b"]})
    (note,) = facts(file, tmp_path).notes
    assert note.startswith("This file cannot be benchmarked: it holds a vocabulary only, no weights;")


def test_a_quantisation_number_of_the_future(tmp_path: Path) -> None:
    label = facts(decoder(keys={"general.file_type": 99}), tmp_path).label
    assert label == Unknown("quantisation number 99 is not known to this program", Missing.NOT_SUPPORTED)


def test_names_from_the_file_are_fit_to_be_shown(tmp_path: Path) -> None:
    model = facts(decoder("x\ny" * 100, keys={"general.name": "a\x1b[31m\nb" + "c" * 500}), tmp_path)
    assert model.name == "a\ufffd[31m\ufffdb" + "c" * 112 + "…"
    assert "\n" not in model.architecture + "".join(model.notes)
    assert len(model.architecture) == 121


def test_tensors_of_no_elements_are_no_model(tmp_path: Path) -> None:
    assert not facts(Gguf({"general.architecture": "llama"}, [Tensor("x", (32, 0))]), tmp_path).has_decode


def test_no_architecture(tmp_path: Path) -> None:
    assert "does not name its architecture" in facts(Gguf({}, [Tensor("x", (1,))]), tmp_path).notes[0]


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ({"general.architecture": "bert"}, "it is an encoder"),
        ({"general.architecture": "nomic-bert-moe"}, "it is an encoder"),
        ({"general.architecture": "clip"}, "the vision or audio part"),
        ({"general.architecture": "clip", "general.type": "mmproj"}, "the vision or audio part"),
        ({"general.architecture": "llama", "general.type": "adapter"}, "an adapter (LoRA)"),
        ({"general.architecture": "llama", "general.type": "imatrix"}, "an importance matrix"),
        ({"general.architecture": "llada"}, "a diffusion model"),
        ({"general.architecture": "eagle3"}, "a draft head"),
        ({"general.architecture": "wavtokenizer-dec"}, "it makes sound"),
        ({"general.architecture": "llama", "llama.attention.causal": False}, "it is an encoder"),
    ],
)
def test_files_without_a_decode_phase(tmp_path: Path, keys: dict[str | bytes, object], what: str) -> None:
    model = facts(Gguf(keys, [Tensor("token_embd.weight", (64, 32))]), tmp_path)
    assert not model.has_decode
    assert what in model.notes[0]
    assert not model.tied_head
    assert isinstance(model.traffic, Unknown)
    assert model.traffic.kind is Missing.NOT_APPLICABLE
    assert isinstance(model.active_parameters, Unknown)


@pytest.mark.parametrize("arch", ["deepseek4", "glm-dsa", "qwen4exp", "t5", "grovemoe", "brand-new"])
def test_other_architectures_are_unknown_and_say_so(tmp_path: Path, arch: str) -> None:
    model = facts(decoder(arch), tmp_path)
    assert model.has_decode
    assert model.traffic == Unknown(
        f"bytes per token of architecture {arch} are not modelled yet", Missing.NOT_SUPPORTED
    )
    assert isinstance(model.active_parameters, Unknown)
    assert model.layers.or_none() == 2
    assert model.notes == (
        f"Ceilings cannot be computed for this model: bytes per token of architecture {arch} are not modelled yet.",
    )


def test_unknown_tensor_types_are_counted_and_measured_by_their_places(tmp_path: Path) -> None:
    tensors = [
        Tensor("a", (64,)),
        Tensor("b", (64, 2), 153, offset=256),
        Tensor("c", (64, 2), 153, offset=512),
        Tensor("d", (64,), offset=1024),
    ]
    model = facts(Gguf({"general.architecture": "llama"}, tensors), tmp_path)
    assert "Unknown tensor type 153 in 2 tensors: their sizes are taken from their places in the file." in model.notes
    assert dict(model.types) == {"type 153": 768, "F32": 512}
    assert model.parameters == 64 + 128 + 128 + 64


@pytest.mark.parametrize(("label", "noted"), [("29.6B", True), ("57K", False), ("60K", False), ("8x7B", False)])
def test_a_size_label_that_contradicts_the_tensors(tmp_path: Path, label: str, noted: bool) -> None:
    model = facts(decoder(layers=1, keys={"general.size_label": label}), tmp_path)
    assert any("calls itself" in note for note in model.notes) is noted


def test_missing_tokenizer_keys_do_not_matter(tmp_path: Path) -> None:
    assert facts(decoder(), tmp_path).vocabulary == Known(256, Basis.READ, "rows of token_embd.weight")


def test_vocabulary_from_keys(tmp_path: Path) -> None:
    assert facts(decoder(keys={"llama.vocab_size": 250}), tmp_path).vocabulary.or_none() == 250
    tokens = {"tokenizer.ggml.tokens": [str(i) for i in range(200)], "llama.vocab_size": 250}
    assert facts(decoder(keys=tokens), tmp_path).vocabulary.or_none() == 200


def test_a_key_of_the_wrong_kind_is_unknown_and_not_a_number(tmp_path: Path) -> None:
    model = facts(decoder(keys={"llama.context_length": "long", "llama.block_count": True}), tmp_path)
    assert isinstance(model.context_length, Unknown)
    assert isinstance(model.layers, Unknown)
    assert isinstance(model.traffic, Unknown)
    assert "how many layers" in model.traffic.reason


def test_absurd_numbers_do_not_become_work(tmp_path: Path) -> None:
    keys = {"llama.block_count": 2**32 - 1, "llama.attention.head_count": 2**64 - 1}
    model = facts(decoder(keys=keys), tmp_path)
    assert isinstance(model.traffic, Unknown)
    assert isinstance(model.heads, Unknown)


def test_kv_heads_of_the_first_attention_layer(tmp_path: Path) -> None:
    # the first entry is 0 where the first layer has no attention
    keys = {"lfm2.attention.head_count_kv": TypedArray(5, [0, 0, 8, 0, 0, 8])}
    model = facts(decoder("lfm2", layers=6, keys=keys), tmp_path)
    assert model.kv_heads == Known(8, Basis.READ, "lfm2.attention.head_count_kv")


def test_kv_heads_default_to_heads(tmp_path: Path) -> None:
    file = decoder(kv_heads=4)
    assert isinstance(file.keys, dict)
    del file.keys["llama.attention.head_count_kv"]
    model = facts(file, tmp_path)
    assert model.kv_heads == Known(4, Basis.READ, "llama.attention.head_count")
    assert isinstance(model.traffic, Known)


def test_reading_imports_neither_toolkit_nor_numpy_nor_engine() -> None:
    code = (
        "import sys, advisor.gguf.architecture, advisor.gguf.memory;"
        "print([n for n in sys.modules if n.split('.')[0] in ('numpy', 'PySide6', 'llama_cpp', 'gguf')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_impossible_counts_are_unknown_and_said(tmp_path: Path) -> None:
    model = facts(decoder(keys={"llama.block_count": 2_147_483_647}), tmp_path)
    assert isinstance(model.layers, Unknown)
    assert "2,147,483,647 layers" in model.layers.reason
    model = facts(decoder(keys={"llama.block_count": 100}), tmp_path)
    assert isinstance(model.layers, Unknown)
    assert "claims 100 layers and holds" in model.layers.reason
    model = facts(decoder(keys={"llama.expert_count": 8, "llama.expert_used_count": 9}), tmp_path)
    assert (model.experts, model.experts_used) == (8, 0)
    assert any("9 of 8 experts" in note for note in model.notes)


@pytest.mark.parametrize(("pooling", "said"), [(0, ""), (1, "into vectors"), (3, "into vectors"), (4, "ranking texts")])
def test_decoders_that_are_made_for_something_else_say_so(tmp_path: Path, pooling: int, said: str) -> None:
    """Qwen3-Embedding and the like are decoders by their architecture."""
    file = decoder("qwen3")
    model = read_model(replace(file, keys={**file.keys, "qwen3.pooling_type": pooling}).write(tmp_path / "m.gguf"))
    assert model.has_decode
    notes = [note for note in model.notes if "is made for" in note]
    assert bool(notes) == bool(said)
    assert said in " ".join(notes)


@pytest.mark.parametrize("name", ["context_length", "block_count", "embedding_length"])
def test_a_length_of_nothing_is_unknown(tmp_path: Path, name: str) -> None:
    file = decoder()
    model = read_model(replace(file, keys={**file.keys, f"llama.{name}": 0}).write(tmp_path / "m.gguf"))
    held = {
        "context_length": model.context_length,
        "block_count": model.layers,
        "embedding_length": model.embedding_length,
    }
    assert isinstance(held[name], Unknown)
