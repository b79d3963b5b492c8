"""What a user names - a model of the catalogue, a ``config.json``, a GGUF file here or elsewhere - as a candidate."""

from advisor.rehearsal import recipes
from advisor.rehearsal.blueprint import Blueprint, blueprint
from advisor.rehearsal.model import Candidate
from advisor.rehearsal.shape import Shape


def of_shape(name: str, shape: Shape, recipe: str, source: str) -> Candidate:
    """The file of a shape that a recipe makes.

    Raises:
        AdvisorError: unknown recipe or architecture.
    """
    label = recipes.known_recipe(recipe)
    plan = recipes.quantised(blueprint(shape), label)
    return Candidate(name, label, plan, recipes.facts(shape, label, name), source)


def of_plan(name: str, plan: Blueprint, recipe: str, source: str, extra_bytes: int = 0) -> Candidate:
    """A file's own types; with a recipe, those that the file would have in it."""
    if recipe:
        label = recipes.known_recipe(recipe)
        plan = recipes.quantised(plan, label)
        return Candidate(name, label, plan, plan.facts(name, label, extra_bytes), source)
    facts = plan.facts(name, "", extra_bytes)
    return Candidate(name, facts.label.or_none() or "", plan, facts, source)
