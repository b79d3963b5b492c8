"""Graphics processors as Linux's sysfs shows them: AMD and Intel with their memory, NVIDIA where its library fails.

Nothing is asked of a sleeping GPU that would wake it. By hand: ``lspci -nn``,
``grep . /sys/class/drm/card*/device/mem_info_*``.
Source: Documentation/gpu/amdgpu/driver-misc.rst and Documentation/ABI/testing/sysfs-bus-pci of the Linux kernel;
drivers/gpu/drm/amd/include/kgd_pp_interface.h (format revision of gpu_metrics: 1 cards, 2 and 3 APUs).
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.files import text_or_empty
from advisor.hardware.model import Gpu

VENDORS: Final = {0x10DE: "nvidia", 0x1002: "amd", 0x8086: "intel"}
"""Others are virtual displays, server management chips and the like, on which nothing computes."""

AMD_APUS: Final = frozenset(
    {
        0x15DD, 0x15D8, 0x1636, 0x1638, 0x164C, 0x15E7, 0x163F, 0x1435, 0x1506, 0x1681, 0x164D, 0x164E, 0x15BF, 0x15C8,
        0x1900, 0x1901, 0x150E, 0x1114, 0x1586, 0x13C0,
    }
)  # fmt: skip
"""PCI device numbers of GPUs that are part of an AMD processor, Raven to Strix Halo.

Source: drivers/gpu/drm/amd/amdgpu of the Linux kernel and the PCI ID list; newer ones are told by gpu_metrics.
"""

NAME_LISTS: Final = ("usr/share/hwdata/pci.ids", "usr/share/misc/pci.ids")

LINK_GENERATIONS: Final = {"2.5": 1, "5.0": 2, "5": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}
"""GT/s in current_link_speed -> PCI Express generation."""

MOST_BYTES: Final = 2**50


@dataclass(frozen=True, slots=True)
class DeviceFiles:
    """The texts of one folder of /sys/bus/pci/devices, "" where missing.

    Attributes:
        address: the folder's name ("0000:03:00.0").
        files: name -> text: vendor, device, class, mem_info_vram_total, ...
        metrics_revision: third byte of gpu_metrics; −1 where missing.
    """

    address: str
    files: dict[str, str] = field(default_factory=dict)
    metrics_revision: int = -1

    def text(self, name: str) -> str:
        """A file's stripped text."""
        return self.files.get(name, "").strip()

    def number(self, name: str) -> int | None:
        """A file's number, decimal or with 0x; None where it holds none."""
        try:
            return int(self.text(name), 0)
        except ValueError:
            return None


FILES: Final = (
    "vendor", "device", "class", "product_name", "mem_info_vram_total", "mem_info_vram_used", "mem_info_gtt_total",
    "tile0/physical_vram_size_bytes", "lmem_total_bytes", "current_link_speed", "current_link_width", "max_link_speed",
    "max_link_width", "power/runtime_status", "uevent",
)  # fmt: skip

WAKING_FILES: Final = ("gpu_busy_percent", "pp_dpm_mclk")
"""Read only where the GPU is awake anyway."""


def parse(device: DeviceFiles, names: str = "") -> Gpu | None:
    """One GPU; None for a device that is none, or on which nothing computes.

    Args:
        device: its files.
        names: text of pci.ids, "" where it is not installed.
    """
    vendor_id, device_id, kind = (device.number(name) for name in ("vendor", "device", "class"))
    if kind is None or kind >> 16 != 0x03 or vendor_id not in VENDORS or device_id is None:
        return None
    vendor = VENDORS[vendor_id]
    name = _name(device, names, vendor_id, device_id)
    shares = _shares_memory(device, vendor, device_id)
    total, free, carve_out, gtt = _memory(device, vendor, shares)
    reason = tr("the kernel does not show the width of the memory bus")
    no_figure = Unknown(tr("the kernel does not show it"), Missing.NOT_SUPPORTED)
    busy = device.number("gpu_busy_percent")
    return Gpu(
        name=name,
        uuid=no_figure,
        pci_id=Known(device.address.lower(), Basis.READ, "/sys/bus/pci/devices"),
        memory_total_bytes=total,
        memory_free_bytes=free,
        memory_bytes_per_s=Unknown(reason, Missing.NOT_SUPPORTED),
        compute_capability=no_figure
        if vendor == "nvidia"
        else Unknown(tr("only NVIDIA's have one"), Missing.NOT_APPLICABLE),
        power_limit_w=no_figure,
        driver=_driver(device),
        shares_memory=shares,
        vendor=vendor,
        pcie_generation=parse_link_speed(device.text("current_link_speed")),
        pcie_generation_max=parse_link_speed(device.text("max_link_speed")),
        pcie_lanes=_lanes(device.number("current_link_width")),
        pcie_lanes_max=_lanes(device.number("max_link_width")),
        utilisation_fraction=Known(busy / 100, Basis.READ, "gpu_busy_percent")
        if busy is not None and 0 <= busy <= 100
        else no_figure,
        carve_out_bytes=carve_out,
        gtt_bytes=gtt,
    )


def parse_link_speed(text: str) -> Fact[int]:
    """The generation in "16.0 GT/s PCIe"; unknown for "Unknown" and for parts inside a processor."""
    words = text.split()
    if words and words[0] in LINK_GENERATIONS:
        return Known(LINK_GENERATIONS[words[0]], Basis.READ, "link_speed")
    return Unknown(tr("the kernel does not show the link's speed"), Missing.NOT_SUPPORTED)


def parse_name(names: str, vendor_id: int, device_id: int) -> str | None:
    """A device's name in the text of pci.ids; None where it is not in the list."""
    block = re.search(rf"^{vendor_id:04x}  .*\n((?:[\t#].*\n|\n)*)", names, re.MULTILINE)
    if block is None:
        return None
    line = re.search(rf"^\t{device_id:04x}  (.+)$", block[1], re.MULTILINE)
    return line[1].strip() if line else None


