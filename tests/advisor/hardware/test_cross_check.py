"""This machine against the system's own tools."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from advisor.core.evidence import Known
from advisor.hardware.detect import read_machine
from advisor.hardware.files import parse_cpu_list
from advisor.hardware.model import Machine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="compares with Linux's tools")


@pytest.fixture(scope="module")
def machine() -> Machine:
    return read_machine()


def output(*command: str) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}  # nproc obeys them
    return subprocess.run(
        command, capture_output=True, text=True, timeout=30, check=True, env={**plain, "LC_ALL": "C"}
    ).stdout


def test_lscpu(machine: Machine) -> None:
    rows = json.loads(output("lscpu", "--json", "--bytes"))["lscpu"]
    flat = {}
    while rows:
        row = rows.pop()
        flat[row["field"].rstrip(":")] = row.get("data")
        rows += row.get("children", [])
    cpu = machine.cpu
    online = parse_cpu_list(flat.get("On-line CPU(s) list") or "")
    assert cpu.logical == (len(online) or int(flat["CPU(s)"]))
    assert cpu.architecture == {"aarch64": "arm64"}.get(flat["Architecture"], flat["Architecture"])
    if flat.get("Hypervisor vendor"):
        assert isinstance(cpu.virtual_machine, Known)
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
    allowed, installed = int(output("nproc")), int(output("nproc", "--all"))
    assert machine.cpu.affinity.or_none() == allowed
    assert machine.cpu.usable_threads <= allowed
    assert machine.cpu.logical <= installed


def test_cgroup_files(machine: Machine) -> None:
    """The tightest of all quotas on the way from this process's group to the top, found by the shell."""
    quota = machine.cpu.quota_cpus.or_none()
    found = [int(grant) / int(period) for grant, period in map(str.split, output("sh", "-c", QUOTAS).splitlines())]
    assert quota == (min(found) if found else None)
    if quota is not None:
        assert machine.cpu.usable_threads <= max(1, int(quota))


QUOTAS = r"""
up() { # mount, path, printer
    path=$2
    while :; do
        [ -d "$1$path" ] && (cd "$1$path" && $3)
        [ -z "${path%/}" ] && return
        path=${path%/*}
    done
}
one() { [ -f cpu.cfs_quota_us ] && echo "$(cat cpu.cfs_quota_us) $(cat cpu.cfs_period_us)" | grep -v '^-'; }
two() { [ -f cpu.max ] && grep -v '^max' cpu.max; }
while IFS=: read -r _ controllers path; do
    case ",$controllers," in
        *,cpu,*) for mount in /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct; do up "$mount" "$path" one; done ;;
        ,,) for mount in /sys/fs/cgroup /sys/fs/cgroup/unified; do up "$mount" "$path" two; done ;;
    esac
done < /proc/self/cgroup
exit 0
"""
"""Prints "grant period" of every limit."""
