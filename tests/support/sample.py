"""The sample model, put together once where ``two-machines sample`` puts it, and kept between runs."""

from pathlib import Path

import pytest

from advisor.core.progress import CancelToken
from advisor.session import sample
from advisor.session.paths import user_paths

# asked at import, before a test can move the home directory
_FOLDER = user_paths().sample


def sample_path() -> Path:
    """The sample, 253 MB; skips the calling test when its package is not installed."""
    if not sample.is_installed():
        pytest.skip(f"the optional package {sample.PACKAGE} is not installed (extra: sample)")
    return sample.sample_path(_FOLDER, lambda _progress: None, CancelToken())
