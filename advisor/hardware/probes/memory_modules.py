"""Memory modules, where the system tells without asking for root.

Linux: udev reads the firmware's tables at boot and keeps them readable in its database. Windows: CIM. macOS:
system_profiler. Two speeds are stated, and they differ: ``SPEED`` is what the module can do, ``CONFIGURED_SPEED``
what it was set to. By hand: ``udevadm info /sys/devices/virtual/dmi/id``, ``Get-CimInstance Win32_PhysicalMemory``.
Source: systemd's dmi_memory_id.c; DMTF DSP0134, structure type 17; Microsoft's Win32_PhysicalMemory.
"""

import json
import platform
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.files import read_text
from advisor.hardware.model import MemoryModule

UDEV: Final = "/run/udev/data/+dmi:id"
CIM: Final = "CIM, Win32_PhysicalMemory"
PROFILER: Final = "system_profiler SPMemoryDataType"
TIMEOUT_S: Final = 8.0

FASTEST_TRANSFERS_PER_S: Final = 20e9
"""Above this a speed is nonsense; the fastest modules of 2025 run at 9.6e9. 0xFFFF and 0 mean "unknown"."""

CIM_KINDS: Final = {"20": "DDR", "21": "DDR2", "24": "DDR3", "26": "DDR4", "27": "LPDDR", "28": "LPDDR2",
                    "29": "LPDDR3", "30": "LPDDR4", "34": "DDR5", "35": "LPDDR5"}  # fmt: skip
"""SMBIOSMemoryType, in digits -> name (DSP0134, 7.18.2)."""

CIM_COMMAND: Final = (
    "powershell.exe", "-NoProfile", "-NonInteractive", "-Command",
    "Get-CimInstance Win32_PhysicalMemory | Select-Object Capacity,Speed,ConfiguredClockSpeed,DeviceLocator,"
    "BankLabel,DataWidth,SMBIOSMemoryType | ConvertTo-Json -Compress",
)  # fmt: skip

_KEY: Final = re.compile(r"^(?:E:\s*)?MEMORY_DEVICE_(\d+)_([A-Z_]+)=(.*)$", re.MULTILINE)
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(MB|GB|TB)", re.IGNORECASE)
_UNITS: Final = {"MB": 2**20, "GB": 2**30, "TB": 2**40}


@dataclass(frozen=True, slots=True)
class Modules:
    """Populated places in the firmware's order, and how many there are altogether."""

    modules: tuple[MemoryModule, ...]
    slots: Fact[int]
    note: Fact[str]
    """Where they were read; unknown with the reason where they could not be."""


def parse_udev(text: str) -> Modules:
    """Modules from udev's database file or the output of ``udevadm info``."""
    slots: dict[int, dict[str, str]] = {}
    for match in _KEY.finditer(text):
        slots.setdefault(int(match[1]), {})[match[2]] = match[3].strip()
    source = "udev, MEMORY_DEVICE"
    modules = tuple(
        MemoryModule(
            slot=" ".join(part for part in (d.get("BANK_LOCATOR", ""), d.get("LOCATOR", "")) if part),
            size_bytes=int(d["SIZE"]),
            kind=_kind(d.get("TYPE", ""), source),
            rated_transfers_per_s=_speed(d.get("SPEED_MTS", ""), f"{source}, SPEED"),
            running_transfers_per_s=_speed(d.get("CONFIGURED_SPEED_MTS", ""), f"{source}, CONFIGURED_SPEED"),
            width_bits=_width(d.get("DATA_WIDTH", ""), source),
        )
        for _, d in sorted(slots.items())
        if d.get("SIZE", "").isdecimal() and int(d["SIZE"]) > 0 and d.get("PRESENT", "1") != "0"
    )
    return _found(modules, len(slots), source, tr("udev has no facts about memory modules"))


def parse_cim(text: str) -> Modules:
    """Modules from CIM_COMMAND's JSON: one object, or a list of them; Windows lists populated slots only."""
    try:
        rows = json.loads(text)
    except ValueError:
        rows = None
    rows = [rows] if isinstance(rows, dict) else rows
    if not isinstance(rows, list):
        return _none(Unknown(tr("Windows gave no list of memory modules"), Missing.FAILED))
    modules = tuple(
        MemoryModule(
            slot=" ".join(str(row[key]).strip() for key in ("BankLabel", "DeviceLocator") if row.get(key)),
            size_bytes=int(row["Capacity"]),
            kind=_kind(CIM_KINDS.get(str(row.get("SMBIOSMemoryType")), ""), CIM),
            rated_transfers_per_s=_speed(row.get("Speed"), f"{CIM}, Speed"),
            running_transfers_per_s=_speed(row.get("ConfiguredClockSpeed"), f"{CIM}, ConfiguredClockSpeed"),
            width_bits=_width(row.get("DataWidth"), CIM),
        )
        for row in rows
        if isinstance(row, dict) and str(row.get("Capacity") or "").isdecimal() and int(row["Capacity"]) > 0
    )
    return _found(modules, 0, CIM, tr("Windows lists no memory modules"))


