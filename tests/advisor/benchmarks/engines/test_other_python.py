"""The worker in a Python that our package is not installed in."""

import ast
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import advisor.benchmarks
from advisor.benchmarks.engines.other_python import holds_llama_cpp, interpreter, other_python
from advisor.benchmarks.launch import foreign_environment
from advisor.core.errors import UsageError
from advisor.core.evidence import Missing, Unknown
from advisor.core.progress import CancelToken

BENCHMARKS = Path(advisor.benchmarks.__file__).parent
RUN_BY_OLDER_PYTHONS = [
    BENCHMARKS.parent / "__init__.py",
    *(BENCHMARKS / name for name in ("__init__.py", "protocol.py", "steadiness.py", "loading.py")),
    *sorted((BENCHMARKS / "worker").glob("*.py")),
]

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX modes and shebangs")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real environment with nothing in it."""
    folder = tmp_path_factory.mktemp("bare") / "env"
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    return folder


def test_without_the_engine_it_says_what_is_missing_and_where(bare: Path) -> None:
    facts = other_python(bare).read_facts(CancelToken())
    assert isinstance(facts, Unknown)
    assert facts.kind is Missing.TOOL_MISSING
    assert str(bare) in facts.reason
    assert "pip install" in facts.reason
    assert not holds_llama_cpp(bare)


def test_our_own_packages_do_not_reach_it(bare: Path) -> None:
    engine = other_python(bare)
    code = (
        "import json, os, runpy, sys\n"
        "def leave(code):\n"
        "    print(json.dumps([sys.path, sorted(sys.modules)]), file=sys.stderr)\n"
        "    sys.exit(code)\n"
        "os._exit = leave\n"
        f"runpy.run_path({engine.launch.command[1]!r}, run_name='__main__')\n"
    )
    done = subprocess.run(
        [engine.launch.command[0], "-c", code],
        input=b'{"task": "engine"}\n', capture_output=True, env=dict(engine.launch.environment), check=False,
    )  # fmt: skip
    assert b"engine_missing" in done.stdout, done.stderr
    path, modules = json.loads(done.stderr.decode().splitlines()[-1])
    assert str(Path(advisor.__file__).resolve().parents[1]) not in path
    assert "advisor.benchmarks.worker.engine_info" in modules
    assert not {"psutil", "numpy", "advisor.core", "advisor.benchmarks.supervisor"} & set(modules)


@posix
def test_a_program_for_another_processor_says_so(tmp_path: Path) -> None:
    program = tmp_path / "python3"
    program.write_bytes(b"\x7fELF\x02\x01\x01" + b"\x00" * 9 + b"\x02\x00\xf3\x7f" + b"\x00" * 100)
    program.chmod(0o755)
    facts = other_python(program).read_facts(CancelToken())
    assert isinstance(facts, Unknown)
    assert "built for another system or processor" in facts.reason


@posix
def test_an_interpreter_that_fails_at_once_is_quoted(tmp_path: Path) -> None:
    program = tmp_path / "python3"
    program.write_text("#!/bin/sh\necho 'this is Python 2.4' >&2\nexit 1\n")
    program.chmod(0o755)
    facts = other_python(program).read_facts(CancelToken())
    assert isinstance(facts, Unknown)
    assert "this is Python 2.4" in facts.reason


def test_what_is_no_python_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    for path, words in (
        (tmp_path, "a folder without"),
        (tmp_path / "gone", "not there"),
        (tmp_path / "notes.txt", "no"),
    ):
        with pytest.raises(UsageError, match=words):
            other_python(path)


def test_an_environment_keeps_the_place_of_its_link(bare: Path) -> None:
    found = interpreter(bare)
    assert found is not None
    assert other_python(bare).launch.command[0] == str(found)


def test_windows_finds_conda_libraries_by_the_path() -> None:
    kept = foreign_environment({"Path": "C:\\x", "VIRTUAL_ENV": "y"}, Path("E/python.exe"), "win32")
    assert "VIRTUAL_ENV" not in kept
    assert kept["Path"].endswith(";C:\\x")
    assert str(Path("E/Library/bin")) in kept["Path"]


@pytest.mark.parametrize("path", RUN_BY_OLDER_PYTHONS, ids=lambda path: path.name)
def test_the_worker_is_written_for_python_3_8(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    lazy = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
    imported = {
        (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert imported - set(sys.stdlib_module_names) <= {"advisor", "numpy", "llama_cpp"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            assert "strict" not in {word.arg for word in node.keywords}, f"line {node.lineno}: zip(strict=) is of 3.10"
        if isinstance(node, ast.Attribute):
            assert node.attr not in {"removeprefix", "removesuffix", "bit_count", "is_relative_to", "readlink"}
        if isinstance(node, ast.AnnAssign | ast.arg | ast.FunctionDef) and not lazy:
            note = node.returns if isinstance(node, ast.FunctionDef) else node.annotation
            words = {part.value.id for part in ast.walk(note or tree) if isinstance(part, ast.Subscript)
                     and isinstance(part.value, ast.Name)} if note else set()  # fmt: skip
            assert not words & {"list", "dict", "tuple", "set", "type", "frozenset"}, f"line {node.lineno}"
