"""The catalogue: facts that bear each other out."""

from urllib.parse import urlsplit

import pytest

from advisor.core.errors import UsageError
from advisor.core.evidence import Known
from advisor.rehearsal import recipes
from advisor.rehearsal.blueprint import blueprint
from advisor.rehearsal.catalogue import CatalogueModel, find, load
from advisor.rehearsal.styles import STYLES

MODELS = load()

EXACT = {
    "Llama-3.1-8B": 8_030_261_248, "Qwen3-30B-A3B": 30_532_122_624, "gpt-oss-20b": 20_914_757_184,
    "Gemma-3-270M": 268_098_176, "DeepSeek-V3": 671_026_419_200, "Nemotron-3-Nano-30B-A3B": 31_577_937_344,
    "Granite-4.0-H-Tiny": 6_939_037_248, "Qwen2.5-72B": 72_706_203_648,
}  # fmt: skip
"""Counts that the models' files give to the last parameter."""

PUBLISHED_BYTES = {
    ("Llama-3.1-8B", "Q4_K_M"): 4_920_734_176, ("Llama-3.1-8B", "Q8_0"): 8_540_770_784,
    ("Qwen2.5-7B", "Q4_K_M"): 4_683_073_952, ("Qwen3-8B", "Q4_K_M"): 5_027_783_488,
    ("Qwen3-30B-A3B", "Q4_K_M"): 18_556_686_912, ("gpt-oss-20b", "MXFP4"): 12_109_566_560,
    ("Gemma-2-9B", "Q4_K_M"): 5_761_057_728,
}  # fmt: skip
"""Sizes of files on Hugging Face (bartowski, Qwen, ggml-org), none of them split."""


def test_there_are_at_least_forty() -> None:
    assert len(MODELS) >= 40
    assert len({model.name for model in MODELS}) == len(MODELS)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_parameters_follow_from_the_shape(model: CatalogueModel) -> None:
    counted = blueprint(model.shape).parameters
    assert counted == pytest.approx(model.parameters, rel=0.01)
    if model.name in EXACT:
        assert model.parameters == EXACT[model.name]
        # what a router adds to its scores is counted by some and not by others
        assert counted == pytest.approx(model.parameters, rel=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_model_is_one_that_the_reader_knows(model: CatalogueModel) -> None:
    facts = recipes.facts(model.shape, "Q4_K_M", model.name)
    assert isinstance(facts.traffic, Known), facts.traffic
    assert facts.parameters == blueprint(model.shape).parameters
    assert facts.experts == model.shape.experts
    assert facts.label.or_none() == "Q4_K_M"
    assert facts.context_length.or_none() == model.shape.context


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_row_has_its_source(model: CatalogueModel) -> None:
    address = urlsplit(model.source)
    assert address.scheme == "https"
    assert address.netloc == "huggingface.co"
    assert address.path.partition(";")[0].endswith("config.json")
    assert model.maker
    assert model.looked_up >= "2026-11-30"


@pytest.mark.parametrize(("name", "recipe"), PUBLISHED_BYTES)
def test_files_have_the_published_sizes(name: str, recipe: str) -> None:
    found = recipes.file_bytes(find(name).shape, recipe)
    assert found == pytest.approx(PUBLISHED_BYTES[name, recipe], rel=0.01)


def test_sizes_fall_from_recipe_to_recipe() -> None:
    shape = find("Llama-3.1-8B").shape
    sizes = [recipes.file_bytes(shape, recipe) for recipe in recipes.RECIPES if recipe != "MXFP4"]
    assert sizes == sorted(sizes, reverse=True)


def test_names_are_found_however_they_are_written() -> None:
    assert find("llama 3.1 8b").name == "Llama-3.1-8B"
    assert find("GPT-OSS-120B").name == "gpt-oss-120b"
    assert find("scout").name == "Llama-4-Scout-17B-16E"
    with pytest.raises(UsageError, match="Several models"):
        find("qwen3")
    with pytest.raises(UsageError, match="no model named"):
        find("gpt-7")
    with pytest.raises(UsageError, match="no model named"):
        find("")


def test_an_unknown_recipe_is_refused() -> None:
    assert recipes.known_recipe("mxfp4") == "MXFP4_MOE"
    with pytest.raises(UsageError, match="no quantisation named"):
        recipes.known_recipe("Q9")


def test_styles_are_all_of_architectures_in_use_or_read_from_configs() -> None:
    from advisor.rehearsal.hf_config import ARCHITECTURES

    used = {model.shape.architecture for model in MODELS} | set(ARCHITECTURES.values())
    assert set(ARCHITECTURES.values()) <= set(STYLES)
    assert {"llama", "qwen3moe", "gpt-oss"} <= used
