from dataclasses import replace

import pytest

from advisor.core.evidence import Known, Unknown
from advisor.hardware.model import Gpu
from advisor.hardware.probes.device_tree import parse as parse_device_tree
from advisor.hardware.probes.pci_gpus import DeviceFiles, parse, parse_link_speed, parse_name

GIB = 2**30

NAMES = """# comment
1002  Advanced Micro Devices, Inc. [AMD/ATI]
\t1586  Strix Halo [Radeon 8060S]
\t\t1002 0123  Some board
\t744c  Navi 31 [Radeon RX 7900 XT/7900 XTX]
10de  NVIDIA Corporation
\t2684  AD102 [GeForce RTX 4090]
8086  Intel Corporation
"""

CARD = {
    "vendor": "0x1002", "device": "0x744c", "class": "0x030000", "mem_info_vram_total": str(24 * GIB),
    "mem_info_vram_used": str(GIB), "mem_info_gtt_total": str(15 * GIB), "uevent": "DRIVER=amdgpu\nPCI_ID=1002:744C",
    "current_link_speed": "16.0 GT/s PCIe", "current_link_width": "16", "max_link_speed": "16.0 GT/s PCIe",
    "max_link_width": "16", "gpu_busy_percent": "12",
}  # fmt: skip


def gpu(files: dict[str, str], address: str = "0000:03:00.0", revision: int = -1) -> Gpu:
    found = parse(DeviceFiles(address, files, revision), NAMES)
    assert found is not None
    return found


def test_an_amd_card_does_not_count_the_gtt() -> None:
    """Case B11: on discrete cards GTT is not added."""
    found = gpu(CARD, revision=1)
    assert found.shares_memory.or_none() is False
    assert found.memory_total_bytes.or_none() == 24 * GIB
    assert found.memory_free_bytes.or_none() == 23 * GIB
    assert isinstance(found.gtt_bytes, Unknown) and isinstance(found.carve_out_bytes, Unknown)
    assert (found.pcie_generation.or_none(), found.pcie_lanes.or_none(), found.pcie_lanes_max.or_none()) == (4, 16, 16)
    assert (found.vendor, found.driver.or_none(), found.utilisation_fraction.or_none()) == ("amd", "amdgpu", 0.12)
    assert found.name.or_none() == "Navi 31 [Radeon RX 7900 XT/7900 XTX]"
    assert isinstance(found.memory_bytes_per_s, Unknown)


@pytest.mark.parametrize(
    ("carve_out", "gtt", "total"),
    [(96 * GIB, 15 * GIB, 111 * GIB), (GIB, 108 * GIB, 109 * GIB), (512 * 2**20, 16 * GIB, 16 * GIB + 512 * 2**20)],
)
def test_an_apu_has_carve_out_and_gtt(carve_out: int, gtt: int, total: int) -> None:
    """Cases B10 and B11: 96 of 128 GB in the carve-out, or 1 GiB of it and the rest shared."""
    files = {**CARD, "device": "0x1586", "mem_info_vram_total": str(carve_out), "mem_info_gtt_total": str(gtt),
             "mem_info_vram_used": "0"}  # fmt: skip
    found = gpu(files)
    assert found.shares_memory.or_none() is True
    assert (found.carve_out_bytes.or_none(), found.gtt_bytes.or_none()) == (carve_out, gtt)
    assert found.memory_total_bytes.or_none() == total


@pytest.mark.parametrize(("revision", "shares"), [(1, False), (2, True), (3, True), (0, None), (-1, None), (9, None)])
def test_an_unlisted_amd_device_is_told_by_its_metrics(revision: int, shares: bool | None) -> None:
    found = gpu({**CARD, "device": "0xffff"}, revision=revision)
    assert found.shares_memory.or_none() is shares
    if shares is None:
        assert found.memory_total_bytes.or_none() == 24 * GIB


