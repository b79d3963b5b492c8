"""The list of models as text for a terminal."""

from advisor.cli import terminal
from advisor.cli.parser import PROGRAM
from advisor.core.numbers import plural, size
from advisor.gguf.discover.model import LONGEST_PATH, Discovery, FoundModel
from advisor.gguf.readable import readable


def show_models(found: Discovery) -> None:
    """Two lines for each model: name, size and place; then the path, whole, to be copied."""
    if found.models:
        print(f"{plural(len(found.models), 'model')} on this machine")
        width = max(len(model.name) for model in found.models)
        for model in found.models:
            print(f"  {model.name:<{width}}  {size(model.size_bytes):>8}  {kept_by(model)}")
            print(f"      {readable(str(model.path), LONGEST_PATH)}")
    else:
        print("No models were found in the usual places.")
        print(f"  Name a folder to look there, too: {PROGRAM} models FOLDER")
    for note in found.notes:
        terminal.show_paragraph(note, "  ")


def kept_by(model: FoundModel) -> str:
    """The place, and how many files a set has."""
    if model.missing_shards:
        return f"{model.source}, {model.missing_shards} of its {model.shards} files missing"
    return f"{model.source}, {model.shards} files" if model.shards > 1 else str(model.source)
