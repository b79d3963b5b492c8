"""What llama-bench programs say of themselves."""

from pathlib import Path

import pytest

from advisor.benchmarks.engines.llama_bench_help import abilities, devices, version
from advisor.core.evidence import Known
from advisor.core.units import MIB

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "llama_bench"


def lines(name: str) -> list[str]:
    return (FIXTURES / name).read_text(encoding="utf-8").splitlines()


def test_a_new_version_can_do_everything() -> None:
    can = abilities("\n".join(lines("help-2026-11.txt")))
    wanted = {
        "-p",
        "-n",
        "-d",
        "-ub",
        "-fa",
        "-dev",
        "-ot",
        "-ts",
        "-ngl",
        "--rpc",
        "--repack",
        "--progress",
        "--version",
    }
    assert wanted <= can.options
    assert can.jsonl and can.flash_attention_auto


def test_what_a_program_says_against_its_own_build_is_kept() -> None:
    assert abilities("\n".join(lines("help-2026-11.txt"))).warnings == ()
    said = "\n".join(lines("version-2026-11.txt"))
    assert abilities(said).warnings == ("asserts enabled, performance may be affected",)


def test_an_old_version_lacks_what_came_later() -> None:
    can = abilities("\n".join(lines("help-2024-01.txt")))
    assert {"-p", "-n", "-t", "-b", "-ngl", "-ctk"} <= can.options
    assert not {"-d", "-ub", "-dev", "-ot", "--repack", "--progress", "--list-devices"} & can.options
    assert not can.jsonl and not can.flash_attention_auto
    assert can.first("-ub", "--ubatch-size") == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("version-2026-11.txt", "0.5.0-dev (build 1, commit 0c1e570)"),
        ("version-b5002.txt", "5002 (2c3f8b85)"),
        ("version-b6795.txt", "6795 (unknown)"),
        ("help-2024-01.txt", ""),
    ],
)
def test_versions(name: str, said: str) -> None:
    assert version(lines(name)) == said


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("list-devices-metal.txt", [("Metal", "gpu", 98304), ("BLAS", "accel", None), ("CPU", "cpu", None)]),
        ("list-devices-rocm-vulkan.txt", [("ROCm0", "gpu", 98304), ("Vulkan0", "gpu", 114163), ("CPU", "cpu", None)]),
        ("list-devices-cuda.txt", [("CUDA0", "gpu", 11909), ("CUDA1", "gpu", 24026), ("CPU", "cpu", None)]),
        ("version-b5002.txt", [("CPU", "cpu", None)]),
    ],
)
def test_devices(name: str, found: list[tuple[str, str, int | None]]) -> None:
    listed = devices(lines(name))
    memories = [d.memory_total_bytes.value // MIB if isinstance(d.memory_total_bytes, Known) else None for d in listed]
    assert [(d.name, d.kind, memory) for d, memory in zip(listed, memories, strict=True)] == found


def test_a_description_keeps_its_brackets() -> None:
    assert (
        devices(lines("list-devices-rocm-vulkan.txt"))[1].description == "AMD Radeon 8060S Graphics (RADV STRIX_HALO)"
    )
