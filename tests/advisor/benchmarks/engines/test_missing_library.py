"""What the loaders of four systems say when a library is not there."""

import pytest

from advisor.benchmarks.engines.missing_library import missing_library
from advisor.benchmarks.supervisor import Ending, Outcome


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (
            "llama-bench: error while loading shared libraries: libcudart.so.12: cannot open shared object file: No "
            "such file or directory",
            "libcudart.so.12: cannot open shared object file",
        ),
        ("Error loading shared library libgomp.so.1: No such file (needed by llama-bench)", "libgomp.so.1"),
        ("dyld[812]: Library not loaded: @rpath/libggml.0.dylib", "@rpath/libggml.0.dylib"),
    ],
)
def test_the_library_is_named(line: str, named: str) -> None:
    error = missing_library(Outcome(Ending.CRASHED, signal_name="SIGABRT", log=("first", line, "last")), "llama-bench")
    assert error is not None
    assert error.sentence.startswith("llama-bench lacks a library: ")
    assert named in error.sentence


def test_a_build_for_a_newer_system() -> None:
    line = "./llama-bench: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by ./llama-bench)"
    error = missing_library(Outcome(Ending.LEFT, exit_code=1, log=(line,)), "llama-bench")
    assert error is not None
    assert error.sentence == "llama-bench is built for a newer system than this one (GLIBC_2.38 is missing)."


@pytest.mark.parametrize("code", [0xC0000135, 0xC000007B, 0xC06D007E, 0xC0000139, 0xC0000135 - 2**32])
def test_windows_says_it_by_a_number_alone(code: int) -> None:
    error = missing_library(Outcome(Ending.LEFT, exit_code=code), "llama-bench.exe")
    assert error is not None
    assert "DLL" in error.sentence


def test_other_ends_are_none_of_this() -> None:
    assert missing_library(Outcome(Ending.LEFT, exit_code=1, log=("error: unknown option",)), "llama-bench") is None
    assert missing_library(Outcome(Ending.NOT_STARTED), "llama-bench") is None
