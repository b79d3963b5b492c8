"""The llama-cpp-python of another Python environment, so that a CUDA or Vulkan build is used where it is."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.launch import Launch, foreign_command, foreign_environment
from advisor.core.errors import UsageError
from advisor.core.translation import tr

_POSIX: Final = ("bin/python3", "bin/python")
_WINDOWS: Final = ("Scripts/python.exe", "python.exe")
"""Where virtual and conda environments keep their interpreter."""


def other_python(path: Path) -> EmbeddedEngine:
    """The engine of an interpreter, or of the virtual or conda environment in a folder.

    Raises:
        UsageError: when there is no interpreter.
    """
    python = interpreter(path)
    if python is None:
        if path.is_dir():
            sentence = tr("{path} is a folder without a Python.", path=path)
        elif path.exists():
            sentence = tr("{path} is no Python.", path=path)
        else:
            sentence = tr("{path} is not there.", path=path)
        raise UsageError(sentence, tr("Name the interpreter, or the folder of a virtual or conda environment."))
    # absolute, but links stay: a virtual environment is recognised by the place of the link to its interpreter
    python = Path(os.path.abspath(python))  # noqa: PTH100
    return EmbeddedEngine(Launch(foreign_command(str(python)), foreign_environment(os.environ, python)))


def interpreter(path: Path, platform: str = sys.platform) -> Path | None:
    """The interpreter that a path means: itself, or the one of the environment in that folder; None for none."""
    if path.is_file():
        return path if path.name.lower().startswith(("python", "pypy")) else None
    names = _WINDOWS if platform == "win32" else _POSIX
    return next((path / name for name in names if (path / name).is_file()), None)


def holds_llama_cpp(environment: Path, platform: str = sys.platform) -> bool:
    """Whether an environment's folder has the package, by its directory entries alone."""
    return any((folder / "llama_cpp" / "__init__.py").is_file() for folder in _site_packages(environment, platform))


def _site_packages(environment: Path, platform: str) -> Iterator[Path]:
    if platform == "win32":
        yield environment / "Lib" / "site-packages"
        return
    try:
        folders = [path for path in (environment / "lib").iterdir() if path.name.startswith(("python3", "pypy3"))]
    except OSError:
        return
    yield from (folder / "site-packages" for folder in sorted(folders))
