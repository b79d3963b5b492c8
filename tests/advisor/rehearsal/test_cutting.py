"""Which layers stand for all, and the file that they make."""

import pytest

from advisor.core.errors import BadFile
from advisor.core.evidence import Known
from advisor.gguf.keys import Keys
from advisor.gguf.windows import windows
from advisor.rehearsal import recipes
from advisor.rehearsal.blueprint import Blueprint, blueprint
from advisor.rehearsal.catalogue import find, load
from advisor.rehearsal.cutting import choose, cut


def plan(name: str, recipe: str = "Q4_K_M") -> Blueprint:
    return recipes.quantised(blueprint(find(name).shape), recipe)


def of_each_layer(made: Blueprint) -> list[int]:
    sizes: dict[int, int] = {}
    for tensor in made.tensors:
        if tensor.name.startswith("blk."):
            number = int(tensor.name.split(".")[1])
            sizes[number] = sizes.get(number, 0) + tensor.stored_bytes
    return [sizes[number] for number in sorted(sizes)]


@pytest.mark.parametrize("model", load(), ids=lambda model: model.name)
def test_stand_ins_are_models_of_the_same_kind(model) -> None:  # type: ignore[no-untyped-def]
    whole = recipes.quantised(blueprint(model.shape), "Q4_K_M")
    try:
        chosen = choose(whole)
    except BadFile as refused:
        assert model.shape.extra("shared_caches")
        assert "each other's caches" in str(refused)
        return
    facts = whole.facts("whole", "Q4_K_M")
    for layers in filter(None, (chosen.small, chosen.large)):
        made = cut(whole, layers).facts("part")
        assert isinstance(made.traffic, Known), made.traffic
        assert made.layers.or_none() == len(layers)
        assert made.traffic.value.head_bytes == facts.traffic.value.head_bytes  # type: ignore[union-attr]
        assert (made.experts, made.experts_used) == (facts.experts, facts.experts_used)
        assert made.vocabulary.or_none() == model.shape.vocabulary
    assert len(chosen.small) < len(chosen.large) <= model.shape.layers
    assert chosen.large[: len(chosen.small)] == chosen.small, "one file is both"
    assert len(set(chosen.large)) == len(chosen.large)
    assert bool(chosen.small) == (len(chosen.large) < model.shape.layers)


def test_small_and_large_layers_are_taken_in_proportion() -> None:
    whole = plan("Llama-3.1-8B")
    chosen = choose(whole)
    sizes = of_each_layer(whole)
    for layers in (chosen.small, chosen.large):
        picked = [sizes[layer] for layer in layers]
        assert sum(picked) / len(picked) == pytest.approx(sum(sizes) / len(sizes), rel=0.03)
    assert len(set(chosen.large)) == len(chosen.large)


@pytest.mark.parametrize("name", ["Gemma-3-27B", "gpt-oss-20b", "Command-R7B", "Llama-4-Scout-17B-16E", "Gemma-2-27B"])
def test_windows_keep_their_place(name: str) -> None:
    whole = plan(name)
    chosen = choose(whole)
    assert chosen.small
    keys = Keys(whole.keys, whole.architecture)
    before = windows(keys, keys.count("block_count") or 0)
    made = cut(whole, chosen.large)
    after = windows(Keys(made.keys, made.architecture), len(chosen.large))
    assert after == [before[layer] for layer in chosen.large]


def test_recurrent_layers_keep_their_place() -> None:
    whole = plan("Qwen3.5-35B-A3B")
    chosen = choose(whole)
    assert all(old % 4 == new % 4 for new, old in enumerate(chosen.large))
    flows = cut(whole, chosen.large).facts("part").traffic
    assert isinstance(flows, Known)
    assert len(flows.value.attention) == 1
    assert len(flows.value.recurrent) == len(chosen.large) - 1


@pytest.mark.parametrize("model", load(), ids=lambda model: model.name)
def test_what_fits_24_gb_has_a_stand_in_that_is_written_in_seconds(model) -> None:  # type: ignore[no-untyped-def]
    whole = recipes.quantised(blueprint(model.shape), "Q4_K_M")
    if model.shape.extra("shared_caches") or recipes.file_bytes(model.shape, "Q4_K_M") > 22e9:
        return
    assert sum(tensor.stored_bytes for tensor in cut(whole, choose(whole).large).tensors) < 4.5e9


@pytest.mark.parametrize("name", ["Granite-4.0-H-Small", "Nemotron-3-Nano-30B-A3B", "LFM2-8B-A1B", "Gemma-4-26B-A4B"])
def test_of_kinds_told_by_arrays_each_is_there_and_the_common_ones_are_what_the_larger_one_has_more(name: str) -> None:
    whole = plan(name)
    chosen = choose(whole)

    def kinds(layers: tuple[int, ...]) -> list[frozenset[tuple[str, tuple[int, ...]]]]:
        found: dict[int, set[tuple[str, tuple[int, ...]]]] = {layer: set() for layer in layers}
        for tensor in whole.tensors:
            number = int(tensor.name.split(".")[1]) if tensor.name.startswith("blk.") else -1
            if number in found:
                found[number].add((tensor.name.split(".", 2)[2], tensor.dims))
        return [frozenset(found[layer]) for layer in layers]

    leading = find(name).shape.dense_layers
    every = kinds(tuple(range(leading, find(name).shape.layers)))
    assert set(kinds(chosen.small)) == set(every)
    further = set(kinds(chosen.large[len(chosen.small) :]))
    assert sum(kind in further for kind in every) >= 0.7 * len(every)


def test_leading_dense_layers_do_not_stand_for_the_others() -> None:
    chosen = choose(plan("DeepSeek-V3"))
    assert min(chosen.large) >= 3
    made = cut(plan("DeepSeek-V3"), chosen.large)
    assert made.keys["deepseek2.leading_dense_block_count"] == 0


def test_a_small_model_stands_in_for_itself() -> None:
    chosen = choose(plan("Gemma-3-270M"))
    assert chosen.small == ()
    assert chosen.large == tuple(range(18))


def test_a_tokenizer_and_arrays_of_layers_are_left_behind() -> None:
    whole = plan("Nemotron-3-Nano-30B-A3B")
    keys = {**whole.keys, "tokenizer.ggml.tokens": ("a", "b"), "split.count": 3}
    made = cut(Blueprint(keys, whole.tensors), (0, 5, 6))
    assert [name for name in made.keys if name.startswith(("tokenizer", "split"))] == ["tokenizer.ggml.model"]
    assert len(made.keys["nemotron_h_moe.attention.head_count_kv"]) == 3  # type: ignore[arg-type]
    assert {tensor.name.split(".")[1] for tensor in made.tensors if tensor.name.startswith("blk.")} == {"0", "1", "2"}


def test_a_file_without_layers_is_refused() -> None:
    whole = plan("Gemma-3-270M")
    bare = Blueprint(whole.keys, tuple(t for t in whole.tensors if not t.name.startswith("blk.")))
    with pytest.raises(BadFile, match="cannot be rehearsed"):
        choose(bare)
