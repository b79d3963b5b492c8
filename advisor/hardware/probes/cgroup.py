"""CPU and memory limits of Linux control groups, v1 and v2, along the whole path.

A limit of any ancestor binds, so every group from the process's own up to the mount point is read and the
tightest wins. By hand: ``cat /sys/fs/cgroup/cpu.max`` (v2), ``cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us`` (v1).
Source: Documentation/admin-guide/cgroup-v2.rst and Documentation/admin-guide/cgroup-v1/ of the Linux kernel.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.files import text_or_empty

UNLIMITED_FROM_BYTES: Final = 2**60
"""Version 1 writes "no limit" as the largest page-aligned 63-bit number; no machine has an exbibyte."""


@dataclass(frozen=True, slots=True)
class Group:
    """One folder of a cgroup file system.

    Attributes:
        folder: absolute path as this process sees it.
        version: 1 or 2.
    """

    folder: PurePosixPath
    version: int


@dataclass(frozen=True, slots=True)
class Limits:
    """What control groups allow this process.

    Attributes:
        quota_cpus: CPUs' worth of time per wall-clock time, above 0, often fractional.
        memory_bytes: the tightest memory limit.
        memory_left_bytes: what may still be used before the tightest group is full; caches that the kernel
            would drop (inactive file pages) count as free.
    """

    quota_cpus: Fact[float]
    memory_bytes: Fact[int]
    memory_left_bytes: Fact[int]


def parse_groups(membership: str, mounts: str, controller: str) -> tuple[Group, ...]:
    """The groups that can limit a controller's resource, innermost first.

    Args:
        membership: text of /proc/self/cgroup.
        mounts: text of /proc/self/mountinfo.
        controller: "cpu" or "memory".
    """
    paths = _memberships(membership)
    groups: list[Group] = []
    for root, mount_point, version, controllers in _mounts(mounts):
        if version == 1 and controller not in controllers:
            continue
        path = paths.get(controller if version == 1 else "")
        if path is None:
            continue
        for folder in _upwards(path, root, mount_point):
            group = Group(folder, version)
            if group not in groups:
                groups.append(group)
    return tuple(groups)


def parse_cpu_max(text: str) -> float | None:
    """CPUs granted by a v2 ``cpu.max`` ("200000 100000" is 2.0); None for "max" and for nonsense."""
    words = text.split()
    return _ratio(words[0], words[1] if len(words) > 1 else "100000") if words else None


def parse_cfs(quota: str, period: str) -> float | None:
    """CPUs granted by v1's ``cpu.cfs_quota_us`` and ``cpu.cfs_period_us``; None for −1 and for nonsense."""
    return _ratio(quota.strip(), period.strip())


def parse_memory_limit(text: str) -> int | None:
    """Bytes of ``memory.max`` or ``memory.limit_in_bytes``; None for no limit and for nonsense."""
    text = text.strip()
    if not text.isdecimal() or int(text) >= UNLIMITED_FROM_BYTES:
        return None
    return int(text)


def parse_droppable(memory_stat: str) -> int:
    """Bytes of inactive file pages of the group and those below it, from ``memory.stat``; 0 where not stated."""
    values = _statistics(memory_stat)
    # v1 counts descendants only in total_…, v2 always.
    text = values.get("total_inactive_file", values.get("inactive_file", "0"))
    return int(text) if text.isdecimal() else 0


def read(root: Path = Path("/")) -> Limits:
    """The limits of this process; unknown (not applicable) where nothing limits it."""
    membership = text_or_empty(root / "proc/self/cgroup")
    mounts = text_or_empty(root / "proc/self/mountinfo")
    if not membership or not mounts:
        missing = Unknown(tr("this system shows no control groups"), Missing.NOT_APPLICABLE)
        return Limits(missing, missing, missing)
    quota = _tightest_quota(root, parse_groups(membership, mounts, "cpu"))
    limit, left = _tightest_memory(root, parse_groups(membership, mounts, "memory"))
    return Limits(quota, limit, left)


def _tightest_quota(root: Path, groups: Iterable[Group]) -> Fact[float]:
    found: list[tuple[float, str]] = []
    for group in groups:
        folder = _within(root, group.folder)
        if group.version == 2:
            quota, name = parse_cpu_max(text_or_empty(folder / "cpu.max")), "cpu.max"
        else:
            name = "cpu.cfs_quota_us"
            quota = parse_cfs(text_or_empty(folder / name), text_or_empty(folder / "cpu.cfs_period_us"))
        if quota is not None:
            found.append((quota, str(group.folder / name)))
    if not found:
        return Unknown(tr("no control group limits the CPU time"), Missing.NOT_APPLICABLE)
    quota, source = min(found)
    return Known(quota, Basis.READ, source)