def parse_system_profiler(text: str) -> Modules:
    """Modules from ``system_profiler SPMemoryDataType -json``; Apple silicon states neither modules nor speed."""
    try:
        groups = json.loads(text)["SPMemoryDataType"]
        rows: list[Mapping[str, Any]] = [row for group in groups for row in group.get("_items", ()) if row.get]
    except (ValueError, KeyError, TypeError, AttributeError):
        return _none(Unknown(tr("system_profiler gave no list of memory modules"), Missing.FAILED))
    if not rows:
        return _none(Unknown(tr("this Mac does not list its memory packages"), Missing.NOT_SUPPORTED))
    modules: list[MemoryModule] = []
    for row in rows:
        size = _SIZE.search(str(row.get("dimm_size", "")))
        if size is None:
            continue
        speed = re.match(r"(\d+) MHz", str(row.get("dimm_speed", "")))
        modules.append(
            MemoryModule(
                slot=str(row.get("_name", "")),
                size_bytes=round(float(size[1]) * _UNITS[size[2].upper()]),
                kind=_kind(str(row.get("dimm_type", "")), PROFILER),
                running_transfers_per_s=_speed(speed[1] if speed else "", PROFILER),
                rated_transfers_per_s=Unknown(tr("macOS states the running speed only"), Missing.NOT_SUPPORTED),
            )
        )
    return _found(tuple(modules), len(rows), PROFILER, tr("all slots are empty"))


def read(root: Path = Path("/")) -> Modules:
    """Modules of this system; starts a system tool on Windows and macOS, none on Linux.

    Raises:
        OSError: where that tool is missing.
        subprocess.TimeoutExpired: when it does not answer.
    """
    system = platform.system()
    if system == "Linux":
        text = read_text(root / UDEV.lstrip("/"))
        if isinstance(text, Unknown):
            return _none(Unknown(tr("this system does not tell which memory modules it has"), text.kind))
        return parse_udev(text.value)
    if system == "Darwin":
        return parse_system_profiler(_output(("/usr/sbin/system_profiler", "SPMemoryDataType", "-json")))
    return parse_cim(_output(CIM_COMMAND))


def _output(command: tuple[str, ...]) -> str:
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False, creationflags=flags
    )
    return done.stdout


def _found(modules: tuple[MemoryModule, ...], slots: int, source: str, nothing: str) -> Modules:
    if not modules:
        return _none(Unknown(nothing, Missing.NOT_SUPPORTED))
    unknown = Unknown(tr("the system lists only slots that are in use"), Missing.NOT_SUPPORTED)
    return Modules(modules, Known(slots, Basis.READ, source) if slots else unknown, Known(source, Basis.READ, source))


def _none(why: Unknown) -> Modules:
    return Modules((), why, why)


def _kind(text: str, source: str) -> Fact[str]:
    text = text.strip()
    if not re.fullmatch(r"(LP)?DDR\d?X?|HBM\d?E?", text, re.IGNORECASE):
        return Unknown(tr("the firmware names no usual kind of memory"), Missing.NOT_SUPPORTED)
    return Known(text.upper(), Basis.READ, source)


def _speed(value: object, source: str) -> Fact[float]:
    """Transfers per second from a number of MT/s; 0 and 0xFFFF are the firmware's words for unknown."""
    text = str(value).strip() if value is not None else ""
    rate = int(text) * 1e6 if text.isdecimal() else 0.0
    if not 0 < rate <= FASTEST_TRANSFERS_PER_S:
        return Unknown(tr("the firmware does not state the speed"), Missing.NOT_SUPPORTED)
    return Known(rate, Basis.READ, source)


def _width(value: object, source: str) -> Fact[int]:
    text = str(value).strip() if value is not None else ""
    if not text.isdecimal() or int(text) not in (8, 16, 32, 64, 128):
        return Unknown(tr("the firmware does not state the width"), Missing.NOT_SUPPORTED)
    return Known(int(text), Basis.READ, source)
