import platform
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.hardware.probes import cpuid, frequency, numa
from advisor.hardware.probes.cpuinfo import X86_EXTENSIONS


@pytest.mark.parametrize(
    ("max_hz", "min_hz", "current_hz"),
    [
        (None, None, None),
        (0.0, 0.0, 2.0e9),  # WSL2: 2.00/0.00 GHz (case B21)
        (1500e6, 1000e6, 3600e6),
        (3504e6, 3504e6, 3504e6),  # a constant
        (3504.0, 702.0, 3504.0),  # megahertz taken for hertz
        (99e9, 1e9, 3e9),
    ],
)
def test_an_unbelievable_clock_is_unknown(max_hz: float | None, min_hz: float | None, current_hz: float | None) -> None:
    fact = frequency.believable_max(max_hz, min_hz, current_hz, "test")
    assert isinstance(fact, Unknown) and fact.reason


def test_a_believable_clock() -> None:
    assert frequency.believable_max(4.7e9, 0.4e9, 4.71e9, "test") == Known(4.7e9, Basis.READ, "test")
    assert frequency.believable_max(4.7e9, None, None, "test").or_none() == 4.7e9


def test_the_fastest_core_of_a_hybrid_counts(plant: Callable[[dict[str, str]], Path]) -> None:
    base = "/sys/devices/system/cpu"
    root = plant(
        {
            f"{base}/cpu0/cpufreq/cpuinfo_max_freq": "4700000",
            f"{base}/cpu0/cpufreq/cpuinfo_min_freq": "400000",
            f"{base}/cpu8/cpufreq/cpuinfo_max_freq": "3400000",
            f"{base}/cpu8/cpufreq/cpuinfo_min_freq": "400000",
            f"{base}/cpu9/cpufreq/cpuinfo_max_freq": "nonsense",
        }
    )
    assert frequency.read(root).or_none() == 4.7e9


def test_no_clock_files(tmp_path: Path) -> None:
    assert isinstance(frequency.read(tmp_path), Unknown)


@pytest.mark.parametrize(("text", "count"), [("0", 1), ("0-1\n", 2), ("0,2-3", 3), ("", None), ("x", None)])
def test_memory_nodes(text: str, count: int | None) -> None:
    assert numa.parse_nodes(text).or_none() == count


@pytest.mark.parametrize(
    ("online", "with_processors", "count"),
    [("0-8", "0\n", 1), ("0-2", "0-1", 2), ("0-1", "", 2), ("0-1", "0-1", 2), ("0", "3", 1)],
)
def test_a_card_s_memory_is_no_node_of_processors(online: str, with_processors: str, count: int) -> None:
    """GH200 shows its card's memory as up to eight nodes, and memory expanders are nodes, too."""
    assert numa.parse_nodes(online, with_processors).or_none() == count


def test_processor_groups() -> None:
    assert numa.parse_groups(2, (64, 64)).or_none() == 2
    for count, sizes in ((0, ()), (2, (64,)), (1, (0,)), (1, (65,))):
        assert isinstance(numa.parse_groups(count, sizes), Unknown)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has processor groups")
def test_processor_groups_are_windows_own() -> None:
    fact = numa.read_groups()
    assert isinstance(fact, Unknown) and fact.kind is Missing.NOT_APPLICABLE


ALL = ("sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512_vnni", "amx_tile", "mmx", "bmi2")


@pytest.mark.parametrize(
    ("system_knows", "found"),
    [
        ((), ("bmi2", "sse4_2")),
        (("avx", "avx2"), ("avx", "avx2", "bmi2", "f16c", "fma", "sse4_2")),
        (
            ("avx", "avx512f"),
            ("amx_tile", "avx", "avx2", "avx512_vnni", "avx512f", "bmi2", "f16c", "fma", "sse4_2"),
        ),
    ],
)
def test_what_the_system_denies_is_not_claimed(system_knows: tuple[str, ...], found: tuple[str, ...]) -> None:
    assert cpuid.parse(ALL, system_knows) == found


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64", reason="compares with /proc/cpuinfo")
def test_the_instruction_agrees_with_the_kernel() -> None:
    pytest.importorskip("archspec.cpu")
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    flags = set(next(line for line in text.splitlines() if line.startswith("flags")).split(":")[1].split())
    kernel = tuple(sorted(flags & X86_EXTENSIONS))
    assert set(kernel) <= set(cpuid.parse(cpuid.read(), kernel)) <= X86_EXTENSIONS
    assert set(cpuid.parse(cpuid.read(), kernel)) - set(kernel) <= {"amx_tile", "amx_int8", "amx_bf16"}
