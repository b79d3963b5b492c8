"""How a further process of this program is started: in this Python, or by the bundle itself, which has none."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

RUN_MODULE: Final = "--run-module"
"""First word of a bundle that is to do what ``python -m MODULE`` does; for the program's own use."""

_SAVED: Final = "_ORIG"
"""What the bundle's starter appends to the name of a variable that it changed."""


def is_bundle() -> bool:
    """Whether this is the self-contained program, without a Python that could run other code."""
    return bool(getattr(sys, "frozen", False))


def module_command(module: str, python: str = sys.executable) -> tuple[str, ...]:
    """The argument vector that runs a package or module of ours; in a bundle only those that its entry lists."""
    return (python, RUN_MODULE if is_bundle() else "-m", module)


def own_environment(environment: Mapping[str, str], **more: str) -> dict[str, str]:
    """The variables for a process of ours: our package is found, and nothing in the current folder becomes ours."""
    folder = str(Path(__file__).resolve().parents[2])
    return {**environment, "PYTHONPATH": folder, "PYTHONSAFEPATH": "1", **more}


def foreign_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables for a program that is not ours: what the bundle put before its own libraries is taken back."""
    kept = dict(environment)
    if not is_bundle():
        return kept
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        before = kept.pop(name + _SAVED, None)
        if before is not None:
            kept[name] = before
        elif kept.get(name) == str(getattr(sys, "_MEIPASS", "")):
            del kept[name]
    return kept


def program_command() -> tuple[str, ...]:
    """What starts this program again from a menu: the AppImage, the bundle, the script of this environment."""
    if image := os.environ.get("APPIMAGE"):
        return (image,)
    if is_bundle():
        return (sys.executable,)
    folder = Path(sys.executable).parent
    for name in ("two-machines", "two-machines.exe"):
        if (folder / name).is_file():
            return (str(folder / name),)
    return (sys.executable, "-m", "ui")
