"""Prints what pyproject.toml asks for, one line each: ``python packaging/requirements.py [--without NAME]``."""

import sys
import tomllib
from pathlib import Path


def main() -> int:
    """Print them; markers are left to pip, so each line is one word."""
    with (Path(__file__).resolve().parents[1] / "pyproject.toml").open("rb") as file:
        wanted = tomllib.load(file)["project"]["dependencies"]
    left_out = sys.argv[2:] if sys.argv[1:2] == ["--without"] else []
    for line in wanted:
        if not line.startswith(tuple(left_out) or ("\0",)):
            print(line.replace(" ", ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
