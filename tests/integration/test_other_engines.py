"""Engines beside this Python's own, where they are: named by variables, skipped with the reason where not.

    OTHER_PYTHON   environment with a llama-cpp-python of its own (for RPC: built with GGML_RPC)
    LLAMA_BENCH    program llama-bench (for RPC: built with GGML_RPC)
    RPC_SERVER     program rpc-server or ggml-rpc-server of the same llama.cpp
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.sample import sample_path

pytestmark = [pytest.mark.engine, pytest.mark.machine, pytest.mark.timeout(300)]

MEASURED = (0, 5)
SHORT = ("-p", "64", "-n", "8", "-r", "2")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "advisor", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)


def said(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode in MEASURED, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def named(variable: str) -> str:
    path = os.environ.get(variable, "")
    if not path or not Path(path).exists():
        pytest.skip(f"{variable} names none")
    return path


@pytest.fixture(scope="module")
def other_python() -> str:
    return named("OTHER_PYTHON")


@pytest.fixture(scope="module")
def llama_bench() -> str:
    return named("LLAMA_BENCH")


@pytest.fixture
def rpc_server() -> Iterator[str]:
    program = named("RPC_SERVER")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [program, "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def test_another_pythons_engine_measures_and_names_itself(other_python: str) -> None:
    result = said(run("bench", str(sample_path()), "--engine", other_python, *SHORT, "--json"))
    assert [test["test"] for test in result["tests"]] == ["pp64", "tg8"]
    assert result["engine"]["name"] == "llama-cpp-python"
    assert {test["device"] for test in result["tests"]} == {"CPU"}


def test_llama_bench_measures_and_names_its_build(llama_bench: str) -> None:
    result = said(run("bench", str(sample_path()), "--engine", llama_bench, *SHORT, "-d", "32", "--json"))
    assert [(test["test"], len(test["samples_s"])) for test in result["tests"]] == [("pp64 @ d32", 2), ("tg8 @ d32", 2)]
    assert all(test["engine"].startswith("llama-bench ") for test in result["tests"])
    assert result["engine"]["name"] == "llama-bench"
    assert result["engine"]["version"] != "of an unknown version"


def test_a_model_that_llama_bench_cannot_load_is_explained(llama_bench: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(sample_path().read_bytes()[:20_000_000])
    done = run("bench", str(broken), "--engine", llama_bench, *SHORT)
    assert done.returncode in (3, 4)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("engine", ["other_python", "llama_bench"])
def test_a_device_of_another_machine_is_a_device_like_others(
    engine: str, rpc_server: str, request: pytest.FixtureRequest
) -> None:
    chosen = request.getfixturevalue(engine)
    result = said(run("bench", str(sample_path()), "--engine", chosen, "--rpc", rpc_server, *SHORT, "--json"))
    assert {test["device"] for test in result["tests"]} == {"RPC0"}
    assert "RPC0" in [device["name"] for device in result["engine"]["devices"]]


def test_the_link_to_another_machine_is_measured(other_python: str, rpc_server: str) -> None:
    result = said(run("machine", "--engine", other_python, "--rpc", rpc_server, "--json"))
    device = next(device for device in result["engine"]["devices"] if device["name"] == "RPC0")
    assert 0 < device["link"]["round_trip_s"] < 1
    assert device["link"]["bytes_per_s"] > 1e6
    assert device["link_source"].startswith("measured")


def test_layers_are_split_between_machines_as_asked(other_python: str, rpc_server: str) -> None:
    words = ("--engine", other_python, "--rpc", rpc_server, "-ngl", "9", *SHORT, "--json")
    assert {test["device"] for test in said(run("bench", str(sample_path()), *words))["tests"]} == {"RPC0+CPU"}
    words = ("--engine", other_python, "--rpc", rpc_server, "--device", "CPU", *SHORT, "--json")
    assert {test["device"] for test in said(run("bench", str(sample_path()), *words))["tests"]} == {"CPU"}


def test_wrong_names_are_told_with_the_right_ones(other_python: str, rpc_server: str) -> None:
    done = run("bench", str(sample_path()), "--engine", other_python, "--rpc", rpc_server, "--device", "CUDA7", *SHORT)
    assert done.returncode == 4
    assert "CUDA7" in done.stderr
    assert "RPC0" in done.stderr


def test_a_server_that_is_gone_is_named(other_python: str) -> None:
    done = run("bench", str(sample_path()), "--engine", other_python, "--rpc", "127.0.0.1:9", *SHORT)
    assert done.returncode == 4
    assert "127.0.0.1:9" in done.stderr
