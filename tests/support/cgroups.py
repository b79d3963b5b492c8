"""Real control groups for tests, where this process may make them."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

PERIOD_US = 100_000


@contextmanager
def quota_group(cpus: float) -> Iterator[Path]:
    """A group that may use so many CPUs' worth of time; skips the test where none can be made."""
    quota_us = str(round(cpus * PERIOD_US))
    with _group("cpu") as (folder, version):
        if version == 1:
            _write(folder / "cpu.cfs_period_us", str(PERIOD_US))
            _write(folder / "cpu.cfs_quota_us", quota_us)
        else:
            _write(folder / "cpu.max", f"{quota_us} {PERIOD_US}")
        yield folder


@contextmanager
def inner_group(outer: Path) -> Iterator[Path]:
    """A group without limits of its own inside another."""
    folder = outer / "inner"
    folder.mkdir()
    try:
        yield folder
    finally:
        _remove(folder)


@contextmanager
def cpuset_group(cpus: str) -> Iterator[Path]:
    """A group that may run on the CPUs of a kernel list only."""
    with _group("cpuset") as (folder, _version):
        _write(folder / "cpuset.mems", "0")
        _write(folder / "cpuset.cpus", cpus)
        yield folder


@contextmanager
def memory_group(limit_bytes: int) -> Iterator[Path]:
    """A group with a memory limit."""
    with _group("memory") as (folder, version):
        _write(folder / ("memory.limit_in_bytes" if version == 1 else "memory.max"), str(limit_bytes))
        yield folder


def run_inside(folder: Path, *words: str, timeout_s: float = 60.0) -> str:
    """Standard output of ``python -m advisor WORDS``, run as a member of the group from its first instruction on."""
    return _run(folder, ["env"], words, timeout_s)


def run_as_in_a_container(folder: Path, *words: str) -> str:
    """The same where the group is the top of all that can be seen, as container managers arrange it."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare here")
    mount, version = _mount("cpu")
    kind, options = ("cgroup", "cpu") if version == 1 else ("cgroup2", "rw")
    cover = f'umount {mount} && mount -t {kind} -o {options} none {mount} && exec "$@"'
    return _run(folder, ["unshare", "--cgroup", "--mount", "/bin/sh", "-c", cover, "sh"], words, 60.0)


def _run(folder: Path, within: list[str], words: tuple[str, ...], timeout_s: float) -> str:
    enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", enter, str(folder), *within, sys.executable, "-m", "advisor", *words],
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )
    if any(name in done.stderr for name in ("cgroup.procs", "unshare:", "mount:")):
        pytest.skip(f"this process may not move children into a control group: {done.stderr.strip()}")
    assert done.returncode in (0, 5), done.stderr  # 5: measured, on a disturbed machine
    return done.stdout


@contextmanager
def _group(controller: str) -> Iterator[tuple[Path, int]]:
    mount, version = _mount(controller)
    folder = mount / f"two-machines-test-{os.getpid()}"
    try:
        if version == 2:
            _write(mount / "cgroup.subtree_control", f"+{controller}")
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    try:
        yield folder, version
    finally:
        _remove(folder)


def _mount(controller: str) -> tuple[Path, int]:
    """Where the controller's hierarchy is mounted, and its version."""
    unified = None
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        left, _, right = line.partition(" - ")
        point, kind, options = Path(left.split()[4]), right.split()[0], right.split()[2].split(",")
        if kind == "cgroup" and controller in options:
            return point, 1
        if kind == "cgroup2" and controller in (point / "cgroup.controllers").read_text(encoding="utf-8").split():
            unified = point
    if unified is None:
        pytest.skip(f"no hierarchy of control groups has the controller {controller} here")
    return unified, 2


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        pytest.skip(f"the kernel refuses {text} in {path.name}: {error}")


def _remove(folder: Path) -> None:
    """A group goes when its last process is reaped, which may take a moment."""
    for _ in range(50):
        with suppress(OSError):
            folder.rmdir()
            return
        time.sleep(0.02)
    folder.rmdir()