def read(root: Path = Path("/")) -> tuple[Gpu, ...]:
    """All GPUs of this Linux system, by address."""
    names = ""
    found: list[Gpu] = []
    base = root / "sys/bus/pci/devices"
    for folder in sorted(base.iterdir()) if base.is_dir() else []:
        if not text_or_empty(folder / "class").startswith("0x03"):
            continue
        names = names or next((text for text in (text_or_empty(root / name) for name in NAME_LISTS) if text), "")
        files = {name: text_or_empty(folder / name) for name in FILES}
        revision = -1
        if files["power/runtime_status"] != "suspended":
            files |= {name: text_or_empty(folder / name) for name in WAKING_FILES}
            revision = _metrics_revision(folder / "gpu_metrics")
        gpu = parse(DeviceFiles(folder.name, files, revision), f"{names}\n")
        if gpu is not None:
            found.append(gpu)
    return tuple(found)


def _metrics_revision(path: Path) -> int:
    try:
        head = path.read_bytes()[:4]
    except OSError:
        return -1
    return head[2] if len(head) == 4 else -1


def _name(device: DeviceFiles, names: str, vendor_id: int, device_id: int) -> Fact[str]:
    product = device.text("product_name")
    if product:
        return Known(product, Basis.READ, "product_name")
    listed = parse_name(names, vendor_id, device_id)
    if listed:
        return Known(listed, Basis.TABLE, "pci.ids")
    return Known(f"{VENDORS[vendor_id].upper()} GPU {vendor_id:04x}:{device_id:04x}", Basis.READ, "PCI numbers")


def _driver(device: DeviceFiles) -> Fact[str]:
    """The kernel driver that is bound ("amdgpu", "nouveau")."""
    match = re.search(r"^DRIVER=(\S+)", device.text("uevent"), re.MULTILINE)
    if match:
        return Known(match[1], Basis.READ, "/sys/bus/pci/devices/*/uevent")
    return Unknown(tr("no driver is bound to this device"), Missing.TOOL_MISSING)


def _shares_memory(device: DeviceFiles, vendor: str, device_id: int) -> Fact[bool]:
    if vendor == "amd":
        if device_id in AMD_APUS:
            return Known(True, Basis.READ, tr("PCI number of an AMD processor's GPU"))
        if device.metrics_revision in (1, 2, 3):
            return Known(device.metrics_revision != 1, Basis.READ, tr("gpu_metrics, format revision"))
    if vendor == "intel":
        # Intel's integrated graphics has had this address on every processor since 2010.
        if device.address.lower() == "0000:00:02.0":
            return Known(True, Basis.READ, tr("PCI address 00:02.0"))
        return Known(False, Basis.READ, tr("PCI address of a card"))
    return Unknown(tr("the kernel does not show whether the GPU has memory of its own"), Missing.NOT_SUPPORTED)


def _memory(
    device: DeviceFiles, vendor: str, shares: Fact[bool]
) -> tuple[Fact[int], Fact[int], Fact[int], Fact[int]]:
    """(total, free, carve-out, GTT) in bytes; an APU's free bytes are its carve-out's.

    An AMD APU's programs may use both the firmware's carve-out and, through the GTT, a part of the system's memory;
    a card that reaches through the GTT crawls, so there it does not count (cases B10, B11).
    """
    none = Unknown(tr("not an AMD integrated GPU"), Missing.NOT_APPLICABLE)
    if vendor == "nvidia":
        why = Unknown(tr("only NVIDIA's library tells"), Missing.TOOL_MISSING)
        return why, why, none, none
    if vendor == "intel":
        if shares.or_none():
            why = Unknown(tr("shares main memory"), Missing.NOT_APPLICABLE)
            return why, why, none, none
        size = device.number("tile0/physical_vram_size_bytes") or device.number("lmem_total_bytes")
        total = _bytes(size, "physical_vram_size_bytes")
        return total, Unknown(tr("Intel's driver does not tell"), Missing.NOT_SUPPORTED), none, none
    vram = _bytes(device.number("mem_info_vram_total"), "mem_info_vram_total")
    used = device.number("mem_info_vram_used")
    free: Fact[int] = Unknown(tr("amdgpu does not tell"), Missing.NOT_SUPPORTED)
    if isinstance(vram, Known) and used is not None and 0 <= used <= vram.value:
        free = Known(vram.value - used, Basis.READ, "mem_info_vram_total − mem_info_vram_used")
    if shares.or_none() is not True:
        return vram, free, none, none
    gtt = _bytes(device.number("mem_info_gtt_total"), "mem_info_gtt_total")
    if isinstance(vram, Known) and isinstance(gtt, Known):
        total = Known(vram.value + gtt.value, Basis.READ, "mem_info_vram_total + mem_info_gtt_total")
        return total, free, vram, gtt
    return vram if isinstance(gtt, Unknown) else gtt, free, vram, gtt


def _bytes(number: int | None, source: str) -> Fact[int]:
    if number is None:
        return Unknown(tr("the driver shows no {source}", source=source), Missing.NOT_SUPPORTED)
    if not 0 < number <= MOST_BYTES:
        return Unknown(
            tr("the driver states an impossible {value} for {source}", value=number, source=source), Missing.FAILED
        )
    return Known(number, Basis.READ, source)


def _lanes(number: int | None) -> Fact[int]:
    if number is None or not 0 < number <= 32:
        return Unknown(tr("the kernel does not show the link's width"), Missing.NOT_SUPPORTED)
    return Known(number, Basis.READ, "link_width")
