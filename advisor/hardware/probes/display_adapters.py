r"""Graphics processors of Windows (registry) and of Macs (system_profiler).

Windows' usual figure, ``Win32_VideoController.AdapterRAM``, has 32 bits and ends near 4 GB, so the driver's own 64-bit
value is read, the one that DXGI's DedicatedVideoMemory comes from (case B12). By hand:
``Get-ItemProperty 'HKLM:\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-…}\0*'``,
``system_profiler SPDisplaysDataType``.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.model import Gpu

CLASS_KEY: Final = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
SIZE_64: Final = "HardwareInformation.qwMemorySize"
SIZE_32: Final = "HardwareInformation.MemorySize"
VALUES: Final = ("DriverDesc", "MatchingDeviceId", "DriverVersion", SIZE_64, SIZE_32)

CAPPED_FROM_BYTES: Final = 0xFFF00000
"""A 32-bit reading from here up means "4 GB or more" (drivers write 0xFFF00000 to 0xFFFFFFFF)."""

MOST_BYTES: Final = 2**50
VENDORS: Final = {"10de": "nvidia", "1002": "amd", "8086": "intel", "5143": "qualcomm", "qcom": "qualcomm"}
"""PCI numbers, and the letters of a part that firmware lists instead of a bus ("ACPI\\VEN_QCOM&DEV_0C36")."""
TIMEOUT_S: Final = 8.0


def parse_registry(adapters: Iterable[Mapping[str, object]]) -> tuple[Gpu, ...]:
    """GPUs from the registry's values, one mapping per adapter; software and remote adapters are left out."""
    found: list[Gpu] = []
    for values in adapters:
        match = re.search(r"ven_([0-9a-z]{4})", str(values.get("MatchingDeviceId", "")).lower())
        vendor = VENDORS.get(match[1], "") if match else ""
        if not vendor:
            continue
        version = str(values.get("DriverVersion", "")).strip()
        found.append(
            _gpu(
                name=str(values.get("DriverDesc", "")).strip(),
                vendor=vendor,
                total=parse_memory_size(values.get(SIZE_64), values.get(SIZE_32)),
                shares=Unknown(tr("Windows does not say whether the GPU has memory of its own"), Missing.NOT_SUPPORTED),
                driver=Known(version, Basis.READ, "registry, DriverVersion")
                if version
                else Unknown(tr("the registry states no driver version"), Missing.NOT_SUPPORTED),
                source="registry, DriverDesc",
            )
        )
    return tuple(found)


def parse_memory_size(wide: object, narrow: object) -> Fact[int]:
    """The adapter's own memory in bytes, from the 64-bit value or, below its end, from the 32-bit one."""
    size = _integer(wide)
    if size is not None and 0 < size <= MOST_BYTES:
        return Known(size, Basis.READ, f"registry, {SIZE_64}")
    size = _integer(narrow)
    if size is not None and size >= CAPPED_FROM_BYTES:
        return Unknown(tr("Windows' 32-bit figure ends at 4 GB, so the card has that or more"), Missing.NOT_SUPPORTED)
    if size:
        return Known(size, Basis.READ, f"registry, {SIZE_32}")
    return Unknown(tr("the driver writes no memory size into the registry"), Missing.NOT_SUPPORTED)


def parse_system_profiler(text: str) -> tuple[Gpu, ...]:
    """GPUs from ``system_profiler SPDisplaysDataType -json``; Apple's own share the main memory."""
    try:
        rows: list[Mapping[str, Any]] = json.loads(text)["SPDisplaysDataType"]
        rows = [row for row in rows if isinstance(row, dict)]
    except (ValueError, KeyError, TypeError):
        return ()
    found: list[Gpu] = []
    for row in rows:
        name = str(row.get("sppci_model") or row.get("_name") or "").strip()
        maker = str(row.get("spdisplays_vendor", "")).lower()
        vendor = next((v for v in ("apple", "amd", "intel", "nvidia") if v in maker or v in name.lower()), "")
        cores = str(row.get("sppci_cores", ""))
        if vendor == "apple" and cores.isdecimal():
            name = f"{name} ({cores}-core GPU)"
        megabytes = re.match(r"(\d+) (MB|GB)", str(row.get("spdisplays_vram", "")))
        total: Fact[int] = Unknown(tr("shares main memory"), Missing.NOT_APPLICABLE)
        if vendor != "apple":
            total = Unknown(tr("macOS states no memory size"), Missing.NOT_SUPPORTED)
            if megabytes:
                size = int(megabytes[1]) * (2**30 if megabytes[2] == "GB" else 2**20)
                total = Known(size, Basis.READ, "system_profiler, spdisplays_vram")
        shares: Fact[bool] = Known("spdisplays_vram_shared" in row or vendor == "apple", Basis.READ, "system_profiler")
        driver = Unknown(tr("part of macOS"), Missing.NOT_APPLICABLE)
        found.append(_gpu(name, vendor, total, shares, driver, "system_profiler"))
    return tuple(found)


def read() -> tuple[Gpu, ...]:
    """GPUs of this Windows system or Mac; none elsewhere.

    Raises:
        OSError: where the registry or the tool cannot be used.
        subprocess.TimeoutExpired: when the tool does not answer.
    """
    if sys.platform == "win32":
        return parse_registry(_adapters())
    if sys.platform == "darwin":
        command = ("/usr/sbin/system_profiler", "SPDisplaysDataType", "-json")
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
        return parse_system_profiler(done.stdout)
    return ()


def _adapters() -> list[dict[str, object]]:
    adapters: list[dict[str, object]] = []
    if sys.platform == "win32":
        import winreg

        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, CLASS_KEY) as parent:
            for number in range(winreg.QueryInfoKey(parent)[0]):
                name = winreg.EnumKey(parent, number)
                if not name.isdecimal():
                    continue
                values: dict[str, object] = {}
                with winreg.OpenKey(parent, name) as key:
                    for value in VALUES:
                        try:
                            values[value] = winreg.QueryValueEx(key, value)[0]
                        except OSError:
                            continue
                adapters.append(values)
    return adapters


def _integer(value: object) -> int | None:
    """A registry number: QWORD and DWORD come as int, drivers also write little-endian bytes."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int.from_bytes(value, "little") if isinstance(value, bytes) and len(value) in (4, 8) else None


def _gpu(
    name: str, vendor: str, total: Fact[int], shares: Fact[bool], driver: Fact[str], source: str
) -> Gpu:
    unread = Unknown(tr("not read on this system"), Missing.NOT_SUPPORTED)
    return Gpu(
        name=Known(name, Basis.READ, source)
        if name
        else Unknown(tr("the driver states no name"), Missing.NOT_SUPPORTED),
        uuid=unread,
        pci_id=unread,
        memory_total_bytes=total,
        memory_free_bytes=unread if isinstance(total, Known) else total,
        memory_bytes_per_s=unread,
        compute_capability=unread,
        power_limit_w=unread,
        driver=driver,
        shares_memory=shares,
        vendor=vendor,
    )
