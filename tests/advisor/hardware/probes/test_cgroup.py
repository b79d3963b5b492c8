from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.hardware.probes.cgroup import (
    Group,
    parse_cfs,
    parse_cpu_max,
    parse_droppable,
    parse_groups,
    parse_memory_limit,
    read,
)

Plant = Callable[[dict[str, str]], Path]

V2_MOUNT = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("200000 100000\n", 2.0),
        ("765000 100000", 7.65),
        ("50000 100000", 0.5),
        ("150000", 1.5),
        ("max 100000", None),
        ("max", None),
        ("", None),
        ("0 100000", None),
        ("100000 0", None),
        ("-1 100000", None),
    ],
)
def test_cpu_max(text: str, cpus: float | None) -> None:
    assert parse_cpu_max(text) == cpus


@pytest.mark.parametrize(
    ("quota", "period", "cpus"), [("400000\n", "100000\n", 4.0), ("-1", "100000", None), ("", "", None)]
)
def test_cfs(quota: str, period: str, cpus: float | None) -> None:
    assert parse_cfs(quota, period) == cpus


@pytest.mark.parametrize(
    ("text", "limit"),
    [("8589934592\n", 2**33), ("max", None), ("9223372036854771712", None), ("-5", None), ("", None), ("0", 0)],
)
def test_memory_limit(text: str, limit: int | None) -> None:
    assert parse_memory_limit(text) == limit


def test_droppable_prefers_the_total_of_version_1() -> None:
    assert parse_droppable("inactive_file 1\ntotal_inactive_file 7\n") == 7
    assert parse_droppable("anon 3\ninactive_file 5\n") == 5
    assert parse_droppable("junk\ninactive_file x\n") == 0


def folders(groups: tuple[Group, ...]) -> list[str]:
    return [str(group.folder) for group in groups]


def test_all_ancestors_up_to_the_mount() -> None:
    groups = parse_groups("0::/a/b/c\n", V2_MOUNT, "cpu")
    assert folders(groups) == [f"/sys/fs/cgroup{rest}" for rest in ("/a/b/c", "/a/b", "/a", "")]
    assert {group.version for group in groups} == {2}


def test_a_container_sees_only_its_own_part() -> None:
    mount = "7 6 0:30 /docker/ab /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n"
    assert folders(parse_groups("4:cpu,cpuacct:/docker/ab/in\n", mount, "cpu")) == [
        "/sys/fs/cgroup/cpu/in",
        "/sys/fs/cgroup/cpu",
    ]
    assert parse_groups("4:cpu,cpuacct:/docker/ab\n", mount, "memory") == ()


def test_a_path_from_outside_the_namespace_leaves_the_mount_point() -> None:
    mount = "7 6 0:30 /docker/ab /sys/fs/cgroup rw - cgroup2 cgroup rw\n"
    assert folders(parse_groups("0::/elsewhere\n", mount, "cpu")) == ["/sys/fs/cgroup"]
    assert folders(parse_groups("0::/../../up\n", V2_MOUNT, "cpu")) == ["/sys/fs/cgroup"]


def test_mount_points_with_spaces() -> None:
    mount = "7 6 0:30 / /my\\040groups rw - cgroup2 cgroup rw\n"
    assert parse_groups("0::/\n", mount, "cpu") == (Group(PurePosixPath("/my groups"), 2),)


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_raises(membership: str, mounts: str) -> None:
    parse_groups(membership, mounts, "cpu")
    parse_groups("0::/a\n" + membership, V2_MOUNT + mounts, "memory")


@pytest.mark.parametrize(
    ("limits", "quota", "where"),
    [
        ({"a/b/c": "100000 100000", "a": "300000 100000"}, 1.0, "/sys/fs/cgroup/a/b/c/cpu.max"),
        ({"a/b/c": "400000 100000", "a": "300000 200000"}, 1.5, "/sys/fs/cgroup/a/cpu.max"),
        ({"a/b/c": "max 100000", "a/b": "max 100000", "a": "250000 100000"}, 2.5, "/sys/fs/cgroup/a/cpu.max"),
    ],
)
def test_the_tightest_ancestor_wins(plant: Plant, limits: dict[str, str], quota: float, where: str) -> None:
    files = {f"/sys/fs/cgroup/{folder}/cpu.max": text for folder, text in limits.items()}
    root = plant({**files, "/proc/self/cgroup": "0::/a/b/c\n", "/proc/self/mountinfo": V2_MOUNT})
    assert read(root).quota_cpus == Known(quota, Basis.READ, where)


