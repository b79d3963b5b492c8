"""From what a user types to an engine."""

import os
import sys
from pathlib import Path
from typing import Final

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Engine
from advisor.benchmarks.engines.finding import (
    Surroundings,
    bench_folders,
    bench_name,
    build_name,
    find_engines,
    is_program,
)
from advisor.benchmarks.engines.listed import EMBEDDED, EngineKind, FoundEngine
from advisor.benchmarks.engines.llama_bench import LlamaBenchEngine
from advisor.benchmarks.engines.other_python import holds_llama_cpp, interpreter, other_python
from advisor.core.errors import UsageError
from advisor.core.home import home_folder
from advisor.core.translation import marked, tr

PICKED: Final = marked("you picked it")
LIST_HINT: Final = marked("See what there is: two-machines engines")


def surroundings() -> Surroundings:
    """Those of this process."""
    home = home_folder() or Path("/nonexistent")
    return Surroundings(home, os.environ, sys.platform, Path(sys.executable), Path(sys.prefix))


def engine_of(found: FoundEngine) -> Engine:
    """The engine behind an entry of the list."""
    if found.kind is EngineKind.EMBEDDED:
        return EmbeddedEngine()
    if found.kind is EngineKind.PYTHON:
        return other_python(found.path)
    return LlamaBenchEngine(_absolute(found.path))


def engine_from(text: str | None, around: Surroundings | None = None) -> Engine:
    """The engine that a text names: an id of the list, an interpreter, llama-bench, or the folder of either.

    None is this Python's own.

    Raises:
        UsageError: when it names none.
    """
    if text is None or text == EMBEDDED:
        return EmbeddedEngine()
    path = Path(text).expanduser()
    if path.exists():
        return engine_of(found_at(path))
    known = find_engines(around or surroundings())
    for found in known:
        if found.id == text:
            return engine_of(found)
    if "/" in text or os.sep in text:
        raise UsageError(tr("There is no file or folder {name}.", name=text), tr(LIST_HINT))
    raise UsageError(
        tr("There is no engine {text}.", text=text),
        tr("Known here: {names}.", names=", ".join(each.id for each in known)),
    )


def found_at(path: Path) -> FoundEngine:
    """The engine that an interpreter, llama-bench, or the folder of either holds.

    Raises:
        UsageError: when it holds none.
    """
    return _in_folder(path) if path.is_dir() else _in_file(path)


def _in_file(path: Path) -> FoundEngine:
    if path.name.lower().startswith("llama-bench"):
        if not is_program(path):
            raise UsageError(
                tr("{path} may not be started.", path=path), tr("Allow it (chmod +x), or name another one.")
            )
        return FoundEngine(build_name(_absolute(path).parent), EngineKind.LLAMA_BENCH, path, tr(PICKED))
    if interpreter(path) is None:
        raise UsageError(tr("{path} is neither a Python nor llama-bench.", path=path), tr(LIST_HINT))
    folder = _absolute(path).parent
    name = folder.parent.name if folder.name in ("bin", "Scripts") else folder.name
    return FoundEngine(name or path.name, EngineKind.PYTHON, path, tr(PICKED))


def _in_folder(path: Path) -> FoundEngine:
    """An environment with llama_cpp, a build, or an environment without it, which will say so itself."""
    python = interpreter(path)
    if python is not None and holds_llama_cpp(path):
        return _in_file(python)
    for folder in bench_folders(path):
        program = folder / bench_name(sys.platform)
        if is_program(program):
            return _in_file(program)
    if python is not None:
        return _in_file(python)
    raise UsageError(
        tr("There is neither a Python nor llama-bench in {folder}.", folder=path),
        tr("Name a virtual or conda environment, or the folder that llama.cpp was built in."),
    )


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 -- links keep their nice names
