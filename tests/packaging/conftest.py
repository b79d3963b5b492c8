"""What several tests of the packaging stand on."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def recipe() -> ModuleType:
    """``packaging/translations.py``, which is a script and no part of the package."""
    spec = importlib.util.spec_from_file_location("translations_recipe", ROOT / "packaging" / "translations.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
