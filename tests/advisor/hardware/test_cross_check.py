"""This machine against the system's own tools."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.hardware.detect import read_machine
from advisor.hardware.model import Machine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="compares with Linux's tools")


@pytest.fixture(scope="module")
def machine() -> Machine:
    return read_machine()


def output(*command: str) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here")
    return subprocess.run(
        command, capture_output=True, text=True, timeout=30, check=True, env={**os.environ, "LC_ALL": "C"}
    ).stdout


def test_lscpu(machine: Machine) -> None:
    rows = json.loads(output("lscpu", "--json", "--bytes"))["lscpu"]
    flat = {}
    while rows:
        row = rows.pop()
        flat[row["field"].rstrip(":")] = row.get("data")
        rows += row.get("children", [])
    cpu = machine.cpu
    assert cpu.logical == len(os.sched_getaffinity(0)) or cpu.logical == int(flat["CPU(s)"])
    if cpu.name.or_none() and flat.get("Model name"):
        assert " ".join(flat["Model name"].split()) == cpu.name.or_none() or "×" in (cpu.name.or_none() or "")
    sockets, cores = flat.get("Socket(s)"), flat.get("Core(s) per socket")
    if cpu.physical.or_none() and sockets and cores and sockets.isdecimal():
        assert cpu.physical.or_none() == int(sockets) * int(cores)
    if cpu.threads_per_core.or_none() and (flat.get("Thread(s) per core") or "").isdecimal():
        assert cpu.threads_per_core.or_none() == int(flat["Thread(s) per core"])
    if cpu.numa_nodes.or_none() and (flat.get("NUMA node(s)") or "").isdecimal():
        assert cpu.numa_nodes.or_none() == int(flat["NUMA node(s)"])
    for mine, theirs in (
        (cpu.l2_bytes, "L2 cache"),
        (cpu.l3_bytes, "L3 cache"),
        (cpu.l2_bytes, "L2"),
        (cpu.l3_bytes, "L3"),
    ):
        text = str(flat.get(theirs) or "").split(" ")[0]
        if mine.or_none() and text.isdecimal():
            assert mine.or_none() == int(text)
    if "Flags" in flat and cpu.architecture == "x86_64":
        assert set(cpu.extensions) <= set(flat["Flags"].split())


def test_free(machine: Machine) -> None:
    """Total exactly, unless a control group allows less; available to a tenth of the total, since it moves."""
    words = next(line for line in output("free", "--bytes").splitlines() if line.startswith("Mem:")).split()
    total, available = int(words[1]), int(words[6])
    limit = machine.memory.limit_bytes.or_none()
    assert machine.memory.total_bytes.or_none() == min(total, limit or total)
    if limit is None:
        assert machine.memory.available_bytes.or_none() == pytest.approx(available, abs=total / 10)


def test_nproc(machine: Machine) -> None:
    """nproc counts the mask's CPUs; ours are at most as many, since two on a core count once."""
    count = int(output("nproc"))
    assert machine.cpu.affinity.or_none() == len(os.sched_getaffinity(0))
    assert machine.cpu.usable_threads <= len(os.sched_getaffinity(0))
    assert count <= machine.cpu.logical


def test_cgroup_files(machine: Machine) -> None:
    """Without a quota in any file that this process may read, there is none; with one, threads do not exceed it."""
    text = ""
    for name in ("cpu.max", "cpu/cpu.cfs_quota_us"):
        path = Path("/sys/fs/cgroup") / name
        text += path.read_text(encoding="utf-8") if path.is_file() else ""
    quota = machine.cpu.quota_cpus.or_none()
    if quota is None:
        assert not text or text.split()[0] in ("max", "-1")
    else:
        assert machine.cpu.usable_threads <= max(1, int(quota))
