"""The list of models on this machine as JSON; its schema is docs/schema/models.schema.json."""

from typing import Any, Final

from advisor.gguf.discover.model import Discovery, FoundModel
from advisor.gguf.readable import readable

MODELS_SCHEMA: Final = "two-machines/models/1"

LONGEST_PATH: Final = 1 << 16
"""Longer than any system allows: paths are made printable here and not cut."""


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
        "path": readable(str(model.path), LONGEST_PATH),
        "size_bytes": model.size_bytes,
        "source": model.source.value,
        "shards": model.shards,
        "missing_shards": model.missing_shards,
    }
