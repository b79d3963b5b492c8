"""Where the icons lie; drawn for this program, under its licence."""

from pathlib import Path
from typing import Final

import resources

FOLDER: Final = Path(resources.__file__).parent / "icons"


def icon_path(name: str) -> Path:
    """Path of an icon by its name without the ending."""
    return FOLDER / f"{name}.svg"
