"""Engines found in invented trees: home, variables, system and root are given."""

import os
from pathlib import Path

import pytest

from advisor.benchmarks.engines import finding
from advisor.benchmarks.engines.choosing import engine_from, engine_of, found_at
from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.finding import MOST_ENTRIES, Surroundings, find_engines
from advisor.benchmarks.engines.listed import EngineKind, FoundEngine
from advisor.benchmarks.engines.llama_bench import LlamaBenchEngine
from advisor.core.errors import UsageError

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX modes and links")


def around(tmp_path: Path, platform: str = "linux", **variables: str) -> Surroundings:
    own = tmp_path / "own"
    return Surroundings(tmp_path / "home", variables, platform, own / "bin" / "python", own, root=tmp_path / "root")


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def environment(folder: Path, platform: str = "linux", llama_cpp: bool = True) -> Path:
    """A virtual environment of which only the names are real."""
    windows = platform == "win32"
    packages = folder / "Lib/site-packages" if windows else folder / "lib/python3.9/site-packages"
    (packages / ("llama_cpp" if llama_cpp else "requests")).mkdir(parents=True)
    if llama_cpp:
        (packages / "llama_cpp/__init__.py").write_text("")
    program(folder / ("Scripts/python.exe" if windows else "bin/python3"))
    return folder


def ids(found: tuple[FoundEngine, ...]) -> list[tuple[str, EngineKind]]:
    return [(each.id, each.kind) for each in found]


EMBEDDED = ("embedded", EngineKind.EMBEDDED)


def test_this_python_is_always_there(tmp_path: Path) -> None:
    assert ids(find_engines(around(tmp_path))) == [EMBEDDED]


