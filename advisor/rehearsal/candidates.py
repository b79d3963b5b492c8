"""What a user names - a model of the catalogue, a ``config.json``, a GGUF file here or elsewhere - as a candidate."""

from pathlib import Path
from typing import Final

from advisor.core.progress import CancelToken
from advisor.gguf.architecture import model_facts
from advisor.gguf.readable import readable
from advisor.gguf.shards import read_files
from advisor.rehearsal import catalogue, hf_config, recipes, remote
from advisor.rehearsal.blueprint import Blueprint, blueprint
from advisor.rehearsal.model import Candidate
from advisor.rehearsal.shape import Shape

USUAL_RECIPE: Final = "Q4_K_M"


def named(text: str, recipe: str, insecure: bool = False, cancel: CancelToken | None = None) -> Candidate:
    """The candidate that a word of the command line means.

    Args:
        text: a name of the catalogue, the path of a ``config.json`` or of a GGUF file, or an address of one.
        recipe: a quantisation; "" for what a file has, or the usual one for a shape.
        insecure: whether an address without encryption is taken.
        cancel: stops the reading of an address.

    Raises:
        AdvisorError: there is no such thing, or it cannot be used.
        Cancelled: when stopped.
    """
    if "://" in text:
        plan, extra_bytes = remote.read(text, insecure, cancel=cancel or CancelToken())
        name = readable(Path(text.partition("?")[0]).stem)
        return of_plan(name, plan, recipe, text, extra_bytes)
    path = Path(text)
    if path.suffix.lower() == ".json":
        shape = hf_config.read(path)
        return of_shape(_folder_name(path), shape, recipe or USUAL_RECIPE, readable(path.name))
    if path.suffix.lower() == ".gguf":
        files = read_files(path)
        plan = Blueprint(files.first.keys, files.tensors)
        name = model_facts(files, path).name
        extra_bytes = max(0, files.file_bytes - sum(tensor.stored_bytes for tensor in files.tensors))
        return of_plan(name, plan, recipe, readable(path.name), extra_bytes)
    model = catalogue.find(text)
    return of_shape(model.name, model.shape, recipe or USUAL_RECIPE, model.source)


def _folder_name(path: Path) -> str:
    """A ``config.json`` says little of its name; the folder that it lies in often is the model's."""
    stem = path.absolute().parent.name if path.stem == "config" else path.stem
    return readable(stem) or "model"


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
