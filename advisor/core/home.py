"""The user's home folder, which not every process has."""

from pathlib import Path


def home_folder() -> Path | None:
    """The home folder; None where there is none (``HOME`` unset and no entry in the user database)."""
    try:
        return Path.home()
    except RuntimeError:
        return None
