from pathlib import Path

import pytest

from tests.support.model_homes import FakeHome


@pytest.fixture
def home(tmp_path: Path) -> FakeHome:
    made = FakeHome(tmp_path)
    made.home.mkdir(parents=True)
    return made