@posix
def test_environments_with_llama_cpp_are_found_and_others_are_not(tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment(home / ".virtualenvs/cuda")
    environment(home / ".virtualenvs/web", llama_cpp=False)
    environment(home / "miniforge3/envs/llm")
    environment(home / ".pyenv/versions/3.12.1")
    listed = environment(tmp_path / "data/llm")
    (home / ".conda").mkdir()
    (home / ".conda/environments.txt").write_text(f"{listed}\n\n/nowhere\n")
    named = environment(tmp_path / "work/project")
    found = find_engines(around(tmp_path, VIRTUAL_ENV=str(named), CONDA_PREFIX=str(home / "miniforge3/envs/llm")))
    assert ids(found) == [
        EMBEDDED,
        ("project", EngineKind.PYTHON),
        ("llm", EngineKind.PYTHON),
        ("cuda", EngineKind.PYTHON),
        ("3.12.1", EngineKind.PYTHON),
        ("llm-2", EngineKind.PYTHON),
    ]
    assert found[1].because == "VIRTUAL_ENV is set to it"
    assert found[1].path == named / "bin/python3"
    assert found[5].path.parent.parent == listed


@posix
def test_this_pythons_own_environment_is_not_another_one(tmp_path: Path) -> None:
    own = environment(tmp_path / "own")
    assert ids(find_engines(around(tmp_path, VIRTUAL_ENV=str(own)))) == [EMBEDDED]


@posix
def test_builds_are_found_where_they_usually_lie_each_once(tmp_path: Path) -> None:
    brew = program(tmp_path / "root/opt/homebrew/bin/llama-bench")
    program(tmp_path / "home/llama.cpp/build/bin/llama-bench")
    program(tmp_path / "home/src/llama.cpp-vulkan/build-vk/bin/llama-bench")
    program(tmp_path / "home/Downloads/llama-b6800-bin-ubuntu/build/bin/llama-bench")
    (tmp_path / "home/.local/bin").mkdir(parents=True)
    (tmp_path / "home/.local/bin/llama-bench").symlink_to(brew)
    not_allowed = tmp_path / "home/llama.cpp-old/llama-bench"
    not_allowed.parent.mkdir()
    not_allowed.write_text("")
    found = find_engines(around(tmp_path, PATH=f"/nowhere:{brew.parent}"))
    assert ids(found) == [
        EMBEDDED,
        ("llama-bench", EngineKind.LLAMA_BENCH),
        ("llama-bench:llama.cpp", EngineKind.LLAMA_BENCH),
        ("llama-bench:llama.cpp-vulkan", EngineKind.LLAMA_BENCH),
        ("llama-bench:llama-b6800-bin-ubuntu", EngineKind.LLAMA_BENCH),
    ]
    assert found[1].because == "on the PATH"


def test_windows_places(tmp_path: Path) -> None:
    local = tmp_path / "home/AppData/Local"
    program(local / "Microsoft/WinGet/Packages/ggml.llamacpp_Microsoft.Winget.Source_8wekyb3d8bbwe/llama-bench.exe")
    program(tmp_path / "home/scoop/apps/llama.cpp/current/llama-bench.exe")
    environment(tmp_path / "home/miniconda3/envs/cuda", "win32")
    found = find_engines(around(tmp_path, "win32", LOCALAPPDATA=str(local)))
    assert [each.kind for each in found] == [EngineKind.EMBEDDED, EngineKind.PYTHON, *[EngineKind.LLAMA_BENCH] * 2]
    assert found[1].path.name == "python.exe"
    assert [each.because for each in found[2:]] == ["installed by winget", "installed by scoop"]


@posix
def test_nothing_is_walked_deep_and_no_folder_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment(tmp_path / "home/.virtualenvs/group/deep")
    crowded = tmp_path / "home/venvs"
    for number in range(10 * MOST_ENTRIES):
        (crowded / f"e{number}").mkdir(parents=True)
    looked_at = []
    monkeypatch.setattr(finding, "holds_llama_cpp", lambda folder, _platform: looked_at.append(folder) or False)
    assert ids(find_engines(around(tmp_path))) == [EMBEDDED]
    assert len([folder for folder in looked_at if folder.parent == crowded]) == MOST_ENTRIES
    assert tmp_path / "home/.virtualenvs/group/deep" not in looked_at


@posix
def test_a_picked_folder_is_named_after_what_it_holds(tmp_path: Path) -> None:
    env = environment(tmp_path / "llama-cuda")
    build = program(tmp_path / "llama.cpp" / "build" / "bin" / "llama-bench")
    for picked in (env, env / "bin" / "python3"):
        found = found_at(picked)
        assert (found.id, found.kind) == ("llama-cuda", EngineKind.PYTHON)
        assert engine_of(found) == engine_from(str(picked))
    for picked in (tmp_path / "llama.cpp", build.parent, build):
        found = found_at(picked)
        assert (found.id, found.kind, found.path) == ("llama-bench:llama.cpp", EngineKind.LLAMA_BENCH, build)
        assert engine_of(found) == engine_from(str(picked))


@posix
def test_a_text_becomes_an_engine(tmp_path: Path) -> None:
    where = around(tmp_path)
    cuda = environment(tmp_path / "home/.virtualenvs/cuda")
    bench = program(tmp_path / "home/llama.cpp/build/bin/llama-bench")
    for text in ("cuda", str(cuda), str(cuda / "bin/python3")):
        engine = engine_from(text, where)
        assert isinstance(engine, EmbeddedEngine)
        assert engine.launch.command[0] == str(cuda / "bin/python3")
        assert "PYTHONPATH" not in engine.launch.environment
    for text in ("llama-bench:llama.cpp", str(bench), str(bench.parent), str(tmp_path / "home/llama.cpp")):
        engine = engine_from(text, where)
        assert isinstance(engine, LlamaBenchEngine)
        assert engine.program == bench
    assert engine_from(None, where) == EmbeddedEngine() == engine_from("embedded", where)
    assert [type(engine_of(each)) for each in find_engines(where)] == [
        EmbeddedEngine, EmbeddedEngine, LlamaBenchEngine
    ]  # fmt: skip


@posix
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nonsense", "There is no engine nonsense."),
        ("HOME/empty", "There is neither a Python nor llama-bench in HOME/empty."),
        ("HOME/gone/llama-bench", "There is no file or folder HOME/gone/llama-bench."),
        ("HOME/notes.txt", "HOME/notes.txt is neither a Python nor llama-bench."),
        ("HOME/llama-bench", "HOME/llama-bench may not be started."),
    ],
)
def test_a_text_that_names_none_is_wrong_usage(tmp_path: Path, text: str, sentence: str) -> None:
    home = tmp_path / "home"
    (home / "empty").mkdir(parents=True)
    (home / "notes.txt").write_text("")
    (home / "llama-bench").write_text("")
    with pytest.raises(UsageError) as caught:
        engine_from(text.replace("HOME", str(home)), around(tmp_path))
    assert caught.value.sentence == sentence.replace("HOME", str(home))
    assert caught.value.hint
