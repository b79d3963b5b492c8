"""Keys that no tensor bears out: the traffic is unknown then, and not what the key says. Most were found by fuzzing."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from advisor.core.evidence import Known, Unknown
from advisor.gguf.architecture import read_model
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from tests.support.families import FAMILIES
from tests.support.gguf_builder import Gguf, Tensor, decoder
from tests.support.tiny import ints

STATE = "contradicts the state"
HEADS = "contradicts the heads"


def changed(family: str, keys: Mapping[str, object], drop: Sequence[str] = ()) -> Gguf:
    """A family's file with some keys below the architecture's name replaced, and tensors of some kinds left out."""
    file = FAMILIES[family]()
    assert isinstance(file.keys, dict)
    architecture = file.keys["general.architecture"]
    own = {f"{architecture}.{name}": value for name, value in keys.items()}
    tensors = [tensor for tensor in file.tensors if not any(f".{kind}." in str(tensor.name) for kind in drop)]
    return Gguf({**file.keys, **own}, tensors)


def facts(file: Gguf, folder: Path) -> ModelFacts:
    return read_model(file.write(folder / "m.gguf"))


CONTRADICTIONS: dict[str, tuple[Gguf, str]] = {
    "Mamba, state size": (changed("mamba", {"ssm.state_size": 2**39}), STATE),
    "Mamba in PLaMo 2, state size": (changed("plamo2", {"ssm.state_size": 4096}), STATE),
    "Mamba-2, inner size": (changed("mamba2", {"ssm.inner_size": 64, "ssm.group_count": 4}), STATE),
    "delta net, inner size": (changed("qwen3next", {"ssm.inner_size": 2**30}), STATE),
    "Kimi, head size": (changed("kimi-linear", {"kda.head_dim": 2**39}), STATE),
    "Kimi, heads": (changed("kimi-linear", {"attention.head_count": ints([5, 4, 4])}), STATE),
    "Kimi, kernel": (changed("kimi-linear", {"ssm.conv_kernel": 2**31}), STATE),
    "RWKV, head size": (changed("rwkv7", {"wkv.head_size": 2**39}), "none that engines run"),
    "RWKV, token shifts": (changed("rwkv6", {"token_shift_count": 2**39}), "none that engines run"),
    "short convolution, length": (changed("lfm2", {"shortconv.l_cache": 2**39}), STATE),
    "no keys and values": (changed("llama4", {}, ["attn_k", "attn_v"]), "no matrices for the keys and values"),
    "no values, and not the size of keys": (
        changed("gemma4", {"attention.value_length_swa": 2**20}, ["attn_v"]),
        "no matrices for the keys and values",
    ),
    "output matrix": (
        decoder(keys={"llama.attention.value_length": 8}, extra=[Tensor("blk.0.attn_qkv.weight", (64, 112))],
                drop=["blk.0.attn_v.weight"]),
        HEADS,
    ),
    "latents without their matrix": (
        changed("deepseek2, compressed", {}, ["attn_kv_a_mqa"]),
        "no matrix for its latents",
    ),
    "another layer's cache, of another shape": (
        changed("gemma4", {"attention.head_count_kv": ints([2, 1, 2, 1, 64, 1])}, ["4.attn_k", "4.attn_v"]),
        "no layer has such a cache",
    ),
    "embedding length": (changed("mamba2", {"embedding_length": 2**39}), "contradicts the embedding length"),
    "an embedding table without dimensions": (
        Gguf(decoder().keys, [Tensor("token_embd.weight", ()), *decoder(drop=["token_embd.weight"]).tensors]),
        "contradicts the embedding length",
    ),
    "a window that is no number": (changed("gemma2", {"attention.sliding_window": -1}), "is no number"),
    "a pattern that is no number": (changed("gemma2", {"attention.sliding_window_pattern": "2"}), "is no number"),
    "heads for too few layers": (changed("qwen3moe", {"attention.head_count_kv": ints([2])}), "fit the 2 layers"),
    "key lengths for each layer": (changed("gemma2", {"attention.key_length": ints([16] * 4)}), "is no number"),
    "shifts that are no number": (changed("rwkv6", {"token_shift_count": 1.0}), "is no number"),
    "one block twice": (decoder(extra=[Tensor("blk.00.attn_q.weight", (64, 64))]), "blk.00.attn_q.weight is not known"),
    "a block in other digits": (decoder(extra=[Tensor("blk.٣.attn_q.weight", (64, 64))]), "is not known"),
    "nothing that attends or remembers": (
        changed(
            "nemotron_h",
            {"attention.head_count_kv": 2, "feed_forward_length": 128},
            ["attn_q", "attn_k", "attn_v", "attn_output", "ssm_in", "ssm_out", "ssm_conv1d", "ssm_norm"],
        ),
        "none of its layers has attention or a recurrent state",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_a_key_that_tensors_contradict_makes_the_traffic_unknown(tmp_path: Path, case: str) -> None:
    file, why = CONTRADICTIONS[case]
    model = facts(file, tmp_path)
    assert isinstance(model.traffic, Unknown)
    assert why in model.traffic.reason
    assert model.parameters > 0
    assert isinstance(memory_needed(model, 4096), Unknown)


def test_texts_of_the_vocabulary_do_not_make_the_logits_wider(tmp_path: Path) -> None:
    """Scratch space follows the output matrix, not a key or a list that promises more."""
    plain, more = (facts(changed("mamba2", {"vocab_size": size}), tmp_path) for size in (96, 2**39))
    need, of_more = memory_needed(plain, 4096), memory_needed(more, 4096)
    assert isinstance(need, Known)
    assert need == of_more
