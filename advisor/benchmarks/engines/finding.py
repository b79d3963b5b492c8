"""Engines that are already on this machine, found by directory entries alone: nothing is started, nothing walked deep.

Where they lie, as the documentation of each tool says: venv and virtualenvwrapper, pyenv, poetry, pipx, uv, conda and
its forks (which also list every environment in ``~/.conda/environments.txt``); Homebrew, winget, scoop, release
archives and the build folders of llama.cpp's CMake.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.benchmarks.engines.listed import EMBEDDED, EngineKind, FoundEngine, free_id
from advisor.benchmarks.engines.other_python import holds_llama_cpp, interpreter
from advisor.core.translation import tr

MOST_ENTRIES: Final = 200
"""Directory entries looked at in one folder; a home folder with more is slow to read and rarely tidy."""
MOST_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where to look.

    Attributes:
        environment: variables.
        platform: as ``sys.platform`` names it.
        python: the interpreter that runs us.
        prefix: its environment's folder.
        root: what absolute places of the system begin with.
    """

    home: Path
    environment: Mapping[str, str]
    platform: str
    python: Path
    prefix: Path
    root: Path = Path("/")

    def variable(self, name: str) -> Path | None:
        """The folder that a variable names; None where it is unset or empty."""
        value = self.environment.get(name, "").strip()
        return Path(value) if value else None


def find_engines(around: Surroundings) -> tuple[FoundEngine, ...]:
    """This Python first, then others with llama_cpp, then llama.cpp builds; each once."""
    found = [FoundEngine(EMBEDDED, EngineKind.EMBEDDED, around.python, tr("the program runs in it"))]
    taken = {EMBEDDED}
    seen = {_real(around.prefix)}
    for folder, because in _environments(around):
        if _real(folder) in seen or not holds_llama_cpp(folder, around.platform):
            continue
        python = interpreter(folder, around.platform)
        if python is not None:
            seen.add(_real(folder))
            found.append(FoundEngine(free_id(folder.name, taken), EngineKind.PYTHON, python, because))
    name = bench_name(around.platform)
    for folder, because in _programs(around):
        program = folder / name
        if _real(program) not in seen and is_program(program):
            seen.add(_real(program))
            found.append(FoundEngine(free_id(build_name(folder), taken), EngineKind.LLAMA_BENCH, program, because))
    return tuple(found)


def bench_name(platform: str) -> str:
    """What llama-bench's file is called."""
    return "llama-bench.exe" if platform == "win32" else "llama-bench"


def bench_folders(folder: Path) -> Iterator[Path]:
    """The folders below a build's folder in which its programs may lie, and itself."""
    yield folder
    for part in ("bin", "build/bin", "build/bin/Release", "bin/Release"):
        yield folder / part
    for name in _names(folder):
        if name.startswith("build") and name != "build":
            yield folder / name / "bin"
            yield folder / name / "bin" / "Release"


def is_program(path: Path) -> bool:
    """Whether a path is a file that may be started."""
    return path.is_file() and os.access(path, os.X_OK)


def _environments(around: Surroundings) -> Iterator[tuple[Path, str]]:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        folder = around.variable(name)
        if folder:
            yield folder, tr("{name} is set to it", name=name)
    home = around.home
    for folder in (home / ".venv", home / "venv", home / "llama.cpp" / ".venv", home / "llama.cpp" / "venv"):
        yield folder, tr("a usual place of virtual environments")
    parents = [around.variable("WORKON_HOME")]
    parents += [home / name for name in (".virtualenvs", "venvs", ".venvs", "envs", "virtualenvs")]
    parents += [home / ".local/share/virtualenvs", home / ".cache/pypoetry/virtualenvs"]
    parents += [
        home / "Library/Caches/pypoetry/virtualenvs",
        home / ".local/share/pipx/venvs",
        home / ".local/pipx/venvs",
    ]
    parents += [home / ".local/share/uv/tools", home / ".pyenv/versions"]
    pyenv = around.variable("PYENV_ROOT")
    parents += [pyenv / "versions" if pyenv else None]
    for parent in filter(None, parents):
        why = tr("in {folder}, where environments are kept", folder=parent.name)
        yield from ((parent / name, why) for name in _names(parent))
    yield from _conda(around)


