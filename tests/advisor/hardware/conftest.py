"""Captured machines, hung under a temporary folder."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

MACHINES = Path(__file__).parents[2] / "fixtures" / "machines"
_HEADER = re.compile(r"^==> (/.*) <==$", re.MULTILINE)


@pytest.fixture
def plant(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Writes files (absolute path -> text) below a temporary root and returns the root."""

    def write(files: dict[str, str]) -> Path:
        root = tmp_path / "root"
        root.mkdir(exist_ok=True)
        for name, text in files.items():
            path = root / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return root

    return write


@pytest.fixture
def machine_root(plant: Callable[[dict[str, str]], Path]) -> Callable[[str], Path]:
    """Hangs the captured machine of that name under a temporary root."""

    def hang(name: str) -> Path:
        text = (MACHINES / name / "files.txt").read_text(encoding="utf-8")
        parts = _HEADER.split(text)[1:]
        return plant({path: body.strip("\n") + "\n" for path, body in zip(parts[::2], parts[1::2], strict=True)})

    return hang
