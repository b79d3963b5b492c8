"""What a shape becomes as a file of a quantisation: types, bytes, facts."""

from functools import lru_cache
from typing import Final

from advisor.core.errors import UsageError
from advisor.core.translation import tr
from advisor.gguf.keys import Keys
from advisor.gguf.mixtures import BASE_TYPES, mixed, traits_of
from advisor.gguf.model import ModelFacts
from advisor.gguf.readable import readable
from advisor.rehearsal.blueprint import Blueprint, blueprint
from advisor.rehearsal.shape import Shape

RECIPES: Final = (
    "F16", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "Q4_K_S", "Q4_0", "IQ4_XS", "MXFP4", "Q3_K_M", "Q2_K",
)  # fmt: skip
"""Those worth offering, the finest first. MXFP4 is for mixtures of experts, whose makers trained for it."""
ALIASES: Final = {"MXFP4": "MXFP4_MOE", "Q3_K": "Q3_K_M", "Q4_K": "Q4_K_M", "Q5_K": "Q5_K_M"}

TOKENIZER_BYTES_PER_WORD: Final = 36
"""What a vocabulary takes in a file's header: 25 to 39 bytes per word in published files (Gemma 3, Qwen 3)."""


def known_recipe(name: str) -> str:
    """llama.cpp's name of a recipe.

    Raises:
        UsageError: there is none of that name.
    """
    label = ALIASES.get(name.upper(), name.upper())
    if label not in BASE_TYPES:
        raise UsageError(
            tr("There is no quantisation named {name}.", name=readable(name) or tr("(empty)")),
            tr("Choose one of: {names}.", names=", ".join(RECIPES)),
        )
    return label


def quantised(plan: Blueprint, recipe: str) -> Blueprint:
    """The blueprint with the types of a recipe."""
    traits = traits_of(Keys(plan.keys, plan.architecture))
    return Blueprint(plan.keys, mixed(plan.tensors, traits, known_recipe(recipe)))


@lru_cache(maxsize=2048)  # the chooser asks for every model in every recipe again and again
def facts(shape: Shape, recipe: str, name: str = "model") -> ModelFacts:
    """What ``inspect`` would say of the file.

    Raises:
        AdvisorError: unknown recipe or architecture.
    """
    made = quantised(blueprint(shape), recipe)
    return made.facts(name, known_recipe(recipe), TOKENIZER_BYTES_PER_WORD * shape.vocabulary)


def file_bytes(shape: Shape, recipe: str) -> int:
    """Size of the file, its vocabulary estimated."""
    return facts(shape, recipe).file_bytes
