"""Inside real control groups: what ``machine`` says and what ``bench`` uses. Needs root, as containers' makers do."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.cgroups import (
    cpuset_group,
    inner_group,
    memory_group,
    quota_group,
    run_as_in_a_container,
    run_inside,
)
from tests.support.sample import sample_path

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's"),
]


def machine_inside(folder: Path) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(run_inside(folder, "machine", "--json"))
    return said


@pytest.mark.parametrize(("cpus", "threads"), [(0.5, 1), (1.5, 1), (1.0, 1)])
def test_a_quota_is_rounded_down_and_never_to_nothing(cpus: float, threads: int) -> None:
    with quota_group(cpus) as folder:
        cpu = machine_inside(folder)["cpu"]
    assert cpu["quota_cpus"] == cpus
    assert str(folder) in cpu["quota_cpus_source"]
    assert cpu["usable_threads"] == threads
    if (os.cpu_count() or 1) > 1:
        assert cpu["usable_because"] == f"cgroup quota of {cpus:.3g} CPU{'s' if cpus != 1 else ''}"


def test_a_quota_above_the_cores_decides_nothing() -> None:
    cores = os.cpu_count() or 1
    with quota_group(cores + 0.5) as folder:
        cpu = machine_inside(folder)["cpu"]
    assert cpu["quota_cpus"] == cores + 0.5
    assert "quota" not in cpu["usable_because"]


def test_the_quota_of_an_outer_group_binds() -> None:
    with quota_group(1.5) as outer, inner_group(outer) as inner:
        cpu = machine_inside(inner)["cpu"]
    assert (cpu["quota_cpus"], cpu["usable_threads"]) == (1.5, 1)
    assert str(outer / "cpu.") in cpu["quota_cpus_source"]


def test_a_container_sees_its_own_quota() -> None:
    with quota_group(1.5) as folder:
        cpu = json.loads(run_as_in_a_container(folder, "machine", "--json"))["cpu"]
    assert (cpu["quota_cpus"], cpu["usable_threads"]) == (1.5, 1)
    assert folder.name not in cpu["quota_cpus_source"]


def test_a_cpuset_is_an_affinity() -> None:
    with cpuset_group("0") as folder:
        cpu = machine_inside(folder)["cpu"]
    assert (cpu["affinity"], cpu["usable_threads"]) == (1, 1)


def test_a_memory_limit_is_the_memory() -> None:
    with memory_group(2 << 30) as folder:
        memory = machine_inside(folder)["memory"]
    assert memory["limit_bytes"] == memory["total_bytes"] == 2 << 30
    assert 0 < memory["available_bytes"] < 2 << 30


@pytest.mark.engine
def test_bench_starts_the_quotas_threads(tmp_path: Path) -> None:
    """On two cores, of which one and a half may be used, one thread measures; two would wait for each other."""
    with quota_group(1.5) as folder:
        said = json.loads(
            run_inside(folder, "bench", str(sample_path()), "-p", "32", "-n", "4", "-r", "1", "--json", timeout_s=150.0)
        )
    assert said["machine"]["cpu"]["quota_cpus"] == 1.5
    assert [test["n_threads"] for test in said["tests"]] == [1, 1]
