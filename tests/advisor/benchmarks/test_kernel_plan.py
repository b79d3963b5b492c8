"""Which kernels a model's table needs: its own shapes, no more bytes than one step reads, the head once."""

from dataclasses import replace

import pytest

from advisor.benchmarks.kernel_plan import MAX_WEIGHTS_BYTES, kernel_request
from advisor.core.units import GIB, MIB
from advisor.gguf.architecture import read_model
from advisor.gguf.model import MatmulShape, ModelFacts
from advisor.gguf.quant_types import TYPES
from advisor.rehearsal import recipes
from advisor.rehearsal.catalogue import find
from tests.support import documents
from tests.support.sample import sample_path


@pytest.fixture(scope="module")
def sample() -> ModelFacts:
    return read_model(sample_path())


def weights_bytes(groups: list[dict[str, int]]) -> int:
    return sum(
        TYPES[g["type_id"]].bytes_of(g["inputs"]) * g["outputs"] * g["copies"] * max(g.get("stacked", 1), 1)
        for g in groups
    )


def test_a_small_model_lies_in_memory_whole(sample: ModelFacts) -> None:
    groups = kernel_request(sample, 4, 256 * MIB)["products"]["groups"]
    assert weights_bytes(groups) == sum(shape.bytes for shape in sample.matmuls)
    head = groups[0]
    assert (head["inputs"], head["outputs"], head["copies"]) == (640, 262144, 1)
    assert 512 not in head["columns"]
    assert all(group["columns"][:2] == [1, 512] for group in groups[1:])


def test_a_large_model_keeps_to_the_working_set_in_its_own_proportions() -> None:
    large = documents.model()
    groups = kernel_request(large, 4, GIB)["products"]["groups"]
    assert weights_bytes(groups) <= 1.1 * MAX_WEIGHTS_BYTES
    first, second = groups
    assert first["copies"] / second["copies"] == pytest.approx(64 / 16, rel=0.3)


def test_experts_come_as_a_stack_of_those_that_a_step_reads() -> None:
    stack = MatmulShape("Q4_K", 12, 2048, 768, 128 * 48 * 884_736, 128 * 48, expert=True)
    model = replace(documents.model(), matmuls=(stack,), experts=128, experts_used=8)
    (group,) = kernel_request(model, 4, 256 * MIB)["products"]["groups"]
    assert (group["experts"], group["used"], group["copies"]) == (128, 8, 1)
    assert group["stacked"] >= 16
    assert weights_bytes([group]) <= 1.1 * 256 * MIB


def test_other_types_take_the_same_shapes_where_their_blocks_fit(sample: ModelFacts) -> None:
    groups = kernel_request(sample, 4, 256 * MIB, more_types=[2, 12])["products"]["groups"]
    added = {(g["type_name"], g["inputs"]) for g in groups}
    assert ("Q4_0", 640) in added
    assert ("Q4_K", 640) not in added  # 640 is no whole number of its blocks of 256


def test_many_types_take_a_few_times_the_models_memory_and_no_more() -> None:
    dense, mixture = (recipes.facts(find(name).shape, "Q4_K_M", name) for name in ("Qwen3-4B", "Qwen3-30B-A3B"))
    types = [1, 8, 13, 2, 23, 11, 10, 6]
    own = kernel_request(dense, 2, GIB, also=mixture)["products"]["groups"]
    groups = kernel_request(dense, 2, GIB, types, mixture)["products"]["groups"]
    assert groups[: len(own)] == own
    added = groups[len(own) :]
    assert {group["type_id"] for group in added} == set(types)
    for type_id in types:
        shapes = [(group["inputs"], "used" in group) for group in added if group["type_id"] == type_id]
        assert sorted(shapes) == [(2048, True), (2560, False), (4096, False), (9728, False)]
    assert all(group["outputs"] < 20_000 for group in added)  # no head
    assert weights_bytes(groups) < 4 * weights_bytes(own) < 4 * GIB
    # a prompt's tokens are spread over all experts
    assert all(group["stacked"] >= 128 for group in added if group["inputs"] == 2048)


def test_another_model_adds_types_that_this_one_lacks() -> None:
    dense, mixture = (recipes.facts(find(name).shape, "Q4_K_M", name) for name in ("Qwen3-4B", "Qwen3-30B-A3B"))
    groups = kernel_request(dense, 2, GIB, also=mixture)["products"]["groups"]
    assert ("F32", 2048, 128) in {(group["type_name"], group["inputs"], group["outputs"]) for group in groups}  # router


def test_operations_and_attention_are_those_of_the_model(sample: ModelFacts) -> None:
    request = kernel_request(sample, 4, 256 * MIB)
    assert {(w["operation"], w["elements"]) for w in request["operations"] if w["columns"] == 1} == {
        ("norm", 640), ("add", 640), ("gate", 2048), ("rope", 1024), ("copy", 256),
    }  # fmt: skip
    assert {(w["heads"], w["kv_heads"], w["key_length"]) for w in request["attention"]} == {(4, 1, 256)}


def test_another_model_adds_its_attention_and_its_experts(sample: ModelFacts) -> None:
    stack = MatmulShape("Q4_K", 12, 2048, 768, 128 * 48 * 884_736, 128 * 48, expert=True)
    other = replace(documents.model(), matmuls=(stack,), experts=128, experts_used=8)
    request = kernel_request(sample, 4, 256 * MIB, also=other)
    alone = kernel_request(sample, 4, 256 * MIB)
    kinds = {(w["heads"], w["key_length"]) for w in request["attention"]}
    assert len(kinds) == 1 + len({(w["heads"], w["key_length"]) for w in alone["attention"]})
    added = request["products"]["groups"][len(alone["products"]["groups"]) :]
    assert [(group["experts"], group["used"]) for group in added] == [(128, 8)]


def test_a_model_that_is_not_understood_still_has_products() -> None:
    unknown = replace(documents.model(), traffic=documents.not_here(), embedding_length=documents.not_here())
    request = kernel_request(unknown, 4, 256 * MIB)
    assert request["attention"] == []
    assert request["products"]["groups"]


def test_attention_to_one_token_goes_through_cold_caches_and_that_of_a_prompt_through_one(sample: ModelFacts) -> None:
    wishes = kernel_request(sample, 2, 64 * MIB)["attention"]
    each = {(w["columns"], w["cells"]): w["caches"] for w in wishes}
    assert each[512, 512] == each[512, 1024] == 1
    assert 1 < each[1, 4096] <= each[1, 256] <= 128
    small = kernel_request(sample, 2, MIB)["attention"]
    assert min(w["caches"] for w in small) == 1