def _tightest_memory(root: Path, groups: Iterable[Group]) -> tuple[Fact[int], Fact[int]]:
    limits: list[tuple[int, str]] = []
    lefts: list[tuple[int, str]] = []
    for group in groups:
        folder = _within(root, group.folder)
        v2 = group.version == 2
        statistics = text_or_empty(folder / "memory.stat")
        named = _memory_limits(folder, statistics, v2)
        if not named:
            continue
        limit, name = min(named)
        limits.append((limit, str(group.folder / name)))
        usage_name = "memory.current" if v2 else "memory.usage_in_bytes"
        usage = text_or_empty(folder / usage_name)
        if usage.isdecimal():
            held = max(0, int(usage) - parse_droppable(statistics))
            lefts.append((max(0, limit - held), str(group.folder / usage_name)))
    none = Unknown(tr("no control group limits the memory"), Missing.NOT_APPLICABLE)
    left: Fact[int] = none
    if limits:
        left = Unknown(tr("the control group does not say what is in use"), Missing.NOT_SUPPORTED)
    if lefts:
        left = Known(min(lefts)[0], Basis.COMPUTED, tr("limit − {file} + inactive file pages", file=min(lefts)[1]))
    return (Known(min(limits)[0], Basis.READ, min(limits)[1]) if limits else none), left


def _memory_limits(folder: Path, statistics: str, v2: bool) -> list[tuple[int, str]]:
    """Every limit of one group with the file that states it.

    From ``memory.high`` on the kernel takes pages away as fast as they come, which for a model is as good as the end.
    Version 1 tells in ``memory.stat`` what ancestors allow that a container does not see.
    """
    names = ("memory.max", "memory.high") if v2 else ("memory.limit_in_bytes",)
    texts = [(text_or_empty(folder / name), name) for name in names]
    if not v2:
        texts.append((_statistics(statistics).get("hierarchical_memory_limit", ""), "memory.stat"))
    return [(limit, name) for text, name in texts if (limit := parse_memory_limit(text)) is not None]


def _statistics(text: str) -> dict[str, str]:
    return dict(line.split() for line in text.splitlines() if len(line.split()) == 2)


def _ratio(quota: str, period: str) -> float | None:
    if not quota.isdecimal() or not period.isdecimal() or not int(quota) or not int(period):
        return None
    return int(quota) / int(period)


def _memberships(text: str) -> dict[str, PurePosixPath]:
    """Controller -> path; "" stands for the unified (v2) hierarchy."""
    paths: dict[str, PurePosixPath] = {}
    for line in text.splitlines():
        number, _, rest = line.partition(":")
        controllers, colon, path = rest.partition(":")
        if not colon or not number.isdecimal() or not path.startswith("/"):
            continue
        for controller in controllers.split(","):
            paths.setdefault(controller, PurePosixPath(path))
    return paths


def _mounts(text: str) -> Iterable[tuple[PurePosixPath, PurePosixPath, int, frozenset[str]]]:
    """(root, mount point, version, controllers) of each cgroup mount; fields as in proc_pid_mountinfo(5)."""
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) < 5 or not right or right[0] not in ("cgroup", "cgroup2"):
            continue
        options = frozenset(right[2].split(",")) if len(right) > 2 else frozenset()
        root, point = (PurePosixPath(_unescape(word)) for word in left[3:5])
        yield root, point, 2 if right[0] == "cgroup2" else 1, options


def _upwards(path: PurePosixPath, root: PurePosixPath, mount_point: PurePosixPath) -> Iterable[PurePosixPath]:
    """The folder of ``path`` and all above it, as far as the mount shows them.

    A path outside the mount's root (seen from another cgroup namespace) leaves the mount point alone.
    """
    inside = path.relative_to(root) if path.is_relative_to(root) and ".." not in path.parts else PurePosixPath()
    for part in (inside, *inside.parents):
        yield mount_point / part


def _unescape(word: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        word = word.replace(code, character)
    return word


def _within(root: Path, folder: PurePosixPath) -> Path:
    return root / folder.relative_to("/")
