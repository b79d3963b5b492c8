"""How the measuring child is started: its command and its reduced environment."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from advisor.core.processes import foreign_variables, module_command


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start the child.

    Attributes:
        command: argument vector; the default runs the worker in this Python.
        environment: the child's whole environment.
    """

    command: tuple[str, ...] = field(default_factory=lambda: worker_command(sys.executable))
    environment: Mapping[str, str] = field(default_factory=lambda: worker_environment(os.environ))


_KEPT_NAMES = frozenset({
    "PATH", "HOME", "USER", "USERPROFILE", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "TEMP", "TMP", "TMPDIR",
    "LANG", "LANGUAGE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "VIRTUAL_ENV", "CONDA_PREFIX",
    "PYTHONHOME", "PYTHONDONTWRITEBYTECODE",
})  # fmt: skip
_KEPT_PREFIXES = (
    "LC_", "LD_", "DYLD_", "XDG_", "CUDA", "NVIDIA", "HIP", "HSA", "ROC", "GPU_", "GGML_", "LLAMA_", "VK_", "ONEAPI",
    "SYCL", "ZE_", "OMP_", "GOMP_", "KMP_", "OPENBLAS_", "MKL_", "BLIS_", "VECLIB_", "TWO_MACHINES_",
)  # fmt: skip


def worker_command(python: str) -> tuple[str, ...]:
    """The worker in the given interpreter, or by the bundle that stands in its place."""
    return module_command("advisor.benchmarks.worker", python)


def foreign_command(python: str) -> tuple[str, ...]:
    """The worker in an interpreter that our package is not installed in."""
    return (python, str(Path(__file__).with_name("worker") / "start.py"))


def foreign_environment(environment: Mapping[str, str], python: Path, platform: str = sys.platform) -> dict[str, str]:
    """As ``worker_environment``, without what belongs to this Python.

    On Windows the libraries of a conda environment are found by ``PATH`` alone.
    """
    kept = worker_environment(foreign_variables(environment))
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX"):
        kept.pop(name, None)
    if platform == "win32":
        folders = (python.parent, python.parent / "Library" / "bin", python.parent / "Library" / "mingw-w64" / "bin")
        key = next((name for name in kept if name.upper() == "PATH"), "PATH")
        kept[key] = ";".join([*(str(folder) for folder in folders), *filter(None, [kept.get(key)])])
    return kept


def worker_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """A reduced environment: what finds libraries and steers the engine, and where our package lies."""
    kept = {
        name: value
        for name, value in environment.items()
        if name.upper() in _KEPT_NAMES or name.upper().startswith(_KEPT_PREFIXES)
    }
    kept["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    kept["PYTHONSAFEPATH"] = "1"  # a json.py in the user's current folder must not become ours
    kept["PYTHONIOENCODING"] = "utf-8"
    return kept