def test_siblings_do_not_count(plant: Plant) -> None:
    root = plant(
        {
            "/proc/self/cgroup": "0::/a\n",
            "/proc/self/mountinfo": V2_MOUNT,
            "/sys/fs/cgroup/other/cpu.max": "100000 100000",
            "/sys/fs/cgroup/a/below/cpu.max": "100000 100000",
        }
    )
    assert read(root).quota_cpus == Unknown("no control group limits the CPU time", Missing.NOT_APPLICABLE)


def test_both_versions_at_once(plant: Plant) -> None:
    root = plant(
        {
            "/proc/self/cgroup": "1:cpu:/x\n0::/\n",
            "/proc/self/mountinfo": "32 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
            "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
            "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "350000\n",
            "/sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
        }
    )
    assert read(root).quota_cpus == Known(3.5, Basis.READ, "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us")


def test_memory_left_is_the_least_of_all_ancestors(plant: Plant) -> None:
    root = plant(
        {
            "/proc/self/cgroup": "0::/a/b\n",
            "/proc/self/mountinfo": V2_MOUNT,
            "/sys/fs/cgroup/a/b/memory.max": "1000",
            "/sys/fs/cgroup/a/b/memory.current": "100",
            "/sys/fs/cgroup/a/memory.max": "5000",
            "/sys/fs/cgroup/a/memory.current": "4900",
            "/sys/fs/cgroup/a/memory.stat": "inactive_file 300\n",
        }
    )
    limits = read(root)
    assert limits.memory_bytes.or_none() == 1000
    assert limits.memory_left_bytes.or_none() == 400


@pytest.mark.parametrize(
    ("files", "limit", "left"),
    [
        ({"memory.max": "max", "memory.high": "3000"}, 3000, 2900),  # systemd's MemoryHigh
        ({"memory.max": "5000", "memory.high": "3000"}, 3000, 2900),
        ({"memory.max": "2000", "memory.high": "3000"}, 2000, 1900),
        ({"memory.max": "2000", "memory.high": "max"}, 2000, 1900),
    ],
)
def test_where_the_kernel_takes_memory_back_counts_as_the_limit(
    plant: Plant, files: dict[str, str], limit: int, left: int
) -> None:
    folder = "/sys/fs/cgroup/a"
    held = {f"{folder}/{name}": text for name, text in {**files, "memory.current": "100"}.items()}
    limits = read(plant({"/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": V2_MOUNT, **held}))
    assert (limits.memory_bytes.or_none(), limits.memory_left_bytes.or_none()) == (limit, left)


def test_version_1_tells_what_an_unseen_ancestor_allows(plant: Plant) -> None:
    folder = "/sys/fs/cgroup/memory"
    limits = read(
        plant(
            {
                "/proc/self/cgroup": "9:memory:/docker/c\n",
                "/proc/self/mountinfo": f"36 32 0:33 /docker/c {folder} ro - cgroup cgroup rw,memory\n",
                f"{folder}/memory.limit_in_bytes": "9223372036854771712",
                f"{folder}/memory.usage_in_bytes": "100",
                f"{folder}/memory.stat": "cache 1\nhierarchical_memory_limit 4000\ntotal_inactive_file 50\n",
            }
        )
    )
    assert limits.memory_bytes == Known(4000, Basis.READ, f"{folder}/memory.stat")
    assert limits.memory_left_bytes.or_none() == 3950


def test_a_limit_without_a_usage(plant: Plant) -> None:
    root = plant(
        {
            "/proc/self/cgroup": "0::/\n",
            "/proc/self/mountinfo": V2_MOUNT,
            "/sys/fs/cgroup/memory.max": "1000",
        }
    )
    limits = read(root)
    assert limits.memory_bytes.or_none() == 1000
    assert isinstance(limits.memory_left_bytes, Unknown)
    assert limits.memory_left_bytes.kind is Missing.NOT_SUPPORTED


def test_no_control_groups(plant: Plant) -> None:
    limits = read(plant({}))
    assert isinstance(limits.quota_cpus, Unknown)
    assert limits.quota_cpus.kind is Missing.NOT_APPLICABLE
