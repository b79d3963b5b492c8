"""Where programs keep their models, by system and environment, as their documentation or source says."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from advisor.gguf.discover.model import Home, Source

LARGEST_SETTINGS_BYTES = 1 << 20


class Layout(Enum):
    """How a place is read."""

    FILES = "model files in any folder"
    HUB = "the Hugging Face cache: models--*/snapshots/*/ with links to blobs"
    OLLAMA = "manifests that name blobs"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to look in; it need not exist.

    Attributes:
        named: the user named it, so that its absence is told, and files without an ending are looked into.
    """

    source: Source
    folder: Path
    layout: Layout = Layout.FILES
    named: bool = False


def places(home: Home) -> tuple[Place, ...]:
    """The usual places of this home, each once."""
    found = dict.fromkeys((*_lm_studio(home), *_hugging_face(home), *_llama_cpp(home), *_others(home), *_ollama(home)))
    return tuple(found)


def user_place(folder: Path) -> tuple[Place, ...]:
    """A folder that the user named; also read as Ollama's where it is built like that."""
    place = Place(Source.FOLDER, folder, named=True)
    try:
        is_store = (folder / "manifests").is_dir() and (folder / "blobs").is_dir()
    except OSError:
        is_store = False
    return (place, Place(Source.OLLAMA, folder, Layout.OLLAMA)) if is_store else (place,)


def _lm_studio(home: Home) -> Iterator[Place]:
    """``.lmstudio``, ``.cache/lm-studio`` of older versions, where the pointer file says, where its settings say."""
    bases = [home.folder / ".lmstudio", home.folder / ".cache" / "lm-studio"]
    lines = _text(home.folder / ".lmstudio-home-pointer").splitlines()
    if lines and lines[0].strip():
        bases.insert(0, home.expanded(lines[0].strip()))
    for base in bases:
        chosen = _setting(base / "settings.json", "downloadsFolder")
        if chosen:
            yield Place(Source.LM_STUDIO, home.expanded(chosen))
        yield Place(Source.LM_STUDIO, base / "models")


def _hugging_face(home: Home) -> Iterator[Place]:
    """As ``huggingface_hub.constants`` works it out; the usual folder is looked in besides."""
    usual = (home.variable("XDG_CACHE_HOME") or home.folder / ".cache") / "huggingface"
    base = home.variable("HF_HOME") or usual
    hub = home.variable("HF_HUB_CACHE") or home.variable("HUGGINGFACE_HUB_CACHE") or base / "hub"
    for folder in (hub, usual / "hub"):
        yield Place(Source.HUGGING_FACE, folder, Layout.HUB)


def _llama_cpp(home: Home) -> Iterator[Place]:
    """As ``fs_get_cache_directory`` in llama.cpp's common/common.cpp."""
    chosen = home.variable("LLAMA_CACHE")
    if chosen:
        yield Place(Source.LLAMA_CPP, chosen)
    if home.system == "darwin":
        base = home.folder / "Library" / "Caches"
    elif home.system == "win32":
        base = home.variable("LOCALAPPDATA") or home.folder / "AppData" / "Local"
    else:
        base = home.variable("XDG_CACHE_HOME") or home.folder / ".cache"
    yield Place(Source.LLAMA_CPP, base / "llama.cpp")


def _others(home: Home) -> Iterator[Place]:
    if home.system == "darwin":
        support = home.folder / "Library" / "Application Support"
        jan, gpt4all = [support / "Jan" / "data"], support / "nomic.ai" / "GPT4All"
    elif home.system == "win32":
        jan = [(home.variable("APPDATA") or home.folder / "AppData" / "Roaming") / "Jan" / "data"]
        local = home.variable("LOCALAPPDATA") or home.folder / "AppData" / "Local"
        gpt4all = local / "nomic.ai" / "GPT4All"
    else:
        data = home.variable("XDG_DATA_HOME") or home.folder / ".local" / "share"
        config = home.variable("XDG_CONFIG_HOME") or home.folder / ".config"
        jan, gpt4all = [config / "Jan" / "data", data / "Jan" / "data"], data / "nomic.ai" / "GPT4All"
    for base in (*jan, home.folder / "jan"):
        yield Place(Source.JAN, base / "models")
        yield Place(Source.JAN, base / "llamacpp" / "models")
    yield Place(Source.GPT4ALL, gpt4all)
    webui = home.folder / "text-generation-webui"
    yield Place(Source.WEBUI, webui / "user_data" / "models")
    yield Place(Source.WEBUI, webui / "models")


def _ollama(home: Home) -> Iterator[Place]:
    """``OLLAMA_MODELS``, the user's folder, and those of the service on Linux (installer, packages, NixOS)."""
    folders = [home.variable("OLLAMA_MODELS"), home.folder / ".ollama" / "models"]
    if home.system not in ("darwin", "win32"):
        library = home.root / "var" / "lib" / "ollama"
        folders += [
            home.root / "usr" / "share" / "ollama" / ".ollama" / "models",
            library, library / "models", library / ".ollama" / "models",
        ]  # fmt: skip
    for folder in folders:
        if folder is not None:
            yield Place(Source.OLLAMA, folder, Layout.OLLAMA)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_SETTINGS_BYTES).decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return ""


def _setting(path: Path, key: str) -> str:
    try:
        value = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):
        return ""
    chosen = value.get(key) if isinstance(value, dict) else None
    return chosen.strip() if isinstance(chosen, str) else ""