def test_intel() -> None:
    files = {
        "vendor": "0x8086",
        "device": "0x56a0",
        "class": "0x030000",
        "tile0/physical_vram_size_bytes": str(16 * GIB),
    }
    card = gpu(files)
    assert (card.shares_memory.or_none(), card.memory_total_bytes.or_none()) == (False, 16 * GIB)
    assert card.name.or_none() == "INTEL GPU 8086:56a0"
    inside = gpu({**files, "tile0/physical_vram_size_bytes": ""}, "0000:00:02.0")
    assert inside.shares_memory.or_none() is True and isinstance(inside.memory_total_bytes, Unknown)
    silent = gpu({**files, "tile0/physical_vram_size_bytes": ""})
    assert silent.shares_memory.or_none() is False and isinstance(silent.memory_total_bytes, Unknown)


def test_an_nvidia_card_keeps_its_memory_to_its_library() -> None:
    found = gpu({"vendor": "0x10de", "device": "0x2684", "class": "0x030000"})
    assert found.name.or_none() == "AD102 [GeForce RTX 4090]"
    assert isinstance(found.memory_total_bytes, Unknown) and isinstance(found.driver, Unknown)
    assert isinstance(found.shares_memory, Unknown)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"vendor": "0x1002", "device": "0x744c", "class": "0x040300"},
        {"vendor": "0x1a03", "device": "0x2000", "class": "0x030000"},
        {"vendor": "0x1234", "device": "0x1111", "class": "0x030000"},
        {"vendor": "0x1002", "device": "", "class": "0x030000"},
        {"vendor": "nonsense", "device": "0x744c", "class": "0x030000"},
    ],
)
def test_what_nothing_computes_on_is_left_out(files: dict[str, str]) -> None:
    assert parse(DeviceFiles("0000:03:00.0", files), NAMES) is None


@pytest.mark.parametrize(
    "name", ["mem_info_vram_total", "current_link_speed", "current_link_width", "gpu_busy_percent"]
)
@pytest.mark.parametrize("text", ["", "0", "-1", "nonsense", "99999999999999999999999", "Unknown"])
def test_nonsense_is_unknown_and_alone(name: str, text: str) -> None:
    found = gpu({**CARD, name: text}, revision=1)
    field = {
        "mem_info_vram_total": "memory_total_bytes",
        "current_link_speed": "pcie_generation",
        "current_link_width": "pcie_lanes",
        "gpu_busy_percent": "utilisation_fraction",
    }[name]
    value = getattr(found, field)
    assert isinstance(value, Unknown) or (name, text) == ("gpu_busy_percent", "0")
    assert found.name.or_none() and found.pcie_lanes_max.or_none() == 16


def test_used_memory_beyond_the_total_is_unknown() -> None:
    found = gpu({**CARD, "mem_info_vram_used": str(99 * GIB)}, revision=1)
    assert isinstance(found.memory_free_bytes, Unknown)


def test_product_name_wins() -> None:
    found = gpu({**CARD, "product_name": "AMD Radeon PRO W7900"})
    assert found.name.or_none() == "AMD Radeon PRO W7900"


@pytest.mark.parametrize(
    ("vendor", "device", "name"),
    [
        (0x1002, 0x1586, "Strix Halo [Radeon 8060S]"),
        (0x10DE, 0x2684, "AD102 [GeForce RTX 4090]"),
        (0x10DE, 0x1586, None),
        (0x8086, 0x56A0, None),
        (0x1002, 0x0123, None),
    ],
)
def test_names_stay_within_their_vendor(vendor: int, device: int, name: str | None) -> None:
    assert parse_name(NAMES, vendor, device) == name


@pytest.mark.parametrize(("text", "generation"), [("2.5 GT/s PCIe", 1), ("32.0 GT/s PCIe", 5), ("Unknown", None)])
def test_link_speed(text: str, generation: int | None) -> None:
    assert parse_link_speed(text).or_none() == generation


def test_device_tree() -> None:
    jetson = parse_device_tree(
        "NVIDIA Jetson AGX Orin Developer Kit\0", "nvidia,p3737-0000+p3701-0000\0nvidia,tegra234\0"
    )
    assert jetson is not None
    assert jetson.name.or_none() == "NVIDIA Jetson AGX Orin Developer Kit"
    assert jetson.shares_memory.or_none() is True
    assert parse_device_tree("Raspberry Pi 5 Model B", "raspberrypi,5-model-b\0brcm,bcm2712\0") is None
    assert parse_device_tree("", "") is None
    assert isinstance(replace(jetson).memory_total_bytes, Unknown) and isinstance(jetson.shares_memory, Known)
