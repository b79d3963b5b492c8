"""The list of models on this machine as JSON; its schema is docs/schema/models.schema.json."""

from typing import Any, Final

from advisor.gguf.discover.model import Discovery, FoundModel

MODELS_SCHEMA: Final = "two-machines/models/1"


def models_json(found: Discovery) -> dict[str, Any]:
    """``two-machines models --json``; paths are whole, because they are there to be opened."""
    return {
        "schema": MODELS_SCHEMA,
        "models": [_model(model) for model in found.models],
        "notes": list(found.notes),
    }


def _model(model: FoundModel) -> dict[str, Any]:
    return {
        "name": model.name,
        "path": _text(str(model.path)),
        "size_bytes": model.size_bytes,
        "source": model.source.value,
        "shards": model.shards,
        "missing_shards": model.missing_shards,
    }


def _text(path: str) -> str:
    """The path as it is, but for bytes of a file name that are no text: JSON has no place for them."""
    return path.encode("utf-8", "replace").decode("utf-8") if not path.isascii() else path