def _conda(around: Surroundings) -> Iterator[tuple[Path, str]]:
    home, root = around.home, around.root
    bases = [around.variable("MAMBA_ROOT_PREFIX"), around.variable("CONDA_PREFIX")]
    program = around.variable("CONDA_EXE")
    bases += [program.parent.parent if program else None]
    names = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda")
    bases += [home / name for name in names]
    bases += [root / "opt/conda", root / "opt/miniconda3", root / "opt/miniforge3"]
    bases += [root / "opt/homebrew/Caskroom/miniforge/base", root / "opt/homebrew/Caskroom/miniconda/base"]
    for base in filter(None, bases):
        yield base, tr("a conda installation")
        why = tr("an environment of {name}", name=base.name)
        yield from ((base / "envs" / name, why) for name in _names(base / "envs"))
    try:
        with (home / ".conda/environments.txt").open(encoding="utf-8", errors="replace") as file:
            listed = file.read(MOST_BYTES).splitlines()
    except OSError:
        return
    yield from ((Path(line.strip()), tr("conda lists it")) for line in listed[:MOST_ENTRIES] if line.strip())


def _programs(around: Surroundings) -> Iterator[tuple[Path, str]]:
    separator = ";" if around.platform == "win32" else ":"
    for entry in around.environment.get("PATH", "").split(separator)[:MOST_ENTRIES]:
        if entry:
            yield Path(entry), tr("on the PATH")
    root, home = around.root, around.home
    for folder in ("opt/homebrew/bin", "home/linuxbrew/.linuxbrew/bin"):
        yield root / folder, tr("installed by Homebrew")
    for folder in ("usr/local/bin", "usr/bin", "snap/bin"):
        yield root / folder, tr("where the system keeps programs")
    yield home / ".local/bin", tr("where the system keeps programs")
    if around.platform == "win32":
        yield from _windows(around)
    for base in _build_bases(home):
        why = tr("a build of llama.cpp in {folder}", folder=base.name)
        yield from ((folder, why) for folder in bench_folders(base))


def _windows(around: Surroundings) -> Iterator[tuple[Path, str]]:
    local = around.variable("LOCALAPPDATA") or around.home / "AppData/Local"
    winget = local / "Microsoft/WinGet"
    yield winget / "Links", tr("installed by winget")
    packages = [name for name in _names(winget / "Packages") if name.lower().startswith("ggml.llamacpp")]
    yield from ((winget / "Packages" / name, tr("installed by winget")) for name in packages)
    scoop = around.variable("SCOOP") or around.home / "scoop"
    yield from ((scoop / part, tr("installed by scoop")) for part in ("apps/llama.cpp/current", "shims"))


def _build_bases(home: Path) -> Iterator[Path]:
    """Folders whose name begins like llama.cpp's own or a release archive's, in the usual places of sources."""
    parts = ("", "src", "git", "code", "projects", "repos", "dev", "github", "workspace", "Documents", "Downloads")
    for part in parts:
        parent = home / part if part else home
        for name in _names(parent):
            if name.lower().startswith(("llama.cpp", "llama-b", "llama_cpp", "ik_llama")):
                yield parent / name


def _names(folder: Path) -> list[str]:
    """Names in a folder, sorted; none where it cannot be read, and not more than ``MOST_ENTRIES``."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry, _ in zip(entries, range(MOST_ENTRIES), strict=False))
    except OSError:
        return []


def _real(path: Path) -> str:
    return os.path.realpath(path)


_PLAIN: Final = frozenset({"bin", "Release", "Links", "shims", "current", "/", "\\"})


def build_name(folder: Path) -> str:
    """A name that tells builds apart: the nearest folder that is not called as all are."""
    names = [part for part in reversed(folder.parts) if part not in _PLAIN and not part.startswith("build")]
    plain = not names or names[0] in ("usr", "local", "homebrew", ".local", "snap", ".linuxbrew")
    return "llama-bench" if plain or folder.name in ("Links", "shims") else f"llama-bench:{names[0]}"
