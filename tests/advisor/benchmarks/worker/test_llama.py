"""Naming a build by its native libraries."""

from pathlib import Path

import pytest

from advisor.benchmarks.worker import llama


def libraries(folder: Path, **contents: bytes) -> Path:
    folder.mkdir()
    for name, content in contents.items():
        (folder / name.replace("_so", ".so")).write_bytes(content)
    return folder


def test_the_same_build_has_the_same_name_whatever_else_lies_there(tmp_path: Path) -> None:
    one = libraries(tmp_path / "a", libllama_so=b"x" * 100, libggml_so=b"y" * 50)
    two = libraries(tmp_path / "b", libllama_so=b"x" * 100, libggml_so=b"y" * 50, libmtmd_so=b"z")
    (two / "libllama.so.0").write_bytes(b"x" * 100)
    assert llama.build_id(one) == llama.build_id(two)
    assert len(llama.build_id(one)) == 12


@pytest.mark.parametrize("changed", [0, 99, 100, 5_000, 9_999])
def test_another_build_has_another_name(tmp_path: Path, changed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama, "_HASHED_BYTES", 100)
    content = bytearray(10_000)
    before = llama.build_id(libraries(tmp_path / "a", libllama_so=bytes(content)))
    content[changed] = 1
    after = llama.build_id(libraries(tmp_path / "b", libllama_so=bytes(content)))
    assert (before != after) is (changed < 100 or changed >= 9_900)
    assert before != llama.build_id(libraries(tmp_path / "c", libllama_so=bytes(10_001)))


def test_the_bindings_own_variable_says_where_the_libraries_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LLAMA_CPP_LIB_PATH", raising=False)
    assert llama.library_folder(tmp_path) == tmp_path / "lib"
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", "/elsewhere")
    assert llama.library_folder(tmp_path) == Path("/elsewhere")
