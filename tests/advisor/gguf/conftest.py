from pathlib import Path

import pytest

from tests.support.sample import sample_path


@pytest.fixture(scope="session")
def sample() -> Path:
    """The real model, 253 MB; the test skips when its optional package is not installed."""
    return sample_path()
