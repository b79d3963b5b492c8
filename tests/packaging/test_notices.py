"""Notices name every part with its licence in full."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from advisor.session.parts import DIRECT, Part, installed_parts, licence_of, part_notice

ROOT = Path(__file__).parents[2]


@pytest.fixture
def recipe() -> ModuleType:
    spec = importlib.util.spec_from_file_location("notices_recipe", ROOT / "packaging" / "notices.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module


def test_every_package_that_we_need_is_named_with_a_licence(recipe: ModuleType) -> None:
    parts = [recipe.with_texts(part) for part in installed_parts()]
    names = {part.name.lower().replace("_", "-") for part in parts}
    assert {name.lower() for name in DIRECT} <= names and "shiboken6" in names
    assert not [part.name for part in parts if not part.licence]
    assert not [part.name for part in parts if part.name not in recipe.NOT_BUNDLED and not part.texts]


def test_a_notice_holds_the_whole_text(tmp_path: Path) -> None:
    text = tmp_path / "LICENSE"
    text.write_text("Do what you like.", encoding="utf-8")
    notice = part_notice(Part("thing", "1.0", "MIT", "https://example.org", (text,)))
    assert all(word in notice for word in ("thing 1.0", "MIT", "https://example.org", "Do what you like."))


@pytest.mark.parametrize(
    ("expression", "old", "classifiers", "said"),
    [
        ("MIT", "something else", [], "MIT"),
        (None, "BSD", ["License :: OSI Approved :: BSD License"], "BSD"),
        (None, "Copyright\nof many lines", ["License :: OSI Approved :: BSD License"], "BSD License"),
        (None, None, [], ""),
    ],
)
def test_the_name_of_a_licence(expression: str | None, old: str | None, classifiers: list[str], said: str) -> None:
    assert licence_of(expression, old, classifiers) == said
