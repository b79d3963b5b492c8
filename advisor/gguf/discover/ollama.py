"""Ollama's models: a manifest ``host/namespace/model/tag`` names a blob ``sha256-…`` that has no ending."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from advisor.core.translation import tr
from advisor.gguf.discover.grouping import Candidate
from advisor.gguf.discover.model import FoundModel, Notes, Source
from advisor.gguf.discover.walk import Key, Walk, digest_key, file_key, has_magic
from advisor.gguf.readable import readable

MODEL_LAYER = "application/vnd.ollama.image.model"
USUAL_HOST = "registry.ollama.ai"
USUAL_NAMESPACE = "library"
LARGEST_MANIFEST_BYTES = 1 << 20
DEPTH = 6
_DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})")


def ollama_models(store: Path, walk: Walk, notes: Notes) -> Iterator[Candidate]:
    """The models that manifests below ``store`` name and whose blobs are there.

    Models that run on Ollama's own servers have a manifest without a file; they are passed over in silence.
    """
    root = str(store / "manifests")
    entered: set[Key] = set()
    waiting: list[tuple[str, tuple[str, ...]]] = [(root, ())]
    while waiting:
        folder, parts = waiting.pop()
        for entry in walk.entries(folder, entered, quiet=not parts):
            if entry.name.startswith("."):
                continue
            inside = (*parts, entry.name)
            try:
                if entry.is_dir():
                    if len(inside) < DEPTH:
                        waiting.append((entry.path, inside))
                elif len(inside) >= 2 and entry.is_file():
                    candidate = _model(store, entry.path, model_name(inside), notes)
                    if candidate is not None:
                        yield candidate
            except OSError as error:
                notes.add(
                    tr(
                        "{file} could not be read ({error}).",
                        file=notes.short(entry.path),
                        error=error.strerror or error,
                    )
                )


def model_name(parts: tuple[str, ...]) -> str:
    """The name as ``ollama list`` shows it: ``llama3.2:1b``, ``hf.co/user/repository:Q4_K_M``."""
    *path, tag = parts
    if len(path) == 3 and path[0] == USUAL_HOST:
        path = path[1:]
        if path[0] == USUAL_NAMESPACE:
            path = path[1:]
    return readable(f"{'/'.join(path)}:{tag}")


def _model(store: Path, manifest: str, name: str, notes: Notes) -> Candidate | None:
    try:
        layers = _model_layers(manifest)
    except (ValueError, RecursionError):
        notes.add(tr("Ollama's manifest of {name} is damaged.", name=name))
        return None
    if not layers:
        return None
    blobs = [store / "blobs" / f"sha256-{digest}" for digest in layers]
    try:
        sizes = [blob.stat().st_size for blob in blobs]
        is_model = has_magic(str(blobs[0]))
    except FileNotFoundError:
        notes.add(tr("The file of Ollama's {name} is missing; pull it again.", name=name))
        return None
    except PermissionError:
        notes.add(tr("You have no permission to read Ollama's {name}.", name=name))
        return None
    if not is_model:
        notes.add(tr("Ollama's {name} is not in GGUF format.", name=name))
        return None
    digest = digest_key(blobs[0].name)
    keys = (file_key(str(blobs[0])), *((digest,) if digest else ()))
    return Candidate(FoundModel(name, blobs[0], sum(sizes), Source.OLLAMA, len(blobs)), keys)


def _model_layers(manifest: str) -> tuple[str, ...]:
    """Digests of the layers that are model files; raises ValueError for what is no manifest, OSError."""
    if os.stat(manifest).st_size > LARGEST_MANIFEST_BYTES:  # noqa: PTH116
        raise ValueError("too large")
    with open(manifest, "rb") as file:  # noqa: PTH123
        value = json.loads(file.read(LARGEST_MANIFEST_BYTES))
    layers = value.get("layers") if isinstance(value, dict) else ()
    if layers is None:
        return ()
    if not isinstance(value, dict) or not isinstance(layers, list):
        raise ValueError("no layers")
    found = []
    for layer in layers:
        if isinstance(layer, dict) and layer.get("mediaType") == MODEL_LAYER:
            named = _DIGEST.fullmatch(str(layer.get("digest")))
            if not named:
                raise ValueError("no digest")
            found.append(named[1])
    return tuple(found)
