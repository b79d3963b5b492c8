"""Tells the installed engine from its files alone, without starting it."""

import hashlib
import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path

_STEERING = ("CUDA", "HIP", "ROC", "GGML_", "VK_", "ZE_", "LLAMA_")
"""Beginnings of variables that decide which devices an engine sees."""


def fingerprint(environment: Mapping[str, str]) -> str:
    """A short text that changes with llama_cpp's libraries and what steers them; empty where it is not installed."""
    try:
        spec = importlib.util.find_spec("llama_cpp")
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        return ""
    parts = [sys.executable]
    try:
        for library in sorted((Path(next(iter(spec.submodule_search_locations))) / "lib").iterdir()):
            facts = library.stat()
            parts.append(f"{library} {facts.st_size} {facts.st_mtime_ns}")
    except OSError:
        return ""
    parts += [f"{name}={value}" for name, value in sorted(environment.items()) if name.upper().startswith(_STEERING)]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def own_fingerprint() -> str:
    """That of this Python and its environment."""
    return fingerprint(os.environ)
