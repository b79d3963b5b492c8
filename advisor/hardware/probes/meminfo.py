"""Main memory: /proc/meminfo on Linux, psutil elsewhere. By hand: ``free --bytes``."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.core.units import KIB
from advisor.hardware.files import read_text

SOURCE: Final = "/proc/meminfo"


@dataclass(frozen=True, slots=True)
class MemInfo:
    """The computer's memory, before any cgroup's limit."""

    total_bytes: Fact[int]
    available_bytes: Fact[int]
    swap_used_bytes: Fact[int]


def parse(text: str) -> MemInfo:
    """Facts from the text of /proc/meminfo ("kB" there means KiB)."""
    sizes: dict[str, int] = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        words = value.split()
        if len(words) == 2 and words[0].isdecimal() and words[1] == "kB":
            sizes[key.strip()] = int(words[0]) * KIB

    def fact(key: str) -> Fact[int]:
        if key in sizes:
            return Known(sizes[key], Basis.READ, f"{SOURCE}, {key}")
        return Unknown(tr("{source} has no {key}", source=SOURCE, key=key), Missing.NOT_SUPPORTED)

    total = fact("MemTotal")
    if total == Known(0, Basis.READ, f"{SOURCE}, MemTotal"):
        total = Unknown(tr("{source} states 0 bytes", source=SOURCE), Missing.FAILED)
    swap: Fact[int] = Unknown(tr("{source} has no swap figures", source=SOURCE), Missing.NOT_SUPPORTED)
    if "SwapTotal" in sizes and "SwapFree" in sizes:
        swap = Known(max(0, sizes["SwapTotal"] - sizes["SwapFree"]), Basis.READ, f"{SOURCE}, SwapTotal − SwapFree")
    return MemInfo(total, fact("MemAvailable"), swap)


def read(root: Path = Path("/")) -> MemInfo:
    """Memory of this system."""
    if sys.platform != "linux":
        return _read_by_psutil()
    text = read_text(root / "proc/meminfo")
    return MemInfo(text, text, text) if isinstance(text, Unknown) else parse(text.value)


def _read_by_psutil() -> MemInfo:
    import psutil

    memory = psutil.virtual_memory()
    return MemInfo(
        Known(int(memory.total), Basis.READ, "psutil.virtual_memory"),
        Known(int(memory.available), Basis.READ, "psutil.virtual_memory"),
        Known(int(psutil.swap_memory().used), Basis.READ, "psutil.swap_memory"),
    )
