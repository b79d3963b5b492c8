"""The search for models over folders and small files that hold anything."""

import json
import shutil
import unicodedata
from pathlib import Path

from advisor.gguf.discover.model import Home
from advisor.gguf.discover.search import discover
from advisor.gguf.discover.walk import Limits
from tests.fuzz.world import MARK

FIRST = b"\xf0"
"""Inputs that begin so are texts for a search, with marks between: see ``searched``."""
_DIGEST = "ab" * 32
_STORE = Path(".ollama", "models")
_LAYER = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{_DIGEST}", "size": 24}
_MANIFEST = json.dumps({"schemaVersion": 2, "layers": [_LAYER]}).encode()


def stock() -> list[bytes]:
    """Inputs to begin with."""
    settings = json.dumps({"downloadsFolder": "~/models"}).encode()
    texts = [
        (_MANIFEST, b"~/lm\n", settings, b"Model-Q4_K_M.gguf"),
        (json.dumps({"layers": None}).encode(), b"", b"{}", b"m-00001-of-00002.gguf"),
        (json.dumps({"layers": [_LAYER, _LAYER]}).encode(), b"\xff", b"[1]", "модель\u3000.gguf".encode()),
        (b"[" * 5000, b"~", b"null", b"\xff\n.gguf"),
    ]
    return [FIRST + MARK.join(each) for each in texts]


def searched(data: bytes, folder: Path) -> None:
    """Search a home in which Ollama's manifest, LM Studio's pointer and settings, and a file's name are given.

    Raises:
        AssertionError: when what is found is not fit to be shown.
    """
    manifest, pointer, settings, name, *_ = (*data[1:].split(MARK, 3), b"", b"", b"")
    home = folder / "home"
    _file(home / _STORE / "manifests" / "registry.ollama.ai" / "library" / "m" / "latest", manifest)
    _file(home / _STORE / "blobs" / f"sha256-{_DIGEST}", b"GGUF" + bytes(20))
    _file(home / ".lmstudio-home-pointer", pointer)
    _file(home / ".lmstudio" / "settings.json", settings)
    named = name.replace(b"/", b"_").replace(b"\0", b"_")[:200]
    if named.strip(b"."):
        _file(home / ".lmstudio" / "models" / _decoded(named), b"GGUF" + bytes(20))
    try:
        found = discover(Home(home, {}, "linux", folder), limits=Limits(depth=4, entries=200, sniffs=20))
    finally:
        shutil.rmtree(home)
    for text in (*(model.name for model in found.models), *found.notes):
        assert text.strip()
        assert all(char.isprintable() or unicodedata.category(char) == "Zs" for char in text), repr(text)
    assert all(model.size_bytes >= 0 and model.shards >= 1 for model in found.models)


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _file(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
